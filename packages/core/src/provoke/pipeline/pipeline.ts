// The fate of an event at one trigger (PRV-7), in the published order: match, idempotency, cascade, throttle, risk, run.
// Nothing is done here: the verdict says where the event stopped and why, and which rows must be written with it.

import type { PapEvent, ManifestWaking } from '@parley/protocol';
import type { BehaviourMode } from '../../contact/contact-permission.ts';
import { whyApproval } from '../../invocation/manifest-waking.ts';
import { type Cascade, cascade, type Emitter } from './cascade.ts';
import { ask, isSearch } from '../triggers/filter-operators.ts';
import type { CompiledManifest } from '../files/document.ts';
import type { Patterns } from '../triggers/regex.ts';
import type { Risk } from '../../invocation/transitions.ts';
import { accepts } from '../events/event.ts';
import { bucketOf, throttle } from '../events/throttle.ts';
import type { CompiledTrigger } from '../triggers/trigger.ts';

export const steps = ['match', 'idempotency', 'cascade', 'throttle', 'risk', 'run'] as const;
export type StepName = (typeof steps)[number];

/** The seed's words: an unwanted event is discarded, a forbidden one is rejected, and one that waits is paused. */
export type PipelineOutcome = 'discarded' | 'rejected' | 'paused' | 'run';

const outcomes = {
  type: 'discarded',
  disabled: 'discarded',
  too_slow: 'rejected',
  filter: 'discarded',
  sender: 'rejected',
  duplicate: 'discarded',
  too_deep: 'rejected',
  chain_full: 'rejected',
  unknown_invocation: 'rejected',
  throttled: 'discarded',
  no_manifest: 'rejected',
  needs_approval: 'paused',
} as const satisfies Record<string, PipelineOutcome>;
export type StopReason = keyof typeof outcomes;

/** The records of the pair, the chain and the window, loaded before anything is decided. */
export interface PipelineRecord {
  /**
   * The trigger's owner is there and may run it. The trigger runs in the owner's name, and without an owner it counts as
   * switched off.
   */
  owned: boolean;
  /** The member whose event it is: see `answerableMember`. */
  sender: string | undefined;
  /** The pair of event and trigger has been checked before. */
  known: boolean;
  cascade: Cascade;
  /** How many invocations of this trigger's owner others of the chain have started. */
  started: number;
  /** When those in the event's bucket of this trigger began. */
  starts: readonly number[];
  manifest: CompiledManifest | undefined;
  /** The mode of the agent that would act. Undefined: there is none yet, or it is autonomous. */
  mode?: BehaviourMode | undefined;
  now: number;
}

export interface PipelineVerdict {
  triggerId: string;
  outcome: PipelineOutcome;
  /** The last step that was taken. */
  step: StepName;
  reason: StopReason | null;
  /** Throttled: when there is room again. */
  until: number | null;
  /** To be recorded whatever follows, in the transaction that records this (PRV-8). */
  key: boolean;
  /** The run takes a place in this bucket's window. An invocation that awaits approval has taken its place, too. */
  bucket: string | null;
  risk: Risk | null;
  /** Why a person is asked first. */
  asks: ManifestWaking['asks'];
  /** Where the invocation stands in its chain. */
  place: Emitter | null;
}

export type UnmatchedTrigger = 'type' | 'disabled' | 'too_slow' | { filter: number };

/**
 * Whether the trigger is on, its type the event's, and which filter is the first that does not hold; texts are searched after
 * all other checks. Where only a search that took too long keeps the event from it, it is too slow. `isAccepted`: it takes
 * events of this sender; else its searches are not asked.
 */
export function matchOf(
  { trigger, filters }: CompiledTrigger,
  event: PapEvent,
  patterns: Patterns,
  isAccepted = true,
): UnmatchedTrigger | null {
  if (trigger.match.type !== event.type) return 'type';
  if (!trigger.enabled) return 'disabled';
  let isSlow = false;
  for (const searches of isAccepted ? [false, true] : [false]) {
    for (const [i, { check }] of filters.entries()) {
      if (isSearch(check) !== searches) continue;
      const holds = ask(check, event, patterns);
      if (holds === false) return { filter: i };
      if (holds === null) isSlow = true;
    }
  }
  return isSlow ? 'too_slow' : null;
}

/** From the match on. `matched`: what {@link matchOf} said, or null for one that came out of the set's index. */
export function decide(
  compiled: CompiledTrigger,
  event: PapEvent,
  on: PipelineRecord,
  matched: ReturnType<typeof matchOf> = null,
): PipelineVerdict {
  const { trigger, owner } = compiled;
  const verdict: PipelineVerdict = {
    triggerId: trigger.id,
    outcome: 'run',
    step: 'match',
    reason: null,
    until: null,
    key: false,
    bucket: null,
    risk: null,
    asks: null,
    place: null,
  };
  const stop = (step: StepName, reason: StopReason, changes: Partial<PipelineVerdict> = {}): PipelineVerdict => ({
    ...verdict,
    ...changes,
    step,
    reason,
    outcome: outcomes[reason],
  });
  if (matched !== null) return stop('match', typeof matched === 'string' ? matched : 'filter');
  // Asked last, so that a trigger that would not match anyway reports that.
  if (!on.owned) return stop('match', 'disabled');
  // Before the key: a member who guesses the id of a monitor's next event must not make that one a duplicate.
  if (!accepts(trigger, owner, on.sender)) return stop('match', 'sender');
  if (on.known) return stop('idempotency', 'duplicate');
  verdict.key = true;
  const place = cascade(on.cascade, on.started);
  if (!place.ok) return stop('cascade', place.reason);
  const limit = trigger.throttle === undefined ? { ok: true as const } : throttle(trigger.throttle, on.starts, on.now);
  if (!limit.ok) return stop('throttle', 'throttled', { until: limit.until });
  // Without a manifest nothing could run: it takes no place from an event for which there is one again.
  if (on.manifest === undefined) return stop('risk', 'no_manifest');
  verdict.bucket = trigger.throttle === undefined ? null : bucketOf(compiled, event);
  verdict.place = { level: place.level, depth: place.depth };
  verdict.risk = on.manifest.risk;
  verdict.asks = whyApproval(on.manifest.manifest, on.mode ?? 'autonomous');
  return verdict.asks === null ? { ...verdict, step: 'run' } : stop('risk', 'needs_approval');
}
