import { encodings } from '@parley/testkit/encodings';
import { describe, expect, it, test } from 'vitest';
import { withheldIn } from './private-value-scan.ts';

const withheld = [
  { field: 'health_info', value: 'She injects insulin twice every day' },
  { field: 'home', value: { street: '17 Farnham Terrace', city: 'Reading' } },
  { field: 'numbers', value: ['+44 20 7946 0958', 30] },
];
const windows = Array.from(
  { length: 40 },
  (_, index) => `2026-11-${10 + (index % 20)}T09:00+00:00/2026-11-${10 + (index % 20)}T22:00+00:00`,
);
const packet = (text: string): unknown => ({
  context: { event_type: 'dinner', time_windows: windows, note: text },
  needs: [{ field: 'dietary', reason: 'Dietary preferences, to choose a place to eat', priority: 'helpful' }],
});

describe('[SYS-6] [A2C-21] what is withheld is found in a packet', () => {
  test.each(Object.entries(encodings))('%s', (_, encode) => {
    expect(withheldIn(packet(encode('She injects insulin twice every day')), withheld, '')).toEqual(['health_info']);
  });

  test.each<[string, string, string[]]>([
    ['inside an object', '17 Farnham Terrace', ['home']],
    ['inside a list', '+442079460958', ['numbers']],
    ['two of them', 'Farnham Terrace 17 Farnham Terrace, +442079460958', ['home', 'numbers']],
    ['a short part', 'It costs 30', []],
    ['another text', 'Dinner on Friday at seven', []],
  ])('%s', (_, text, fields) => {
    expect(withheldIn(packet(text), withheld, '')).toEqual(fields);
  });

  it('a value that the receiver wrote, or may have under another name, is no leak', () => {
    const text = packet('17 Farnham Terrace');
    expect(withheldIn(text, withheld, { location: '17 Farnham Terrace' })).toEqual([]);
    expect(withheldIn(text, withheld, { location: '18 Elm Road' })).toEqual(['home']);
  });

  it('a value as the name of a field, or over several, is found', () => {
    expect(withheldIn({ context: { 'She injects insulin': 1, 'twice every day': 2 } }, withheld, {})).toEqual(['health_info']);
    expect(withheldIn({ context: { a: 'She injects', b: ['insulin twice'], c: 'every day' } }, withheld, {})).toEqual(['health_info']);
  });
});
