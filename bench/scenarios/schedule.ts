// How long a search for a common time takes: eight weeks of quarter-hours, three formats, full calendars, wishes and travel. Beside it a plain
// search that asks each person about each quarter-hour of each start, and only counts the starts.

import { findMeetingWindows, type MeetingFormat, type MeetingParticipant, type MeetingRequest } from '../../packages/core/src/index.ts';
import type { Scenario } from '../kit.ts';
import { median, ms, times } from '../stats.ts';

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

function timed(work: () => unknown): number {
  const began = performance.now();
  if (work() === undefined) throw new Error('Nothing was found out');
  return performance.now() - began;
}

export const schedule: Scenario = ({ quick }) => {
  const rounds = quick ? 20 : 200;
  const people = Array.from({ length: crowds.at(-1)! }, (_, n) => person(n));
  const measured = crowds.map((count) => {
    const request: MeetingRequest = { from, to, participants: people.slice(0, count), formats };
    const found = findMeetingWindows(request);
    if (count === 2 && (found.windows.length !== 10 || found.relaxations.length === 0))
      throw new Error('Two people should have ten windows');
    for (let round = 0; round < 20; round++) findMeetingWindows(request);
    const search: number[] = [];
    const plain: number[] = [];
    for (let round = 0; round < rounds; round++) {
      search.push(timed(() => findMeetingWindows(request)));
      if (round % 10 === 0) plain.push(timed(() => plainSearch(request)));
    }
    return { count, search: median(search), slowest: Math.max(...search), plain: median(plain), starts: found.starts };
  });
  const [two, fifty] = [measured[0]!, measured.at(-1)!];
  return Promise.resolve([
    {
      what: 'The ten best windows of two people and the binding constraint, 8 weeks of quarter-hours, 3 formats',
      result: ms(two.search),
      target: { text: '< 10 ms', met: two.search < 10 },
      from: `slowest of ${rounds} ${ms(two.slowest)}; a plain search that only counts the starts ${ms(two.plain)}, ${times(two.plain / two.search)}`,
    },
    {
      what: 'The same for 50 people, time per person against two people',
      result: times(fifty.search / fifty.count / (two.search / two.count)),
      from: measured.map(({ count, search, starts }) => `${count}: ${ms(search)}, ${starts} starts`).join('; '),
    },
  ]);
};
