// The reasons that *Why?*, `parley explain` and agents read, in sentences. A new reason also needs its line in `attend.ts`.

import type { Outcome, Policy } from '@parley/protocol';
import { isFromRound } from './offer-round.ts';

/** Reasons as sentences. `{agent}` is replaced by the agent's handle. */
export const reasons = {
  own_message: 'It is {agent}’s own message.',
  author_blocked: '{agent}’s owner has blocked the author.',
  asked_to_leave: 'It asks {agent} to leave, and it does.',
  left: '{agent} was asked to leave here and comes back only when called by name.',
  notification: 'It was a notification: stored for {agent}, waking nobody.',
  filler: 'There is nothing to answer in it.',
  mention: '{agent} was called by name.',
  role: '{agent} holds a role that was called.',
  all_agents: '^ALL calls every agent here.',
  any_agent: 'It is for whichever agent takes it first.',
  in_path: '{agent} is working up the chain from here: this was a reply to it, not a request.',
  final_answer: 'An agent’s final answer, or its question to its requester, delegates nothing; the address in it makes no task.',
  one_responder: '^ALL and ^ANY are for people: an agent names the one that is to answer.',
  dm: 'It is a direct message to {agent}.',
  addressed_to_others: 'Somebody else was addressed.',
  reply: 'It replies to a message of {agent}’s.',
  follow_up: 'The requester continues the conversation with {agent}.',
  fragment: 'The requester was still writing: this belongs to their request to {agent}.',
  assigned: 'A person assigned it to {agent}.',
  question: 'It asks something in reply to {agent}, or in a thread in which {agent} is the only agent.',
  status: 'It is a status line: it asks for nothing.',
  statement:
    'The question that {agent} works on was to nobody by name: its author goes on with {agent} by a question, a reply or its name.',
  thread: '{agent} takes part in this thread and may speak up, as the floor is open.',
  ambient: 'Nobody addressed {agent}; unaddressed it may speak up only where the floor is open.',
} as const;
export type Reason = keyof typeof reasons;

/**
 * Why an agent has a task: the verdict on a message, an edit after its answer, a person who redirected another agent's work
 * to it, or a reminder.
 */
export type TaskReason = Reason | 'not_taken' | 'edit' | 'redirect' | 'obligation' | 'agent_ask' | 'agent_delegation';
export const taskReasons: Readonly<Record<TaskReason, string>> = {
  ...reasons,
  // `author_blocked`, for those who are not to know that.
  not_taken: '{agent} does not accept this request.',
  edit: '{agent} had answered when it was edited, and may look at it again.',
  redirect: 'A person redirected the work to {agent}.',
  obligation: 'Somebody waits for an answer, and {agent} was reminded of it.',
  agent_ask: 'Another agent asks {agent}, and waits for the answer.',
  agent_delegation: 'Another agent delegated this to {agent} and gets the result.',
};

/**
 * Only those who may change the agent learn of the block; everybody else learns that it takes no requests from the author
 * (C2A-8). The mode stays: it is in no mailbox.
 */
export const shownVerdict = <V extends { mode: string; reason: string }>(verdict: V, mayKnow: boolean): V =>
  verdict.reason !== 'author_blocked' || mayKnow ? verdict : { ...verdict, reason: 'not_taken' };

/** `author`: the author's handle, or `you`; undefined for an agent, which may pass on the request of a person who is blocked. */
export const notTakenText = (agent: string, author?: string): string =>
  author === undefined ? taskReasons.not_taken.replace('{agent}', `^${agent}`) : `^${agent} takes no requests from ${author}.`;

export const policyTexts: Readonly<Record<Policy, string>> = {
  must_respond: 'woken',
  may_respond: 'may answer',
  must_not_respond: 'quiet',
};

/** That it chose silence, that it was not to speak, and that it could not are three different things. */
export const outcomeTexts: Readonly<Record<Outcome, string>> = {
  answered: 'answered',
  working: 'at work',
  waiting: 'waiting',
  declined: 'declined',
  silent: 'chose silence',
  forbidden: 'not allowed to answer',
  withheld: 'withheld from it',
  refused: 'could not be asked',
  not_needed: 'not needed',
  not_asked: 'not asked',
  stopped: 'stopped',
  failed: 'failed',
};

/**
 * An agent that is asked must answer. An agent that has answered already, or that took a message addressed to nobody, may
 * answer.
 */
export const taskPolicy = (reason: TaskReason): Policy => (reason === 'edit' || isFromRound(reason) ? 'may_respond' : 'must_respond');

/** An agent's address that made no task (PAP-10): why, and what it can do instead, in words that a model reads. By the flag's reason. */
const undelegated: Readonly<Record<string, (name: string, id: string) => string>> = {
  too_deep: (name) => `${name} was not woken: the chain has reached its maximum depth. Report back to your caller.`,
  circular: (name) => `${name} was not woken: it is already in this chain. Report back to your caller.`,
  no_progress: (name) =>
    `${name} was not woken: your exchange with it repeated itself and was ended. Finish without it, or report back to your requester.`,
  chain_full: (name) => `${name} was not woken: the chain has reached its maximum number of tasks.`,
  offline: (name, id) => `${name} was not woken: it is offline. To leave it a note, use contact_agent (action 'notify', agentId '${id}').`,
  asleep: (name, id) =>
    `${name} was not woken: it sleeps past the chain's time. To wake it, use contact_agent (action 'ask', agentId '${id}').`,
  not_permitted: (name) => `${name} was not woken: you are not permitted to contact it.`,
  // Approval is for a call, which can wait for it; words in a room were said already.
  needs_approval: (name, id) =>
    `${name} was not woken: a person has to approve it first. Use contact_agent (action 'ask' or 'delegate', agentId '${id}'): that asks them, and waits.`,
  final_answer: (name) => `${name} was not woken: a final answer delegates nothing.`,
  in_question: (name) => `${name} was not woken: a question is for your requester. To delegate, address the agent in a progress message.`,
  one_delegate: (name) =>
    `${name} was not woken: a message delegates to the first agent that it addresses. Address the next in a message of its own.`,
  one_responder: () => '^ALL and ^ANY are for people: name the one agent that is to answer.',
  unknown_handle: () => 'Somebody you addressed is not here.',
  quoted: () => 'Nobody was woken: the handle is inside quotation marks. To delegate, write it outside of them.',
  indented: () => 'Nobody was woken: the handle is in an indented line, which is code. To delegate, write it at the start of the line.',
};

/** Undefined: there is nothing to say of it. */
export const notWoken = (reason: string, agent?: { handle: string; id: string }): string | undefined =>
  undelegated[reason]?.(agent ? `^${agent.handle}` : 'The agent', agent?.id ?? '');
