// The words about invocations: the sender of an event, the states, why one failed, and who is at work.

import { type EventSender, senderIn, type Invocation, type WakingEvent, type Agent } from '@parley/protocol';
import { inLine, escapeInvisible, shortenText } from '../model/prompt-blocks.ts';
import { agentList } from '../text/agent-list.ts';

// The sender of an event. An event's source is the sender's own word; the way it came in is known.

const own = (via: EventSender['via']): boolean => via === 'schedule' || via === 'absence' || via === 'invocation';

/** After "the event X": by its own name where there is nothing else to say. */
export function sentText(source: string, { via, sourceId, by }: EventSender): string {
  const named = inLine(source);
  if (sourceId === source) return `of the source ${named}`;
  if (sourceId !== null) return `sent by the source ${inLine(sourceId)}, which calls itself ${named}`;
  if (own(via)) return `of the source ${named}, the platform’s own`;
  if (senderIn(source) !== undefined) return `sent by ${by ?? 'a member'}`;
  return `of the source ${named}, as sent by ${by ?? 'the operator of the hub'}`;
}

/** Among the platform's own lines: the name it gives itself is quoted. */
export function senderText(source: string, { via, sourceId, by }: EventSender): string {
  const named = escapeInvisible(JSON.stringify(source));
  if (sourceId === source) return `the source ${inLine(sourceId)}`;
  if (sourceId !== null) return `the source ${inLine(sourceId)}, which calls itself ${named}`;
  if (own(via)) return `the platform itself (${via})`;
  if (senderIn(source) !== undefined) return by ?? 'a member';
  return `${by ?? 'the operator of the hub'}, as the source ${named}`;
}

// Sentences for a person who asks why an agent that an event had woken spoke.

export const invocationWords: Readonly<Record<Invocation['state'], string>> = {
  awaiting_approval: 'waiting for approval',
  queued: 'queued',
  running: 'working',
  waiting_retry: 'waiting to retry',
  completed: 'done',
  failed: 'failed',
  expired: 'expired without approval',
  denied: 'denied',
  cancelled: 'cancelled',
};

/** How an attempt ended. One that came through can still have had nowhere to bring what it said. */
export const attemptWords = ({ state, error }: { state: string; error: string | null }): string =>
  state === 'succeeded' && error !== null ? 'succeeded, not delivered' : state.replaceAll('_', ' ');

const longestError = 300;

/** Why an invocation failed, as a part of a sentence. Words that a model or an event chose are quoted, on one line. */
export const quotedError = (error: string): string => `“${shortenText(inLine(error), longestError)}”`;

export function provokedText({ invocationId, triggerId, event }: WakingEvent): string {
  const of = event === null ? '' : `: ${inLine(event.type)} (${inLine(event.id)}) ${sentText(event.source, event)}`;
  const started = triggerId === null ? 'It ran as' : `The trigger ${inLine(triggerId)} started`;
  return `An event woke it${of}. ${started} the invocation ${invocationId}.`;
}

// Reasons, in words, why an invocation failed for good, and when its owner gets them (PAP-14).

/** By a code of how its last attempt ended, or of what else became of it. */
const whys: Readonly<Record<string, string>> = {
  timed_out: 'it ran for too long',
  bad_output: 'its output does not have the form that its manifest asks for',
  too_many_tool_calls: 'it reached its limit of tool calls',
  agent_offline: 'its agent is not connected',
  crashed: 'the hub went down while it ran',
  may_have_happened: 'it was interrupted during a call that may have happened',
  expired: 'nobody approved it in time',
  not_delivered: 'its result could not be delivered',
};

/** As a part of a sentence: what the platform knows of it; the code alone where nothing is kept of it any more. */
export function failedWords(reason: string | null, error: string | null): string {
  const why = Object.hasOwn(whys, reason ?? '') ? whys[reason ?? ''] : undefined;
  const parts = [why, error === null ? undefined : quotedError(error)].filter((part) => part !== undefined);
  return parts.length === 0 ? 'something went wrong' : parts.join(': ');
}

/** The same to the end of the sentence, and where more is said. A quotation may have ended it already. */
export function failedText({ reason, error, invocation }: { reason: string | null; error: string | null; invocation: string }): string {
  const words = failedWords(reason, error);
  return `${words}${/[.!?…]”$/.test(words) ? '' : '.'} \`npx parley invocations show ${invocation}\` shows more.`;
}

export interface FailureFacts {
  trigger: string;
  /** A code. */
  reason: string;
}

/** Thousands may fail of the same: its owner has one of them before them. Once they have noted it, the next is news again. */
export const isInInbox = (open: readonly FailureFacts[], now: FailureFacts): boolean =>
  open.some(({ trigger, reason }) => trigger === now.trigger && reason === now.reason);

// Sentences about agents that work without a task to show for it: the same on the page and in the shell (IAC-18).

/** Shown when there is no task: among the open ones, and among all that are kept. Work that events started is no task. */
export const noTasks = { open: 'No agent is at work.', all: 'No agent has had a task yet.' } as const;

export interface WokenWords {
  text: string;
  /** Some of it waits for the reader. */
  yours: boolean;
}

/**
 * The agents that events have woken: until they delegate, no task shows their work. Null: there are none. `asked`: the agents
 * for which the reader is asked for approval; all others wait for somebody else.
 */
export function wokenWords(
  agents: readonly Pick<Agent, 'id' | 'handle' | 'woken'>[],
  ownCheckpoints: ReadonlySet<string | null>,
): WokenWords | null {
  const waits = agents.filter(({ woken }) => woken === 'awaiting_approval');
  const [yours, others] = [waits.filter(({ id }) => ownCheckpoints.has(id)), waits.filter(({ id }) => !ownCheckpoints.has(id))];
  const sentence = (who: typeof waits, one: string, many: string): string[] =>
    who.length === 0 ? [] : [`${agentList(who.map(({ handle }) => handle))} ${who.length > 1 ? many : one}, woken by an event.`];
  const text = [
    ...sentence(
      agents.filter(({ woken }) => woken === 'working'),
      'is at work',
      'are at work',
    ),
    ...sentence(yours, 'waits for your approval', 'wait for your approval'),
    ...sentence(others, 'waits for a person’s approval', 'wait for a person’s approval'),
  ].join(' ');
  return text === '' ? null : { text, yours: yours.length > 0 };
}
