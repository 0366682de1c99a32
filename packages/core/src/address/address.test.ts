import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { type Address, addressesIn, directory, nearestHandle, writtenAddresses } from './address.ts';

interface Vectors {
  members: { handle: string; kind: 'agent' | 'human' | 'role' }[];
  cases: { title: string; text: string; addresses: Address[] }[];
}
/** The same file that `parley address` and implementations in other languages are held against. */
const vectors = JSON.parse(readFileSync(new URL('../../../../spec/vectors/address.json', import.meta.url), 'utf8')) as Vectors;
const known = directory(vectors.members);

test.each(vectors.cases)('[PAP-18] $title', ({ text, addresses: expected }) => {
  expect(addressesIn(text, known)).toEqual(expected);
});

/** Texts made of what the parser looks at: far more of it gets tangled than in what people write. */
const tangled = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom('^ORAC', '@matt', '^ALL', '@any', '^STEF', '^x', ' ', '\n', '\n\n') },
      {
        weight: 3,
        arbitrary: fc.constantFrom('`', '``', '```', '~~~', '[', ']', '(', ')', '](', '<', '>', '\\', '    ', '\t', '- ', '> '),
      },
      { weight: 2, arbitrary: fc.constantFrom('https://', 'www.', 'a.org/', '"', "'", '_', '*', '.', '-', '\r\n', '1. ', '# ', ':', '|') },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 3 }) },
      { weight: 1, arbitrary: fc.constantFrom('\u200B', '\uD800', '\uDC00', '你', 'é', '👍', '\uFE0F') },
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));
const anything = fc.oneof(tangled, fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));

describe('whatever the text', () => {
  test('[PAP-18] spans are in order, inside the text, and hold the sign and the handle', () => {
    fc.assert(
      fc.property(anything, (text) => {
        let last = 0;
        for (const { kind, handle, start, end } of addressesIn(text, known)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeLessThanOrEqual(text.length);
          expect(text.slice(start, end)).toMatch(/^[\^@＾＠﹫ˆ⌃]/);
          expect(text.slice(start + 1, end).toLowerCase()).toBe(handle.toLowerCase());
          if (kind === 'human') expect(text[start]).toBe('@');
          last = end;
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('[PAP-18] in a fence longer than any in it, with > before every line, or escaped, it addresses nobody', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const fence = '`'.repeat(3 + Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)));
        expect(addressesIn(`${fence}\n${text}\n${fence}`, known)).toEqual([]);
        expect(addressesIn(text.replaceAll(/^/gm, '> ').replaceAll('\r', ''), known)).toEqual([]);
        expect(addressesIn(text.replaceAll('\\', '').replaceAll(/[\^@＾＠﹫ˆ⌃]/g, String.raw`\$&`), known)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  test('[PAP-18] it is read the same every time, and the case does not matter', () => {
    fc.assert(
      fc.property(anything, (text) => {
        expect(addressesIn(text, known)).toEqual(addressesIn(text, known));
        const upper = text.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase());
        const folded = (found: Address[]) => found.map(({ handle, ...rest }) => ({ ...rest, handle: handle.toLowerCase() }));
        expect(folded(addressesIn(upper, known))).toEqual(folded(addressesIn(text, known)));
      }),
      { numRuns: 1000 },
    );
  });

  test('[PAP-18] every handle there can be is addressed by it', () => {
    const handles = fc
      .stringMatching(/^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,30}[A-Za-z0-9])?$/)
      .filter((handle) => !/^(?:all|any)$/i.test(handle));
    fc.assert(
      fc.property(handles, (handle) => {
        const one = directory([{ handle, kind: 'agent' }]);
        expect(addressesIn(`hi ^${handle.toUpperCase()}.`, one)).toEqual([{ kind: 'agent', handle, start: 3, end: 4 + handle.length }]);
      }),
    );
  });
});

// Shapes that make a careless parser start over at every sign. How the time grows is measured by `npm run bench`; here
// one that is not linear would not come to an end.
// prettier-ignore
const shapes = ['^', '@a.', '`', '`a`', '``` `', '[', '](', '[](a', '[](a "', '[](   ', '[][x', '<a:', '<a:b|', '>', '- ', '\\', '_^', '"', '"a ', '“^a', '„', '\u200B^a', '^\u0416', '^\u4F60', '[a]: ', '[a]: /x', '!@a', '^a_', '^a..', '~~~\n', '```\n', 'a.b://', 'a.b/', 'www.', '    ^a\n'];
test.each(shapes)('[PAP-18] 300 KB of %j is read to its end', (shape) => {
  const text = shape.repeat(300_000 / shape.length);
  expect(() => writtenAddresses(text)).not.toThrow();
});

describe('a long text', () => {
  /** Every pattern that is tried anywhere, `test` included. */
  function tries(text: string): number {
    const tried = vi.spyOn(RegExp.prototype, 'exec');
    try {
      writtenAddresses(text);
      return tried.mock.calls.length;
    } finally {
      tried.mockRestore();
    }
  }

  test.each<[string, string]>([
    ['the same name', '@a '.repeat(30_000)],
    ['many names', Array.from({ length: 9_000 }, (_, i) => `^h${i}`).join(' ')],
    ['look-alikes', '^\u041ERAC '.repeat(15_000)],
    ['names that cannot be seen', '\u200B^'.repeat(45_000)],
    ['signs in the place of letters', 'x!@a'.repeat(22_000)],
  ])('[PAP-18] %s: a thousand signs are read, and what follows is text', (_, text) => {
    expect(writtenAddresses(text).length).toBeLessThanOrEqual(1_000);
    // Six signs of a look-alike with a few patterns each.
    expect(tries(`${text} `)).toBeLessThan(50_000);
  });

  test.each(['^', '@', '^_', '@.', '2^', 'a@'])('[PAP-18] signs without a name are passed over: %j', (shape) => {
    expect(tries(shape.repeat(90_000 / shape.length))).toBeLessThan(10);
  });

  test('[PAP-18] signs inside of words are not counted: who is called below a pasted text is called', () => {
    const text = `${'ann@example.org 2^3 ^^ ^_^ @ '.repeat(3_000)} ^ORAC look`;
    expect(addressesIn(text, known).map(({ handle }) => handle)).toEqual(['ORAC']);
  });

  test('[PAP-18] it is read once, however often it is asked for', () => {
    const text = '^ORAC and @matt '.repeat(500);
    const found = writtenAddresses(text);
    // As an edit is read beside the text before it.
    writtenAddresses('^ORAC');
    expect(tries(text)).toBe(0);
    expect(writtenAddresses(text)).toBe(found);
  });
});

describe('the nearest handle', () => {
  test.each<[string, string | undefined]>([
    ['ORCA', 'ORAC'],
    ['orac1', 'ORAC'],
    ['steff', 'STEF'],
    ['build-bot.v3', 'build-bot.v2'],
    ['mat', 'matt'],
    ['x', undefined],
    ['everyone', undefined],
    ['OR', undefined],
  ])('[PAP-18] %s → %s', (name, expected) => {
    expect(nearestHandle(name, known)).toBe(expected);
  });

  test('[PAP-18] one letter is not near another', () => {
    expect(nearestHandle('x', directory([{ handle: 'y', kind: 'agent' }]))).toBeUndefined();
  });
});
