// How schedules and monitors of absence stand, in words.

import type { AbsenceKey, StandingObject } from '@parley/protocol';

const time = (at: number): string => new Date(at).toISOString();

/** For a list; empty where there is nothing to say. */
export function standingWords({ schedule, absence }: StandingObject): string {
  if (schedule) {
    const last = schedule.last === null ? 'never yet' : `last ${time(schedule.last)}`;
    return schedule.next === null ? last : `${last}, next ${time(schedule.next)}`;
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
  silent ? `silent since ${time(heardAt)}` : `last seen ${time(heardAt)}, silent at ${time(silentAt)}`;
