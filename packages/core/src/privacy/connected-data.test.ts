import { describe, expect, test } from 'vitest';
import { valuesInResult } from './connected-data.ts';

describe('[SYS-6] the values of a tool server’s result', () => {
  test.each<[string, string, string[]]>([
    ['lines of a text', 'Dentist on Friday\n\n  Gate code 4711-22  \nok', ['Dentist on Friday', 'Gate code 4711-22']],
    [
      'texts and numbers of JSON, without its names',
      '[{"title":"Dentist","phone":442079460958,"all_day":true}]',
      ['Dentist', '442079460958'],
    ],
    ['lines inside JSON', '{"body":"Dear Ann,\\nthe surgery is on Friday"}', ['Dear Ann,', 'the surgery is on Friday']],
    ['the same value once', '["Dentist","Dentist"]', ['Dentist']],
    ['a mark for notes means nothing here', '[workspace] Dentist on Friday', ['[workspace] Dentist on Friday']],
    ['nothing long enough', '{"n":4711,"ok":"yes"}', []],
  ])('%s', (_name, text, values) => expect(valuesInResult(text)).toEqual(values));

  test('a result without end is scanned in part', () => {
    const lines = Array.from({ length: 5000 }, (_, n) => `meeting number ${n}`);
    const values = valuesInResult(lines.join('\n'));
    expect(values.join('').length).toBeLessThanOrEqual(40_000);
    expect(values[0]).toBe('meeting number 0');
  });
});
