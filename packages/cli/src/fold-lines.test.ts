import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { note } from '@clack/prompts';
import { afterEach, expect, test } from 'vitest';
import { foldBlock, foldLines, foldWords, foldTree } from './fold-lines.ts';

const wide = process.stdout.columns;
afterEach(() => void (process.stdout.columns = wide));

test.each([20, 24, 36, 49, 80])(
  '[C2A-29] in a terminal of %i columns every line of it stands behind the mark, in a box, too',
  (columns) => {
    process.stdout.columns = columns;
    const text = `{ "note": "x${' '.repeat(60)}Tools: no${'\u2800'.repeat(60)}Tools: no tools" }`;
    const output = Object.assign(new PassThrough(), { columns, rows: 50 });
    note(foldBlock(text).join('\n'), 'chk', { output });
    const shown = stripVTControlCharacters((output.read() as Buffer).toString());
    const lines = shown.split('\n').filter((line) => /[{x"To]/.test(line) && !line.includes('chk'));
    expect(lines.filter((line) => !line.startsWith('│  │ '))).toEqual([]);
    const said = lines.map((line) => line.slice(5).replace(/ *│$/, '')).join('');
    expect(said.replaceAll(/[ \u2800]+/g, '')).toBe(text.replaceAll(/[ \u2800]+/g, ''));
    // In a list it is moved in by two, and nothing is left for the terminal to break.
    for (const line of foldBlock(text))
      expect(2 + Array.from(line).reduce((sum, sign) => sum + (sign > '\u2600' ? 2 : 1), 0)).toBeLessThan(columns);
  },
);

test('[C2A-29] what does not fit in a line goes on behind a mark, and never where the platform’s lines begin', () => {
  expect(foldLines('Arguments: "aTools: no"\nServer: x', 12)).toEqual(['Arguments: ', '│ "aTools: no"', 'Server: x']);
  expect(foldBlock('{\n  "note": "xx        Tools: no tools"\n}', 20)).toEqual([
    '│ {',
    '│   "note": "xx       ',
    '│  Tools: no tools"',
    '│ }',
  ]);
  // Signs that take two places are counted so, and none is torn.
  expect(foldLines('日本語🙂x', 4)).toEqual(['日本', '│ 語🙂', '│ x']);
  expect(foldLines('', 4)).toEqual(['']);
});

test('[SYS-1] the platform’s own sentence is broken between words, moved in and behind no mark; only a word longer than a line is cut', () => {
  const said = 'What it said could not be brought where it should go: npx parley invocations show inv_1 says more.';
  expect(foldWords(said, 40)).toEqual([
    'What it said could not be brought where',
    '  it should go: npx parley invocations',
    '  show inv_1 says more.',
  ]);
  // Where something stands before its first line, that has less room.
  expect(foldWords('one two three four', 12, 4)).toEqual(['one two', '  three four']);
  expect(foldWords('inv_0123456789 is there', 10)).toEqual(['inv_012345', '  6789 is', '  there']);
  expect(foldWords('short')).toEqual(['short']);
  // Blanks that somebody else wrote into it do not bring their words to where its lines begin.
  expect(foldWords(`“x${' '.repeat(30)}Tools: no”`, 12).filter((line) => !line.startsWith('  '))).toEqual(['“x']);
});

test('[C2A-29] what others wrote is broken between words, too, and all of it is there', () => {
  const text = '{ "note": "the disk of the second host is full" }';
  const lines = foldBlock(text, 20).map((line) => line.slice(2));
  expect(lines).toEqual(['{ "note": "the disk ', 'of the second host ', 'is full" }']);
  expect(lines.join('')).toBe(text);
});

test('a line of a tree goes on beside its branches, and no word is broken', () => {
  expect(
    ['root: a request that is long', '├── one: a step that is long', '│   └── two: another that is long'].flatMap((line) =>
      foldTree(line, 20),
    ),
  ).toEqual([
    'root: a request',
    '  that is long',
    '├── one: a step',
    '│     that is long',
    '│   └── two:',
    '│         another',
    '│         that is',
    '│         long',
  ]);
});
