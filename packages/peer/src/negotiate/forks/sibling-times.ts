// Times of the parent and the forks of a negotiation: nobody is at two of them at once, and one can follow the other (A2C-20).

import type { DayRange, MeetingFormat } from '@parley/core';
import type { BrainView } from '../peer-brain.ts';
import { dateOf, dayOf, minuteOf, type TimeWindow } from '../meetings/local-time.ts';

export const siblingWindows = ({ siblings }: BrainView): TimeWindow[] => siblings.flatMap(({ window }) => (window ? [window] : []));

/** Right after the latest one on a wished day, unless words say another time. */
export function afterSibling(
  view: BrainView,
  wished: readonly string[] | undefined,
  minutes: number,
): { date: string; time: DayRange } | undefined {
  const { zone } = view;
  const last = siblingWindows(view)
    .filter(({ to }) => wished === undefined || wished.includes(dateOf(dayOf(zone, to))))
    .toSorted((one, other) => other.to - one.to)[0];
  if (!last) return undefined;
  const from = minuteOf(zone, last.to);
  return { date: dateOf(dayOf(zone, last.to)), time: { from, to: from + minutes } };
}

export function siblingReason({ siblings }: BrainView, best: TimeWindow): string[] {
  const before = siblings.find(({ window }) => window && window.to <= best.from && best.from - window.to <= 3_600_000);
  return before ? [`it follows “${before.summary}”`] : [];
}

/** Nobody has dinner twice because the games do not fit. */
export function formatsBeside({ siblings }: BrainView, [first, ...others]: readonly MeetingFormat[]): MeetingFormat[] {
  const isFree = ({ name }: MeetingFormat): boolean => name === first?.name || !siblings.some(({ event }) => event === name);
  return first ? [first, ...others.filter(isFree)] : [];
}
