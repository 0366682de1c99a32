import pg from 'pg';
import type { Reader } from '../port.ts';

export async function schemaOf(reader: Reader): Promise<number> {
  const [row] = await reader.all<{ value: string }>("select value from meta where key = 'schema'");
  return Number(row?.value ?? 0);
}

/** The schema of a Parley database, undefined when there is none in it. */
export async function postgresSchema(url: string): Promise<number | undefined> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: found } = await client.query<{ yes: boolean }>("select to_regclass('meta') is not null as yes");
    if (!found[0]!.yes) return undefined;
    const { rows } = await client.query<{ value: string }>("select value from meta where key = 'schema'");
    return Number(rows[0]?.value ?? 0);
  } finally {
    await client.end();
  }
}
