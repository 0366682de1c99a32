// Proposed times where clocks change, calendars contradict, people live in other zones, or a request was split.

import { describe, expect, it, test } from 'vitest';
import { at, berlin, move, proposed, type Situation } from '../../../test/kit/meetings.ts';
import type { BrainView } from '../peer-brain.ts';
import { readIntentWords } from './intent-words.ts';
import { day, hour, type LocalZone } from './local-time.ts';
import { freeWindows } from './windows.ts';

describe('[A2C-18] daylight saving', () => {
  const saturday = Date.parse('2026-03-28T09:00Z');

  it('a dinner on the day of the change is at the local hour', () => {
    expect(proposed({ now: saturday, intent: { summary: 'dinner on Sunday' } }).start).toBe('2026-03-29T18:00+02:00');
  });

  it('a time in the gap is moved, and does not exist in a proposal', () => {
    const received = { time_windows: ['02:15-03:45'], proposed_date: ['2026-03-29'] };
    const made = move({ now: saturday, received, intent: { summary: 'call on 2026-03-29 02:30' } }, 'call');
    expect(JSON.stringify(made)).not.toContain('T02:');
    const window = JSON.stringify(readIntentWords('2026-03-29 02:30', saturday, berlin));
    expect(window).toContain('2026-03-29');
  });

  it('the hour that comes twice belongs to one window', () => {
    const now = Date.parse('2026-10-24T10:00Z');
    const windows = freeWindows([], { from: now, to: now + 2 * day }, berlin);
    const spans = windows.map(({ from, to }) => (to - from) / hour);
    expect(Math.max(...spans)).toBe(13);
    expect(proposed({ now, intent: { summary: 'dinner on Sunday' } }).start).toBe('2026-10-25T18:00+01:00');
  });
});

describe('[A2C-18] contradictory calendars', () => {
  it('busy wins, whatever another calendar says; an event that ends before it begins takes no time', () => {
    const busy = [
      at('2026-11-20T16:00Z', '2026-11-20T19:00Z'),
      at('2026-11-20T17:00Z', '2026-11-20T18:00Z'),
      at('2026-11-20T21:00Z', '2026-11-20T18:30Z'),
    ];
    expect(proposed({ busy }).start).toBe('2026-11-20T20:00+01:00');
  });

  test.each([
    ['backwards', ['2026-11-20T21:00Z/2026-11-20T18:00Z']],
    ['no times', ['whenever', 3, null]],
    ['an object', { free: 'always' }],
  ])('windows of a peer that are %s are none', (_, windows) => {
    expect(move({ received: { time_windows: windows } }).kind).toBe('send');
  });
});

test.each([
  ['Europe/Berlin', 'Dinner, Friday 20 November, 18:00–20:00'],
  ['America/New_York', 'Dinner, Friday 20 November, 18:00–20:00 (Europe/Berlin)'],
  [{ name: 'Mars' }, 'Dinner, Friday 20 November, 18:00–20:00'],
])('[A2C-26] a proposal to somebody in %j says whose time it is', (timezone, summary) => {
  const made = move({ received: { timezone } });
  expect(made).toMatchObject({ kind: 'propose', content: { proposal: { summary } } });
});

describe('[A2C-24] [A2C-26] a clock time is read where its author is', () => {
  const newYork: LocalZone = { name: 'America/New_York', offsets: [{ from: 0, minutes: -300 }] };
  const tokyo: LocalZone = { name: 'Asia/Tokyo', offsets: [{ from: 0, minutes: 540 }] };
  const startOf = (situation: Situation): string => proposed(situation, 'call').start;

  it.each([
    ['call on Friday at 11:00', newYork, '2026-11-20T17:00'],
    ['call on Friday at 15:00', berlin, '2026-11-20T15:00'],
    ['call on Friday at 20:00', tokyo, '2026-11-20T12:00'],
    ['call on Saturday at 18:00', tokyo, '2026-11-21T10:00'],
  ])('%s, from %o', (summary, peerZone, start) => {
    const view = { intent: { summary }, peerZone, received: { timezone: peerZone.name, proposed_date: ['2026-11-20'] } };
    expect(startOf(view)).toBe(`${start}+01:00`);
  });

  it('unless people meet: they are in one place', () => {
    const there = { peerZone: newYork, received: { timezone: newYork.name } };
    expect(proposed({ ...there, intent: { summary: 'dinner on Friday at 19:00' } }).start).toBe('2026-11-20T19:00+01:00');
  });

  it('and so is a wish; an alternative that comes back keeps the zone that it names', () => {
    const there = { peerZone: newYork, received: { timezone: newYork.name } };
    expect(startOf({ ...there, peerWish: 'Saturday 10:00' })).toBe('2026-11-21T16:00+01:00');
    expect(startOf({ ...there, peerWish: 'Call, Saturday 21 November, 10:00–10:30 (Europe/Berlin)' })).toBe('2026-11-21T10:00+01:00');
    expect(startOf({ ...there, ownWish: 'Saturday 10:00' })).toBe('2026-11-21T10:00+01:00');
  });
});

test.each([
  ['call on Friday at 15:30', '2026-11-20T15:30+01:00'],
  ['call on Friday 9:45', '2026-11-20T09:45+01:00'],
  ['call on Friday in the afternoon', '2026-11-20T12:00+01:00'],
])('[A2C-24] a named start comes before a rounder one: %s', (summary, start) => {
  expect(proposed({ intent: { summary } }, 'call').start).toBe(start);
  const taken = [at('2026-11-20T00:00+01:00', start.replace(':30', ':35').replace(':45', ':50').replace('12:00', '12:05'))];
  expect(proposed({ intent: { summary }, busy: taken }, 'call').start.slice(0, 10)).toBe('2026-11-20');
});

describe('[A2C-20] two parts of a split do not collide, also before one of them is proposed', () => {
  const sibling = (intent: string, isParent: boolean) => ({
    intent,
    isParent,
    isAgreed: false,
    summary: intent,
    event: null,
    window: null,
  });
  const part = (summary: string, siblings: BrainView['siblings'], event: string, more: Situation = {}) =>
    proposed({ theirBusy: [], intent: { summary }, role: 'initiator', siblings, ...more }, event);

  it.each([
    ['Dinner on Friday at 18:00', '2026-11-20T20:00+01:00'],
    ['Dinner on Friday', '2026-11-20T20:00+01:00'],
    // Nothing is left of the evening.
    ['Dinner on Friday at 19:00', '2026-11-19T18:00+01:00'],
    // It is this one, in other words.
    ['Game night on Friday (dinner and games)', '2026-11-20T18:00+01:00'],
  ])('games beside “%s”', (rest, start) => {
    expect(part('Games on Friday', [sibling(rest, true)], 'games').start).toBe(start);
  });

  it('says which one it follows', () => {
    const { reasoning } = part('Games on Friday', [sibling('Dinner on Friday', true)], 'games');
    expect(reasoning).toContain('it follows “Dinner on Friday”');
  });

  it('a named time comes first, whichever part has it', () => {
    const games = sibling('Games on Friday at 18:00', false);
    expect(part('Dinner on Friday', [games], 'dinner').start).toBe('2026-11-19T18:00+01:00');
    expect(part('Games on Friday at 18:00', [sibling('Dinner on Friday', true)], 'games').start).toBe('2026-11-20T18:00+01:00');
    expect(part('Dinner on Friday at 19:00', [sibling('Games on Friday', false)], 'dinner').start).toBe('2026-11-20T19:00+01:00');
  });

  it('[A2C-26] a time that the peer made up is no wish of anybody', () => {
    const taken = [at('2026-11-20T19:00Z', '2026-11-20T22:00Z')];
    const { reasoning } = part('Coffee on Friday', [sibling('Dinner on Friday', true)], 'coffee', { busy: taken });
    expect(reasoning).not.toContain('the wished');
  });
});
