// Which of the possible windows comes first, by the words of the people.

import {
  findMeetingWindows,
  type MeetingFormat,
  type MeetingParticipant,
  type MeetingWindow,
  type WindowReason,
  type MeetingOptions,
  type MeetingRequest,
} from '@parley/core';
import type { BrainView } from '../peer-brain.ts';
import { readIntentWords, placeIn } from './intent-words.ts';
import { dayOf, type TimeWindow } from './local-time.ts';

export interface MeetingSearch {
  span: TimeWindow;
  participants: MeetingParticipant[];
  formats: MeetingFormat[];
  /** Wishes that no words name: this peer wants to follow another part of a split. */
  madeUp: WindowReason['wish'][];
}

/** Of the same kind. Somebody whose words name no time, as an excuse does, is hardly helped by two hours earlier on the same evening. */
export function otherDaysFirst({ rejected, now, zone }: BrainView, wish: string, windows: MeetingWindow[]): MeetingWindow[] {
  const { dates: days, times, event, minutes } = readIntentWords(wish, now, zone);
  const isVague = days.length === 0 && times.length === 0 && event === undefined && minutes === undefined && placeIn(wish) === undefined;
  if (wish === '' || !isVague || /\b(?:later|earlier|sooner)\b/i.test(wish)) return windows;
  const refused = new Set(rejected.map((start) => dayOf(zone, start)));
  const isOther = ({ from }: MeetingWindow): boolean => !refused.has(dayOf(zone, from));
  const isAsked = ({ format }: MeetingWindow): boolean => format === windows[0]!.format;
  const rank = (window: MeetingWindow): number => (isAsked(window) ? 0 : 2) + (isOther(window) ? 0 : 1);
  return windows.toSorted((one, other) => rank(one) - rank(other));
}

/** A person who says 15:30 means it: that start comes before rounder ones of the same two hours. An afternoon names no start. */
export function withExactTime(search: MeetingSearch, windows: MeetingWindow[]): MeetingWindow[] {
  const [own, ...others] = search.participants;
  const [format] = search.formats;
  if (!format || !own?.times?.every(({ from, to }) => [120, format.minutes].includes((to - from + 1440) % 1440))) return windows;
  const times = own.times.map(({ from }) => ({ from, to: from + format.minutes }));
  const found = findMeetingWindows({ ...search.span, formats: [format], participants: [{ ...own, times }, ...others] }).windows;
  const exact = found.find(({ reasons }) => reasons.every(({ isKept }) => isKept));
  return exact ? [exact, ...windows.filter(({ from, to }) => to <= exact.from || from >= exact.to)] : windows;
}

// The person names the kind of a meeting. Other days and times come before another kind, and that one is named as such (A2C-18).

/** Possible windows only; the first one is of another kind than asked for only where that is possible at no time. */
export function windowsByKind(request: MeetingRequest, isPossible: (window: TimeWindow) => boolean): MeetingOptions {
  const options = findMeetingWindows(request);
  const windows = options.windows.filter(isPossible);
  const kind = kindOf(request);
  if (windows[0]?.format === kind) return { ...options, windows };
  const formats = request.formats.filter(({ name }) => name === kind);
  const best = findMeetingWindows({ ...request, formats }).windows.find(isPossible);
  if (!best) return { ...options, windows };
  return { ...options, windows: [best, ...windows.filter(({ from, to }) => to <= best.from || from >= best.to)] };
}

export const kindOf = ({ formats }: Pick<MeetingRequest, 'formats'>): string => formats[0]!.name;

export const title = (word: string): string => `${word[0]!.toUpperCase()}${word.slice(1)}`;

/** `Call instead of dinner`. */
export const kindWords = (kind: string, asked: string): string => (kind === asked ? title(kind) : `${title(kind)} instead of ${asked}`);
