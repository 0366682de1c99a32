import { expect, test } from 'vitest';
import { wantBy } from '../../../store/port.ts';
import type { CheckpointRow, MemberRow, ProvokeObjectRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { GroupSet } from '../../working-set.ts';
import { idleOver, tellIdle } from './idle-triggers.ts';

let made = 0;
const context = { now: 10, rules: 1, ids: { next: (kind: string) => `${kind}_${++made}` }, lock: () => {} };
const person = (id: string, role: string) => ({ id, kind: 'human', role, status: 'active' }) as MemberRow;
const [owner, boss] = [person('o', 'member'), person('b', 'owner')];
const manifest = { kind: 'manifest', id: 'm', version: 3, owner_id: 'b', file: 'y.yaml', removed_at: null, enabled: 1, body: '{}' };
const trigger = (id: string, file: string | null) =>
  ({ kind: 'trigger', id, body: '{"agent":"m"}', file, owner_id: 'o' }) as ProvokeObjectRow;

test('[PAP-14] what keeps two triggers of one owner from the same manifest is told once each, however many events come', () => {
  let stored: CheckpointRow[] = [];
  let seq = 100;
  const event = (work: (tx: Tx) => void) => {
    const set = new GroupSet();
    const wants = [
      wantBy('checkpoints', 'subject', 'manifest:m'),
      { table: 'provoke_objects' as const, values: ['manifest', 'm'] },
      { table: 'provoke_objects' as const, values: ['trigger', 'api'] },
      { table: 'members' as const, values: ['b'] },
    ];
    set.take(wants, [stored, [manifest], [trigger('api', null)], [boss]] as never);
    work(Object.assign(set, context) as unknown as Tx);
    stored = set.find('checkpoints', 'subject', 'manifest:m').map((row) => ({ ...row, seq: row.seq < 0 ? seq - row.seq : row.seq }));
    seq += 10;
  };
  const open = () => stored.filter((row) => row.open === 1).map(({ data }) => (JSON.parse(data) as { idle: { why: string } }).idle.why);
  const both = (tx: Tx) => {
    tellIdle(trigger('api', null), owner, tx);
    tellIdle(trigger('filed', 'z.yaml'), owner, tx, 'no_approver');
  };
  for (let left = 10; left > 0; left--) event(both);
  expect([stored.length, open()]).toEqual([2, ['no_manifest', 'no_approver']]);
  // Somebody can be asked again: that the other may not use it holds all the same.
  event((tx) => idleOver(manifest as ProvokeObjectRow, owner, tx));
  expect(open()).toEqual(['no_manifest']);
  for (let left = 3; left > 0; left--) event((tx) => [0, 1, 2].forEach(() => both(tx)));
  expect([stored.length, open().toSorted()]).toEqual([3, ['no_approver', 'no_manifest']]);
});
