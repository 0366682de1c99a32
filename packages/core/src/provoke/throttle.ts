// How often a trigger may run (PRV-10): so many in any window of that length, not in windows that start on the hour. One
// bucket for each value found at the key; whatever has none there shares one.

import type { PapEvent, Trigger } from '@parley/protocol';
import { canonical } from '../approval.ts';
import { msOf } from '../milliseconds.ts';
import type { CompiledTrigger } from './trigger.ts';

/** Further ahead than a window it began by a clock that has been set right since; it would count until that time comes. */
const isFar = ({ window_seconds }: Throttle, at: number, now: number): boolean => at > now + msOf(window_seconds);

/** No value is written like this, because each is written as JSON. */
export const sharedBucket = '';

/** Values of different types are different values: "1" is not 1. */
export function bucketOf({ windowKey }: CompiledTrigger, event: PapEvent): string {
  const value = windowKey?.read(event);
  return value === undefined ? sharedBucket : canonical(value);
}

export type Throttle = NonNullable<Trigger['throttle']>;
export type ThrottleVerdict = { ok: true } | { ok: false; until: number };

/** `starts`: when those in the bucket began, in any order. One that is exactly a window old has left it. */
export function throttle(limit: Throttle, starts: readonly number[], now: number): ThrottleVerdict {
  const { max_per_window: most, window_seconds } = limit;
  const from = now - msOf(window_seconds);
  const within = starts.filter((at) => at > from && !isFar(limit, at, now)).sort((a, b) => a - b);
  // When the oldest of the last `most` leaves, there is room again.
  return within.length < most ? { ok: true } : { ok: false, until: within[within.length - most]! + msOf(window_seconds) };
}

/** What came before this is in no window and need not be kept. */
export const windowStart = ({ window_seconds }: Throttle, now: number): number => now - msOf(window_seconds);
