// The row of sums on PostgreSQL. Every group writes it, so it is read and written under the lock that numbers the facts.

import pg, { type PoolClient, type QueryResult } from 'pg';
import { summedSince } from '../migrations.ts';
import { storedHead, type HeadRow, readHead, type StoredSums, type SumBook, SumChanges } from '../table-sums.ts';
import { tableNames } from '../tables.ts';
import { scanWith } from './bulk.ts';

const sequenceLock = 7440_0002;

interface GroupHead extends HeadRow {
  seq: number | null;
  lastSum: string | null;
}
const headQuery = `select head.*, seq, sum as "lastSum" from (${readHead}) as head
  left join lateral (select seq, sum from facts order by seq desc limit 1) as last on true`;

export const headNow = async (client: PoolClient): Promise<GroupHead> => (await client.query<GroupHead>(headQuery)).rows[0]!;

/** Waits for its turn first. Two statements: in one, the snapshot would be older than the lock. */
export async function lockedHead(client: PoolClient): Promise<GroupHead> {
  const answers = (await client.query(
    `select pg_advisory_xact_lock(${sequenceLock}); ${headQuery}`,
  )) as unknown as QueryResult<GroupHead>[];
  return answers[1]!.rows[0]!;
}

/** Literals instead of parameters, so that it travels with another statement: both texts are only base64, names and numbers. */
export const sumsUpdate = (next: StoredSums | undefined): string =>
  next ? `update table_sums set sums = ${pg.escapeLiteral(next.sums)}, mac = ${pg.escapeLiteral(next.mac)}` : '';

/** Once, at the upgrade from schema `from`: where the sums are gone later, somebody removed them, and `verify` says so. */
export async function beginSums(client: PoolClient, book: SumBook, from: number): Promise<void> {
  const { epoch, sums, seq } = await headNow(client);
  if (sums !== null || (from >= summedSince && seq !== null)) return;
  const all = new SumChanges();
  // A new database has no rows yet.
  for (const table of from > 0 ? tableNames : [])
    for await (const rows of scanWith(client)(table)) for (const row of rows) all.add(table, String(row['sum']));
  const first = book.write({ epoch, tables: all.appliedTo({}) });
  await client.query('insert into table_sums (id, sums, mac) values (1, $1, $2)', [first.sums, first.mac]);
}

/** After a restore, the sums are replaced by those of the restored rows. */
export async function setSums(client: PoolClient, book: SumBook, restored: SumChanges): Promise<void> {
  const { epoch } = await headNow(client);
  await client.query(sumsUpdate(book.write({ epoch, tables: restored.appliedTo({}) })));
}

export async function setEpoch(client: PoolClient, book: SumBook, epoch: string): Promise<void> {
  const { sums } = storedHead(await lockedHead(client));
  await client.query("update meta set value = $1 where key = 'epoch'", [epoch]);
  await client.query(sumsUpdate(book.renamed(sums, epoch)));
}
