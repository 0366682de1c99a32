// The value by which a throttle or a monitor keeps events apart (PRV-10).

import type { PapEvent } from '@parley/protocol';
import { canonical } from '../../approval/approval.ts';
import type { Path } from '../triggers/event-path.ts';

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
