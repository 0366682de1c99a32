import { describe, expect, test } from 'vitest';
import { compilePattern, directPatterns } from './regex.ts';
import { redos, texts } from '../../../test/redos.ts';

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
    ['groups that are not closed, within each other', '('.repeat(400)],
    ['groups within groups without end', `${'('.repeat(50_000)}${')'.repeat(50_000)}`],
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

  // How long they take is a matter of the thread that matches, and measured in bench/.
  test.each([
    '^.{1,26}$',
    'error.{0,24}timeout',
    'a{51}',
    'a{1000}',
    '(a|b)*a(a|b){47}d',
    '(a|b)*a(a|b){400}[^ab]',
    '(.*a){50}',
    '(?i)(?:a?){50}A{50}',
    '.*[ab].{110}$',
    'x'.repeat(5000),
  ])('[PRV-6] a regex that RE2 accepts is accepted: %s', (source) => {
    expect(compilePattern(source)).toMatchObject({ ok: true });
  });

  test('[PRV-6] all of a corpus of patterns that hang others are accepted, and come to an end', () => {
    const refused = redos.filter((source) => {
      const compiled = compilePattern(source);
      for (const text of Object.values(texts(500))) if (compiled.ok) compiled.test(text);
      return !compiled.ok;
    });
    expect(refused).toEqual([]);
  });

  test('[PRV-6] classes are ASCII, as RE2 has them', () => {
    const holds = (source: string, text: string): boolean => directPatterns().holds(source, text, '') === true;
    expect(['\\d', '\\w', '\\s', '[[:alpha:]]'].map((source) => ['٣', 'é', '\u00a0', '\u2028'].map((text) => holds(source, text)))).toEqual(
      Array.from({ length: 4 }, () => [false, false, false, false]),
    );
    expect([holds('\\bé', 'aé'), holds('(?i)ſ', 's'), holds('\\pN', '٣'), holds('^.$', '😀')]).toEqual([true, true, true, true]);
  });
});
