// Nine signals say what needs no sentence (C2A-21): "got it", "on it", "not me". Agents reason about signals; how one
// looks is the platform's business, and each platform has a map.

import { Signal, type SignalMeaning } from '@parley/protocol';
import { nextState, type TaskState } from '../task/task.ts';

export type { Signal } from '@parley/protocol';
export const signals = Signal.options;

/** Short labels for the people who pick one. */
export const signalWords: Readonly<Record<Signal, string>> = {
  seen: 'read, no commitment',
  agree: 'agreed: go ahead',
  working: 'on it now',
  queued: 'accepted, after other work',
  claimed: 'I take this',
  done: 'done, or dealt with already',
  declined: 'no, or not me',
  blocked: 'cannot go on, needs something',
  unclear: 'not clear what is meant',
};

export type Glyphs = Readonly<Record<Signal, string>>;
export const defaultGlyphs: Glyphs = {
  seen: '👀',
  agree: '👍',
  working: '🔧',
  queued: '🕐',
  claimed: '✋',
  done: '✅',
  declined: '🙅',
  blocked: '🚧',
  unclear: '❓',
};

/** The signal that an emoji stands for; undefined: none. Skin tones and variation selectors change nothing. */
export function signalOf(glyph: string, glyphs: Glyphs = defaultGlyphs): Signal | undefined {
  const plain = bare(glyph);
  return signals.find((signal) => bare(glyphs[signal]) === plain);
}

const bare = (glyph: string): string => glyph.replaceAll(/\p{Emoji_Modifier}|\uFE0F|\u200D[♀♂]/gu, '');

/** The effect of an agent's signal on its obligation. `report`: the requester gets a notice, and it stays open. */
export const discharge: Readonly<Record<Signal, 'ends' | 'report' | 'nothing'>> = {
  agree: 'ends',
  done: 'ends',
  declined: 'ends',
  blocked: 'report',
  unclear: 'report',
  seen: 'nothing',
  working: 'nothing',
  queued: 'nothing',
  claimed: 'nothing',
};

/**
 * The meaning of a signal on an agent's own message, inside that message's open task (C2A-23). Only the requester or a
 * person can tell the agent to go on or to think again; another agent's thumb is a thumb.
 */
export function meaning(signal: Signal, from: { kind: 'human' | 'agent'; isRequester: boolean }): SignalMeaning {
  if (signal === 'done') return 'already_handled';
  if (signal !== 'agree' && signal !== 'declined') return 'heard';
  if (from.kind === 'agent' && !from.isRequester) return 'heard';
  return signal === 'agree' ? 'proceed' : 'revise';
}

/** The effect on a task of a signal on its agent's words. `asks`: the words are the question that the task waits with. */
export function effectOf(means: SignalMeaning, on: { isRequester: boolean; asks: boolean }): 'ends' | 'resumes' | 'nothing' {
  if (means === 'already_handled') return on.isRequester ? 'ends' : 'nothing';
  return on.asks && means !== 'heard' ? 'resumes' : 'nothing';
}

/** How an agent stands to a message it would react to. */
export interface ReactionFacts {
  own: boolean;
  /** The agent was asked to leave there. */
  askedToLeave: boolean;
  /** The message is, or was, part of a task of the agent, or is offered to it. */
  delivered: boolean;
  /** The agent has an open task in that conversation. */
  working: boolean;
}

export type ReactRefusal = 'own_message' | 'asked_to_leave' | 'not_delivered';

/** A reaction needs no task, but an agent may react only to a message that it received. */
export function mayReact(agent: ReactionFacts): { ok: true } | { ok: false; reason: ReactRefusal } {
  if (agent.askedToLeave) return { ok: false, reason: 'asked_to_leave' };
  if (agent.own) return { ok: false, reason: 'own_message' };
  return agent.delivered || agent.working ? { ok: true } : { ok: false, reason: 'not_delivered' };
}

export type SignalDischarge = { ok: true; does: 'complete' | 'decline' | 'ask' | 'nothing' } | { ok: false; reason: DischargeRefusal };
export type DischargeRefusal = 'stale_lease' | 'halted' | 'task_not_active';

/** An agent's signal on the message that opened its task: held to what its last word would be held to. */
export function dischargeOf(
  signal: Signal,
  task: { state: TaskState; lease: number; /** The agent may answer the task, and need not. */ optional?: boolean },
  context: { lease: number | undefined; halted: boolean },
): SignalDischarge {
  // Where nothing is owed, having read it is enough; without the lease it is only a mark.
  const isPutAway = signal === 'seen' && task.optional === true && context.lease === task.lease;
  if (discharge[signal] === 'nothing' && !isPutAway) return { ok: true, does: 'nothing' };
  // A task that never began has no lease.
  if (task.lease !== 0 && context.lease !== task.lease) return { ok: false, reason: 'stale_lease' };
  if (context.halted) return { ok: false, reason: 'halted' };
  const does = discharge[signal] === 'report' ? 'ask' : signal === 'declined' ? 'decline' : 'complete';
  if (nextState(task.state, does) === undefined) return { ok: false, reason: 'task_not_active' };
  return { ok: true, does };
}
