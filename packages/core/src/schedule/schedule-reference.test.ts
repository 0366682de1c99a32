// The search against a plain one that asks every rule about every quarter-hour, written without sets of bits.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ConstraintKind, DayRange, Flexibility, MeetingFormat, MeetingParticipant, MeetingRequest } from './meeting.ts';
import { findMeetingWindows } from './schedule.ts';

const quarter = 900_000;
const day = 86_400_000;
const monday = Date.parse('2026-03-23T00:00:00Z');

const localTime = ({ offsets }: MeetingParticipant, time: number): number => {
  let minutes = offsets[0]!.minutes;
  for (const offset of offsets) if (offset.from <= time) minutes = offset.minutes;
  return time + minutes * 60_000;
};

function isInside(ranges: (localDay: number) => readonly DayRange[], local: number): boolean {
  const today = Math.floor(local / day);
  return [today - 1, today].some((start) =>
    ranges(start).some(({ from, to }) => {
      const minuteOfRange = (local - start * day) / 60_000;
      return minuteOfRange >= from && minuteOfRange < (to > from ? to : to + 1440);
    }),
  );
}

const weekday = (localDay: number): number => (new Date(localDay * day).getUTCDay() + 6) % 7;
const nineToTen: DayRange[] = [{ from: 540, to: 1320 }];

/** Whether a quarter-hour suits one kind of rule; undefined: the person has no such rule. */
function suits(person: MeetingParticipant, format: MeetingFormat, kind: ConstraintKind, time: number): boolean | undefined {
  const local = localTime(person, time);
  const touches = (margin: number, from: number, to: number): boolean => to > from && from - margin < time + quarter && to + margin > time;
  switch (kind) {
    case 'busy':
      return !person.busy.some(({ from, to }) => touches(0, from, to));
    case 'hours':
      return isInside((at) => (person.hours ? (person.hours[weekday(at)] ?? []) : nineToTen), local);
    case 'travel': {
      if (!format.inPerson) return true;
      const elsewhere = person.busy.filter(({ place }) => place !== undefined && place !== format.place);
      return !elsewhere.some(({ from, to }) => touches((person.travelMinutes ?? 0) * 60_000, from, to)) || !person.travelMinutes;
    }
    case 'date':
      if (person.dates) return person.dates.includes(new Date(local).toISOString().slice(0, 10));
      return person.weekdays?.includes(weekday(Math.floor(local / day)));
    case 'time':
      return person.times && isInside(() => person.times!, local);
    case 'format':
      return person.formats?.includes(format.name);
  }
}

const softWeights = { date: [40, 10], time: [30, 8], format: [30, 8] } as const;
const flexibilityOf = (person: MeetingParticipant, wish: 'date' | 'time' | 'format'): Flexibility =>
  person.flexibility?.[wish] ?? 'somewhat_flexible';

interface Looked {
  start: number;
  format: MeetingFormat;
  rank: number;
  cost: number;
  against: string[];
  misses: string[];
}

function lookAt({ from, to, participants, formats }: MeetingRequest): Looked[] {
  const first = Math.ceil(from / quarter) * quarter;
  return formats.flatMap((format, rank) => {
    const length = Math.ceil(format.minutes / 15) * quarter;
    const looked: Looked[] = [];
    for (let start = first; start + length <= to; start += quarter) {
      const whole = (person: MeetingParticipant, kind: ConstraintKind): boolean | undefined => {
        let answer: boolean | undefined;
        for (let time = start; time < start + length; time += quarter) {
          const one = suits(person, format, kind, time);
          if (one !== undefined) answer = (answer ?? true) && one;
        }
        return answer;
      };
      const quarterOfHour = Math.floor(localTime(participants[0]!, start) / quarter) % 4;
      const today = Math.floor(localTime(participants[0]!, start) / day);
      const wished = participants.flatMap(({ dates = [] }) => dates.map((date) => Math.abs(Date.parse(date) / day - today)));
      const away = wished.length === 0 ? 0 : Math.min(...wished, Math.floor((to - (to % quarter) - first) / day));
      let cost = rank * 20 + Math.floor((start - first) / day) + 3 * away + [0, 3, 1, 3][quarterOfHour]!;
      const against: string[] = [];
      const misses: string[] = [];
      for (const person of participants) {
        for (const kind of ['busy', 'hours', 'travel'] as const) if (whole(person, kind) === false) against.push(`${person.id} ${kind}`);
        let isFormatHard = false;
        for (const wish of ['date', 'time', 'format'] as const) {
          if (whole(person, wish) !== false) continue;
          const flexibility = flexibilityOf(person, wish);
          if (flexibility === 'not_flexible') against.push(`${person.id} ${wish}`);
          else cost += softWeights[wish][flexibility === 'flexible' ? 1 : 0];
          if (flexibility !== 'not_flexible') misses.push(`${person.id} ${wish}`);
          isFormatHard ||= wish === 'format' && flexibility === 'not_flexible';
        }
        let isMealTime = true;
        for (let time = start; time < start + length; time += quarter) {
          if (format.hours && !isInside(() => [format.hours!], localTime(person, time))) isMealTime = false;
        }
        if (!isMealTime && !isFormatHard) against.push(`${person.id} format`);
      }
      looked.push({ start, format, rank, cost, against, misses });
    }
    return looked;
  });
}

const range = fc.record({
  from: fc.integer({ min: 0, max: 95 }).map((n) => n * 15),
  to: fc.integer({ min: 1, max: 96 }).map((n) => n * 15),
});
const flexibility = fc.option(fc.constantFrom<Flexibility>('not_flexible', 'somewhat_flexible', 'flexible'), { nil: undefined });
const maybe = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(values, { nil: undefined });
const busyTime = fc.record({
  from: fc.integer({ min: -600, max: 5000 }).map((n) => monday + n * 60_000),
  to: fc.integer({ min: -600, max: 5000 }).map((n) => monday + n * 60_000),
  place: maybe(fc.constantFrom('office', 'gym')),
});
const zones = fc.constantFrom(
  [{ from: 0, minutes: 0 }],
  [{ from: 0, minutes: 345 }],
  [
    { from: 0, minutes: -300 },
    { from: monday + 30 * 3_600_000, minutes: -240 },
  ],
  [
    { from: 0, minutes: 660 },
    { from: monday + 40 * 3_600_000, minutes: 630 },
  ],
);
const participant = (id: string): fc.Arbitrary<MeetingParticipant> =>
  fc.record({
    id: fc.constant(id),
    offsets: zones,
    busy: fc.array(busyTime, { maxLength: 4 }),
    hours: maybe(fc.array(fc.array(range, { maxLength: 2 }), { minLength: 7, maxLength: 7 })),
    dates: maybe(fc.uniqueArray(fc.constantFrom('2026-03-23', '2026-03-24', '2026-03-25', '2026-04-01'), { maxLength: 2 })),
    weekdays: maybe(fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { maxLength: 3 })),
    times: maybe(fc.array(range, { maxLength: 2 })),
    formats: maybe(fc.uniqueArray(fc.constantFrom('dinner', 'call'), { maxLength: 2 })),
    travelMinutes: maybe(fc.constantFrom(0, 20, 60)),
    flexibility: maybe(fc.record({ date: flexibility, time: flexibility, format: flexibility })),
  });
const format = (name: string): fc.Arbitrary<MeetingFormat> =>
  fc.record({
    name: fc.constant(name),
    minutes: fc.integer({ min: 1, max: 700 }),
    inPerson: fc.boolean(),
    place: maybe(fc.constantFrom('office', 'bar')),
    hours: maybe(range),
  });
const request: fc.Arbitrary<MeetingRequest> = fc.record({
  from: fc.integer({ min: 0, max: 100 }).map((n) => monday + n * 60_000),
  to: fc.integer({ min: 200, max: 4400 }).map((n) => monday + n * 60_000),
  participants: fc.integer({ min: 1, max: 3 }).chain((count) => fc.tuple(...['a', 'b', 'c'].slice(0, count).map(participant))),
  formats: fc.oneof(fc.tuple(format('dinner')), fc.tuple(format('dinner'), format('call'))),
});

const distinctStarts = (looked: readonly Looked[]): number => new Set(looked.map(({ start }) => start)).size;

test('windows, counts and relaxations are those of a plain search [A2C-18]', () => {
  fc.assert(
    fc.property(request, (asked) => {
      const looked = lookAt(asked);
      const possible = looked.filter(({ against }) => against.length === 0);
      const found = findMeetingWindows(asked);
      expect(found.starts).toBe(distinctStarts(possible));
      expect(found.startsAsAsked).toBe(possible.filter(({ rank, misses }) => rank === 0 && misses.length === 0).length);

      // Each window is possible, and the first is the cheapest of all.
      const order = (a: Looked, b: Looked): number => a.cost - b.cost || a.start - b.start || a.rank - b.rank;
      const best = possible.toSorted(order)[0];
      expect(found.windows[0] && [found.windows[0].from, found.windows[0].format]).toEqual(best && [best.start, best.format.name]);
      const costs = found.windows.map(({ from, to, format: name, reasons }) => {
        const one = possible.find(({ start, format: { name: other } }) => start === from && other === name)!;
        expect(to - from).toBe(Math.ceil(one.format.minutes / 15) * quarter);
        expect(reasons.filter(({ isKept }) => !isKept).map(({ who, wish }) => `${who} ${wish}`)).toEqual(one.misses);
        return one.cost;
      });
      expect(costs).toEqual(costs.toSorted((a, b) => a - b));
      // A list that is not full leaves no room for another window.
      const isClear = ({ start, format: { minutes } }: Looked): boolean =>
        found.windows.every(({ from, to }) => to <= start || from >= start + Math.ceil(minutes / 15) * quarter);
      if (found.windows.length < 10) expect(possible.filter(isClear)).toEqual([]);

      const open = new Set(possible.map(({ start }) => start));
      const closed = looked.filter(({ start }) => !open.has(start));
      const fewest = Math.min(...closed.map(({ against }) => against.length));
      if (fewest !== 1 && open.size > 0) {
        expect(found.relaxations).toEqual([]);
        return;
      }
      const sets = Object.groupBy(
        closed.filter(({ against }) => against.length === fewest),
        ({ against }) => against.toSorted().join(', '),
      );
      const gains = Object.values(sets).map((set) => distinctStarts(set!));
      expect(found.relaxations.map(({ starts }) => starts)).toEqual(gains.toSorted((a, b) => b - a).slice(0, 5));
      for (const { constraints, starts, best: window } of found.relaxations) {
        const set =
          sets[
            constraints
              .map(({ who, kind }) => `${who} ${kind}`)
              .toSorted()
              .join(', ')
          ]!;
        expect(starts).toBe(distinctStarts(set));
        const cheapest = set.toSorted(order)[0]!;
        expect([window.from, window.format]).toEqual([cheapest.start, cheapest.format.name]);
      }
    }),
    { numRuns: process.env['PARLEY_TEST_FULL'] === '1' ? 500 : 60 },
  );
});
