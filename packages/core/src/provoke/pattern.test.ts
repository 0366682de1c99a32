import { describe, expect, test } from 'vitest';
import { compilePattern, mostPlaces } from './pattern.ts';
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
    ['a program with many places at once', `(.*a){${mostPlaces}}`],
    ['one letter in many places', `(?:a?){${mostPlaces}}a{${mostPlaces}}`],
    ['the same in both cases', `(?i)(?:a?){${mostPlaces}}A{${mostPlaces}}`],
    ['any character in many places', `.*[ab].{${mostPlaces}}$`],
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

  // By the processor's time: what else the machine does is not the pattern's fault.
  test('[PRV-6] a corpus of patterns that hang others: refused, or linear', () => {
    const slow: string[] = [];
    for (const source of redos) {
      const compiled = compilePattern(source);
      if (!compiled.ok) continue;
      for (const [name, text] of Object.entries(texts(20_000))) {
        const began = process.cpuUsage();
        compiled.test(text);
        const ms = process.cpuUsage(began).user / 1000;
        if (ms > 200) slow.push(`${source} on ${name}: ${ms} ms`);
      }
    }
    expect(slow).toEqual([]);
  });
});
