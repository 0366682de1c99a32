import { describe, expect, test } from 'vitest';
import type { DayRange, MeetingFormat, MeetingParticipant, MeetingRequest, MeetingWindow } from './meeting.ts';
import { findMeetingWindows } from './schedule.ts';

const hour = 60;
const utc = (text: string): number => Date.parse(`${text}Z`);
const dinner: MeetingFormat = { name: 'dinner', minutes: 120, inPerson: true, hours: { from: 18 * hour, to: 22 * hour } };
const lunch: MeetingFormat = { name: 'lunch', minutes: 60, inPerson: true, hours: { from: 12 * hour, to: 14 * hour } };
const call: MeetingFormat = { name: 'call', minutes: 30, inPerson: false };

const evening: DayRange = { from: 18 * hour, to: 21 * hour };
const london = [{ from: 0, minutes: 0 }];
/** Central Europe goes from +1 to +2 on 29 March 2026 at 01:00 UTC. */
const berlin = [
  { from: 0, minutes: 60 },
  { from: utc('2026-03-29T01:00'), minutes: 120 },
];
const person = (id: string, changes: Partial<MeetingParticipant> = {}): MeetingParticipant => ({
  id,
  offsets: london,
  busy: [],
  ...changes,
});

// Monday, 23 March 2026.
const week = { from: utc('2026-03-23T00:00'), to: utc('2026-03-30T00:00') };
const search = (participants: MeetingParticipant[], formats = [dinner], span = week) =>
  findMeetingWindows({ ...span, participants, formats });
const starts = (windows: readonly MeetingWindow[]): string[] => windows.map(({ from }) => new Date(from).toISOString().slice(0, 16));
const busy = (from: string, to: string, place?: string) => ({ from: utc(from), to: utc(to), place });

describe('windows', () => {
  test('dinner on Friday: the wished date and time come first, then the days around it [A2C-15]', () => {
    const { windows, startsAsAsked } = search([person('alice', { dates: ['2026-03-27'], times: [evening] }), person('bob')]);
    expect(starts(windows).slice(0, 3)).toEqual(['2026-03-27T18:00', '2026-03-27T20:00', '2026-03-26T18:00']);
    expect(startsAsAsked).toBe(5);
    expect(windows[0]).toMatchObject({ format: 'dinner', to: utc('2026-03-27T20:00') });
    expect(windows[0]!.reasons).toEqual([
      { who: 'alice', wish: 'date', isKept: true },
      { who: 'alice', wish: 'time', isKept: true },
    ]);
    expect(windows[1]!.reasons[1]).toEqual({ who: 'alice', wish: 'time', isKept: false });
    expect(windows[2]!.reasons[0]).toEqual({ who: 'alice', wish: 'date', isKept: false });
    expect(windows[0]!.score).toBeGreaterThan(windows[1]!.score);
  });

  test('without a calendar the hours from 9 to 22 are free, by the local clock', () => {
    const { windows } = search([person('alice', { offsets: berlin }), person('bob', { offsets: berlin })], [call]);
    expect(starts(windows)).toContain('2026-03-23T08:00');
    expect(starts(windows).every((start) => start.slice(11) >= '07:00')).toBe(true);
    expect(
      search([person('alice', { offsets: berlin })], [call], { from: utc('2026-03-29T00:00'), to: utc('2026-03-30T00:00') }).starts,
    ).toBe(51);
  });

  test('two clocks: only the hours that both allow', () => {
    const newYork = [{ from: 0, minutes: -4 * hour }];
    const { windows, starts: count } = search([person('alice', { offsets: berlin }), person('bob', { offsets: newYork })], [call], {
      from: utc('2026-03-30T00:00'),
      to: utc('2026-03-31T00:00'),
    });
    // 13:00 to 20:00 UTC is 15:00 to 22:00 in Berlin and 9:00 to 16:00 in New York.
    expect(count).toBe(27);
    expect(starts(windows)[0]).toBe('2026-03-30T13:00');
    expect(windows).toHaveLength(10);
  });

  test('an hour that the clock skips or repeats moves nothing else', () => {
    const nights = Array.from({ length: 7 }, () => [{ from: 2 * hour, to: 4 * hour }]);
    const span = { from: utc('2026-03-28T00:00'), to: utc('2026-03-31T00:00') };
    // Saturday 01:00–03:00 UTC, Sunday only 03:00–04:00 local, Monday 00:00–02:00 UTC.
    expect(search([person('alice', { offsets: berlin, hours: nights })], [{ ...call, minutes: 15 }], span).starts).toBe(8 + 4 + 8);
    const autumn = [
      { from: 0, minutes: 120 },
      { from: utc('2026-10-25T01:00'), minutes: 60 },
    ];
    const inAutumn = { from: utc('2026-10-24T12:00'), to: utc('2026-10-25T12:00') };
    expect(search([person('alice', { offsets: autumn, hours: nights })], [{ ...call, minutes: 15 }], inAutumn).starts).toBe(12);
  });

  test('offsets of quarter-hours, and half-hour shifts, are whole quarter-hours', () => {
    const kathmandu = [{ from: 0, minutes: 345 }];
    expect(starts(search([person('alice', { offsets: kathmandu })], [call]).windows)[0]).toBe('2026-03-23T03:15');
    const lordHowe = [
      { from: 0, minutes: 660 },
      { from: utc('2026-04-04T15:00'), minutes: 630 },
    ];
    const span = { from: utc('2026-04-04T00:00'), to: utc('2026-04-06T00:00') };
    expect(starts(search([person('alice', { offsets: lordHowe })], [call], span).windows)).toContain('2026-04-04T22:30');
  });

  test('a range over midnight goes on into the next day', () => {
    const owl = Array.from({ length: 7 }, (_, day) => (day === 4 ? [{ from: 22 * hour, to: 2 * hour }] : []));
    const { windows, starts: count } = search([person('alice', { hours: owl })], [{ ...call, minutes: 240 }]);
    expect([starts(windows), count]).toEqual([['2026-03-27T22:00'], 1]);
  });

  test('no two windows overlap, and a day has two before another has none', () => {
    const { windows } = search([person('alice'), person('bob')], [call]);
    expect(windows).toHaveLength(10);
    expect(new Set(starts(windows).map((start) => start.slice(0, 10))).size).toBe(5);
    const oneDay = search([person('alice')], [call], { from: utc('2026-03-23T00:00'), to: utc('2026-03-24T00:00') });
    expect(starts(oneDay.windows)).toEqual(Array.from({ length: 10 }, (_, at) => `2026-03-23T${String(9 + at).padStart(2, '0')}:00`));
  });

  test('round starts come first, by the clock of the first participant', () => {
    const { windows } = search([person('alice', { busy: [busy('2026-03-23T00:00', '2026-03-23T18:20')] })], [dinner]);
    expect(starts(windows)[0]).toBe('2026-03-23T19:00');
  });
});

describe('travel', () => {
  const office = busy('2026-03-23T11:00', '2026-03-23T18:00', 'Office');
  const [day] = [{ from: utc('2026-03-23T00:00'), to: utc('2026-03-24T00:00') }];

  test('the way from an event elsewhere is kept free before a meeting in person, not before a call', () => {
    const alice = person('alice', { busy: [office], travelMinutes: 45 });
    expect(starts(search([alice], [dinner], day).windows)[0]).toBe('2026-03-23T19:00');
    expect(search([alice], [dinner], day).starts).toBe(6);
    expect(search([alice], [{ ...dinner, inPerson: false }], day).starts).toBe(9);
  });

  test('an event at the same place, or at none, needs no way', () => {
    const there = { ...dinner, place: ' office ' };
    expect(search([person('alice', { busy: [office], travelMinutes: 45 })], [there], day).starts).toBe(9);
    expect(search([person('alice', { busy: [{ ...office, place: undefined }], travelMinutes: 45 })], [dinner], day).starts).toBe(9);
    expect(search([person('alice', { busy: [{ ...office, to: office.from }], travelMinutes: 600 })], [dinner], day).starts).toBe(9);
  });
});

describe('relaxations', () => {
  const only = (weekday: number): Partial<MeetingParticipant> => ({ weekdays: [weekday], flexibility: { date: 'not_flexible' } });

  test('the seed’s hard case: only Wednesday against only Thursday [A2C-18]', () => {
    const { windows, relaxations } = search([person('alice', only(2)), person('bob', only(3))]);
    expect(windows).toEqual([]);
    expect(relaxations.map(({ constraints, starts: gained }) => [constraints, gained])).toEqual([
      [[{ who: 'alice', kind: 'date' }], 9],
      [[{ who: 'bob', kind: 'date' }], 9],
    ]);
    expect(starts(relaxations.map(({ best }) => best))).toEqual(['2026-03-26T18:00', '2026-03-25T18:00']);
  });

  test('flexible wishes are given up without asking, first the more flexible one [A2C-18]', () => {
    const alice = person('alice', { weekdays: [2], flexibility: { date: 'flexible' } });
    const { windows } = search([alice, person('bob', { weekdays: [3], flexibility: { date: 'somewhat_flexible' } })]);
    expect(starts(windows)[0]).toBe('2026-03-26T18:00');
  });

  test('another format is tried before a person is asked [A2C-18]', () => {
    const evenings = ['23', '24', '25', '26', '27', '28', '29'].map((day) => busy(`2026-03-${day}T17:00`, `2026-03-${day}T22:00`));
    const { windows, startsAsAsked } = search(
      [person('alice', { formats: ['dinner'] }), person('bob', { busy: evenings })],
      [dinner, lunch, call],
    );
    expect(startsAsAsked).toBe(0);
    expect(windows[0]).toMatchObject({ format: 'lunch', reasons: [{ who: 'alice', wish: 'format', isKept: false }] });
  });

  test('the binding constraint of three is named with its owner [A2C-30]', () => {
    const saturday = person('charlie', only(5));
    const { relaxations } = search([person('alice', only(4)), person('bob', only(4)), saturday]);
    expect(relaxations[0]).toMatchObject({ constraints: [{ who: 'charlie', kind: 'date' }], starts: 9 });
  });

  test('each kind can bind', () => {
    const evenings = Array.from({ length: 7 }, () => [{ from: 20 * hour, to: 22 * hour }]);
    const day = { from: utc('2026-03-23T00:00'), to: utc('2026-03-24T00:00') };
    const binding = (changes: Partial<MeetingParticipant>, formats = [dinner]) =>
      search([person('alice', { hours: evenings }), person('bob', changes)], formats, day).relaxations[0]?.constraints;
    expect(binding({ busy: [busy('2026-03-23T21:00', '2026-03-23T22:00')] })).toEqual([{ who: 'alice', kind: 'hours' }]);
    const bob = (kind: string) => [{ who: 'bob', kind }];
    expect(binding({ busy: [busy('2026-03-23T17:00', '2026-03-23T22:00')] })).toEqual(bob('busy'));
    expect(binding({ busy: [busy('2026-03-23T17:00', '2026-03-23T20:00', 'Gym')], travelMinutes: 30 })).toEqual(bob('travel'));
    expect(binding({ hours: Array.from({ length: 7 }, () => []) })).toEqual(bob('hours'));
    expect(binding({ times: [{ from: 540, to: 600 }], flexibility: { time: 'not_flexible' } })).toEqual(bob('time'));
    expect(binding({ formats: ['call'], flexibility: { format: 'not_flexible' } })).toEqual(bob('format'));
  });

  test('where one alone does not help, the smallest set does', () => {
    const alice = person('alice', { ...only(2), busy: [busy('2026-03-23T00:00', '2026-03-30T00:00')] });
    const { relaxations } = search([alice, person('bob')]);
    expect(relaxations[0]!.constraints).toEqual([{ who: 'alice', kind: 'busy' }]);
    const { relaxations: joint } = search([alice, person('bob', only(3))]);
    expect(joint.map(({ constraints }) => constraints.map(({ who, kind }) => `${who} ${kind}`))).toEqual([
      ['alice busy', 'bob date'],
      ['alice busy', 'alice date'],
    ]);
  });

  test('of two that help as much, a wish comes before a calendar', () => {
    const freeOnWednesday = person('alice', {
      busy: [busy('2026-03-23T00:00', '2026-03-25T00:00'), busy('2026-03-26T00:00', '2026-03-30T00:00')],
    });
    const { relaxations } = search([freeOnWednesday, person('bob', only(3))]);
    expect(relaxations.map(({ constraints, starts: gained }) => [constraints[0]!.who, gained])).toEqual([
      ['bob', 9],
      ['alice', 9],
    ]);
  });

  test('starts that are possible anyway are no gain', () => {
    const onlyCalls = person('bob', { formats: ['call'], flexibility: { format: 'not_flexible' } });
    expect(search([person('alice'), onlyCalls], [dinner, call]).relaxations.map(({ constraints }) => constraints[0]!.kind)).not.toContain(
      'format',
    );
    expect(search([person('alice'), person('bob')], [{ ...call, minutes: 15 }]).relaxations).toEqual([]);
    expect(search([person('alice', { hours: [] })], [call]).relaxations[0]).toMatchObject({ starts: 7 * 96 - 1 });
  });
});

describe('limits', () => {
  const one: MeetingRequest = { ...week, participants: [person('alice')], formats: [call] };
  test.each<[string, Partial<MeetingRequest>, string]>([
    ['nobody', { participants: [] }, 'participants'],
    ['no format', { formats: [] }, '1 to 8 formats; it got 0'],
    ['a meeting of no length', { formats: [{ ...call, minutes: 0 }] }, 'call takes 0'],
    ['a meeting of no number', { formats: [{ ...call, minutes: NaN }] }, 'call takes NaN'],
    ['a horizon without an end', { to: Infinity }, 'up to 92 days'],
    ['a horizon backwards', { to: one.from }, 'up to 92 days'],
  ])('%s is refused', (_, changes, words) => {
    expect(() => findMeetingWindows({ ...one, ...changes })).toThrow(words);
  });

  test('a busy time without an end, backwards or of no number blocks what it can and harms nothing else', () => {
    const strange = [
      { from: -Infinity, to: utc('2026-03-29T00:00') },
      { from: NaN, to: NaN },
      { from: utc('2026-03-29T12:00'), to: utc('2026-03-29T11:00') },
    ];
    expect(starts(search([person('alice', { busy: strange })], [lunch]).windows)).toEqual(['2026-03-29T12:00', '2026-03-29T13:00']);
  });

  test('a meeting longer than the horizon has no window', () => {
    expect(search([person('alice')], [{ ...call, minutes: 8 * 1440 }])).toEqual({
      windows: [],
      starts: 0,
      startsAsAsked: 0,
      relaxations: [],
    });
  });
});
