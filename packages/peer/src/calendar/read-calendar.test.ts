import { describe, expect, test } from 'vitest';
import { busyOf, type CalendarSpan, readCalendar } from './read-calendar.ts';

const utc = (text: string): number => Date.parse(`${text}Z`);
const span = (from: string, to: string, zone = 'Europe/Berlin'): CalendarSpan => ({ from: utc(from), to: utc(to), zone });
const calendar = (...lines: string[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', ...lines, 'END:VCALENDAR', ''].join('\r\n');
const event = (...lines: string[]): string => ['BEGIN:VEVENT', 'UID:one', ...lines, 'END:VEVENT'].join('\r\n');
const shown = (time: number): string => new Date(time).toISOString().slice(0, 16);

/** Starts and ends of the occurrences of one event. */
function occurrences(time: CalendarSpan, ...lines: string[]): string[] {
  const { events, problems } = readCalendar(calendar(event(...lines)), time);
  expect(problems).toEqual([]);
  return events.map(({ from, to }) => `${shown(from)} ${shown(to).slice(11)}`);
}

const march = span('2026-03-23T00:00', '2026-04-06T00:00');
const year = span('2026-01-01T00:00', '2027-01-01T00:00');

describe('times', () => {
  test('UTC, a named zone, floating, and a duration instead of an end', () => {
    expect(occurrences(march, 'DTSTART:20260324T090000Z', 'DTEND:20260324T100000Z')).toEqual(['2026-03-24T09:00 10:00']);
    expect(occurrences(march, 'DTSTART;TZID=America/New_York:20260324T090000', 'DURATION:PT1H30M')).toEqual(['2026-03-24T13:00 14:30']);
    expect(occurrences(march, 'DTSTART:20260324T090000', 'DTEND:20260324T100000')).toEqual(['2026-03-24T08:00 09:00']);
    expect(occurrences({ ...march, zone: 'Australia/Lord_Howe' }, 'DTSTART:20260324T090000', 'DURATION:PT1H')).toEqual([
      '2026-03-23T22:00 23:00',
    ]);
  });

  test('whole days begin and end at the person’s midnight, also where a day has 23 hours', () => {
    expect(occurrences(march, 'DTSTART;VALUE=DATE:20260329')).toEqual(['2026-03-28T23:00 22:00']);
    const { events } = readCalendar(calendar(event('DTSTART;VALUE=DATE:20260324', 'DTEND;VALUE=DATE:20260326')), march);
    expect(events[0]).toMatchObject({
      dates: { from: '2026-03-24', to: '2026-03-26' },
      from: utc('2026-03-23T23:00'),
      to: utc('2026-03-25T23:00'),
    });
    expect(occurrences(march, 'DTSTART:20260324')).toEqual(['2026-03-23T23:00 23:00']);
  });

  test.each([
    ['Europe/Berlin', '2026-03-29', '20260329T023000', '2026-03-29T01:30'],
    ['America/New_York', '2026-03-08', '20260308T023000', '2026-03-08T07:30'],
    // Half an hour is skipped on 4 October 2026.
    ['Australia/Lord_Howe', '2026-10-03', '20261004T021500', '2026-10-03T15:45'],
  ])('a time that the clock of %s skips counts with the offset before the gap', (zone, date, written, expected) => {
    const time = span(`${date}T00:00`, `${date}T23:59`);
    expect(occurrences(time, `DTSTART;TZID=${zone}:${written}`, 'DURATION:PT15M')[0]).toMatch(expected);
  });

  test.each([
    ['Europe/Berlin', '2026-10-25', '20261025T023000', '2026-10-25T00:30'],
    ['America/New_York', '2026-11-01', '20261101T013000', '2026-11-01T05:30'],
    ['Australia/Lord_Howe', '2026-04-04', '20260405T014500', '2026-04-04T14:45'],
  ])('a time that the clock of %s shows twice is the first of the two', (zone, date, written, expected) => {
    const time = span(`${date}T00:00`, `${date}T23:59`);
    expect(occurrences(time, `DTSTART;TZID=${zone}:${written}`, 'DURATION:PT15M')[0]).toMatch(expected);
  });

  test('right after a change the new offset counts', () => {
    const at = (written: string): string => occurrences(year, `DTSTART;TZID=Europe/Berlin:${written}`)[0]!.slice(0, 16);
    expect([at('20260329T015900'), at('20260329T030000'), at('20261025T030000')]).toEqual([
      '2026-03-29T00:59',
      '2026-03-29T01:00',
      '2026-10-25T02:00',
    ]);
  });

  test('a flight ends by the clock of the place where it lands', () => {
    const flight = ['DTSTART;TZID=Europe/Berlin:20260324T100000', 'DTEND;TZID=America/New_York:20260324T140000'];
    expect(occurrences(march, ...flight)).toEqual(['2026-03-24T09:00 18:00']);
  });

  test('an end is exact and a duration counts days on the wall', () => {
    const start = 'DTSTART;TZID=Europe/Berlin:20260328T120000';
    expect(occurrences(march, start, 'DURATION:P1D')).toEqual(['2026-03-28T11:00 10:00']);
    expect(readCalendar(calendar(event(start, 'DURATION:P1W')), march).events[0]!.to).toBe(utc('2026-04-04T10:00'));
    expect(occurrences(march, start, 'DURATION:PT24H')).toEqual(['2026-03-28T11:00 11:00']);
    // 24 hours long at its first occurrence, so 24 hours long over the change.
    const daily = ['DTSTART;TZID=Europe/Berlin:20260327T120000', 'DTEND;TZID=Europe/Berlin:20260328T120000', 'RRULE:FREQ=DAILY;COUNT=2'];
    expect(occurrences(march, ...daily)).toEqual(['2026-03-27T11:00 11:00', '2026-03-28T11:00 11:00']);
  });

  test('events are those that touch the time', () => {
    const time = span('2026-03-24T10:00', '2026-03-24T12:00');
    const at = (from: string, to: string): number => occurrences(time, `DTSTART:20260324T${from}00Z`, `DTEND:20260324T${to}00Z`).length;
    expect([at('0900', '1000'), at('0900', '1001'), at('1159', '1300'), at('1200', '1300'), at('1000', '1000')]).toEqual([0, 1, 1, 0, 1]);
  });
});

describe('zones of a file', () => {
  const zone = (name: string): string[] => [
    'BEGIN:VTIMEZONE',
    `TZID:${name}`,
    'BEGIN:STANDARD',
    'DTSTART:16010101T030000',
    'TZOFFSETFROM:+0200',
    'TZOFFSETTO:+0100',
    'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10',
    'END:STANDARD',
    'BEGIN:DAYLIGHT',
    'DTSTART:16010101T020000',
    'TZOFFSETFROM:+0100',
    'TZOFFSETTO:+0200',
    'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3',
    'END:DAYLIGHT',
    'END:VTIMEZONE',
  ];
  const weekly = (name: string): string => event(`DTSTART;TZID="${name}":20260323T090000`, 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;COUNT=2');
  const starts = (name: string, lines: string[]): string[] =>
    readCalendar(calendar(...lines, weekly(name)), march).events.map(({ from }) => shown(from));

  test('a zone that only the file knows follows its rules', () => {
    expect(starts('W. Europe Standard Time', zone('W. Europe Standard Time'))).toEqual(['2026-03-23T08:00', '2026-03-30T07:00']);
  });

  test('its changes happen at the clock time before them, and UNTIL includes the last one', () => {
    const at = (lines: string[], written: string): string =>
      shown(readCalendar(calendar(...lines, event(`DTSTART;TZID=Ours:${written}`)), year).events[0]!.from);
    expect(at(zone('Ours'), '20261025T033000')).toBe('2026-10-25T02:30');
    const ended = zone('Ours').map((line) => line.replace('BYMONTH=3', 'BYMONTH=3;UNTIL=20260329T010000Z'));
    expect(at(ended, '20260401T090000')).toBe('2026-04-01T07:00');
  });

  test('an IANA name needs no description, also behind the name of a program', () => {
    expect(starts('Europe/Berlin', [])).toEqual(['2026-03-23T08:00', '2026-03-30T07:00']);
    expect(starts('/example.org/20260101_1/Europe/Berlin', [])).toEqual(['2026-03-23T08:00', '2026-03-30T07:00']);
  });

  test('a name without a slash means what the file says, and else what the platform says', () => {
    expect(starts('EST', zone('EST'))).toEqual(['2026-03-23T08:00', '2026-03-30T07:00']);
    expect(starts('EST', [])).toEqual(['2026-03-23T14:00', '2026-03-30T14:00']);
  });

  test('a single change without a rule applies from then on', () => {
    const lines = [
      'BEGIN:VTIMEZONE',
      'TZID:Ours',
      'BEGIN:STANDARD',
      'DTSTART:20260328T000000',
      'TZOFFSETFROM:+0000',
      'TZOFFSETTO:+0430',
      'END:STANDARD',
      'END:VTIMEZONE',
    ];
    expect(starts('Ours', lines)).toEqual(['2026-03-23T09:00', '2026-03-30T04:30']);
  });

  test('an unknown zone is reported with its line, and the event is left out', () => {
    const { events, problems } = readCalendar(calendar(weekly('Mars/Olympus')), march);
    expect(events).toEqual([]);
    expect(problems).toEqual([{ line: 6, field: 'DTSTART', text: expect.stringContaining('"Mars/Olympus"') as string }]);
  });
});

describe('recurrence', () => {
  const start = 'DTSTART;TZID=Europe/Berlin:20260323T090000';
  const days = (...lines: string[]): string[] => occurrences(march, start, 'DURATION:PT1H', ...lines).map((text) => text.slice(5, 16));

  test('keeps the time of the clock over the change to summer time', () => {
    expect(days('RRULE:FREQ=WEEKLY')).toEqual(['03-23T08:00', '03-30T07:00']);
  });

  test('COUNT counts from the first occurrence, long before the time', () => {
    expect(occurrences(march, 'DTSTART:20260301T090000Z', 'RRULE:FREQ=DAILY;COUNT=25').at(-1)).toMatch('2026-03-25T09:00');
  });

  test('UNTIL is inclusive: as a date, in UTC, and by the clock', () => {
    expect(days('RRULE:FREQ=DAILY;UNTIL=20260324')).toHaveLength(2);
    expect(days('RRULE:FREQ=DAILY;UNTIL=20260324T080000Z')).toHaveLength(2);
    expect(days('RRULE:FREQ=DAILY;UNTIL=20260324T075959Z')).toHaveLength(1);
    expect(days('RRULE:FREQ=DAILY;UNTIL=20260324T090000')).toHaveLength(2);
    expect(days('RRULE:FREQ=DAILY;UNTIL=20260324T083000')).toHaveLength(1);
  });

  test.each([
    ['the last working day of a month', 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', ['01-30', '02-27', '03-31']],
    ['every other week on two days, weeks from Sunday', 'FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=TU,TH', ['01-01', '01-13', '01-15', '01-27']],
    ['the 31st only where there is one', 'FREQ=MONTHLY;BYMONTHDAY=31', ['01-31', '03-31', '05-31']],
    ['the second to last day', 'FREQ=MONTHLY;BYMONTHDAY=-2', ['01-30', '02-27', '03-30']],
    ['Friday the 13th', 'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13', ['02-13', '03-13', '11-13']],
    ['a week of the year', 'FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO', ['05-11']],
    ['days of the year', 'FREQ=YEARLY;BYYEARDAY=1,100,200', ['01-01', '04-10', '07-19']],
  ])('%s', (_, rule, expected) => {
    const found = occurrences(year, 'DTSTART:20250101T120000Z', `RRULE:${rule}`).map((text) => text.slice(5, 10));
    expect(found.slice(0, expected.length)).toEqual(expected);
  });

  test('a rule that ended long ago costs nothing, however often it came', () => {
    expect(occurrences(march, 'DTSTART:19300101T090000Z', 'RRULE:FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;COUNT=5000')).toEqual([]);
  });

  test('a rule that rests for most of the year is counted over the years', () => {
    expect(occurrences(year, 'DTSTART:20230301T090000Z', 'RRULE:FREQ=DAILY;BYMONTH=3;COUNT=100')).toHaveLength(7);
  });

  test('a series from the 31st skips shorter months', () => {
    const found = occurrences(year, 'DTSTART:20250131T090000Z', 'RRULE:FREQ=MONTHLY');
    expect(found.map((text) => text.slice(5, 10))).toEqual(['01-31', '03-31', '05-31', '07-31', '08-31', '10-31', '12-31']);
  });

  test('a rule from long ago begins near the time', () => {
    expect(occurrences(march, 'DTSTART:19300101T090000Z', 'DURATION:PT5M', 'RRULE:FREQ=DAILY;INTERVAL=7')).toHaveLength(2);
    expect(occurrences(march, 'DTSTART:19700101T000000Z', 'DURATION:PT5M', 'RRULE:FREQ=HOURLY;INTERVAL=5')).toHaveLength(68);
  });

  test('EXDATE removes by moment, by date, and across zones; RDATE adds', () => {
    const rule = 'RRULE:FREQ=DAILY;COUNT=4';
    expect(days(rule, 'EXDATE;TZID=Europe/Berlin:20260324T090000,20260325T090000')).toEqual(['03-23T08:00', '03-26T08:00']);
    expect(days(rule, 'EXDATE:20260324T080000Z')).toHaveLength(3);
    expect(days(rule, 'EXDATE;TZID=America/New_York:20260324T040000')).toHaveLength(3);
    expect(days(rule, 'EXDATE;VALUE=DATE:20260324')).toHaveLength(3);
    expect(days(rule, 'EXDATE:20260324T080100Z')).toHaveLength(4);
    expect(days('RDATE;TZID=Europe/Berlin:20260401T150000', 'RDATE;VALUE=DATE:20260402')).toEqual([
      '03-23T08:00',
      '04-01T13:00',
      '04-02T07:00',
    ]);
    expect(days('RDATE;VALUE=PERIOD:20260403T100000Z/PT1H')).toContain('04-03T10:00');
  });

  test('whole days recur by date', () => {
    const lines = ['DTSTART;VALUE=DATE:20260327', 'RRULE:FREQ=DAILY;COUNT=4', 'EXDATE;VALUE=DATE:20260328'];
    expect(occurrences(march, ...lines)).toEqual(['2026-03-26T23:00 23:00', '2026-03-28T23:00 22:00', '2026-03-29T22:00 22:00']);
  });
});

describe('changed occurrences', () => {
  const series = event('DTSTART;TZID=Europe/Berlin:20260323T090000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=5', 'SUMMARY:Standup');
  const read = (...changes: string[]) =>
    readCalendar(calendar(...changes, series), march).events.map(({ from, summary }) => `${shown(from).slice(8)} ${summary}`);

  test('a moved one replaces its occurrence, also when the file names it first', () => {
    const moved = event('RECURRENCE-ID;TZID=Europe/Berlin:20260324T090000', 'DTSTART:20260324T130000Z', 'SUMMARY:Late');
    expect(read(moved)).toEqual(['23T08:00 Standup', '24T13:00 Late', '25T08:00 Standup', '26T08:00 Standup', '27T08:00 Standup']);
  });

  test('a cancelled one frees its time', () => {
    expect(read(event('RECURRENCE-ID:20260324T080000Z', 'DTSTART:20260324T080000Z', 'STATUS:CANCELLED'))).toHaveLength(4);
  });

  test('a change of this and all future ones moves them too, until the next', () => {
    const from = (at: string, to: string, name: string): string =>
      event(`RECURRENCE-ID;RANGE=THISANDFUTURE:${at}`, `DTSTART:${to}`, 'DURATION:PT2H', `SUMMARY:${name}`);
    expect(read(from('20260324T080000Z', '20260324T100000Z', 'Later'), from('20260326T080000Z', '20260326T120000Z', 'Noon'))).toEqual([
      '23T08:00 Standup',
      '24T10:00 Later',
      '25T10:00 Later',
      '26T12:00 Noon',
      '27T12:00 Noon',
    ]);
  });

  test('one without its series is an event of its own', () => {
    const text = calendar(event('RECURRENCE-ID:20260324T080000Z', 'DTSTART:20260324T130000Z'));
    expect(readCalendar(text, march).events).toHaveLength(1);
  });
});

describe('busy', () => {
  test('free and cancelled events take no time; tentative ones do', () => {
    const at = (hour: string, ...lines: string[]): string => event(`DTSTART:20260324T${hour}0000Z`, 'DURATION:PT1H', ...lines);
    const text = calendar(
      at('08', 'TRANSP:TRANSPARENT'),
      at('10', 'STATUS:CANCELLED'),
      at('12', 'STATUS:TENTATIVE', 'LOCATION:Caf\\, 1'),
      event('DTSTART:20260324T150000Z'),
    );
    const { events } = readCalendar(text, march);
    expect(busyOf(events)).toEqual([{ from: utc('2026-03-24T12:00'), to: utc('2026-03-24T13:00'), place: 'Caf, 1' }]);
    expect(events).toHaveLength(3);
  });

  test('published busy times count, free ones do not', () => {
    const text = calendar(
      'BEGIN:VFREEBUSY',
      'FREEBUSY;FBTYPE=BUSY-TENTATIVE:20260324T080000Z/PT1H,20260324T120000Z/20260324T130000Z',
      'FREEBUSY;FBTYPE=FREE:20260324T150000Z/PT1H',
      'END:VFREEBUSY',
    );
    expect(busyOf(readCalendar(text, march).events)).toEqual([
      { from: utc('2026-03-24T08:00'), to: utc('2026-03-24T09:00') },
      { from: utc('2026-03-24T12:00'), to: utc('2026-03-24T13:00') },
    ]);
  });
});
