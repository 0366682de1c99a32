import { describe, expect, test } from 'vitest';
import { fieldLabel, fieldLabelled, fieldRows, fieldText, partsBeside, proposalParts, valueText, withFieldLabels } from './field-words.ts';

const zone = 'Europe/London';

describe('[A2C-22] the fields of a prompt in words', () => {
  test.each([
    ['dietary', 'Dietary preferences'],
    ['Dietary', 'Dietary preferences'],
    ['time_windows', 'Calendar availability'],
    ['shoe_size', 'Shoe size'],
    ['constructor', 'Constructor'],
    ['A.b-c', 'A b c'],
  ])('%s is %s', (field, label) => expect(fieldLabel(field)).toBe(label));

  test.each([
    ['text as it came, never markup', '<b>vegan</b>', '<b>vegan</b>'],
    ['a number', 4, '4'],
    ['a truth', true, 'Yes'],
    ['no value', null, 'Nothing'],
    ['a list', ['Italian', 'Thai'], 'Italian, Thai'],
    ['an empty list', [], 'Nothing'],
    ['names and values', { price_range: 'GBP 30', area: ['Reading'] }, 'Price range: GBP 30; Area: Reading'],
    ['a moment', '2026-11-20T19:00:00+00:00', 'Friday 20 November, 19:00'],
    ['a moment in another zone, as it is here', '2026-11-20T19:00:00-05:00', 'Saturday 21 November, 00:00'],
    ['an interval', '2026-11-20T19:00:00Z/2026-11-20T21:00:00Z', 'Friday 20 November, 19:00–21:00'],
    ['an interval over midnight', '2026-11-20T23:00:00Z/2026-11-21T01:00:00Z', 'Friday 20 November, 23:00 to Saturday 21 November, 01:00'],
    ['a moment that is none', '2026-99-20T19:00:00Z', '2026-99-20T19:00:00Z'],
    ['a date', '2026-11-20', 'Friday 20 November'],
  ])('%s', (_, value, text) => expect(valueText(value, zone)).toBe(text));

  test('free time is said in rows of days; of any other long list the first entries are named and the others counted', () => {
    const days = Array.from({ length: 14 }, (_, n) => `2026-11-${String(n + 10)}T09:00:00Z/2026-11-${String(n + 10)}T22:00:00Z`);
    expect(valueText(days, zone)).toBe('Tuesday 10 November to Monday 23 November, 09:00–22:00');
    expect(valueText(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], zone)).toBe('a, b, c and 5 more');
  });

  test('[A2C-22] nothing is left out of the rows that a person reads before they share', () => {
    const days = [2, 4, 6, 8, 10, 12].map(
      (n) => `2026-12-${String(n).padStart(2, '0')}T09:00:00Z/2026-12-${String(n).padStart(2, '0')}T22:00:00Z`,
    );
    expect(fieldRows('time_windows', days, zone)).toHaveLength(6);
    expect(fieldRows('time_windows', days, zone).at(-1)).toBe('Saturday 12 December, 09:00–22:00');
    const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    expect(fieldRows('likes', letters, zone)).toEqual(letters);
    expect(fieldRows('likes', { letters }, zone)).toEqual(['Letters: a, b, c, d, e, f, g, h']);
    expect(fieldRows('likes', { a: { b: { c: { d: { e: 1 } } } } }, zone)).toEqual(['A: B: C: D: {"e":1}']);
    expect([fieldRows('dietary', 'vegan', zone), fieldRows('time_windows', [], zone)]).toEqual([['vegan'], ['No free time in these days']]);
  });

  test('deeply nested values are cut off at a fixed depth', () => {
    const deep = JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`) as never;
    expect(valueText(deep, zone)).toBe('…');
  });
});

test.each([
  [
    'Your peer shared time_windows and asked Bob for dietary, shoe_size',
    'Your peer shared calendar availability and asked Bob for dietary, shoe size',
  ],
  ['agent:mary_ann@hub proposed “Dinner”', 'agent:mary_ann@hub proposed “Dinner”'],
  ['Nothing to name', 'Nothing to name'],
])('a sentence of the timeline: %s', (sentence, read) => expect(withFieldLabels(sentence)).toBe(read));

describe('[A2C-26] when and where a proposal is', () => {
  test('start and end are one line, the place another, and the other details keep their names', () => {
    const details = {
      event_type: 'dinner',
      start: '2026-11-20T19:00:00+00:00',
      end: '2026-11-20T21:00:00+00:00',
      timezone: 'Europe/London',
      location: 'Dopo, Reading',
      dietary: 'vegetarian',
    };
    expect(proposalParts(details, zone)).toEqual([
      ['When', 'Friday 20 November, 19:00–21:00 (Europe/London)'],
      ['Where', 'Dopo, Reading'],
      ['What', 'dinner'],
      ['Dietary preferences', 'vegetarian'],
    ]);
  });

  test('a zone that is not ours is named with its own time too', () => {
    const details = { start: '2026-11-20T19:00:00-05:00', end: '2026-11-20T21:00:00-05:00', timezone: 'America/New_York' };
    expect(proposalParts(details, zone)).toEqual([
      ['When', 'Saturday 21 November, 00:00–02:00 (Europe/London)'],
      ['There', 'Friday 20 November, 19:00–21:00 (America/New_York)'],
    ]);
  });

  test('a zone in which the clocks show the same is not named', () => {
    expect(proposalParts({ start: '2026-11-20T19:00:00Z', timezone: 'UTC' }, zone)).toEqual([
      ['When', 'Friday 20 November, 19:00 (Europe/London)'],
    ]);
  });

  test.each([
    [
      'no moment',
      { start: 'soon', place: { name: 'Dopo' } },
      [
        ['Place', 'Name: Dopo'],
        ['Start', 'soon'],
      ],
    ],
    [
      'a zone that does not exist',
      { start: '2026-11-20T19:00:00Z', timezone: 'Moon/Base' },
      [
        ['When', 'Friday 20 November, 19:00 (Europe/London)'],
        ['Time zone', 'Moon/Base'],
      ],
    ],
  ])('%s', (_, details, parts) => expect(proposalParts(details, zone)).toEqual(parts));

  test('the headline is not repeated, except in a zone of one’s own', () => {
    const parts = proposalParts(
      { event_type: 'dinner', start: '2026-11-20T19:00:00Z', end: '2026-11-20T21:00:00Z', location: 'Dopo' },
      zone,
    );
    expect(partsBeside('Dinner, Friday 20 November, 19:00–21:00, Dopo', parts)).toEqual([]);
    expect(partsBeside('Dinner, Friday 20 November, 20:00–22:00', parts).map(([name]) => name)).toEqual(['When', 'Where']);
  });
});

test('[A2C-39] a label that people type names its field, and an empty calendar is no nothing', () => {
  expect(['Dietary preferences', ' time zone', 'Calendar availability', 'Shoe size'].map(fieldLabelled)).toEqual([
    'dietary',
    'timezone',
    'time_windows',
    undefined,
  ]);
  expect([fieldText('time_windows', []), fieldText('dietary', [])]).toEqual(['No free time in these days', 'Nothing']);
});
