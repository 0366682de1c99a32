// Is this agent addressed? One message, one agent: the first line of the list that fits decides. This is the whole
// protocol of who is woken; the hub, the composer's preview, the simulator and the shell all ask `attend`.
//
// Delivery is not injection: `policy` says whether the agent is to answer, `mode` how much of it enters a turn.

import type { MemberKind } from '@parley/protocol';
import type { Address } from './address.ts';
import { mayCallMany } from './offer.ts';

export const policies = ['must_respond', 'may_respond', 'must_not_respond'] as const;
export type Policy = (typeof policies)[number];
export const modes = ['immediate', 'buffered', 'notify', 'tool_mailbox', 'digest', 'silent'] as const;
export type Mode = (typeof modes)[number];

export type Reason =
  | 'own_message'
  | 'author_blocked'
  | 'left'
  | 'notification'
  | 'filler'
  | 'mention'
  | 'role'
  | 'all_agents'
  | 'any_agent'
  | 'in_path'
  | 'final_answer'
  | 'one_responder'
  | 'dm'
  | 'addressed_to_others'
  | 'reply'
  | 'follow_up'
  | 'ambient';

/** What is known of the message, the same for every agent. */
export interface Said {
  authorId: string;
  authorKind: MemberKind;
  /** `dm`: of two, or a thread in one. A DM of more is a room like a channel, except that one need not be called by name in it. */
  conversation: { kind: 'channel' | 'dm' | 'group_dm'; floor: 'polite' | 'open' };
  addresses: readonly Address[];
  /** Nothing in it but filler once the addresses are taken out. */
  filler: boolean;
  /** A `notify` from agent to agent: it wakes nobody. */
  notification?: boolean;
  /** The author is an agent inside a task: everyone from the chain's root down to it. */
  path?: readonly string[];
  /** It is that agent's last word in its task. */
  final?: boolean;
}

/** How one agent stands to it. */
export interface Listener {
  id: string;
  handle: string;
  roles?: readonly string[];
  /** The agent's owner has shut this author out. */
  blocks?: boolean;
  /** It was asked to leave here. */
  left?: boolean;
  /** `asked`: its task waits for this author's answer. `reply`: to a message of its own. `requester`: of its open task here. */
  continuing?: 'asked' | 'reply' | 'requester' | undefined;
}

export interface Verdict {
  policy: Policy;
  mode: Mode;
  reason: Reason;
  /** Makes a task, or adds to the open one. */
  task: boolean;
}

const no = (reason: Reason, mode: Mode = 'tool_mailbox'): Verdict => ({ policy: 'must_not_respond', mode, reason, task: false });
const must = (reason: Reason, mode: Mode = 'buffered'): Verdict => ({ policy: 'must_respond', mode, reason, task: true });

type Line = (said: Said, agent: Listener) => Verdict | undefined;

/** The list, in order. */
const lines: readonly Line[] = [
  // Identity is an id, not a kind: two agents are two, and one is never woken by itself.
  (said, agent) => (said.authorId === agent.id ? no('own_message', 'silent') : undefined),
  // A role or ^ALL does not bring back who was asked to leave; only its own name does.
  (said, agent) =>
    agent.blocks ? no('author_blocked', 'silent') : agent.left && named(said, agent) !== 'mention' ? no('left') : undefined,
  (said) => (said.notification ? no('notification') : undefined),
  // An agent that asked is answered by whatever comes: "ok" may be the answer.
  (said, agent) => (said.filler && agent.continuing !== 'asked' ? no('filler') : undefined),
  (said, agent) => called(said, agent),
  (said) => (directly(said) ? must('dm') : undefined),
  (said) => (toOthers(said) ? no('addressed_to_others') : undefined),
  (_said, agent) => (agent.continuing ? must(agent.continuing === 'reply' ? 'reply' : 'follow_up') : undefined),
  (said) =>
    said.conversation.floor === 'open' ? { policy: 'may_respond', mode: 'tool_mailbox', reason: 'ambient', task: false } : undefined,
  () => no('ambient'),
];

export function attend(said: Said, agent: Listener): Verdict {
  for (const line of lines) {
    const verdict = line(said, agent);
    if (verdict) return verdict;
  }
  throw new Error('The last line fits everything');
}

function named(said: Said, agent: Listener): 'mention' | 'role' | undefined {
  if (said.addresses.some(({ kind, handle }) => kind === 'agent' && same(handle, agent.handle))) return 'mention';
  const role = said.addresses.some(({ kind, handle }) => kind === 'role' && agent.roles?.some((held) => same(held, handle)));
  return role ? 'role' : undefined;
}

/** By its name, a role it holds, or as one of all or any. */
function called(said: Said, agent: Listener): Verdict | undefined {
  const all = said.addresses.some(({ kind }) => kind === 'all_agents');
  const any = said.addresses.some(({ kind }) => kind === 'any_agent');
  const by = named(said, agent) ?? (all ? 'all_agents' : any ? 'any_agent' : undefined);
  if (by === undefined) return undefined;
  if ((by === 'all_agents' || by === 'any_agent') && !mayCallMany(said.authorKind).ok) return no('one_responder');
  // Speaking to whoever one works for is answering them, not asking.
  if (said.path?.includes(agent.id)) return no('in_path');
  if (said.final) return no('final_answer');
  return must(by, by === 'role' ? 'notify' : 'buffered');
}

/** Agents reach each other's DMs only through `contact_agent`, which is a task of its own. */
const directly = ({ conversation, authorKind, ...said }: Said): boolean =>
  authorKind === 'human' && (conversation.kind === 'dm' || (conversation.kind === 'group_dm' && !toOthers(said)));

/** It names somebody. Asked after `called`, so that it is somebody else. A name that nobody has is nobody's. */
const toOthers = (said: Pick<Said, 'addresses'>): boolean => said.addresses.some(({ kind }) => kind !== 'unknown');

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Why, in a sentence. `{agent}` stands for its handle. */
export const reasons: Readonly<Record<Reason, string>> = {
  own_message: 'It is {agent}’s own message.',
  author_blocked: '{agent}’s owner has blocked the author.',
  left: '{agent} was asked to leave here and comes back only when called by name.',
  notification: 'It was a notification: stored for {agent}, waking nobody.',
  filler: 'There is nothing to answer in it.',
  mention: '{agent} was called by name.',
  role: '{agent} holds a role that was called.',
  all_agents: '^ALL calls every agent here.',
  any_agent: '^ANY calls whichever agent takes it first.',
  in_path: '{agent} is working up the chain from here: this was a reply to it, not a request.',
  final_answer: 'A final answer asks nothing of anybody; the address in it makes no task.',
  one_responder: '^ALL and ^ANY are for people: an agent names the one that is to answer.',
  dm: 'It is a direct message to {agent}.',
  addressed_to_others: 'Somebody else was addressed.',
  reply: 'It replies to a message of {agent}’s.',
  follow_up: 'Whoever asked {agent} goes on talking to it.',
  ambient: 'Nobody addressed {agent}; unaddressed it may speak up only where the floor is open.',
};

/** Why an agent has a task: what was decided about a message, or a person who turned another's work to it. */
export type TaskReason = Reason | 'redirect';
export const taskReasons: Readonly<Record<TaskReason, string>> = { ...reasons, redirect: 'A person turned the work to {agent}.' };
