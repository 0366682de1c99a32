import { describe, expect, test } from 'vitest';
import { compilePattern } from './pattern.ts';
import { redos, texts } from '../../test/redos.ts';

describe('[PRV-6] patterns are RE2 or refused', () => {
  test.each([
    ['a look ahead', 'a(?=b)'],
    ['a look behind', '(?<=a)b'],
    ['a reference back', '(a)\\1'],
    ['an atomic group', '(?>a+)b'],
    ['a possessive repetition', 'a++b'],
    ['a repetition past what RE2 counts', 'a{1001}'],
    ['repetitions that multiply', '((a{100}){100}){100}'],
    ['a group that is not closed', '(a'],
    ['a class that is not closed', '[a'],
    ['an escape without meaning', '\\8'],
    ['a program with many places at once', '(.*a){50}'],
    ['one letter in many places', '(?:a?){50}a{50}'],
    ['the same in both cases', '(?i)(?:a?){50}A{50}'],
    ['any character in many places', '.*[ab].{110}$'],
    ['in one more than there may be', '.*[ab].{48}$'],
    ['one that is too long', 'a'.repeat(501)],
    ['groups within groups', '('.repeat(400)],
  ])('%s', (_, source) => {
    expect(compilePattern(source)).toEqual({ ok: false, message: expect.any(String) });
  });

  test.each([
    ['anywhere in the text', 'NO\\d', 'xNO1', true],
    ['anchored', '^NO\\d$', 'xNO1', false],
    ['upper and lower case', '(?i)no1', 'NO1', true],
    ['letters of any script', '^\\pL+$', 'æøå漢', true],
    ['host names', '^(api|web|worker)-(prod|stage)-\\d+\\.example\\.(com|net)$', 'web-prod-17.example.net', true],
    ['many words', '(?i)error|timeout|refused|unreachable|out of memory|segmentation fault|killed|panic', 'Kernel PANIC', true],
    ['a UUID', '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$', '0195a8b0-7c1e-7d3a-9b1c-0123456789ab', true],
    ['an address', '^[\\w.+-]+@[\\w-]+(\\.[\\w-]+)+$', 'lars.erik@acme.com', true],
  ])('%s', (_, source, text, expected) => {
    const compiled = compilePattern(source);
    expect(compiled.ok && compiled.test(text)).toBe(expected);
  });

  test('[PRV-6] in as many places as there may be', () => {
    expect(compilePattern('.*[ab].{47}$')).toMatchObject({ ok: true });
  });

  // How long they take is measured in bench/: here, that all of them come to an end, where others would take for ever.
  test('[PRV-6] a corpus of patterns that hang others: refused, or done with', () => {
    const refused = redos.filter((source) => {
      const compiled = compilePattern(source);
      for (const text of Object.values(texts(2000))) if (compiled.ok) compiled.test(text);
      return !compiled.ok;
    });
    expect(refused).toEqual([
      '(.*a){20}',
      '(.*a){60}',
      '(a{1,20}){1,20}b',
      '(.*){1,32}[bc]',
      '(?:a?){25}a{25}',
      '(?:a?){400}a{400}',
      '(a|b)*a(a|b){200}!',
      '(.{0,20}a){3}!',
      '(.{0,200}a){3}!',
      '(\\pL{1,500})+$',
    ]);
  });
});
