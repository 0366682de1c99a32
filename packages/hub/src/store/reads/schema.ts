import type { Head, Statements } from '../port.ts';

const metaTable = {
  sqlite: "select 1 as yes from sqlite_master where name = 'meta'",
  postgres: "select 1 as yes where to_regclass('meta') is not null",
};

/** Whether the database has the tables of a hub. */
export async function hasTables(reader: Statements, engine: keyof typeof metaTable): Promise<boolean> {
  return (await reader.all(metaTable[engine])).length > 0;
}

/** The end of the chain of facts; works on earlier schemas too. */
export async function headOf(reader: Statements): Promise<Head> {
  const [row] = await reader.all<Head>(
    "select (select value from meta where key = 'epoch') as epoch, coalesce((select max(seq) from facts), 0) as seq",
  );
  return row!;
}

export async function schemaOf(reader: Statements): Promise<number> {
  const [row] = await reader.all<{ value: string }>("select value from meta where key = 'schema'");
  return Number(row?.value ?? 0);
}

/** The schema of a Parley database, undefined when there is none in it. */
export async function postgresSchema(url: string): Promise<number | undefined> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const reader: Statements = { all: async <R>(sql: string) => (await client.query(sql)).rows as R[] };
    return (await hasTables(reader, 'postgres')) ? await schemaOf(reader) : undefined;
  } finally {
    await client.end();
  }
}
