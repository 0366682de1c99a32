import type { Manifest, ProvokeKind } from '@parley/protocol';
import { expect, test, describe } from 'vitest';
import { manifestOf } from '../../test/provoke/sample.ts';
import { reaches, asFiled, handOverObject, type OwnerHandover, isLeftOff, clashes, type FileClaim } from './owned-definitions.ts';

describe('usable manifest', () => {
  const words = { model: { provider: 'builtin' }, tools: [], deliver_to: undefined } as unknown as Manifest;

  test.each<[string, boolean, object]>([
    ['nothing but words', false, {}],
    ['a result in a conversation', false, { deliver_to: { conversation: 'general' } }],
    ['a tool', true, { tools: [{ name: 'write', source: 'mcp://files' }] }],
    ['a model that is asked with a key', true, { model: { provider: 'anthropic', model_id: 'm' } }],
    ['a result that is sent outside', true, { deliver_to: { webhook: { url: 'https://example.com' } } }],
  ])('[SYS-9] a manifest with %s gives more than words: %j', (_, expected, more) => {
    expect(reaches({ ...words, ...more })).toBe(expected);
  });

  test('[SYS-9] one that says nothing of it gives nothing', () => expect(reaches(manifestOf())).toBe(false));
});

describe('departed owner', () => {
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
});

describe('id clashes', () => {
  const file = (name: string, ids: string, whole = true): FileClaim => ({ file: name, ids: ids.split(''), whole });

  test.each<[string, FileClaim[], Record<string, string | null>, Record<string, [string, string | null][]>]>([
    ['what nobody has is taken', [file('a', 'xy')], {}, {}],
    ['what stands over the API is not', [file('a', 'xy')], { y: null }, { a: [['y', null]] }],
    ['nor what a file has that did not change', [file('a', 'x')], { x: 'b' }, { a: [['x', 'b']] }],
    ['two swap', [file('a', 'y'), file('b', 'x')], { x: 'a', y: 'b' }, {}],
    ['three in a ring', [file('a', 'z'), file('b', 'x'), file('c', 'y')], { x: 'a', y: 'b', z: 'c' }, {}],
    ['one moves to a file that is read before', [file('a', 'x'), file('z', 'y')], { x: 'z', y: 'z' }, {}],
    ['a file gets another name', [file('new', 'xy'), file('old', '')], { x: 'old', y: 'old' }, {}],
    ['of two that would have it the first', [file('a', 'x'), file('b', 'xy')], {}, { b: [['x', 'a']] }],
    ['but who has it keeps it', [file('a', 'x'), file('b', 'x')], { x: 'b' }, { a: [['x', 'b']] }],
    ['what is wrong otherwise keeps what it had', [file('a', 'x'), file('b', 'y', false)], { x: 'b' }, { a: [['x', 'b']] }],
    ['and what it has', [file('a', 'x'), file('b', 'x', false)], { x: 'b' }, { a: [['x', 'b']] }],
    [
      'and so do those that depend on it',
      [file('a', 'x'), file('b', 'y'), file('c', 'z', false), file('d', 'q')],
      { x: 'b', y: 'c' },
      { a: [['x', 'b']], b: [['y', 'c']] },
    ],
    [
      'all that is wrong with one is named',
      [file('a', 'xyz', false)],
      { x: null, z: 'b' },
      {
        a: [
          ['x', null],
          ['z', 'b'],
        ],
      },
    ],
  ])('[PRV-4] ids that move between files: %s', (_, files, held, expected) => {
    const found = clashes(files, (id) => held[id]);
    const named = [...found].map(([name, list]) => [name, list.map(({ at, by }) => [files.find((one) => one.file === name)!.ids[at], by])]);
    expect(Object.fromEntries(named)).toEqual(expected);
  });
});
