// The state of schedules and absence monitors in words.

import { type StandingObject, type AbsenceKey } from '@parley/protocol';
import { timeText } from '@parley/core';

/** The state in a list; empty for triggers, manifests and sources. */
export function standingWords({ schedule, absence }: StandingObject): string {
  if (schedule) {
    const last = schedule.last === null ? 'never yet' : `last ${timeText(schedule.last)}`;
    return schedule.next === null ? last : `${last}, next ${timeText(schedule.next)}`;
  }
  if (absence) return `${absence.watched} watched${absence.silent === 0 ? '' : `, ${absence.silent} silent`}`;
  return '';
}

/** One line for each key that an absence monitor watches. */
export function keyLines({ absence }: StandingObject): string[] {
  if (!absence) return [];
  const names = absence.keys.map(({ key }) => (key === null ? 'all together' : JSON.stringify(key)));
  const width = Math.max(0, ...names.map(({ length }) => length));
  const unlisted = absence.watched + absence.silent - names.length;
  return [
    ...absence.keys.map((one, i) => `  ${names[i]!.padEnd(width)}  ${keyStateText(one)}`),
    ...(unlisted > 0 ? [`  … and ${unlisted} more`] : []),
  ];
}

const keyStateText = ({ heardAt, silentAt, silent }: AbsenceKey): string =>
  silent ? `silent since ${timeText(heardAt)}` : `last seen ${timeText(heardAt)}, silent at ${timeText(silentAt)}`;
