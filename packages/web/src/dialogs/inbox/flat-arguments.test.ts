import { expect, test } from 'vitest';
import { flatArguments } from './flat-arguments.ts';

test('[IAC-14] flat arguments are names and values, each exactly as the call has it', () => {
  expect(flatArguments('Server: shop\nArguments: {"note":"a\\n\\"b\\": 1","count":2,"force":null}')).toEqual({
    before: 'Server: shop',
    pairs: [
      ['note', String.raw`"a\n\"b\": 1"`],
      ['count', '2'],
      ['force', 'null'],
    ],
  });
});

test.each([
  ['nested', 'Arguments: {"a":{"b":1}}'],
  ['a list', 'Arguments: [1]'],
  ['empty', 'Arguments: {}'],
  ['cut', 'Arguments: {"a":"bcd…'],
  ['with a character that is written out', String.raw`Arguments: {"a":"b\u{200b}"}`],
  ['with a name that could look like another', 'Arguments: {"a: 1":2}'],
  ['not a call', 'Action: ask\nMessage: "Arguments: {}"'],
])('[IAC-14] arguments are shown as they came: %s', (_, lines) => {
  expect(flatArguments(lines)).toBeNull();
});
