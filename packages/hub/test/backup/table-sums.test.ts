// Rows of every table, and hands that take one out, put one in or put one back: each row by itself is right.

import { join } from 'node:path';
import { type Changes, openDataDir, openStore, type RowProblem, type Store, verifyBackup } from '@parley/hub';
import { freshGround, onEveryEngine } from '@parley/testkit';
import { expect, test } from 'vitest';
import { summer } from '../../src/store/checksum.ts';
import { type AnyRow, columnsOf, keyOf, specOf, type TableName, tableNames } from '../../src/store/tables.ts';
import { backUp, type Dump, dump, problemsIn, tamper } from '../kit/backup.ts';

const none: Changes = { inserts: [], updates: [], deletes: [], facts: [] };
const rowed = tableNames.filter((table) => table !== 'facts');
const rowFor = (table: TableName, n: number): AnyRow =>
  Object.fromEntries(columnsOf(table).map((column) => [column, specOf(table).columns[column]!.startsWith('int') ? n : `${column} ${n}`]));
const keyValues = (table: TableName, row: AnyRow) => keyOf(table).map((column) => row[column]!);
/** What a later version of a row may differ in; some tables have nothing but their key. */
const changing = (table: TableName) => columnsOf(table).find((column) => !keyOf(table).includes(column) && column !== 'seq');
const facts = (at: number): Changes['facts'] => [
  {
    at,
    type: 'demo.noted',
    actor_id: null,
    scope: 'workspace',
    conversation_id: null,
    member_id: null,
    subject_id: null,
    chain_id: null,
    data: '{}',
  },
];

const literal = (value: AnyRow[string]) => (value === null ? 'null' : typeof value === 'number' ? `${value}` : `'${value}'`);
const removal = (table: TableName, row: AnyRow) =>
  `delete from ${table} where ${keyOf(table)
    .map((column) => `${column} = ${literal(row[column]!)}`)
    .join(' and ')};`;
const insertion = (table: TableName, row: AnyRow) =>
  `insert into ${table} (${Object.keys(row).join(', ')}) values (${Object.values(row).map(literal).join(', ')});`;

async function commit(store: Store, changes: Partial<Changes>): Promise<void> {
  const { transaction } = await store.begin([], []);
  await transaction.commit({ ...none, ...changes });
}

/** Every table once had three rows; the second has changed since, and the third was removed. */
async function fillTables<S>(
  store: Store,
  looked: () => Promise<Dump>,
  sums: () => Promise<S>,
): Promise<{ before: Dump; after: Dump; older: S }> {
  await commit(store, {
    inserts: rowed.flatMap((table) => [1, 2, 3].map((n) => ({ table, row: rowFor(table, n) }))),
    facts: [...facts(1), ...facts(2)],
  });
  const [before, older] = [await looked(), await sums()];
  const found = (table: TableName, n: number) => before[table]!.find((row) => same(table, row, rowFor(table, n)))!;
  await commit(store, {
    updates: rowed.flatMap((table) => {
      const column = changing(table);
      const { sum, ...row } = found(table, 2);
      return column === undefined ? [] : [{ table, row: { ...row, [column]: rowFor(table, 4)[column]! }, was: String(sum) }];
    }),
    deletes: rowed.map((table) => {
      const row = found(table, 3);
      return { table, key: keyValues(table, row) as string[], was: String(row['sum']) };
    }),
    facts: facts(3),
  });
  return { before, after: await looked(), older };
}

onEveryEngine('sums of tables', (engine) => {
  test('[SYS-15] in every table a row that was taken out, put in or put back is found, and so is a changed stream epoch', async () => {
    const ground = await freshGround(engine, { tables: true });
    const { checksumKey } = await openDataDir(ground.dataDir);
    const store = await openStore({ dataDir: await openDataDir(ground.dataDir), databaseUrl: ground.databaseUrl, epoch: 'first' });
    const sums = () => store.all<{ sums: string; mac: string }>('select sums, mac from table_sums');
    const {
      before,
      after,
      older: [oldSums],
    } = await fillTables(store, () => dump(ground), sums);
    const [lastSums] = await sums();
    await store.close();
    const places = new Set<string>([...tableNames, 'the stream epoch', 'the sums of the tables']);
    const told = async (): Promise<RowProblem[]> => (await problemsIn(ground)).filter(({ where }) => places.has(where));
    expect(await told()).toEqual([]);
    const taken = rowed.map((table) => [table, after[table]![0]!] as const);
    await tamper(ground, taken.map(([table, row]) => removal(table, row)).join('\n'));
    expect(await told()).toEqual(rowed.map((table) => ({ where: table, what: expect.stringContaining('1 was removed') as string })));
    const backup = join(ground.dataDir, 'altered.parley');
    await backUp(ground, backup);
    expect((await verifyBackup(backup)).altered).toEqual(
      rowed.map((table) => expect.stringContaining(`${table} has 1 row, and 2`) as string),
    );
    await tamper(ground, taken.map(([table, row]) => insertion(table, row)).join('\n'));
    expect(await told()).toEqual([]);

    const last = after['facts']!.at(-1)!;
    await tamper(ground, removal('facts', last));
    expect(await told()).toEqual([{ where: 'facts', what: expect.stringContaining('1 was removed') as string }]);
    await tamper(ground, insertion('facts', last));

    // The chain goes on, and its checksum is right: somebody has the key.
    const next: AnyRow = { ...last, seq: Number(last['seq']) + 1, prev: last['sum']! };
    const put = [
      ...rowed.map((table) => [table, before[table]!.find((row) => !after[table]!.some((now) => same(table, row, now)))!] as const),
      ['facts', { ...next, sum: summer(checksumKey)('facts', next) }] as const,
    ];
    await tamper(ground, put.map(([table, row]) => insertion(table, row)).join('\n'));
    expect(await told()).toEqual(tableNames.map((table) => ({ where: table, what: expect.stringContaining('1 was put in') as string })));
    await tamper(ground, put.map(([table, row]) => removal(table, row)).join('\n'));
    expect(await told()).toEqual([]);

    const changed = rowed.filter((table) => changing(table) !== undefined);
    const older = changed.map((table) => {
      const now = after[table]!.find((row) => !before[table]!.some((was) => was['sum'] === row['sum']))!;
      return { table, now, was: before[table]!.find((row) => same(table, row, now))! };
    });
    await tamper(ground, older.map(({ table, was }) => removal(table, was) + insertion(table, was)).join('\n'));
    expect(await told()).toEqual(changed.map((table) => ({ where: table, what: expect.stringContaining('earlier version') as string })));
    await tamper(ground, older.map(({ table, now }) => removal(table, now) + insertion(table, now)).join('\n'));
    expect(await told()).toEqual([]);

    await tamper(ground, "update meta set value = 'another' where key = 'epoch'");
    expect(await told()).toEqual([{ where: 'the stream epoch', what: "is 'another', and was 'first' when the last change was stored" }]);
    await tamper(ground, "update meta set value = 'first' where key = 'epoch'");

    const putSums = (row: typeof lastSums) => tamper(ground, `update table_sums set sums = '${row!.sums}', mac = '${row!.mac}'`);
    await putSums(oldSums);
    expect(new Set((await told()).map(({ where }) => where))).toEqual(new Set(tableNames));
    await putSums({ ...lastSums!, sums: oldSums!.sums });
    expect(await told()).toEqual([{ where: 'the sums of the tables', what: 'do not match their checksum' }]);
    await tamper(ground, 'delete from table_sums');
    expect(await told()).toEqual([{ where: 'the sums of the tables', what: 'are not there' }]);
    await ground.clear();
  });
});

const same = (table: TableName, a: AnyRow, b: AnyRow): boolean => keyOf(table).every((column) => a[column] === b[column]);
