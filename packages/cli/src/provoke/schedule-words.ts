// How schedules and monitors of absence stand, in words.

import { timeText } from '@parley/core';
import type { AbsenceKey, StandingObject } from '@parley/protocol';

/** For a list; empty where there is nothing to say. */
export function standingWords({ schedule, absence }: StandingObject): string {
  if (schedule) {
    const last = schedule.last === null ? 'never yet' : `last ${timeText(schedule.last)}`;
    return schedule.next === null ? last : `${last}, next ${timeText(schedule.next)}`;
  }
  if (absence) return `${absence.watched} watched${absence.silent === 0 ? '' : `, ${absence.silent} silent`}`;
  return '';
}

/** A line for each key that it watches. */
export function keyLines({ absence }: StandingObject): string[] {
  if (!absence) return [];
  const names = absence.keys.map(({ key }) => (key === null ? 'all together' : JSON.stringify(key)));
  const width = Math.max(0, ...names.map(({ length }) => length));
  const more = absence.watched + absence.silent - names.length;
  return [...absence.keys.map((one, i) => `  ${names[i]!.padEnd(width)}  ${keyWords(one)}`), ...(more > 0 ? [`  … and ${more} more`] : [])];
}

const keyWords = ({ heardAt, silentAt, silent }: AbsenceKey): string =>
  silent ? `silent since ${timeText(heardAt)}` : `last seen ${timeText(heardAt)}, silent at ${timeText(silentAt)}`;
