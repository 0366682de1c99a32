// The person names the kind of a meeting. Other days and times come before another kind, and that one is named as such (A2C-18).

import { findMeetingWindows, type MeetingOptions, type MeetingRequest } from '@parley/core';
import type { TimeWindow } from './local-time.ts';

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
