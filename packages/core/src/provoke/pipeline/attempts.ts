// The next step after an attempt (PRV-14, PRV-15): another attempt, or the end and the event that reports it.

import { type Manifest, type PapEvent, papVersion } from '@parley/protocol';
import { msOf } from '../../units/time.ts';

/** How an attempt ended. `crashed`: the process went down in the middle of it, which is an attempt like any other. */
export type AttemptEnd =
  | 'succeeded'
  | 'failed'
  | 'crashed'
  | 'timed_out'
  | 'too_many_tool_calls'
  | 'bad_output'
  | 'agent_offline'
  | 'denied';

export type AfterAttempt =
  | { next: 'retry'; attempt: number; at: number }
  | { next: 'end'; state: 'completed' | 'failed' | 'denied'; emit: string | null };

/** A step of an attempt, as it is on record. */
export interface StepTaken {
  kind: 'model' | 'tool';
  /** Nothing changes by it. */
  readOnly: boolean;
  /** Somebody saw its end. */
  done: boolean;
  /** The call's result is kept for another attempt that asks for it. */
  kept: boolean;
}

const changes = ({ kind, readOnly }: StepTaken): boolean => kind === 'tool' && !readOnly;

/** A call that nobody saw the end of may have happened, and is not made a second time unasked (SYS-12). */
export const mayHaveHappened = (step: StepTaken): boolean => changes(step) && !step.done;

/** A new attempt would repeat a call that has begun outside and has not finished. */
export const wouldBeRepeated = (step: StepTaken): boolean => changes(step) && !step.kept;

/** `attempt`: which one this was, from 1 on; the first run counts. */
export function afterAttempt(
  { on_complete, on_failure }: Pick<Manifest, 'on_complete' | 'on_failure'>,
  attempt: number,
  end: AttemptEnd,
  now: number,
  /** A step of it may have happened. */
  unknown = false,
): AfterAttempt {
  if (end === 'succeeded') return { next: 'end', state: 'completed', emit: on_complete.emit_event ?? null };
  // A person's no is an answer, not a failure: there is no retry, and no failure to report.
  if (end === 'denied') return { next: 'end', state: 'denied', emit: null };
  const { max_attempts: most, backoff_seconds } = on_failure.retry;
  if (attempt < most && !unknown) return { next: 'retry', attempt: attempt + 1, at: now + msOf(backoff_seconds) };
  return { next: 'end', state: 'failed', emit: on_failure.emit_event ?? null };
}

/** No pause is longer than the manifest has it, whatever time the clock was at by mistake when it began. */
export function retryBy(manifest: Pick<Manifest, 'on_failure'> | undefined, dueAt: number, now: number): number {
  const pause = manifest ? msOf(manifest.on_failure.retry.backoff_seconds) : 0;
  return Math.min(dueAt, now + pause);
}

export interface AttemptVerdict {
  invocationId: string;
  triggerId: string;
  agentId: string;
  event: Pick<PapEvent, 'id' | 'type'>;
  attempts: number;
  state: 'completed' | 'failed';
  /** The call's result, or the reason why there is none. */
  output: unknown;
}

/** Named after the invocation, so that however often it is made it is one event; `triggered_by` is set here and nowhere else. */
export function endEvent(type: string, ended: AttemptVerdict, now: number): PapEvent {
  const { invocationId, triggerId, agentId, event, attempts, state, output } = ended;
  return {
    pap_version: papVersion,
    id: `${invocationId}:${state}`,
    type,
    source: `agent.${agentId}`,
    time: new Date(now).toISOString(),
    data: {
      invocation: invocationId,
      trigger: triggerId,
      agent: agentId,
      event: { id: event.id, type: event.type },
      attempts,
      ...(state === 'completed' ? { output } : { error: output }),
    },
    triggered_by: invocationId,
  };
}
