// Events and what they started, in words.

import { invocationWords, senderText } from '@parley/core';
import type { Invocation, ProvokedStep, Task } from '@parley/protocol';

/** The state of a task that looks the same. */
export const provokedState: Record<Invocation['state'], Task['state']> = {
  awaiting_approval: 'awaiting_approval',
  queued: 'queued',
  running: 'active',
  waiting_retry: 'queued',
  completed: 'completed',
  failed: 'failed',
  expired: 'timed_out',
  denied: 'cancelled',
  cancelled: 'cancelled',
};

/** `agent`: the name of the one that acts, empty while there is none. */
export function provokedWords(step: Exclude<ProvokedStep, { hidden: true }>, agent: string): string {
  if (step.kind === 'event') return `Event ${step.type}, from ${senderText(step.source, step)}`;
  return `${agent === '' ? step.manifestId : agent}, woken by ${step.triggerId}: ${invocationWords[step.state]}`;
}
