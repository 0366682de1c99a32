import type { ProvokeKind } from '@parley/protocol';
import { describe, expect, test } from 'vitest';
import { asFiled, handOverObject, type OwnerHandover, isLeftOff } from './departed-owner.ts';

const everyKind: ProvokeKind[] = ['trigger', 'manifest', 'source', 'schedule', 'absence'];
const acting: ProvokeKind[] = ['trigger', 'schedule', 'absence'];

describe('[SYS-9] objects that ran in the name of a member who leaves', () => {
  test.each(acting)('a %s stops, on or off, and is its heir’s to switch on', (kind) => {
    for (const enabled of [true, false]) {
      expect(handOverObject({ kind, enabled, filed: false })).toEqual({ to: 'heir', enabled: false, leftOff: false });
      expect(handOverObject({ kind, enabled, filed: true })).toEqual({ to: 'heir', enabled: false, leftOff: true });
    }
  });

  test.each<[string, Parameters<typeof handOverObject>[0], OwnerHandover]>([
    [
      'a manifest in a file goes on as it was',
      { kind: 'manifest', enabled: true, filed: true },
      { to: 'first owner', enabled: true, leftOff: false },
    ],
    ['or stays off', { kind: 'manifest', enabled: false, filed: true }, { to: 'first owner', enabled: false, leftOff: false }],
    ['one of their own stops', { kind: 'manifest', enabled: true, filed: false }, { to: 'heir', enabled: false, leftOff: false }],
    ['a source is the workspace’s', { kind: 'source', enabled: true, filed: false }, { to: 'heir', enabled: true, leftOff: false }],
    ['in a file too', { kind: 'source', enabled: true, filed: true }, { to: 'heir', enabled: true, leftOff: true }],
    [
      'off, the file has to say whose it is',
      { kind: 'source', enabled: false, filed: true },
      { to: 'heir', enabled: false, leftOff: true },
    ],
  ])('%s', (_, kept, expected) => expect(handOverObject(kept)).toEqual(expected));
});

test.each(everyKind)('[PRV-4] a %s is left off when it is off and kept as if it were on', (kind) => {
  expect(isLeftOff({ kind, enabled: false, says: true })).toBe(kind !== 'manifest');
  for (const [enabled, says] of [
    [true, true],
    [false, false],
    [false, undefined],
    [true, false],
  ] as const)
    expect(isLeftOff({ kind, enabled, says })).toBe(false);
});

const left = { kind: 'trigger', enabled: false, says: true } as const;
const off = { kind: 'trigger', enabled: false, says: false } as const;
const on = { kind: 'trigger', enabled: true, says: true } as const;

test.each<[string, Parameters<typeof asFiled>[0], Parameters<typeof asFiled>[1], ReturnType<typeof asFiled>]>([
  ['new, and nothing is said: on', { says: undefined, names: false }, undefined, { enabled: true, leftOff: false }],
  ['new, and off', { says: false, names: false }, undefined, { enabled: false, leftOff: false }],
  ['it was off, and the file has it on', { says: true, names: false }, off, { enabled: true, leftOff: false }],
  ['it is on', { says: true, names: false }, on, { enabled: true, leftOff: false }],
  ['left off, it stays off', { says: true, names: false }, left, { enabled: false, leftOff: true }],
  ['also where the file has it off for now', { says: false, names: false }, left, { enabled: false, leftOff: true }],
  ['until the file names an owner', { says: true, names: true }, left, { enabled: true, leftOff: false }],
  ['who may have it off', { says: false, names: true }, left, { enabled: false, leftOff: false }],
])('[SYS-9] [PRV-4] an object of a file: %s', (_, file, before, expected) => expect(asFiled(file, before)).toEqual(expected));
