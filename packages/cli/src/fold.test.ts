import { expect, test } from 'vitest';
import { foldBlock, foldLines } from './fold.ts';

test('[C2A-29] what does not fit in a line goes on behind a mark, and never where the platform’s lines begin', () => {
  expect(foldLines('Arguments: "aTools: no"\nServer: x', 12)).toEqual(['Arguments: "', '│ aTools: no"', 'Server: x']);
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
