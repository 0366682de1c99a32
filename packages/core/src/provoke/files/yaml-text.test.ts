import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { YAMLError } from 'yaml';
import { largestFile, readText } from './yaml-text.ts';

const problems = (text: string) => {
  const read = readText(text);
  return read.ok ? [] : read.problems;
};

/** Counts what the library makes of a text, whatever is told of it: a mistake at every sign is a hundred thousand objects. */
let made = 0;
class Counted extends Error {
  constructor(...about: ConstructorParameters<typeof Error>) {
    super(...about);
    made++;
  }
}

describe('[PRV-4] a text that would hold up a parser is refused, cheaply', () => {
  const uncounted = Object.getPrototypeOf(YAMLError) as object;
  beforeAll(() => void Object.setPrototypeOf(YAMLError, Counted));
  afterAll(() => void Object.setPrototypeOf(YAMLError, uncounted));

  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefghi'.split('').map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(',')}]`),
  ].join('\n');
  const block = (depth: number): string => Array.from({ length: depth }, (_, i) => `${' '.repeat(i)}a:`).join('\n');
  /** A text in the middle of each level, which begins at no level's column. */
  const blockWithTexts = Array.from({ length: 100 }, (_, i) => `${' '.repeat(i)}t: |\n${' '.repeat(i + 1)}x\n# a\n${' '.repeat(i)}a:`).join(
    '\n',
  );
  test.each<[string, string, string]>([
    ['aliases that multiply', bomb, 'must be written out: aliases are not taken'],
    ['an alias that holds itself', 'a: &a\n  b: *a', 'must be written out: aliases are not taken'],
    ['100,000 brackets', '['.repeat(100_000), 'must not be nested more than 64 levels deep'],
    ['30,000 braces', '{a: '.repeat(30_000), 'must not be nested more than 64 levels deep'],
    ['100,000 dashes', '- '.repeat(100_000), expect.any(String) as never],
    ['60,000 dashes', '- '.repeat(60_000), 'must not be nested more than 64 levels deep'],
    ['60,000 keys of keys', '? '.repeat(60_000), 'must not be nested more than 64 levels deep'],
    ['480 levels of a block', block(480), 'must not be nested more than 64 levels deep'],
    ['levels with texts between', blockWithTexts, 'must not be nested more than 64 levels deep'],
    ['brackets and dashes in turn', '- [\n'.repeat(20_000), 'must not be nested more than 64 levels deep'],
    ['a file that is too large', 'a'.repeat(largestFile + 1), `must be at most ${largestFile} characters`],
    ['documents without end', '--- 1\n'.repeat(20_000), 'must hold at most 1000 documents'],
    ['errors without end', 'a: ]\n'.repeat(25_000), expect.any(String) as never],
    ['ends without end', '...\n'.repeat(30_000), expect.any(String) as never],
    ['nothing but what cannot stand there', ']\n'.repeat(60_000), '] closes nothing'],
    ['a document, and what cannot stand after it', `a: 1\n${'} '.repeat(50_000)}`, expect.any(String) as never],
    ['the same within brackets', `[${','.repeat(120_000)}`, expect.any(String) as never],
    ['a name twice among 12,000', `${Array.from({ length: 12_000 }, (_, i) => `k${i}: 1`).join('\n')}\nk1: 2`, 'stands here twice: k1'],
    [
      'a tag that makes code',
      'a: !!js/function "process.exit()"',
      'must be in quotes: what begins with ! is a tag, and tags are not taken',
    ],
    ...['!!set {x, y}', '!!binary aGk=', '!!omap [x: 1]', '!!timestamp 2001-01-01', '!!pairs [x: 1]'].map(
      (tagged): [string, string, string] => [
        `a value tagged ${tagged}`,
        `a: ${tagged}`,
        'must be in quotes: what begins with ! is a tag, and tags are not taken',
      ],
    ),
    ['the name that is no name', 'a:\n  __proto__: {x: 1}', 'must not be used as a name'],
    ['in quotes', '{"a": {"__proto__": 1}}', 'must not be used as a name'],
    ['a key that is a list', '[a, b]: 1', expect.any(String) as never],
    ['nothing', '', 'must not be empty'],
    ['only a comment', '# later\n', 'must not be empty'],
    ['half of JSON', '{"a": [1, 2', expect.any(String) as never],
    ['tabs as blanks', 'a:\n\tb: 1', expect.any(String) as never],
  ])('%s', (_, text, message) => {
    made = 0;
    const found = problems(text);
    expect(made).toBeLessThanOrEqual(21);
    expect(found[0]?.message).toEqual(message);
    expect(found.length).toBeLessThanOrEqual(20);
  });

  test('[PRV-4] the count of errors that the library makes sees a single one', () => {
    made = 0;
    problems('a: ]');
    expect(made).toBeGreaterThan(0);
  });

  test('[PRV-4] a thousand documents, each with its end, are a thousand', () => {
    const read = readText('a: 1\n...\n'.repeat(1000));
    expect(read.ok && read.documents.length).toBe(1000);
  });

  test('[PRV-4] every problem has its line and column', () => {
    expect(problems('a: 1\nb:\n  c: 2\n  c: 3\n  __proto__: 4')).toEqual([
      { line: 4, column: 3, message: 'stands here twice: c' },
      { line: 5, column: 3, message: 'must not be used as a name' },
    ]);
    expect(problems('a: 1\nb: "open')).toMatchObject([{ line: 2 }]);
    // Two of what a document holds are two documents; inside of something else they are a slip.
    const twice = (text: string) => problems(text).map(({ message }) => message);
    expect(twice('trigger: 1\ntrigger: 2')).toEqual(['stands here twice: trigger; another one begins after a line with nothing but ---']);
    expect(twice('a:\n  trigger: 1\n  trigger: 2')).toEqual(['stands here twice: trigger']);
    expect(twice('{"trigger": 1, "trigger": 2}')).toEqual(['stands here twice: trigger']);
  });
});

describe('[PRV-4] YAML and JSON', () => {
  const values = (text: string) => {
    const read = readText(text);
    return read.ok ? read.documents.map(({ value }) => value) : read.problems;
  };

  test.each<[string, string, unknown[]]>([
    ['YAML', 'a: {b: [1, two]}', [{ a: { b: [1, 'two'] } }]],
    ['JSON', '{"a": {"b": [1, "two"]}}', [{ a: { b: [1, 'two'] } }]],
    ['JSON with tabs', '{\n\t"a": [\n\t\t1\n\t]\n}', [{ a: [1] }]],
    ['several documents', 'a: 1\n---\nb: 2\n---\n', [{ a: 1 }, { b: 2 }]],
    ['with a mark at its beginning', '\uFEFFa: 1', [{ a: 1 }]],
    ['words are not switches', 'a: yes\nb: off\nc: true', [{ a: 'yes', b: 'off', c: true }]],
    ['times are text', 'a: 2026-03-11T06:00:00Z', [{ a: '2026-03-11T06:00:00Z' }]],
    ['sixty levels', `${'['.repeat(60)}${']'.repeat(60)}`, [JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`)]],
    ['brackets in a text', `a: |\n  ${'['.repeat(200)}\nb: "${'{'.repeat(200)}"`, [{ a: `${'['.repeat(200)}\n`, b: '{'.repeat(200) }]],
  ])('%s', (_, text, expected) => {
    expect(values(text)).toEqual(expected);
  });
});
