// Wishes in the words of two people who may live in two zones. For a call, `Friday 15:00` is a time where its author is; people who meet are
// in one place, and its clock counts.

import type { DayRange } from '@parley/core';
import type { BrainView } from '../brain.ts';
import { formatsFor, type IntentWords, readIntentWords } from './intent-words.ts';
import { dateOf, day, dayFrom, hour, type LocalZone, offsetAt } from './local-time.ts';

/** In this order: what the other person wants, what this person wants, and the request. Days and times are those of `view.zone`. */
export function readWishes({ peerWish, ownWish, intent, role, zone, peerZone: told = zone, now }: BrainView, event: string): IntentWords[] {
  const peerZone = formatsFor(event)[0]?.inPerson === false ? told : zone;
  const authors: [string | null, LocalZone][] = [
    [peerWish, peerZone],
    [ownWish, zone],
    [intent.summary, role === 'initiator' ? zone : peerZone],
  ];
  return authors.map(([words, author]) => {
    const said = words ?? '';
    // An alternative that somebody sent back names the zone of its author.
    const named = [zone, peerZone].find(({ name }) => said.includes(`(${name})`)) ?? author;
    return moved(readIntentWords(said, now, named), named, zone, now);
  });
}

const minutesOfDay = 1440;

/** The same moments by another clock. */
function moved(read: IntentWords, from: LocalZone, to: LocalZone, now: number): IntentWords {
  const [first] = read.times;
  if (from === to || !first) return read;
  const at = read.dates[0] === undefined ? now : dayFrom(read.dates[0]) * day + 12 * hour;
  const shift = offsetAt(to, at) - offsetAt(from, at);
  const days = Math.floor((first.from + shift) / minutesOfDay);
  const onClock = (minutes: number): number => (((minutes + shift) % minutesOfDay) + minutesOfDay) % minutesOfDay;
  const times = read.times.map((range): DayRange => ({ from: onClock(range.from), to: onClock(range.to) || minutesOfDay }));
  return { ...read, times, dates: read.dates.map((date) => dateOf(dayFrom(date) + days)) };
}
