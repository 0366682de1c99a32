import { expect, test } from 'vitest';
import { idleBy, idleWords, isNotified } from './idle-trigger.ts';

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

const last = { why: 'manifest_off', version: 2, owner: 'mem_1', ended: false } as const;

test.each([
  [true, last, { why: 'manifest_off', version: 2, owner: 'mem_1' }],
  [false, undefined, last],
  [false, { ...last, ended: true }, last],
  [false, last, { ...last, why: 'no_manifest' }],
  [false, last, { ...last, version: 4 }],
  [false, last, { ...last, owner: 'mem_2' }],
] as const)('[PAP-14] the owner is notified already: %s, last %j, and now %j', (notified, before, now) => {
  expect(isNotified(before, now)).toBe(notified);
});

test('[PAP-14] each reason has a sentence', () => {
  expect(idleWords('manifest_off', 'doctor')).toBe('The manifest doctor is switched off.');
  expect(idleWords('no_manifest', 'doctor')).toBe('There is no manifest doctor that its owner may use.');
  expect(idleWords('no_approver', 'doctor')).toBe('It needs a person’s approval, and nobody can give it.');
});
