import { describe, expect, test } from 'vitest';
import { fieldLabel, proposalParts, valueText, withFieldLabels } from './field-words.ts';

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
    ['a moment', '2026-11-20T19:00:00+00:00', 'Fri 20 Nov, 19:00'],
    ['a moment in another zone, as it is here', '2026-11-20T19:00:00-05:00', 'Sat 21 Nov, 00:00'],
    ['an interval', '2026-11-20T19:00:00Z/2026-11-20T21:00:00Z', 'Fri 20 Nov, 19:00–21:00'],
    ['an interval over midnight', '2026-11-20T23:00:00Z/2026-11-21T01:00:00Z', 'Fri 20 Nov, 23:00 – Sat 21 Nov, 01:00'],
    ['a moment that is none', '2026-99-20T19:00:00Z', '2026-99-20T19:00:00Z'],
    ['a date', '2026-11-20', 'Fri 20 Nov'],
  ])('%s', (_, value, text) => expect(valueText(value, zone, 'en-GB')).toBe(text));

  test('a long list names the first entries and counts the others', () => {
    const days = Array.from({ length: 14 }, (_, n) => `2026-11-${String(n + 10)}T09:00:00Z/2026-11-${String(n + 10)}T22:00:00Z`);
    expect(valueText(days, zone, 'en-GB')).toBe('Tue 10 Nov, 09:00–22:00; Wed 11 Nov, 09:00–22:00; Thu 12 Nov, 09:00–22:00 and 11 more');
  });

  test('nesting ends', () => {
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
    expect(proposalParts(details, zone, 'en-GB')).toEqual([
      ['When', 'Fri 20 Nov, 19:00–21:00 (Europe/London)'],
      ['Where', 'Dopo, Reading'],
      ['What', 'dinner'],
      ['Dietary preferences', 'vegetarian'],
    ]);
  });

  test('a zone that is not ours is named with its own time too', () => {
    const details = { start: '2026-11-20T19:00:00-05:00', end: '2026-11-20T21:00:00-05:00', timezone: 'America/New_York' };
    expect(proposalParts(details, zone, 'en-GB')).toEqual([
      ['When', 'Sat 21 Nov, 00:00–02:00 (Europe/London)'],
      ['There', 'Fri 20 Nov, 19:00–21:00 (America/New_York)'],
    ]);
  });

  test('a zone in which the clocks show the same is not named', () => {
    expect(proposalParts({ start: '2026-11-20T19:00:00Z', timezone: 'UTC' }, zone, 'en-GB')).toEqual([
      ['When', 'Fri 20 Nov, 19:00 (Europe/London)'],
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
        ['When', 'Fri 20 Nov, 19:00 (Europe/London)'],
        ['Time zone', 'Moon/Base'],
      ],
    ],
  ])('%s', (_, details, parts) => expect(proposalParts(details, zone, 'en-GB')).toEqual(parts));
});
