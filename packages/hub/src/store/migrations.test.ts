import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { pendingMigrations, schemaVersion } from './migrations.ts';
import { columnsOf, specOf, tableNames } from './tables.ts';

const migrated = (): DatabaseSync => {
  const db = new DatabaseSync(':memory:');
  for (const step of pendingMigrations(0, 'sqlite')) for (const statement of step.statements) db.exec(statement);
  return db;
};

test('[SYS-15] the schema that migrations make is the one the tables describe', () => {
  const db = migrated();
  for (const table of tableNames) {
    const columns = db.prepare(`pragma table_info(${table})`).all() as { name: string; notnull: number; pk: number }[];
    expect(columns.map((c) => c.name).toSorted(), table).toEqual([...columnsOf(table), 'sum'].toSorted());
    for (const { name, notnull, pk } of columns) {
      const nullable = name !== 'sum' && specOf(table).columns[name]!.endsWith('?');
      expect(notnull === 1 || pk > 0, `${table}.${name}`).toBe(!nullable);
    }
  }
});

test('[SYS-4] every lookup has an index, and a unique one is enforced', () => {
  const db = migrated();
  for (const table of tableNames) {
    const indexes = (db.prepare(`pragma index_list(${table})`).all() as { name: string; unique: number }[]).map(({ name, unique }) => ({
      unique: unique === 1,
      columns: (db.prepare(`pragma index_info(${name})`).all() as { name: string }[]).map((c) => c.name),
    }));
    for (const [lookup, { columns, unique }] of Object.entries(specOf(table).lookups)) {
      const found = indexes.find((index) => columns.every((column, i) => index.columns[i] === column) && (!unique || index.unique));
      expect(found, `${table} by ${lookup}`).toBeDefined();
    }
  }
});

test('[SYS-4] an index that has only what names somebody, or a place, finds it', () => {
  const db = migrated();
  const plan = (sql: string): string =>
    (db.prepare(`explain query plan ${sql}`).all() as { detail: string }[]).map(({ detail }) => detail).join('\n');
  for (const [sql, index] of [
    [
      "select * from facts where conversation_id = ? and seq > ? and seq <= ? and type = 'message.posted' order by seq desc limit 9",
      'facts_conversation',
    ],
    ['select * from facts where conversation_id in (select value from json_each(?)) order by seq', 'facts_conversation'],
    ["select * from facts where member_id = ? and seq > ? and type in ('a', 'b') order by seq limit 10", 'facts_member'],
    ["select * from facts where member_id = ? and subject_id = ? and type = 'notice' order by seq", 'facts_'],
    ['select * from events where by_id = ? order by id', 'events_by'],
    ['select id from events where by_id = ? limit 200', 'events_by'],
  ] as const)
    expect(plan(sql)).toContain(`INDEX ${index}`);
  // In the order of the index already.
  expect(plan('select * from facts where member_id = ? and seq > ? order by seq')).not.toContain('TEMP B-TREE');
});

test('[SYS-15] a database of a newer version is refused, one of this version needs nothing', () => {
  expect(() => pendingMigrations(schemaVersion + 1, 'sqlite')).toThrow('newer version of Parley');
  expect(pendingMigrations(schemaVersion, 'postgres')).toEqual([]);
});
