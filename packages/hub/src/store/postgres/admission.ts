// Asked of each new connection of a pool before anybody gets it: the server behind the address may be another by then.

import type { PoolClient, PoolConfig } from 'pg';
import type { AdmitDatabase, Statements } from '../port.ts';
import { hasTables } from '../reads/schema.ts';
import { forPostgres } from '../statements.ts';

export const admission = (admit: AdmitDatabase): PoolConfig['verify'] => {
  const ask = async (client: PoolClient): Promise<void> => {
    const found: Statements = {
      all: async <R>(text: string, params: unknown[] = []) => (await client.query(forPostgres(text), params)).rows as R[],
    };
    await admit((await hasTables(found, 'postgres')) ? found : undefined);
  };
  return (client, done) => {
    ask(client).then(() => done(), done);
  };
};
