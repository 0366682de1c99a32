// The platform's notices in plain sentences. A notice holds IDs, which get their names here.

import type { Notice } from '@parley/protocol';
import { unreadText } from '../address/address.ts';
import { failedText } from './invocation-texts.ts';
import { agentList } from '../text/agent-list.ts';
import { invisibleCharacters } from '../text/look-alike.ts';

export interface NoticeNames {
  /** Handles of the agents it is about: one, or several that share the notice. */
  agents: readonly string[];
  /** How a member is named: on the page by their display name. */
  member: (id: string | null) => string;
  /** The words that the notice points at in its message; null when they have changed since. */
  written: string | null;
}

const undelegated: Record<string, (agent: string) => string> = {
  too_deep: (agent) => `the chain has reached its maximum depth, so ${agent} was not asked`,
  circular: (agent) => `${agent} is already in this chain, so it was not asked again`,
  no_progress: (agent) => `its exchange with ${agent} repeated itself and was ended`,
  chain_full: (agent) => `the chain has reached its maximum number of tasks, so ${agent} was not asked`,
  offline: (agent) => `${agent} is offline, so it was not asked`,
  asleep: (agent) => `${agent} sleeps past the chain’s time limit, so it was not asked`,
  not_permitted: (agent) => `it may not contact ${agent}`,
  needs_approval: (agent) => `contacting ${agent} needs a person’s approval, which the agent requests with contact_agent`,
  one_delegate: (agent) => `a message delegates to the first agent that it addresses, so ${agent} was not asked`,
  one_responder: () => 'it called ^ALL or ^ANY, which only people can',
  unknown_handle: () => 'it addressed somebody who is not here',
  quoted: () => 'the handle is inside quotation marks',
  indented: () => 'the handle is in an indented line, which is code',
};

const unfinished: Record<string, string> = {
  outer_limit: 'It reached the time limit of a day.',
  waited_too_long: 'It waited too long for a reply.',
  offline: 'It was offline and did not come back.',
  budget: 'Its budget is exhausted.',
};

/** Undefined for a kind of a newer version. */
export function noticeText(notice: Notice, { agents, member, written }: NoticeNames): string | undefined {
  const who = agents.length === 0 ? 'An agent' : agentList(agents);
  const whom = agents.length === 0 ? 'an agent' : who;
  const several = agents.length > 1;
  const [is, was] = several ? ['are', 'were'] : ['is', 'was'];
  const why = unfinished[notice.reason ?? ''];
  switch (notice.kind) {
    case 'unknown_handle':
      return unreadText(notice.reason, written) ?? `Nobody here is called ${written ?? 'that'}, so that name reached nobody.`;
    case 'not_here':
      return `${member(notice.memberId)} was not in this conversation and did not get this.`;
    case 'agent_offline':
      return agents.length > 1
        ? `${who} are offline. They get this when they come back.`
        : `${who} is offline. It gets this when it comes back.`;
    case 'owner_agent_offline':
      return several
        ? `Somebody called your agents ${whom}, which are offline.`
        : `Somebody called your agent ${agentList(agents)}, which is offline.`;
    case 'no_agents':
      return 'There is no agent here, so nobody was woken.';
    case 'nobody_available':
      return 'No agent here can take this now. It waits for the first that can.';
    case 'nobody_holds':
      return `Nobody here holds ${written ?? 'that role'}, so that name reached nobody.`;
    case 'nobody_took_it':
      return 'No agent took this: every agent that could has passed.';
    case 'task_timed_out':
      return `${who} ran out of time.${why ? ` ${why}` : ''}`;
    case 'task_failed':
      // The failed run's own reason is a sentence; the platform's reasons are single words.
      if (notice.reason?.includes(' ')) return `${who} failed. ${notice.reason}.`;
      return why ? `${who} stopped. ${why}` : `${who} failed because of an error on its side.`;
    case 'task_stopped':
      if (notice.reason === 'channel_archived') return `${who} ${was} stopped: the channel was archived.`;
      return notice.reason === 'asked_to_leave' ? `${who} ${was} asked to leave, and stopped.` : `${who} ${was} stopped.`;
    case 'agent_signalled':
      return notice.reason === 'unclear'
        ? `${who} did not understand what you mean. Say more to continue.`
        : `${who} ${is} blocked and waiting for something from you. Reply to continue.`;
    case 'may_have_happened':
      return `${who} ${was} interrupted during “${notice.reason ?? 'a step'}”, which may or may not have happened. The person who approves its calls decides.`;
    case 'not_taken':
      return `${who} takes no requests from you.`;
    case 'nothing_to_answer':
      return agents.length === 0
        ? 'The message asks for nothing, so nobody was woken.'
        : `The message asks for nothing, so ${whom} ${was} not woken.`;
    case 'obligation_due':
      return `${member(notice.memberId)} is waiting for your reply.`;
    case 'approval_due':
      return `${who} ${is} waiting for your approval.`;
    case 'not_delegated': {
      const reason = undelegated[notice.reason ?? ''];
      return reason ? `Nothing was delegated: ${reason(whom)}.` : `Nothing was delegated to ${whom}.`;
    }
    case 'space_shared':
      return 'Somebody shares a space with you. You find it under Your peer, Spaces.';
    case 'space_changed':
      return 'Something that concerns you changed in a shared space. You find it under Your peer.';
    case 'handle_changed': {
      const by = notice.memberId === null ? 'The operator' : member(notice.memberId);
      return `${by} changed the handle of ${notice.agentId === null ? 'your account' : `your agent ${whom}`}.`;
    }
    case 'triggers_off':
      return 'Your access role was raised, so your triggers, manifests, schedules and monitors are off. Switch on those that you still want.';
    case 'agent_given':
      return `${member(notice.memberId)} is now the owner of ${whom}, and you are not.`;
    case 'token_created':
      return `${member(notice.memberId)} made a token for your agent ${whom}. Its holder acts as the agent.`;
    case 'invocation_failed':
      return `Your event woke ${whom}, which failed: ${failedText({ reason: notice.reason, error: notice.error, invocation: notice.invocationId ?? '' })}`;
    default:
      return undefined;
  }
}

/** The words that a notice points at, as long as its message still has them there. */
export function pointedAt(notice: Notice, body: string | null | undefined): string | null {
  if (!body || notice.start === null || notice.end === null) return null;
  const part = body.slice(notice.start, notice.end);
  // Invisible characters, and those that turn the direction of the sentence, stay out of it.
  return /^[\^@＾＠﹫ˆ⌃][\p{Alphabetic}\p{N}\p{M}\p{Pc}\p{Cf}\p{Default_Ignorable_Code_Point}.-]+$/u.test(part)
    ? part.replaceAll(invisibleCharacters, '')
    : null;
}
