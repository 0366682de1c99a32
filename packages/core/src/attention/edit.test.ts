import { expect, test } from 'vitest';
import { afterEdit, type AfterEdit, type Edit, hasActed, isMaterial } from './edit.ts';

const on = (had: Edit['had'], calls: '' | 'before' | 'now' | 'both', material = true): Edit => ({
  had,
  before: calls === 'before' || calls === 'both',
  now: calls === 'now' || calls === 'both',
  material,
});

test.each<[AfterEdit, Edit]>([
  ['open', on('nothing', 'now')],
  ['open', on('nothing', 'now', false)],
  // Whoever came later is not woken by an old text that is mended.
  ['nothing', on('nothing', 'both')],
  ['nothing', on('nothing', 'before')],
  ['nothing', on('nothing', '')],
  ['correct', on('request', 'both')],
  ['keep', on('request', 'both', false)],
  ['correct', on('request', 'now')],
  ['cancel', on('request', 'before')],
  ['cancel', on('request', '')],
  ['cancel', on('request', 'before', false)],
  ['correct', on('word', 'both')],
  ['keep', on('word', 'both', false)],
  ['take_out', on('word', 'before')],
  ['take_out', on('word', '')],
])('[C2A-25] before the answer: %s for %j', (expected, edit) => expect(afterEdit(edit)).toBe(expected));

test.each<[AfterEdit, Edit]>([
  ['again', on('over', 'both')],
  ['nothing', on('over', 'both', false)],
  ['nothing', on('over', 'before')],
  ['nothing', on('over', '')],
  // It was taken out by an earlier edit, and is called again.
  ['open', on('over', 'now')],
])('[C2A-26] after the answer: %s for %j', (expected, edit) => expect(afterEdit(edit)).toBe(expected));

test.each([
  ['^A deploy it', '^a Deploy it'],
  ['^A deploy it', '^A  deploy it.'],
  ['^A deploy it', ' ^A deploy it!\n'],
  ['^A, deploy it', '^A deploy it'],
  ['the café', 'the cafe\u0301'],
  ['wait...', 'wait…'],
  ['so: “deploy it”', 'so: “deploy it'],
  ['デプロイして', 'デプロイして。'],
])('[C2A-26] only another spelling: %j and %j', (before, after) => {
  expect([isMaterial(before, after), isMaterial(after, before)]).toEqual([false, false]);
});

test.each([
  ['deploy it', 'do not deploy it'],
  ['deploy it', 'deploy it?'],
  ['wait 1.5 s', 'wait 15 s'],
  ['at 10:30', 'at 1030'],
  ['add -5', 'add 5'],
  ['delete .env', 'delete env'],
  ['delete *', 'delete'],
  ['go', '👎 go'],
  ['^A deploy', '^B deploy'],
  ['run `Foo`', 'run `foo`'],
  ['```\nif a:\n  b\n```', '```\nif a:\nb\n```'],
  ['    indented', '  indented'],
  ['we’re gone', 'were gone'],
  ['10%', '10'],
])('[C2A-26] something else is said: %j and %j', (before, after) => {
  expect([isMaterial(before, after), isMaterial(after, before)]).toEqual([true, true]);
});

const read = { kind: 'tool', readOnly: true } as const;
const write = { kind: 'tool', readOnly: false } as const;
test.each([
  [false, [], 0],
  [false, [read, { kind: 'model', readOnly: true } as const], 0],
  // Thinking changes nothing outside, whatever it says of itself.
  [false, [{ kind: 'model', readOnly: false } as const], 0],
  [true, [read, write], 0],
  [true, [], 1],
])('[C2A-28] acted: %j after %j and %i words', (expected, steps, said) => expect(hasActed(steps, said)).toBe(expected));
