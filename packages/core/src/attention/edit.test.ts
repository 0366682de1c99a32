import { expect, test } from 'vitest';
import { afterEdit, type AfterEdit, type Changed, changedBy, type Edit, hasActed } from './edit.ts';

const on = (had: Edit['had'], calls: '' | 'before' | 'now' | 'both', changed: Changed = 'meaning'): Edit => ({
  had,
  before: calls === 'before' || calls === 'both',
  now: calls === 'now' || calls === 'both',
  changed,
});

test.each<[AfterEdit, Edit]>([
  ['open', on('nothing', 'now')],
  ['open', on('nothing', 'now', 'nothing')],
  // Whoever came later is not woken by an old text that is mended.
  ['nothing', on('nothing', 'both')],
  ['nothing', on('nothing', 'before')],
  ['nothing', on('nothing', '')],
  ['correct', on('request', 'both')],
  ['keep', on('request', 'both', 'nothing')],
  // The edit is used, however small (C2A-25).
  ['correct', on('request', 'both', 'spelling')],
  ['correct', on('word', 'both', 'spelling')],
  ['correct', on('request', 'now')],
  ['cancel', on('request', 'before')],
  ['cancel', on('request', '')],
  ['cancel', on('request', 'before', 'nothing')],
  ['correct', on('word', 'both')],
  ['keep', on('word', 'both', 'nothing')],
  ['take_out', on('word', 'before')],
  ['take_out', on('word', '')],
])('[C2A-25] before the answer: %s for %j', (expected, edit) => expect(afterEdit(edit)).toBe(expected));

test.each<[AfterEdit, Edit]>([
  ['again', on('over', 'both')],
  ['nothing', on('over', 'both', 'nothing')],
  ['nothing', on('over', 'both', 'spelling')],
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
  expect([changedBy(before, after), changedBy(after, before)]).toEqual(['nothing', 'nothing']);
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
  expect([changedBy(before, after), changedBy(after, before)]).toEqual(['meaning', 'meaning']);
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

test.each([
  ['please recieve it', 'please receive it'],
  ['teh deploy', 'the deploy'],
  ['what is the adress', 'what is the address'],
  ['list the adresses of May', 'list the addresses of May'],
  ['how is the wheather?', 'how is the weather?'],
  ['teh staus of teh depoly', 'The status of the deploy.'],
  ['why dont we', 'why don’t we'],
])('[C2A-26] %j corrected to %j says the same; back again it does not', (before, after) => {
  expect([changedBy(before, after), changedBy(after, before)]).toEqual(['spelling', 'meaning']);
});

const wordPairs =
  'contacted contracted, complaint compliant, contractor contactor, patient patent, brought bought, decreased deceased, ' +
  'medication mediation, neutral neural, clauses causes, threats treats, flights fights, players payers, drivers divers, ' +
  'servers severs, convert covert, inspect insect, warning waning, turning tuning, learning leaning, signing singing, filed field, ' +
  'windows widows, from form, contact contract, tier tire, alter later, exits exist, bots boots, angles angels, hosting hoisting, ' +
  'drop drops, on no, weiter weitre, schreiben schrieben, bleiben blieben, leihen liehen, reisen riesen, pero perro, ahora ahorra, ' +
  'poisson poison, chasse chase, 8443 8434, ^ORCA ^ORAC';
test.each(wordPairs.split(', ').map((pair) => pair.split(' ')))('[C2A-25] [C2A-26] %s is not %s', (one, other) => {
  expect([changedBy(`^A list ${one}`, `^A list ${other}`), changedBy(`${other}?`, `${one}?`)]).toEqual(['meaning', 'meaning']);
});
