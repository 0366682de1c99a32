import { describe, expect, it, test } from 'vitest';
import { readIntentWords } from './intent-words.ts';
import { type LocalZone, timeAt, writeTime } from './local-time.ts';
import { spokenWindows } from './spoken-windows.ts';
import { between, freeWindows, readWindows, visibleTime, writeWindows } from './windows.ts';

const berlin: LocalZone = {
  name: 'Europe/Berlin',
  offsets: [
    { from: Date.parse('2026-03-29T01:00Z'), minutes: 120 },
    { from: Date.parse('2026-10-25T01:00Z'), minutes: 60 },
  ],
};
/** A Tuesday. */
const now = Date.parse('2026-11-17T10:00Z');

describe('[A2C-24] a person’s words', () => {
  test.each([
    ['Dinner on Friday', 'dinner', ['2026-11-20']],
    ['lunch next friday', 'lunch', ['2026-11-27']],
    ['Call tomorrow', 'call', ['2026-11-18']],
    ['let us meet next week', 'meeting', ['2026-11-23', '2026-11-24', '2026-11-25', '2026-11-26', '2026-11-27']],
    ['coffee on 2026-12-01', 'coffee', ['2026-12-01']],
    ['drinks at the weekend', 'drinks', ['2026-11-21', '2026-11-22']],
    ['dinner on Tuesday', 'dinner', ['2026-11-24']],
    ['Games on Friday after dinner', 'games', ['2026-11-20']],
    ['After dinner on Friday, a game', 'games', ['2026-11-20']],
    ['Game night with dinner', 'games', []],
    ['Dinner before the games', 'dinner', []],
    ['A call instead of dinner', 'call', []],
    ['meet for lunch', 'lunch', []],
    ['Meeting over coffee', 'coffee', []],
    ['after lunch on Friday', 'lunch', ['2026-11-20']],
    ['Your phone number', undefined, []],
    ['The recall of the undinnerly', undefined, []],
  ])('%s', (text, event, dates) => {
    expect(readIntentWords(text, now, berlin)).toMatchObject({ event, dates });
  });

  it('reads a time of day and urgency', () => {
    expect(readIntentWords('urgent: dinner today at 19:30', now, berlin)).toEqual({
      event: 'dinner',
      dates: ['2026-11-17'],
      times: [{ from: 1170, to: 1290 }],
      isUrgent: true,
    });
  });
});

describe('[A2C-15] windows', () => {
  const span = { from: now, to: Date.parse('2026-11-19T00:00Z') };

  it('are the waking hours without what is busy', () => {
    const busy = [{ from: Date.parse('2026-11-17T12:00Z'), to: Date.parse('2026-11-17T20:45Z') }];
    expect(writeWindows(freeWindows(busy, span, berlin), berlin)).toEqual([
      '2026-11-17T11:00+01:00/2026-11-17T13:00+01:00',
      '2026-11-18T09:00+01:00/2026-11-18T22:00+01:00',
    ]);
  });

  it('are read as they are written, also as the seed writes them; other forms are left out', () => {
    const windows = freeWindows([], span, berlin);
    expect(readWindows(writeWindows(windows, berlin), [], berlin)).toEqual(windows);
    expect(readWindows(['18:00-21:00', 'evenings', 7, '21:00-18:00'], ['2026-11-20'], berlin)).toEqual([
      { from: Date.parse('2026-11-20T17:00Z'), to: Date.parse('2026-11-20T20:00Z') },
    ]);
    expect(readWindows({ a: 1 }, [], berlin)).toEqual([]);
  });

  it('and what lies between them fill the time', () => {
    expect(
      between(
        [
          { from: 10, to: 20 },
          { from: 15, to: 30 },
        ],
        { from: 0, to: 40 },
      ),
    ).toEqual([
      { from: 0, to: 10 },
      { from: 30, to: 40 },
    ]);
  });

  it('keep local hours when the clock changes', () => {
    const day = Date.parse('2026-10-25T00:00Z') / 86_400_000;
    expect([day - 1, day].map((on) => writeTime(berlin, timeAt(berlin, on, 9 * 60)))).toEqual([
      '2026-10-24T09:00+02:00',
      '2026-10-25T09:00+01:00',
    ]);
  });

  it('never end before they begin, and follow each other, where the clock skips or repeats an hour', () => {
    const yearRound: LocalZone = { ...berlin, offsets: [{ from: 0, minutes: 60 }, ...berlin.offsets] };
    for (const date of ['2026-03-29', '2026-10-25']) {
      const on = Date.parse(`${date}T00:00Z`) / 86_400_000;
      const times = Array.from({ length: 97 }, (_, quarter) => timeAt(yearRound, on, quarter * 15));
      // A skipped time counts as the hour after it or before it; none lies a day away.
      expect(times.every((time) => Math.abs(time - times[0]! - 12 * 3_600_000) <= 13 * 3_600_000)).toBe(true);
      for (const text of ['02:15-02:45', '01:30-03:15', '02:30-03:00'])
        for (const { from, to } of readWindows([text], [date], yearRound)) expect(to).toBeGreaterThan(from);
      const free = freeWindows([{ from: times[36]!, to: times[40]! }], { from: times[0]!, to: times[96]! }, yearRound);
      expect(free.map((window) => writeTime(yearRound, window.from).slice(11, 16))).toEqual(['10:00']);
    }
  });
});

test('[A2C-21] a way that is withheld looks like busy time to a brain, and keeps its place free', () => {
  const at = (time: string): number => Date.parse(`2026-11-20T${time}+01:00`);
  const busy = [{ from: at('12:00'), to: at('13:00'), place: 'Office' }];
  const span = { from: at('09:00'), to: at('22:00') };
  const timeOf = (isShared: boolean, isInPerson = true) => visibleTime(busy, berlin, { ms: 3_600_000, isShared, isInPerson });
  const longer = [{ from: at('11:00'), to: at('14:00') }];
  expect([timeOf(true).travel(span), timeOf(false).travel(span)]).toEqual([longer, []]);
  // The same view as of somebody with a longer event and no way.
  expect(timeOf(false).free(span)).toEqual(freeWindows(longer, span, berlin));
  for (const one of [timeOf(true), timeOf(false, false)]) expect(one.free(span)).toEqual(freeWindows(busy, span, berlin));
});

describe('[A2C-22] a person says in words when they are free', () => {
  const windows = (said: string) => writeWindows(spokenWindows(said, now, berlin), berlin);
  test.each([
    ['Friday evening', ['2026-11-20T18:00+01:00/2026-11-20T22:00+01:00']],
    ['on Saturday', ['2026-11-21T09:00+01:00/2026-11-21T22:00+01:00']],
    ['Saturday 18:00-21:00', ['2026-11-21T18:00+01:00/2026-11-21T21:00+01:00']],
    ['28 November, 9 to 12', ['2026-11-28T09:00+01:00/2026-11-28T12:00+01:00']],
    ['tomorrow after 19:30', ['2026-11-18T19:30+01:00/2026-11-18T22:00+01:00']],
    ['today', ['2026-11-17T11:00+01:00/2026-11-17T22:00+01:00']],
    ['any day but Friday', []],
    ['not on Friday', []],
    ['when the cat sleeps', []],
  ])('%s', (said, read) => {
    expect(windows(said)).toEqual(read);
  });

  it('takes a time alone for each of the next two weeks', () => {
    expect(windows('evenings')).toHaveLength(14);
    expect(windows('any evening')).toEqual(windows('evenings'));
  });
});
