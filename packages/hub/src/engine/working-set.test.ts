import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wantBy } from '../store/port.ts';
import type { AnyRow, MemberRow } from '../store/tables.ts';
import { MissingRows, GroupSet } from './working-set.ts';

const member = (id: string, owner_id: string | null): MemberRow & AnyRow => ({
  id,
  kind: 'agent',
  handle: id,
  handle_fold: id,
  display_name: id,
  about: '',
  role: 'member',
  owner_id,
  manager_id: null,
  status: 'active',
  dnd_until: null,
  created_at: 1,
  sum: `sum-${id}`,
});
const byOwner = (owner: string) => wantBy('members', 'owner', owner);
const ids = (rows: { id: string }[]) => rows.map((row) => row.id).toSorted();

test('[SYS-4] a row that was not loaded is asked for by name, and a row known to be absent is not', () => {
  const set = new GroupSet();
  expect(() => set.get('settings', 'a')).toThrow(MissingRows);
  expect(() => set.find('members', 'owner', 'x')).toThrow(MissingRows);
  set.take([{ table: 'settings', values: ['a'] }, byOwner('x')], [[], []]);
  expect(set.get('settings', 'a')).toBeUndefined();
  expect(set.find('members', 'owner', 'x')).toEqual([]);
});

test('[SYS-4] a loaded lookup follows inserts, moves and removals, and undoes them', () => {
  const set = new GroupSet();
  set.take([byOwner('x'), byOwner('y')], [[member('a', 'x')], []]);
  expect(() =>
    set.attempt(() => {
      set.insert('members', member('b', 'x'));
      set.update('members', set.get('members', 'a')!, { owner_id: 'y' });
      expect([ids(set.find('members', 'owner', 'x')), ids(set.find('members', 'owner', 'y'))]).toEqual([['b'], ['a']]);
      set.remove('members', set.get('members', 'b')!);
      throw new Error('refused');
    }),
  ).toThrow('refused');
  expect([ids(set.find('members', 'owner', 'x')), ids(set.find('members', 'owner', 'y'))]).toEqual([['a'], []]);
  expect(set.changes()).toEqual({ inserts: [], updates: [], deletes: [], facts: [] });
});

test('[SYS-4] changes are the difference to what was stored: put in and taken out again is nothing', () => {
  const set = new GroupSet();
  set.take([byOwner('x')], [[member('a', 'x')]]);
  set.insert('members', member('b', 'x'));
  set.remove('members', set.get('members', 'b')!);
  const moved = set.update('members', set.get('members', 'a')!, { about: 'one' });
  set.update('members', moved, { about: 'two' });
  expect(set.changes()).toMatchObject({
    inserts: [],
    deletes: [],
    updates: [{ table: 'members', was: 'sum-a', row: { about: 'two' }, changed: ['about'] }],
  });
  set.remove('members', set.get('members', 'a')!);
  expect(set.changes()).toMatchObject({ updates: [], deletes: [{ key: ['a'], was: 'sum-a' }] });
  set.reset();
  expect(set.changes()).toMatchObject({ updates: [], deletes: [] });
});

test('[SYS-4] lookups agree with a plain filter after any steps, refused ones included', () => {
  const step = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    owner: fc.constantFrom('x', 'y'),
    what: fc.constantFrom('put', 'remove', 'refuse'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const set = new GroupSet();
      set.take([byOwner('x'), byOwner('y')], [[member('a', 'x')], [member('b', 'y')]]);
      const model = new Map([
        ['a', 'x'],
        ['b', 'y'],
      ]);
      set.take(
        [
          { table: 'members', values: ['c'] },
          { table: 'members', values: ['d'] },
        ],
        [[], []],
      );
      for (const { id, owner, what } of steps) {
        try {
          set.attempt(() => {
            const row = set.get('members', id);
            if (what === 'remove') {
              if (row) set.remove('members', row);
            } else if (row) set.update('members', row, { owner_id: owner });
            else set.insert('members', member(id, owner));
            if (what === 'refuse') throw new Error('refused');
          });
          if (what === 'remove') model.delete(id);
          else model.set(id, owner);
        } catch {
          // A refused step changes nothing, in the set as in the model.
        }
        for (const o of ['x', 'y'])
          expect(ids(set.find('members', 'owner', o))).toEqual(
            [...model]
              .filter(([, v]) => v === o)
              .map(([k]) => k)
              .toSorted(),
          );
      }
    }),
  );
});
