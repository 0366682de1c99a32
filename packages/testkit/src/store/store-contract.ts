// Long because it is one contract: what every store must do, in one place, run on each engine. An engine that passes
// can carry the hub; two writers on one database are part of it.

import type { AnyRow, Changes, Query, Store, Want } from '@parley/hub';
import { columnsOf, ConflictError, CorruptRowError, keyOf, readColumns, seqOfFact, tableNames, tables, wantBy } from '@parley/hub';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Random } from '../trials.ts';

export interface StoreGround {
  /** Opens another store on the same database. */
  open(): Promise<Store>;
  /** Runs a statement behind the store's back. */
  tamper(sql: string): Promise<void>;
  clear(): Promise<void>;
}

const none: Changes = { inserts: [], updates: [], deletes: [], facts: [] };
const setting = (key: string, value: string) => ({ table: 'settings' as const, row: { key, value } });
const wantSetting = (key: string): Want => ({ table: 'settings', values: [key] });
const fact = (n: number) => ({
  at: n,
  type: 'demo.noted' as const,
  actor_id: null,
  scope: 'workspace' as const,
  conversation_id: null,
  member_id: null,
  subject_id: null,
  chain_id: null,
  data: `{"n":${n}}`,
});
const message = (id: string, seq: number, body: string, conversation = 'con_1') => ({
  table: 'messages' as const,
  row: {
    id,
    conversation_id: conversation,
    seq,
    author_id: 'a',
    body,
    version: 1,
    reply_to: null,
    attachments: '[]',
    thread_id: null,
    created_at: 1,
    edited_at: null,
    deleted_at: null,
  } as AnyRow,
});

export function storeContract(make: () => Promise<StoreGround>): void {
  let ground: StoreGround;
  let store: Store;
  let other: Store;

  beforeEach(async () => {
    ground = await make();
    store = await ground.open();
    other = await ground.open();
  });
  afterEach(async () => {
    await store.close();
    await other.close();
    await ground.clear();
  });

  const apply = async (s: Store, changes: Partial<Changes>, keys: string[] = []) => {
    const { transaction } = await s.begin(keys, []);
    return transaction.commit({ ...none, ...changes });
  };
  const valueOf = async (s: Store, key: string): Promise<string | undefined> =>
    (await s.rows('settings', 'where key = ?', [key]))[0]?.value;

  test('[SYS-4] a commit is seen whole by everyone; a rollback leaves nothing', async () => {
    await apply(store, { inserts: [setting('a', '1'), setting('b', '2')], facts: [fact(1)] });
    expect(await valueOf(other, 'a')).toBe('1');
    const { transaction } = await store.begin([], []);
    await transaction.rollback();
    const { loaded, transaction: second } = await other.begin(
      [],
      [wantSetting('a'), wantSetting('missing'), wantBy('members', 'handle', 'x')],
    );
    await second.rollback();
    expect(loaded.found.map((rows) => rows.length)).toEqual([1, 0, 0]);
    expect(loaded.found[0]![0]).toMatchObject({ key: 'a', value: '1' });
  });

  test('[SYS-4] wants are answered in their order, also when the same is wanted twice and by other ways', async () => {
    const token = (id: string, member: string): { table: 'tokens'; row: AnyRow } => ({
      table: 'tokens',
      row: {
        id,
        hash: `h${id}`,
        kind: 'person',
        purpose: 'api',
        member_id: member,
        label: '',
        created_by: null,
        created_at: 1,
        expires_at: null,
        revoked_at: null,
      },
    });
    await apply(store, { inserts: [token('t1', 'm1'), token('t2', 'm1'), token('t3', 'm2')] });
    const wants: Want[] = [
      wantBy('tokens', 'member', 'm2'),
      { table: 'tokens', values: ['t1'] },
      wantBy('tokens', 'member', 'm1'),
      { table: 'tokens', values: ['t1'] },
      wantBy('tokens', 'hash', 'ht2'),
    ];
    const { loaded, transaction } = await store.begin([], wants);
    await transaction.rollback();
    expect(loaded.found.map((rows) => rows.map((row) => String(row['id'])).sort())).toEqual([['t3'], ['t1'], ['t1', 't2'], ['t1'], ['t2']]);
  });

  test('[SYS-4] facts are numbered without gaps in commit order, each chained to the one before', async () => {
    await apply(store, { facts: [fact(1), fact(2)] });
    await apply(other, { facts: [fact(3)] });
    const last = await apply(store, { facts: [fact(4)] });
    expect(last.lastSeq).toBe(4);
    const scanned: AnyRow[] = [];
    await store.snapshot(async (scan) => {
      for await (const rows of scan('facts')) scanned.push(...rows);
    });
    expect(scanned.map((row) => row['seq'])).toEqual([1, 2, 3, 4]);
    expect(scanned.map((row) => row['prev'])).toEqual(['', ...scanned.slice(0, 3).map((row) => row['sum'])]);
    expect(await store.head()).toEqual({ epoch: last.epoch, seq: 4 });
  });

  test('[SYS-4] a row can carry the number its fact gets', async () => {
    await apply(store, { facts: [fact(1)] });
    await apply(store, {
      facts: [fact(2), fact(3)],
      inserts: [message('msg_b', seqOfFact(1), 'second'), message('msg_a', seqOfFact(0), 'first')],
    });
    const rows = await other.rows('messages', 'where conversation_id = ? order by seq', ['con_1']);
    expect(rows.map((row) => [row.seq, row.id])).toEqual([
      [2, 'msg_a'],
      [3, 'msg_b'],
    ]);
  });

  test('[SYS-4] rows are read by typed conditions: each comparison, null, lists, order and limit', async () => {
    const effect = (id: string, due: number, error: string | null): { table: 'outbox'; row: AnyRow } => ({
      table: 'outbox',
      row: { id, kind: id.slice(0, 1), payload: '{}', due_at: due, attempts: due % 2, leased_until: 0, last_error: error },
    });
    await apply(store, { inserts: [effect('a1', 1, null), effect('a2', 2, 'late'), effect('b1', 3, null), effect('b2', 4, 'lost')] });
    const ids = async (...query: Query<'outbox'>) => (await other.rows('outbox', ...query)).map(({ id }) => id).join(' ');
    const order = { order: 'id' } as const;
    expect(await ids({}, order)).toBe('a1 a2 b1 b2');
    expect(await ids({ id: 'a2' })).toBe('a2');
    expect(await ids({ kind: 'b', due_at: 3 })).toBe('b1');
    expect(await ids({ attempts: 1 }, order)).toBe('a1 b1');
    expect(await ids({ attempts: 0 }, order)).toBe('a2 b2');
    expect(await ids({ due_at: { '=': 2 } })).toBe('a2');
    expect(await ids({ due_at: { '<>': 2 } }, order)).toBe('a1 b1 b2');
    expect(await ids({ due_at: { '<': 3 } }, order)).toBe('a1 a2');
    expect(await ids({ due_at: { '<=': 3 } }, order)).toBe('a1 a2 b1');
    expect(await ids({ due_at: { '>': 1, '<=': 3 } }, order)).toBe('a2 b1');
    expect(await ids({ due_at: { '>=': 3 } }, order)).toBe('b1 b2');
    expect(await ids({ last_error: null }, order)).toBe('a1 b1');
    expect(await ids({ last_error: { '<>': null } }, order)).toBe('a2 b2');
    expect(await ids({ id: ['b2', 'a1', 'none'] }, order)).toBe('a1 b2');
    expect(await ids({ id: [] })).toBe('');
    expect(await ids({ kind: ['a', 'b'], id: ['a1', 'b1'], due_at: { '>': 1 } })).toBe('b1');
    expect(await ids({}, { order: 'due_at desc' })).toBe('b2 b1 a2 a1');
    expect(await ids({}, { order: ['kind desc', 'id'], limit: 3 })).toBe('b1 b2 a1');
    expect(await readColumns(other, 'outbox', ['id', 'due_at'], { kind: 'a' }, order)).toEqual([
      { id: 'a1', due_at: 1 },
      { id: 'a2', due_at: 2 },
    ]);
    await expect(other.rows('outbox', { id: undefined as unknown as string })).rejects.toThrow('No value to compare id with');
    // @ts-expect-error The table has no such column.
    await expect(other.rows('outbox', { name: 'a' })).rejects.toThrow();
    // @ts-expect-error Nothing can be ordered by it either.
    await expect(other.rows('outbox', {}, { order: 'name' })).rejects.toThrow();
    // @ts-expect-error The column holds numbers.
    expect(await ids({ due_at: { '>': 'never' } }).catch(() => '')).toBe('');
    // @ts-expect-error The column is never null.
    expect(await ids({ id: null })).toBe('');
  });

  test('[SYS-4] what was read and has changed since is not overwritten', async () => {
    await apply(store, { inserts: [setting('a', '1')] });
    const { loaded, transaction } = await store.begin([], [wantSetting('a')]);
    await transaction.rollback();
    const was = loaded.found[0]![0]!['sum'] as string;
    await apply(other, { updates: [{ ...setting('a', '2'), was }] });
    await expect(
      apply(store, { updates: [{ ...setting('a', '3'), was }], inserts: [setting('b', '1')], facts: [fact(1)] }),
    ).rejects.toThrow(ConflictError);
    await expect(apply(store, { deletes: [{ table: 'settings', key: ['a'], was }] })).rejects.toThrow(ConflictError);
    expect(await valueOf(store, 'a')).toBe('2');
    expect(await valueOf(store, 'b')).toBeUndefined();
    expect((await store.head()).seq).toBe(0);
  });

  test('[SYS-4] what a group takes away is free for what it adds: one timer goes, another of the same name comes', async () => {
    const timer = (id: string) => ({ table: 'timers' as const, row: { id, kind: 'k', subject: 's', clock: 'wall', due_at: 1 } });
    await apply(store, { inserts: [timer('tmr_1')] });
    const { loaded, transaction } = await store.begin([], [{ table: 'timers', values: ['tmr_1'] }]);
    await transaction.rollback();
    const was = loaded.found[0]![0]!['sum'] as string;
    await apply(store, { deletes: [{ table: 'timers', key: ['tmr_1'], was }], inserts: [timer('tmr_2')] });
    expect((await other.rows('timers', '')).map(({ id }) => id)).toEqual(['tmr_2']);
  });

  test('[SYS-4] a key that is taken is a conflict, and nothing of the group stays', async () => {
    await apply(store, { inserts: [setting('a', '1')] });
    await expect(apply(other, { inserts: [setting('b', '1'), setting('a', '2')], facts: [fact(1)] })).rejects.toThrow(ConflictError);
    expect(await valueOf(store, 'b')).toBeUndefined();
    expect((await store.head()).seq).toBe(0);
    // And the store goes on.
    await apply(other, { inserts: [setting('c', '1')] });
  });

  test('[SYS-4] two writers that add to one number lose no addition', async () => {
    await apply(store, { inserts: [setting('n', '0')] });
    const add = async (s: Store): Promise<void> => {
      for (;;) {
        const { transaction, loaded } = await s.begin([], [wantSetting('n')]);
        const row = loaded.found[0]![0]!;
        try {
          await transaction.commit({
            ...none,
            updates: [{ ...setting('n', String(Number(row['value']) + 1)), was: row['sum'] as string }],
          });
          return;
        } catch (error) {
          if (!(error instanceof ConflictError)) throw error;
        }
      }
    };
    await Promise.all(
      [store, other].map(async (s) => {
        for (let i = 0; i < 25; i++) await add(s);
      }),
    );
    expect(await valueOf(store, 'n')).toBe('50');
  });

  test('[SYS-4] a lock is held until the group ends', async () => {
    const first = await store.begin(['conversation:1'], []);
    const order: string[] = [];
    const second = other.begin(['conversation:1'], [wantSetting('a')]).then(async ({ transaction, loaded }) => {
      order.push('second');
      await transaction.rollback();
      return loaded.found[0]!.length;
    });
    order.push('first');
    await first.transaction.commit({ ...none, inserts: [setting('a', '1')] });
    // The second waited, so it sees what the first did.
    expect(await second).toBe(1);
    expect(order).toEqual(['first', 'second']);
  });

  test('[SYS-4] groups that want the same locks in another order do not wait for each other for ever', async () => {
    const work = async (s: Store, keys: string[]): Promise<void> => {
      for (let i = 0; i < 20; i++) {
        const { transaction } = await s.begin(keys, []);
        await transaction.rollback();
      }
    };
    await Promise.all([work(store, ['a', 'b', 'c']), work(other, ['c', 'a', 'b'])]);
  });

  test('[SYS-4] groups that touch the same rows without a lock end in one success and one conflict, never in a stand-still', async () => {
    await apply(store, { inserts: [setting('x', '0'), setting('y', '0')] });
    const both = async (s: Store, order: [string, string]): Promise<string> => {
      try {
        const { transaction, loaded } = await s.begin([], order.map(wantSetting));
        await transaction.commit({
          ...none,
          updates: order.map((key, i) => ({ ...setting(key, 'new'), was: loaded.found[i]![0]!['sum'] as string })),
        });
        return 'done';
      } catch (error) {
        if (error instanceof ConflictError) return 'conflict';
        throw error;
      }
    };
    const outcomes = await Promise.all([both(store, ['x', 'y']), both(other, ['y', 'x'])]);
    expect(outcomes).toContain('done');
    expect([await valueOf(store, 'x'), await valueOf(store, 'y')]).toEqual(['new', 'new']);
  });

  test('[SYS-4] a reader that follows by number never skips one that commits late', async () => {
    let writing = true;
    const seen: number[] = [];
    const reader = (async () => {
      for (let last = 0, idle = 0; idle < 2;) {
        const rows = await store.rows('facts', 'where seq > ? order by seq', [last]);
        seen.push(...rows.map((row) => row.seq));
        last = seen.at(-1) ?? 0;
        idle = writing || rows.length > 0 ? 0 : idle + 1;
      }
    })();
    const write = async (s: Store, key: string): Promise<void> => {
      for (let i = 0; i < 60; i++) await apply(s, { facts: [fact(i), fact(i)] }, [key]);
    };
    await Promise.all([write(store, 'one'), write(other, 'two')]);
    writing = false;
    await reader;
    expect(seen).toEqual(Array.from({ length: 240 }, (_, i) => i + 1));
  });

  test('[SYS-4] a row changed behind the hub’s back is noticed when it is read, and when it is loaded', async () => {
    await apply(store, { inserts: [setting('a', '1'), setting('b', '1')], facts: [fact(1)] });
    await ground.tamper("update settings set value = '2' where key = 'a'");
    await ground.tamper(`update facts set data = '{"n":2}' where seq = 1`);
    await expect(store.rows('settings', 'where key = ?', ['a'])).rejects.toThrow(CorruptRowError);
    await expect(store.rows('facts', 'where seq = 1')).rejects.toThrow(CorruptRowError);
    await expect(store.begin([], [wantSetting('a')])).rejects.toThrow(CorruptRowError);
    // A load that fails inside a group leaves it to be rolled back, once or twice, and others alone.
    const { transaction } = await store.begin([], []);
    await expect(transaction.load([wantSetting('a')])).rejects.toThrow(CorruptRowError);
    await transaction.rollback();
    const second = await store.begin([], []);
    await transaction.rollback();
    await second.transaction.commit({ ...none, inserts: [setting('d', '1')] });
    expect(await valueOf(store, 'd')).toBe('1');
    const whole = await store.intact('settings', 'order by key');
    expect([whole.rows.map((row) => row.key), whole.damaged.map((error) => error.message)]).toEqual([
      ['b', 'd'],
      [expect.stringContaining('Row a of settings')],
    ]);
    expect(await valueOf(store, 'b')).toBe('1');
    await apply(store, { inserts: [setting('c', '1')] });
  });

  test('[SYS-15] a snapshot does not change while others write', async () => {
    await apply(store, { inserts: [setting('a', '1')] });
    const counts = await store.snapshot(async (scan) => {
      let before = 0;
      for await (const rows of scan('facts')) before += rows.length;
      await apply(other, { facts: [fact(1)], inserts: [setting('b', '1')] });
      let settings = 0;
      for await (const rows of scan('settings')) settings += rows.length;
      return { before, settings };
    });
    expect(counts).toEqual({ before: 0, settings: 1 });
  });

  test('[SYS-4] whatever text a row has, what is written can be read: half a surrogate pair and U+0000 in every text column', async () => {
    const random = new Random(11);
    const pieces = ['a', 'ü', '\u{1F600}', '\uD800', '\uDBFF', '\uDC00', '\0', '\uFFFD', '\u2028', '"', '\\u0000'];
    let n = 0;
    // Each is another one: some columns are unique.
    const text = () => `${Array.from({ length: random.int(6) }, () => random.pick(pieces)).join('')}${++n}${random.pick(pieces)}`;
    const column = (table: (typeof tableNames)[number], name: string) =>
      (tables[table].columns as Record<string, string>)[name]!.startsWith('int') ? ++n : text();
    const rowOf = (table: (typeof tableNames)[number]): AnyRow =>
      Object.fromEntries(columnsOf(table).map((name) => [name, column(table, name)]));
    const storedRow = (row: AnyRow): AnyRow =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : value,
        ]),
      );
    const made = tableNames.filter((table) => table !== 'facts').map((table) => ({ table, row: rowOf(table) }));
    const factRows = Array.from({ length: 20 }, () => ({ ...fact(1), type: text() as never, subject_id: text(), data: text() }));
    const received: unknown[] = [];
    store.onCommit((own = []) => received.push(...own.map(({ data }) => data)));
    await apply(store, { inserts: made, facts: factRows });
    for (const { table, row } of made) {
      const [found] = await other.rows(table, '');
      expect(found, table).toMatchObject(storedRow(row));
      const changed = columnsOf(table).filter((name) => !keyOf(table).includes(name));
      const next = { ...storedRow(row), ...Object.fromEntries(changed.map((name) => [name, column(table, name)])) };
      const was = (found as unknown as AnyRow)['sum'] as string;
      await apply(store, { updates: [{ table, row: next, was, ...(random.int(2) ? { changed } : {}) }] });
      const { loaded, transaction } = await other.begin([], [{ table, values: keyOf(table).map((name) => next[name] as string) }]);
      await transaction.rollback();
      expect(loaded.found[0]![0], table).toMatchObject(storedRow(next));
    }
    const facts = await other.rows('facts', 'order by seq');
    expect(facts).toMatchObject(factRows.map((one) => storedRow(one)));
    expect(received).toEqual(facts.map(({ data }) => data));
  });

  test('[SYS-15] a new epoch is on the head and on every fact after it', async () => {
    await apply(store, { facts: [fact(1)] });
    await store.newEpoch('restored1');
    await apply(other, { facts: [fact(2)] });
    expect(await store.head()).toEqual({ epoch: 'restored1', seq: 2 });
    expect((await store.rows('facts', 'order by seq')).at(-1)!.epoch).toBe('restored1');
  });

  test('[SYS-14] search finds words in any script by their beginning, and forgets what is erased', async () => {
    const texts = ['Der Zug nach Köln fährt ab', 'naïve café RÉSUMÉ', '東京で会いましょう', 'встреча в пятницу', 'a_b foo-bar 42'];
    await apply(store, {
      facts: texts.map((_, i) => fact(i)),
      inserts: texts.map((body, i) => message(`msg_${i}`, seqOfFact(i), body, i === 3 ? 'con_2' : 'con_1')),
    });
    await store.search.write(
      0,
      5,
      texts.map((body, i) => ({ seq: i + 1, body })),
      [],
    );
    const find = async (text: string, more: object = {}) =>
      (await store.search.find({ text, where: { conversationIds: ['con_1', 'con_2'] }, limit: 10, ...more })).map((hit) => hit.messageId);
    expect(await find('koln')).toEqual(['msg_0']);
    expect(await find('zug köl')).toEqual(['msg_0']);
    expect(await find('CAFE')).toEqual(['msg_1']);
    expect(await find('東京')).toEqual(['msg_2']);
    expect(await find('встр')).toEqual(['msg_3']);
    expect(await find('встр', { where: { conversationIds: ['con_1'] } })).toEqual([]);
    expect(await find('foo 42')).toEqual(['msg_4']);
    expect(await find('"\'*:& |!()')).toEqual([]);
    expect(await find('b', { before: 3 })).toEqual([]);
    await store.search.write(5, 6, [{ seq: 1, body: 'Der Zug nach Bonn' }], [2]);
    expect(await find('köln')).toEqual([]);
    expect(await find('bonn')).toEqual(['msg_0']);
    expect(await find('cafe')).toEqual([]);
    // Another indexer was faster: a late write changes nothing.
    await store.search.write(5, 7, [{ seq: 2, body: 'cafe' }], []);
    expect(await find('cafe')).toEqual([]);
    expect(await store.search.position()).toBe(6);
  });

  test('[SYS-4] a commit wakes those who listen', async () => {
    const woken = new Promise<void>((resolve) => store.onCommit(() => resolve()));
    await apply(store, { facts: [fact(1)] });
    await woken;
  });
}
