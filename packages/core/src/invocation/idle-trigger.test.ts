import { expect, test } from 'vitest';
import { idleBy, idleWords, isTold } from './idle-trigger.ts';

const there = { removed: false, enabled: true, theirs: true };

test.each([
  ['no_manifest', undefined],
  ['no_manifest', { ...there, removed: true, enabled: false }],
  ['manifest_off', { ...there, enabled: false }],
  ['no_manifest', { ...there, theirs: false }],
  ['no_manifest', { ...there, enabled: false, theirs: false }],
  [undefined, there],
] as const)('[PRV-4] a trigger wakes nobody, %s: %j', (why, manifest) => {
  expect(idleBy(manifest)).toBe(why);
});

const told = { why: 'manifest_off', version: 2, owner: 'mem_1', over: false } as const;

test.each([
  [true, told, { why: 'manifest_off', version: 2, owner: 'mem_1' }],
  [false, undefined, told],
  [false, { ...told, over: true }, told],
  [false, told, { ...told, why: 'no_manifest' }],
  [false, told, { ...told, version: 4 }],
  [false, told, { ...told, owner: 'mem_2' }],
] as const)('[PAP-14] its owner knows it: %s, told %j, and now %j', (known, before, now) => {
  expect(isTold(before, now)).toBe(known);
});

test('[PAP-14] why is a sentence', () => {
  expect(idleWords('manifest_off', 'doctor')).toBe('The manifest doctor is switched off.');
  expect(idleWords('no_manifest', 'doctor')).toBe('There is no manifest doctor that its owner may use.');
  expect(idleWords('no_approver', 'doctor')).toBe('It needs a person’s approval, and nobody can give it.');
});
