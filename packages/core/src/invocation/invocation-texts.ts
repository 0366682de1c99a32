// Sentences for a person who asks why an agent that an event had woken spoke.

import type { Invocation, WakingEvent } from '@parley/protocol';
import { inLine, shortenText } from '../model/prompt-blocks.ts';
import { sentText } from './sender-text.ts';

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
