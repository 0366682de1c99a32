import { describe, expect, it, test } from 'vitest';
import { always, at, berlin, move, proposed } from '../../../test/kit/meetings.ts';
import { tuesday } from '../../../test/kit/views.ts';
import { readIntentWords, isPlaceOnly, placeIn } from './intent-words.ts';
import { day } from './local-time.ts';

test.each<[string, string, string, string?]>([
  ['dinner on Friday for 3h', '2026-11-20T18:00+01:00', '2026-11-20T21:00+01:00'],
  ['dinner on Friday at 19:00 for 3h', '2026-11-20T19:00+01:00', '2026-11-20T22:00+01:00'],
  ['dinner on Friday for 5 hours', '2026-11-20T17:00+01:00', '2026-11-20T22:00+01:00'],
  ['call on Friday 15:30 for 45 minutes', '2026-11-20T15:30+01:00', '2026-11-20T16:15+01:00', 'call'],
])('[A2C-24] %s is as long as its words say', (summary, start, end, event = 'dinner') => {
  const made = move({ intent: { summary, category: 'scheduling' } }, event);
  expect(made).toMatchObject({ content: { proposal: { details: { start, end } } } });
});

test.each<[string, string | undefined, string?]>([
  ['dinner at Dopo on Friday', 'Dopo'],
  ['dinner on Friday at Dopo for 3h', 'Dopo'],
  ['lunch near the station', 'the station'],
  ['dinner in Reading on Friday', 'Reading'],
  ['dinner on Friday', 'their area'],
  ['meet in person on Friday', 'their area', 'meeting'],
  ['call in English on Friday', 'their area', 'call'],
])('[A2C-24] “%s” is at %s', (summary, place, event = 'dinner') => {
  const received = { location_preference: 'their area' };
  expect(proposed({ intent: { summary, category: 'scheduling' }, received }, event).location).toBe(place);
});

test('[A2C-26] a suggestion may change the length alone, or name it beside a place', () => {
  const saturday = move({ peerWish: 'Saturday 20:00 for 90 minutes' });
  const details = { start: '2026-11-21T20:00+01:00', end: '2026-11-21T21:30+01:00' };
  expect(saturday).toMatchObject({ content: { proposal: { details } } });
  expect(proposed({ peerWish: 'Saturday 20:00 at Dopo for 90 minutes' })).toMatchObject({ start: details.start, location: 'Dopo' });
});

describe('[A2C-18] before people are asked', () => {
  it('another day is tried', () => {
    const busy = [at('2026-11-20T08:00Z', '2026-11-20T22:00Z')];
    expect(proposed({ busy }).start).not.toContain('2026-11-20');
  });

  it('a time that they suggest themselves suits them, whatever their calendar says', () => {
    expect(proposed({ theirBusy: [always], peerWish: 'Saturday 20:00' })).toMatchObject({
      format: 'dinner',
      start: '2026-11-21T20:00+01:00',
    });
  });

  it('nobody is called free at a time of which nothing is known', () => {
    const situation = { theirBusy: [always], searchDays: 42 };
    expect(proposed(situation).reasoning).toMatch(/^It suits the free time that is known/);
    expect(JSON.stringify(move(situation))).not.toContain('Both are free');
    expect(proposed({ theirBusy: [] }).reasoning).toMatch(/^Both are free/);
    const withheld = move({ theirBusy: [], isOwnTimeKnown: false });
    expect(JSON.stringify(withheld)).toContain('It suits the free time that is known');
    expect(JSON.stringify(withheld)).not.toContain('Both are free');
  });

  test.each([
    ['own', { ownWish: 'Dinner, Friday 20 November, 18:00–20:00', theirBusy: [] }, 'Bob'],
    ['theirs', { peerWish: 'Dinner, Friday 20 November, 18:00–20:00', theirBusy: [always] }, 'Ann'],
  ])('[A2C-22] a time that a person picked is called theirs, and nobody is called free: %s', (_, situation, name) => {
    const { reasoning, start } = proposed(situation);
    expect(start).toBe('2026-11-20T18:00+01:00');
    expect(reasoning).toMatch(`${name} chose this time on Friday 20 November, 18:00–20:00`);
    expect(reasoning).not.toContain('free');
  });

  it('a conflict with somebody in another zone names the zone of its times', () => {
    const made = move({ busy: [always], theirBusy: [], received: { timezone: 'America/New_York' } });
    expect(JSON.stringify(made)).toMatch(/Dinner, Friday 20 November, [\d:–]+ \(Europe\/Berlin\)/);
  });

  it('another format is tried', () => {
    // Every evening is taken, for two weeks.
    const theirBusy = Array.from({ length: 15 }, (_, n) => ({
      from: Date.parse('2026-11-17T16:00Z') + n * day,
      to: Date.parse('2026-11-17T22:00Z') + n * day,
    }));
    expect(proposed({ theirBusy })).toMatchObject({ format: 'lunch', start: '2026-11-20T12:00+01:00' });
    const summary = 'Lunch instead of dinner, Friday 20 November, 12:00–13:30';
    expect(move({ theirBusy })).toMatchObject({ content: { proposal: { summary } } });
    // Games are nothing else: people decide.
    expect(move({ theirBusy, intent: { summary: 'game night' } }, 'games').kind).toBe('send');
  });

  it('the kind that the person asked for stays: it is shorter, or on another day', () => {
    const evening = at('2026-11-20T17:00Z', '2026-11-20T19:00Z');
    const games = { busy: [evening], theirBusy: [evening], intent: { summary: 'game night on Friday' } };
    expect(proposed(games, 'games')).toMatchObject({ format: 'games', start: '2026-11-20T20:00+01:00' });
    expect(JSON.stringify(move(games, 'games'))).not.toMatch(/dinner|drinks/i);
    const busy = [at('2026-11-20T16:00Z', '2026-11-20T22:00Z')];
    const dinner = { busy, theirBusy: [] };
    expect(proposed(dinner)).toMatchObject({ format: 'dinner', start: expect.not.stringContaining('2026-11-20') });
    expect(proposed(dinner).reasoning).not.toContain('no dinner');
    expect(JSON.stringify(move(dinner))).toContain('Lunch instead of dinner');
  });

  it('a length that the person named stays', () => {
    const evening = at('2026-11-20T17:00Z', '2026-11-20T19:00Z');
    const games = { busy: [evening], intent: { summary: 'games on Friday for 3h' } };
    expect(proposed(games, 'games')).toMatchObject({ format: 'games', start: expect.not.stringContaining('2026-11-20') });
  });

  it('a person who wants another kind is not told that the first suits nobody', () => {
    expect(proposed({ ownWish: 'a call instead of dinner' })).toMatchObject({
      format: 'call',
      reasoning: expect.not.stringContaining('no dinner'),
    });
  });

  it('a call is tried for somebody who prefers calls, and not for a person who insists on a meeting', () => {
    const theirBusy = Array.from({ length: 15 }, (_, n) => ({
      from: Date.parse('2026-11-17T08:30Z') + n * day,
      to: Date.parse('2026-11-17T22:00Z') + n * day,
    }));
    const received = { format_preference: 'call' };
    expect(proposed({ theirBusy, received })).toMatchObject({ format: 'call', start: expect.stringContaining('T09:00') });
    const visible = { format_preference: 'in_person', flexibility: { format: 'not_flexible' } };
    expect(move({ theirBusy, received, visible }).kind).toBe('send');
  });

  it('a date that is not flexible is a condition', () => {
    const busy = [at('2026-11-20T08:00Z', '2026-11-20T22:00Z')];
    expect(move({ busy, received: { proposed_date: ['2026-11-20'], flexibility: { date: 'not_flexible' } } }).kind).toBe('send');
  });

  it('travel time is kept free around events at a place, for meetings in person', () => {
    const busy = [at('2026-11-20T15:00Z', '2026-11-20T16:45Z', 'Hamburg')];
    expect(proposed({ busy, travelMinutes: 60 }).start).toBe('2026-11-20T19:00+01:00');
    expect(proposed({ busy, travelMinutes: 0 }).start).toBe('2026-11-20T18:00+01:00');
    const call = { busy, travelMinutes: 60, intent: { summary: 'call on Friday 18:00' } };
    expect(proposed(call, 'call').start).toBe('2026-11-20T18:00+01:00');
  });
});

describe('[A2C-18] with nothing left', () => {
  it('the packet states conflict, alternatives and a prompt, as the seed has them', () => {
    const visible = { time_windows: ['2026-11-18T09:00+01:00/2026-11-18T11:00+01:00'] };
    const made = move({ busy: [always], theirBusy: [], visible });
    expect(made).toMatchObject({
      kind: 'send',
      type: 'context',
      content: {
        context: {
          conflict: {
            type: 'no_overlap',
            field: 'time_windows',
            agent_a_values: visible.time_windows,
            agent_b_values: expect.arrayContaining([expect.stringContaining('/')]),
            attempted_resolution: expect.stringContaining('other days'),
          },
          proposed_alternatives: expect.arrayContaining([
            { option: expect.stringContaining('Dinner'), rationale: expect.stringContaining('sender’s busy') },
          ]),
        },
        escalation: { recommend: 'surface_to_users', reason: expect.any(String), suggested_prompt: expect.stringContaining('other days') },
      },
    });
  });

  it('free time that the peer may not get is in no conflict', () => {
    expect(JSON.stringify(move({ busy: [always] }))).toContain('"agent_a_values":[]');
  });

  it('a person’s words lead further: other days beyond those that the peer told, other formats', () => {
    const theirBusy = [at('2026-11-17T00:00Z', '2026-12-01T22:00Z')];
    expect(move({ theirBusy }).kind).toBe('send');
    expect(Date.parse(proposed({ theirBusy, searchDays: 42 }).start)).toBeGreaterThan(tuesday + 14 * day);
    expect(proposed({ theirBusy, searchDays: 42, ownWish: '2026-12-08 19:30' }).start).toBe('2026-12-08T19:30+01:00');
    expect(proposed({ ownWish: 'a call' }).format).toBe('call');
    expect(move({ busy: [always], searchDays: 42 }).kind).toBe('send');
  });
});

describe('[A2C-26] a different time or place', () => {
  it('is read from the person’s words', () => {
    expect(proposed({ peerWish: 'Saturday 20:00' }).start).toBe('2026-11-21T20:00+01:00');
    expect(proposed({ peerWish: 'Sunday at Dopo', received: { location_preference: 'Reading' } })).toMatchObject({
      start: '2026-11-22T18:00+01:00',
      location: 'Dopo',
    });
  });

  test.each([
    ['Something has come up. Could we find another time?', false],
    ['a bit later, please', true],
    ['', true],
  ])('after %j the same day comes first: %s', (peerWish, isSameDay) => {
    const rejected = [Date.parse('2026-11-20T18:00+01:00')];
    const { start } = proposed({ peerWish, rejected, intent: { summary: 'dinner on Friday' } });
    expect([start.startsWith('2026-11-20'), start.includes('T18:00') && isSameDay]).toEqual([isSameDay, false]);
  });

  it('words without a time or a place are in no proposal', () => {
    const made = move({ peerWish: 'whenever my cat is asleep', ownWish: 'as the moon wants' });
    expect(JSON.stringify(made)).not.toMatch(/cat|moon|location/);
  });

  it('a place alone leaves the time as it is', () => {
    const lastStart = Date.parse('2026-11-25T19:00+01:00');
    expect(proposed({ peerWish: 'at Dopo, please', lastStart, intent: { summary: 'dinner on Friday' } })).toMatchObject({
      start: '2026-11-25T19:00+01:00',
      location: 'Dopo',
    });
  });

  test.each([
    ['at Dopo', 'Dopo', true],
    ['at Dopo on Sunday', 'Dopo', false],
    ['near the station tomorrow at 7pm', 'the station', false],
    ['at half past 7', undefined, false],
    ['at around 8pm', undefined, false],
    ['at once', undefined, false],
    ['near the station', 'the station', true],
    ['London Street Brasserie', undefined, false],
    ['whenever my cat is asleep', undefined, false],
    ['when I am in bed', undefined, false],
    ['in December', undefined, false],
    ['in a while', undefined, false],
    ['at 20:00 at Dopo', 'Dopo', false],
    ['in the evening, at Dopo', 'Dopo', false],
    ['lunch on Sunday in Reading', 'Reading', false],
    ['Saturday at Dopo', 'Dopo', false],
    ['in the evening', undefined, false],
    ['later, please', undefined, false],
    ['Something has come up. Could we find another time?', undefined, false],
    ['lunch instead', undefined, false],
    ['at 20:00', undefined, false],
    ['', undefined, false],
  ])('%s', (words, place, isOnly) => {
    expect([placeIn(words), isPlaceOnly(words)]).toEqual([place, isOnly]);
  });

  test.each([
    ['7pm', 19 * 60],
    ['7:30 pm', 19 * 60 + 30],
    ['12am', 0],
    ['in the evening', 18 * 60],
    ['tomorrow morning', 9 * 60],
  ])('%s', (words, from) => {
    expect(readIntentWords(words, tuesday, berlin).times[0]!.from).toBe(from);
  });
});
