// How this peer read its person's request, in words: so the person sees at once what was not understood (A2C-24).

import { clockWords, type DayRange, dayWords, lengthWords, minutesIn, timesIn, withoutLength, type ConstraintKind } from '@parley/core';
import { formatsFor, requestedPlace } from './intent-words.ts';
import { dates } from './meeting-proposal.ts';
import type { MachineRecord } from '../negotiation-records.ts';

/** Null: somebody else asked, or the words name no meeting. */
export function readingOf({ machine, intent, stated }: Pick<MachineRecord, 'machine' | 'intent' | 'stated'>): string | null {
  const { event_type: event } = stated;
  if (machine.role !== 'initiator' || typeof event !== 'string' || !intent) return null;
  const minutes = minutesIn(intent.summary);
  const length = minutes === undefined ? [] : [lengthWords(minutes)];
  const place = requestedPlace(intent.summary, event);
  const where = place === undefined ? [] : [place];
  return [event, daysOf(dates(stated['proposed_date'])), ...timesOf(intent.summary, event), ...length, ...where].join(', ');
}

const mostDays = 3;

/** More days are a span. */
function daysOf(all: readonly string[]): string {
  const named = all.map((date) => dayWords(Date.parse(date), 'UTC'));
  if (named.length > mostDays) return `${named[0]!} to ${named.at(-1)!}`;
  return named.length === 0 ? 'any day' : named.join(' or ');
}

/** Of `dinner at 7`, the half of the day in which people dine. */
function timesOf(words: string, event: string): string[] {
  const times = timesIn(withoutLength(words));
  const { from: opens = 0, to: closes = 1440 } = formatsFor(event)[0]?.hours ?? {};
  const usual = times.filter(({ from }) => from >= opens && from < closes);
  const shown = (usual.length > 0 ? usual : times).map(timeName);
  return shown.length === 0 ? [] : [shown.join(' or ')];
}

const clock = (minutes: number): string => clockWords(minutes * 60_000, 'UTC');
/** Two hours stand for a clock time. */
const timeName = ({ from, to }: DayRange): string => (to - from === 120 ? `at ${clock(from)}` : `${clock(from)}–${clock(to)}`);

// What would have to give way for a meeting, for the person who reads it.

const kinds: Readonly<Record<ConstraintKind, string>> = {
  busy: 'something in {whose} calendar',
  date: '{whose} wish for the day',
  format: '{whose} wish for the kind of meeting',
  hours: '{whose} usual hours',
  time: '{whose} wish for the time',
  travel: '{whose} time to travel',
};

/** Packets name the two sides as sender and recipient. `isMine`: this person's peer sent it. */
export const whoseWords = (rationale: string, isMine: boolean): string =>
  rationale.replaceAll(/(sender|recipient)’s (\w+)/g, (words, side: string, kind: string) =>
    Object.hasOwn(kinds, kind)
      ? kinds[kind as ConstraintKind].replace('{whose}', (side === 'sender') === isMine ? 'your' : 'their')
      : words,
  );
