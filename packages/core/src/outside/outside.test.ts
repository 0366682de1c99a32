import { describe, expect, it, test } from 'vitest';
import { consentFor, defaultSharing, type SharingScope } from '../consent/index.ts';
import { requestText, readReply } from './outside-requests.ts';

// Monday 16 November 2026.
const today = Date.UTC(2026, 10, 16) / 86_400_000;
const options = [
  { date: '2026-11-20', minute: 18 * 60 },
  { date: '2026-11-20', minute: 20 * 60 },
  { date: '2026-11-21', minute: 18 * 60 },
];
const read = (text: string, of = options) => readReply(text, of, today);

describe('[A2C-11] the words of somebody without an agent', () => {
  it.each([
    ['2', 1],
    ['Option 3 please', 2],
    ['#1', 0],
    ['2. works for me', 1],
    ['The second one, thanks!', 1],
    ['Friday 18:00 works', 0],
    ['Friday 20 November, 20:00–22:00', 1],
    ['Saturday is great', 2],
    ['friday at 8pm', 1],
    ['2026-11-21', 2],
    ['Yes, Saturday 21 Nov is perfect. See you then, I’m looking forward!', 2],
    ['Number 2 would be lovely', 1],
  ])('“%s” picks an offered time', (text, option) => {
    expect(read(text)).toEqual({ kind: 'works', option });
  });

  it.each(['None of these', 'none', 'No.', 'Sorry, no', 'I can’t make it', 'I cannot make any, sorry'])('“%s” refuses them all', (text) => {
    expect(read(text)).toEqual({ kind: 'cannot' });
  });

  it.each([
    ['a day with two offered times', 'Friday works'],
    ['a time that was not offered', 'Friday 19:00 works'],
    ['a negation', 'Friday 18:00 doesn’t work, Saturday?'],
    ['a condition', '2 if my train is on time'],
    ['a choice', '1 or 3'],
    ['a place that there is not', '7'],
    ['two numbers', '2, or rather 3'],
    ['a refusal with a time', 'None of these, but Sunday 18:00 would'],
    ['a yes where there is a choice', 'Yes!'],
    ['a time that is too late', '2 is too late for me'],
    ['a place that does not suit', 'The second is impossible'],
    ['words that begin like a place', 'Second thoughts: some other week'],
    ['a day that does not suit', 'Saturday is difficult'],
    ['a time with a reason against it', 'Friday 18:00 is when I work'],
    ['a time that is taken', 'Friday 18:00 I work'],
    ['a question', 'Saturday 18:00?'],
    ['a refusal with another wish', 'I can’t make it, but I’d love to another week'],
    ['words of another language', 'Saturday leider keine Zeit'],
    ['nothing', '   '],
    ['a flood', `2 ${'a'.repeat(600)}`],
  ])('%s is not guessed', (_, text) => {
    expect(read(text)).toEqual({ kind: 'unclear' });
  });

  it('a yes is enough for one offered time', () => {
    expect(read('Sounds good!', options.slice(0, 1))).toEqual({ kind: 'works', option: 0 });
    for (const text of ['Yes, but on Sunday', 'Great, I am away then', 'Sure?'])
      expect(read(text, options.slice(0, 1))).toEqual({ kind: 'unclear' });
  });
});

test('[A2C-11] the text says what is asked, when, in which zone and how to answer', () => {
  const text = requestText({
    to: 'Carla',
    from: 'Ann',
    request: 'Dinner on Friday',
    times: ['Dinner, Friday 20 November, 18:00–20:00', 'Dinner, Saturday 21 November, 18:00–20:00'],
    zone: 'Europe/Berlin',
  });
  expect(text).toContain('Hi Carla,');
  expect(text).toContain('Ann asks: Dinner on Friday');
  expect(text).toContain('2. Dinner, Saturday 21 November, 18:00–20:00');
  expect(text).toContain('Europe/Berlin');
  expect(text).toContain('a number from 1 to 2');
});

test('[A2C-11] [A2C-21] outside people get what is always shared, stated or consented to, and never what never leaves', () => {
  const scope = (changes: Partial<SharingScope> = {}): SharingScope => ({
    rules: { base: { ...defaultSharing.base, home: 'never_share' }, overrides: {} },
    recipient: { address: 'outside:carla@thr_1', isVerified: false, isOutside: true },
    decisions: {},
    request: { names: ['outside:carla@thr_1'], states: ['proposed_date', 'home'] },
    ...changes,
  });
  expect(consentFor('timezone', scope())).toBe('share');
  expect(consentFor('proposed_date', scope())).toBe('share');
  expect(consentFor('time_windows', scope())).toBe('ask');
  expect(consentFor('time_windows', scope({ decisions: { time_windows: 'share' } }))).toBe('share');
  expect(consentFor('home', scope({ decisions: { home: 'share' } }))).toBe('decline');
  // A peer with an unverified key is no such person.
  expect(consentFor('proposed_date', scope({ recipient: { address: 'outside:carla@thr_1', isVerified: false } }))).toBe('decline');
});
