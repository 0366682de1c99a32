// How often a trigger may run (PRV-10): so many in any window of that length, not in windows that start on the hour. One
// bucket for each value found at the key; whatever has none there shares one.

import type { PapEvent, Trigger } from '@parley/protocol';
import { msOf } from '../../units/milliseconds.ts';
import { keyAt } from '../events/grouping-key.ts';
import type { CompiledTrigger } from '../triggers/trigger.ts';

/** Further ahead than a window it began by a clock that has been set right since; it would count until that time comes. */
const isFar = ({ window_seconds }: Throttle, at: number, now: number): boolean => at > now + msOf(window_seconds);

/** No value is written like this, because each is written as JSON. */
export const sharedBucket = '';

/** Values of different types are different values: "1" is not 1. */
export const bucketOf = ({ windowKey }: CompiledTrigger, event: PapEvent): string => keyAt(windowKey, event) ?? sharedBucket;

export type Throttle = NonNullable<Trigger['throttle']>;
export type ThrottleVerdict = { ok: true } | { ok: false; until: number };

/**
 * The time at which a start no longer counts, and need not be kept. The window is the trigger's present one: a longer or
 * shorter window counts the recorded starts again.
 */
export const leavesAt = ({ window_seconds }: Throttle, at: number): number => at + msOf(window_seconds);

/** `starts`: when those in the bucket began, in any order. One that is exactly a window old has left it. */
export function throttle(limit: Throttle, starts: readonly number[], now: number): ThrottleVerdict {
  const most = limit.max_per_window;
  const within = starts.filter((at) => leavesAt(limit, at) > now && !isFar(limit, at, now)).sort((a, b) => a - b);
  // When the oldest of the last `most` leaves, there is room again.
  return within.length < most ? { ok: true } : { ok: false, until: leavesAt(limit, within[within.length - most]!) };
}
