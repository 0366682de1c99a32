import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, onTestFinished } from 'vitest';
import type { RelayStore } from '../../src/store/port.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { storeContract } from './store-contract.ts';

describe('the store in SQLite', () => {
  storeContract(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-relay-store-'));
    const open: RelayStore[] = [];
    onTestFinished(async () => {
      for (const store of open) await store.close();
      await rm(folder, { recursive: true });
    });
    const another = async (): Promise<RelayStore> => {
      open.push(openSqliteStore(join(folder, 'relay.db')));
      return open.at(-1)!;
    };
    return { store: await another(), another };
  });
});
