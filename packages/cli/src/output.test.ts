import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { outputTo, table, shownJson, writeFailure } from './output.ts';

const head = ['HANDLE', 'STATUS', 'OWNER', 'WOKEN BY'];
const rows = [
  ['^demo-watch', 'ready', '', 'events, by the manifest demo-watch (version 1); trigger demo-error-rate'],
  ['^ORAC', 'ready', '', ''],
];

test('a table that fits has a line for each row, and no column that is empty', () => {
  expect(table(head, rows, 120).split('\n')).toEqual([
    'HANDLE       STATUS  WOKEN BY',
    '^demo-watch  ready   events, by the manifest demo-watch (version 1); trigger demo-error-rate',
    '^ORAC        ready',
  ]);
});

test('in a narrow terminal the last column goes on under itself, and no word is broken', () => {
  expect(table(head, rows, 60).split('\n')).toEqual([
    'HANDLE       STATUS  WOKEN BY',
    '^demo-watch  ready   events, by the manifest demo-watch',
    '                       (version 1); trigger demo-error-rate',
    '^ORAC        ready',
  ]);
});

test('where the columns do not fit beside each other they stand below each other', () => {
  expect(table(head, rows, 36).split('\n')).toEqual([
    'HANDLE    ^demo-watch',
    'STATUS    ready',
    'WOKEN BY  events, by the manifest',
    '            demo-watch (version 1);',
    '            trigger demo-error-rate',
    '',
    'HANDLE    ^ORAC',
    'STATUS    ready',
  ]);
});

test('[IAC-18] JSON of others on a terminal is the same value, without what moves a cursor or turns a line around', () => {
  const value = { text: 'a\u009b2Jb\u202ec\u{E0041}d\u2028', list: ['e'] };
  const shown = shownJson(value);
  expect(shown).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}]/u);
  expect(JSON.parse(shown)).toEqual(value);
});

test('[IAC-18] a cell that others wrote turns no line around and hides nothing', () => {
  expect(table(['ID'], [['a\u202Eb\u200Bc']])).toBe('ID\na b c');
});

test('[A2C-24] a failure or a remark that quotes others has nothing that moves a cursor or turns a line around', () => {
  const said = 'notes is down: no\u001b]0;owned\u0007 \u009b2J\u202esevil\nBye.';
  const stream = (one: PassThrough) => one as unknown as NodeJS.WriteStream;
  const shown = (failure: { message: string; hint?: string; problems?: { field: string; message: string }[] }): string => {
    const stderr = new PassThrough();
    writeFailure({ code: 'failed', exit: 'failed', ...failure }, false, stream(stderr));
    return String(stderr.read());
  };
  const plain = 'notes is down: no ]0;owned   2J sevil\n  Bye.';
  expect(shown({ message: said, hint: said })).toBe(`parley: ${plain}\n  ${plain}\n`);
  expect(shown({ message: '', problems: [{ field: 'a\u202eb', message: said }] })).toBe(`parley: a b ${plain}\n`);
  const stderr = new PassThrough();
  outputTo(false, stream(new PassThrough()), stream(stderr)).note(said);
  expect(String(stderr.read())).toBe(`${plain.replaceAll('\n  ', '\n')}\n`);
});
