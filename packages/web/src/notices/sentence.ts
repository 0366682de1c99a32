// What the platform says, in plain sentences. A notice names things; here they get their names.

import { agentList, failedText, invisible, unreadText } from '@parley/core';
import type { Notice } from '@parley/protocol';

export interface NoticeNames {
  /** Handles of the agents it is about: one, or several that are told of together. */
  agents: readonly string[];
  /** The display name of a member. */
  member: (id: string | null) => string;
  /** What the notice points at in its message; null when that has changed since. */
  written: string | null;
}

const undelegated: Record<string, (agent: string) => string> = {
  too_deep: (agent) => `the chain is as deep as it may be, so ${agent} was not asked`,
  circular: (agent) => `${agent} is already in this chain, so it was not asked again`,
  no_progress: (agent) => `its exchange with ${agent} repeated itself and was ended`,
  chain_full: (agent) => `the chain has as many tasks as it may have, so ${agent} was not asked`,
  offline: (agent) => `${agent} is offline, so it was not asked`,
  asleep: (agent) => `${agent} sleeps for longer than there is time, so it was not asked`,
  not_permitted: (agent) => `it may not contact ${agent}`,
  needs_approval: (agent) => `to contact ${agent} it needs a person’s yes, and must ask for it with contact_agent`,
  one_delegate: (agent) => `a message delegates to the first agent that it addresses, so ${agent} was not asked`,
  one_responder: () => 'it called ^ALL or ^ANY, which only people can',
  unknown_handle: () => 'it addressed somebody who is not here',
  quoted: () => 'the handle that it wrote stands inside quotation marks',
  indented: () => 'the handle that it wrote stands in an indented line, which is code',
};

const unfinished: Record<string, string> = {
  outer_limit: 'It had a day.',
  waited_too_long: 'It waited for an answer for too long.',
  offline: 'It did not come back in time.',
  budget: 'What may be spent on it is spent.',
};

export function noticeSentence(notice: Notice, { agents, member, written }: NoticeNames): string {
  const who = agents.length === 0 ? 'An agent' : agentList(agents);
  const why = unfinished[notice.reason ?? ''];
  switch (notice.kind) {
    case 'unknown_handle':
      return unreadText(notice.reason, written) ?? `Nobody here is called ${written ?? 'that'}, so nobody was woken by it.`;
    case 'not_here':
      return `${member(notice.memberId)} is not in this conversation and did not get this.`;
    case 'agent_offline':
      return agents.length > 1
        ? `${who} are offline. They get this when they come back.`
        : `${who} is offline. It gets this when it comes back.`;
    case 'owner_agent_offline':
      return `Somebody asked ${who}, your agent, which is offline.`;
    case 'no_agents':
      return 'There is no agent here, so nobody was woken by it.';
    case 'nobody_available':
      return 'No agent is here to take this. It waits for the first that is.';
    case 'nobody_holds':
      return `Nobody here holds ${written ?? 'that role'}, so nobody was woken by it.`;
    case 'nobody_took_it':
      return 'Nobody took this: every agent that could has let it go.';
    case 'task_timed_out':
      return `${who} ran out of time.${why ? ` ${why}` : ''}`;
    case 'task_failed':
      // Its own reason is a sentence; the platform's are single words.
      if (notice.reason?.includes(' ')) return `${who} could not do it: ${notice.reason}.`;
      return `${who} could not do it: something went wrong on its side.${why ? ` ${why}` : ''}`;
    case 'task_stopped':
      return notice.reason === 'asked_to_leave' ? `${who} was asked to leave, and has stopped.` : `${who} was stopped.`;
    case 'agent_signalled':
      return notice.reason === 'unclear'
        ? `It is not clear to ${who} what you mean. Say more, and it goes on.`
        : `${who} cannot go on and needs something from you. Answer, and it goes on.`;
    case 'may_have_happened':
      return `${who} was interrupted in the middle of “${notice.reason ?? 'a step'}”: it may have happened, or not. Tell it how to go on.`;
    case 'nothing_to_answer':
      return agents.length === 0
        ? 'There is nothing to answer in it, so nobody was woken.'
        : `There is nothing to answer in it, so ${who} was not woken.`;
    case 'obligation_due':
      return `${member(notice.memberId)} waits for an answer of yours.`;
    case 'approval_due':
      return `${who} waits for your yes or no.`;
    case 'not_delegated': {
      const reason = undelegated[notice.reason ?? ''];
      return reason ? `Nothing was given on: ${reason(who)}.` : `Nothing was given on to ${who}.`;
    }
    case 'invocation_failed':
      return `${who} was woken by an event of yours and could not do it: ${failedText({ reason: notice.reason, error: notice.error, invocation: notice.invocationId ?? '' })}`;
    default:
      return 'The platform has something to say that this page does not know yet.';
  }
}

/** What a notice points at, as long as its message still has it there. */
export function pointedAt(notice: Notice, body: string | null | undefined): string | null {
  if (!body || notice.start === null || notice.end === null) return null;
  const part = body.slice(notice.start, notice.end);
  // Whatever cannot be seen, or turns the direction of the sentence, stays out of it.
  return /^[\^@＾＠﹫ˆ⌃][\p{Alphabetic}\p{N}\p{M}\p{Pc}\p{Cf}\p{Default_Ignorable_Code_Point}.-]+$/u.test(part)
    ? part.replaceAll(invisible, '')
    : null;
}
