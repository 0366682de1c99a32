// Asks the databases for the plans of statements, with a hub's empty tables: what they choose by is the indexes alone.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { forPostgres, forSqlite } from '@parley/hub';
import pg from 'pg';
import { inject } from 'vitest';
import { emptySqliteTables, type Ground } from './engines.ts';
import { emptyTables, freshDatabase } from './postgres.ts';
import { doubleBounds, isMeant, postgresProblems, type PostgresNode, sqliteProblems } from './query-plans.ts';

export interface Statement {
  sql: string;
  /** Where in the product it stands. */
  at: string;
}

/** The statements whose cost grows with the stored data and is not meant to. */
export async function growingCosts(engine: Ground['engine'], statements: readonly Statement[]): Promise<string[]> {
  if (statements.length === 0) return [];
  const found = await (engine === 'sqlite' ? onSqlite(statements) : onPostgres(statements));
  return found
    .flatMap(({ sql, at, problems }) => problems.map((problem) => `${at}: ${problem}: ${sql.replaceAll(/\s+/g, ' ')}`))
    .filter((problem) => !isMeant(problem));
}

interface Found extends Statement {
  problems: string[];
}

async function onSqlite(statements: readonly Statement[]): Promise<Found[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-plans-'));
  await writeFile(join(folder, 'parley.db'), await emptySqliteTables());
  const database = new DatabaseSync(join(folder, 'parley.db'));
  try {
    const partial = database.prepare("select name, sql from sqlite_master where type = 'index' and sql like '% where %'").all();
    const conditions = new Map(partial.map(({ name, sql }) => [String(name), String(sql).split(' where ')[1]!]));
    return statements.map((statement) => {
      const steps = database.prepare(`explain query plan ${forSqlite(statement.sql)}`).all();
      const details = steps.map(({ detail }) => String(detail));
      return { ...statement, problems: [...sqliteProblems(statement.sql, details, conditions), ...doubleBounds(statement.sql)] };
    });
  } finally {
    database.close();
    await rm(folder, { recursive: true });
  }
}

async function onPostgres(statements: readonly Statement[]): Promise<Found[]> {
  const database = await freshDatabase(inject('postgresUrl'), emptyTables);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query('set enable_seqscan = off');
    const indexes = await client.query<{ name: string }>(
      'select indexrelid::regclass::text as name from pg_index where indpred is not null',
    );
    const partial = new Set(indexes.rows.map(({ name }) => name));
    const found: Found[] = [];
    for (const statement of statements) {
      const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PostgresNode }[] }>(
        `explain (generic_plan, format json) ${forPostgres(statement.sql)}`,
      );
      found.push({ ...statement, problems: postgresProblems(rows[0]!['QUERY PLAN'][0]!.Plan, partial) });
    }
    return found;
  } finally {
    await client.end();
    await database.drop();
  }
}
