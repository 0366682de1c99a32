import { expect, test } from 'vitest';
import { wantBy } from '../../../store/port.ts';
import type { CheckpointRow, MemberRow, ProvokeObjectRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { GroupSet } from '../../working-set.ts';
import { endIdleNotices, notifyIdle } from './idle-triggers.ts';

let made = 0;
const context = { now: 10, rules: 1, ids: { next: (kind: string) => `${kind}_${++made}` }, lock: () => {} };
const person = (id: string, role: string) => ({ id, kind: 'human', role, status: 'active' }) as MemberRow;
const [owner, boss] = [person('o', 'member'), person('b', 'owner')];
const manifest = { kind: 'manifest', id: 'm', version: 3, owner_id: 'b', file: 'y.yaml', removed_at: null, enabled: 1, body: '{}' };
const trigger = (id: string, file: string | null) =>
  ({ kind: 'trigger', id, body: '{"agent":"m"}', file, owner_id: 'o' }) as ProvokeObjectRow;

test('[PAP-14] two idle triggers of one owner make one notice for each reason, however many events come', () => {
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
    notifyIdle(trigger('api', null), owner, tx);
    notifyIdle(trigger('filed', 'z.yaml'), owner, tx, 'no_approver');
  };
  for (let n = 0; n < 10; n++) event(both);
  expect([stored.length, open()]).toEqual([2, ['no_manifest', 'no_approver']]);
  // An approver is back: that notice ends, and the trigger that may not use the manifest keeps its own.
  event((tx) => endIdleNotices(manifest as ProvokeObjectRow, owner, tx));
  expect(open()).toEqual(['no_manifest']);
  for (let n = 0; n < 3; n++) event((tx) => [0, 1, 2].forEach(() => both(tx)));
  expect([stored.length, open().toSorted()]).toEqual([3, ['no_approver', 'no_manifest']]);
});
