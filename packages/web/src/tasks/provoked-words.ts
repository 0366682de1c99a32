// Events and what they started, in words.

import { invocationWords, senderText } from '@parley/core';
import type { Agent, Invocation, ProvokedStep, Task } from '@parley/protocol';
import { list } from '../floor/named.ts';

/** The state of a task that looks the same. */
export const provokedState: Record<Invocation['state'], Task['state']> = {
  awaiting_approval: 'awaiting_approval',
  queued: 'queued',
  running: 'active',
  waiting_retry: 'queued',
  completed: 'completed',
  failed: 'failed',
  lapsed: 'timed_out',
  denied: 'cancelled',
  cancelled: 'cancelled',
};

/** `agent`: the name of the one that acts, empty while there is none. */
export function provokedWords(step: Exclude<ProvokedStep, { hidden: true }>, agent: string): string {
  if (step.kind === 'event') return `Event ${step.type}, from ${senderText(step.source, step)}`;
  return `${agent === '' ? step.manifestId : agent}, woken by ${step.triggerId}: ${invocationWords[step.state]}`;
}

/** Those that events have woken: until they give work on, no task tells of it. Null: there are none. */
export function wokenWords(agents: readonly Pick<Agent, 'handle' | 'woken'>[]): { text: string; hint: string } | null {
  const doing = (woken: Agent['woken']) => agents.filter((agent) => agent.woken === woken).map(({ handle }) => handle);
  const [working, waiting] = [doing('working'), doing('awaiting_approval')];
  const text = [
    ...(working.length > 0 ? [`${list(working)} ${working.length > 1 ? 'are' : 'is'} at work, woken by an event.`] : []),
    ...(waiting.length > 0 ? [`${list(waiting)} ${waiting.length > 1 ? 'wait' : 'waits'} for a person’s yes, woken by an event.`] : []),
  ].join(' ');
  if (text === '') return null;
  return {
    text,
    hint: waiting.length > 0 ? 'What waits for your yes is under “Waiting for you”.' : 'What it gives on to others shows here.',
  };
}
