import type { ConsentField } from '@parley/protocol';
import { describe, expect, test } from 'vitest';
import { consentAnswer, type ConsentPick, firstPick, isShared, optionsOf } from './consent-picks.ts';

const field = (name: string, extra: Partial<ConsentField> = {}): ConsentField => ({
  field: name,
  reason: null,
  value: null,
  choices: [],
  offersAlways: false,
  ...extra,
});
const dietary = field('dietary', { value: 'vegetarian', offersAlways: true });
const travel = field('transport_mode', { choices: ['Driving', 'Walking', 'Train'] });
const pick = (extra: Partial<ConsentPick>): ConsentPick => ({ option: null, text: '', always: false, ...extra });

describe('[A2C-22] one tap for each field', () => {
  test('a known value is offered and picked; a guess is offered, and picked by the person only', () => {
    expect([optionsOf(dietary), firstPick(dietary).option]).toEqual([['vegetarian'], 0]);
    expect([optionsOf(travel), firstPick(travel).option]).toEqual([['Driving', 'Walking', 'Train'], null]);
  });

  test('the known value is offered once', () => {
    expect(optionsOf(field('dietary', { value: 'vegan', choices: ['vegan', 'none'] }))).toEqual(['vegan', 'none']);
  });

  test.each([
    ['the known value goes without being repeated', dietary, pick({ option: 0 }), { answer: 'share' }],
    ['a choice goes with its value', travel, pick({ option: 2 }), { answer: 'share', value: 'Train' }],
    ['Other… goes as it was written', travel, pick({ option: 'other', text: ' by boat ' }), { answer: 'share', value: 'by boat' }],
    ['Other… without words is declined', travel, pick({ option: 'other', text: '  ' }), { answer: 'decline' }],
    ['Don’t share', dietary, pick({ option: 'decline', always: true }), { answer: 'decline' }],
    ['no choice is a decline', travel, pick({}), { answer: 'decline' }],
    ['[A2C-23] always, where it is offered', dietary, pick({ option: 0, always: true }), { answer: 'always' }],
    ['[A2C-23] never always where it is not offered', travel, pick({ option: 0, always: true }), { answer: 'share', value: 'Driving' }],
  ])('%s', (_, one, picked, expected) => {
    expect(consentAnswer([one], { [one.field]: picked })).toEqual({ kind: 'consent', fields: [{ field: one.field, ...expected }] });
    expect(isShared(picked)).toBe(expected.answer !== 'decline');
  });

  test('a field of a newer version of the prompt, which the person has not touched, is declined', () => {
    expect(consentAnswer([dietary], {})).toEqual({ kind: 'consent', fields: [{ field: 'dietary', answer: 'decline' }] });
  });
});
