// The value by which a throttle or a monitor keeps events apart (PRV-10).

import type { PapEvent, Trigger } from '@parley/protocol';
import { canonical } from '../../text/canonical-json.ts';
import type { Path } from '../triggers/event-path.ts';
import { msOf } from '../../units/time.ts';
import type { CompiledTrigger } from '../triggers/trigger.ts';

/** Many triggers and monitors may write down the same key. */
export const longestKey = 10_000;

/** The value as JSON; undefined: nothing is there, or more than a key can hold. */
export function keyAt(path: Path | null, event: PapEvent): string | undefined {
  const value = path?.read(event);
  return value === undefined || sizeOf(value) > longestKey ? undefined : canonical(value);
}

/** Each object of an event is gone through once, however many keys lead to it or into it. */
const sizes = new WeakMap<object, number>();

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  let size = 1;
  for (const [name, one] of Object.entries(value)) size += (Array.isArray(value) ? 0 : name.length) + sizeOf(one);
  sizes.set(value, size);
  return size;
}

// How often a trigger may run (PRV-10): so many in any window of that length, not in windows that start on the hour. One
// bucket for each value found at the key; whatever has none there shares one.

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
