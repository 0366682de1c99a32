import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { openDataDir, openStore } from '@parley/hub';
import { freshGround, onEveryEngine, storeContract } from '@parley/testkit';
import pg from 'pg';

onEveryEngine('[SYS-4] the store contract', (engine) => {
  storeContract(async () => {
    const ground = await freshGround(engine);
    const dataDir = await openDataDir(ground.dataDir);
    return {
      open: () => openStore({ dataDir, databaseUrl: ground.databaseUrl, epoch: 'test' }),
      tamper: async (sql) => {
        if (ground.databaseUrl === undefined) {
          const db = new DatabaseSync(join(ground.dataDir, 'parley.db'));
          db.exec(sql);
          db.close();
          return;
        }
        const client = new pg.Client({ connectionString: ground.databaseUrl });
        await client.connect();
        await client.query(sql);
        await client.end();
      },
      clear: () => ground.clear(),
    };
  });
});
