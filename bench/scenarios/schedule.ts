// How long a search for a common time takes: eight weeks of quarter-hours, three formats, full calendars, wishes and travel. Beside it a plain
// search that asks each person about each quarter-hour of each start, and only counts the starts.

import { findMeetingWindows, type MeetingFormat, type MeetingParticipant, type MeetingRequest } from '../../packages/core/src/index.ts';
import type { Scenario } from '../kit.ts';
import { medians, ms, times } from '../stats.ts';
import { cpuNow } from '../machine.ts';

const quarter = 900_000;
const day = 86_400_000;
const from = Date.UTC(2026, 2, 23);
const to = from + 56 * day;
const crowds = [2, 5, 10, 20, 50] as const;

const formats: MeetingFormat[] = [
  { name: 'dinner', minutes: 120, inPerson: true, hours: { from: 18 * 60, to: 22 * 60 } },
  { name: 'lunch', minutes: 60, inPerson: true, hours: { from: 12 * 60, to: 14 * 60 } },
  { name: 'call', minutes: 30, inPerson: false },
];

/** Five events on each working day, half of them elsewhere, and wishes of all kinds. The same people in every run. */
function person(n: number): MeetingParticipant {
  let state = Math.imul(n + 1, 0x9e3779b1);
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  const busy = Array.from({ length: 40 * 5 }, (_, at) => {
    const workday = Math.floor(at / 5);
    const start = from + (Math.floor(workday / 5) * 7 + (workday % 5)) * day + (28 + random(60)) * quarter;
    return { from: start, to: start + (1 + random(6)) * quarter, ...(random(2) === 0 ? { place: 'office' } : {}) };
  });
  return {
    id: `person-${n}`,
    offsets: [
      { from: 0, minutes: 60 },
      { from: Date.UTC(2026, 2, 29, 1), minutes: 120 },
    ],
    busy,
    weekdays: [random(7), random(7), random(7)],
    times: [{ from: 17 * 60 + random(8) * 15, to: 22 * 60 }],
    formats: ['dinner', 'call'],
    travelMinutes: 30,
    flexibility: { date: n % 2 === 0 ? 'flexible' : 'somewhat_flexible', time: 'flexible' },
  };
}

/** As one would write it down: calendars, hours and meal times, without wishes, travel, ranking and reasons. */
function plainSearch({ participants }: MeetingRequest): number {
  let starts = 0;
  for (const { minutes, hours = { from: 0, to: 1440 } } of formats) {
    const length = (minutes * 60_000) / quarter;
    for (let start = from; start + length * quarter <= to; start += quarter) {
      const isFree = participants.every(({ busy, offsets }) => {
        for (let time = start; time < start + length * quarter; time += quarter) {
          const minute = ((time - from) / 60_000 + offsets.findLast((offset) => offset.from <= time)!.minutes) % 1440;
          if (minute < Math.max(540, hours.from) || minute >= Math.min(1320, hours.to)) return false;
          if (busy.some((one) => one.from < time + quarter && one.to > time)) return false;
        }
        return true;
      });
      if (isFree) starts++;
    }
  }
  return starts;
}

/** Milliseconds of processor time for one search: other work on the machine does not count. */
function cpuMs(count: number, work: () => unknown): number {
  const before = cpuNow();
  for (let n = 0; n < count; n++) if (work() === undefined) throw new Error('Nothing was found out');
  return (cpuNow() - before) / 1000 / count;
}

export const schedule: Scenario = async ({ quick }) => {
  const rounds = quick ? 3 : 15;
  const people = Array.from({ length: crowds.at(-1)! }, (_, n) => person(n));
  const measured = [];
  for (const count of crowds) {
    const request: MeetingRequest = { from, to, participants: people.slice(0, count), formats };
    const { windows, starts } = findMeetingWindows(request);
    if (windows.length !== 10) throw new Error(`${count} people should have ten windows`);
    cpuMs(20, () => findMeetingWindows(request));
    const found = await medians(rounds, () =>
      Promise.resolve({ search: cpuMs(20, () => findMeetingWindows(request)), plain: cpuMs(1, () => plainSearch(request)) }),
    );
    measured.push({ count, starts, ...found });
  }
  const [two, fifty] = [measured[0]!, measured.at(-1)!];
  const month: MeetingRequest = { from, to: from + 28 * day, participants: people, formats };
  const group = await medians(rounds, () => Promise.resolve({ search: cpuMs(20, () => findMeetingWindows(month)) }));
  return [
    {
      what: 'The ten best windows of two people and the binding constraint, 8 weeks of quarter-hours, 3 formats',
      result: ms(two.search),
      target: { text: '< 10 ms', met: two.search < 10 },
      from: `of processor time (median of ${rounds} rounds of 20); ${ms(two.plain)} for a plain search that only counts the starts, ${times(two.plain / two.search)}`,
    },
    {
      what: 'The same for 50 people, time per person against two people',
      result: times(fifty.search / fifty.count / (two.search / two.count)),
      from: measured.map(({ count, search, starts }) => `${count} people ${ms(search)}, ${starts} starts`).join('; '),
    },
    {
      what: 'The ten best windows of 50 people and the binding constraint, 4 weeks of quarter-hours, with wishes',
      result: ms(group.search),
      target: { text: '< 20 ms', met: group.search < 20 },
      from: `of processor time (median of ${rounds} rounds of 20)`,
    },
  ];
};
