import { clockWords, dayWords, momentWords } from '@parley/core';
import { startOfDay } from '../lib/time.ts';

// The peers' own sentences have this style of dates; so has everything beside them, whatever the language of the browser.

export const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

const isToday = (at: number, now: number): boolean => startOfDay(at) === startOfDay(now);

/** `18:00`, or `Friday 20 November, 18:00` on another day. */
export const whenText = (at: number, now: number): string => (isToday(at, now) ? clockWords(at, ownZone()) : momentWords(at, ownZone()));

/** `18:00`, or `Friday 20 November`. */
export const dayText = (at: number, now: number): string => (isToday(at, now) ? clockWords(at, ownZone()) : dayWords(at, ownZone()));
