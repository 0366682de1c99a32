import { openDataDir, openStore } from '@parley/hub';
import { freshGround, onEveryEngine, storeContract } from '@parley/testkit';
import { tamper } from '../kit/backup.ts';

onEveryEngine('[SYS-4] the store contract', (engine) => {
  storeContract(async () => {
    const ground = await freshGround(engine);
    const dataDir = await openDataDir(ground.dataDir);
    return {
      open: () => openStore({ dataDir, databaseUrl: ground.databaseUrl, epoch: 'test' }),
      tamper: (sql) => tamper(ground, sql),
      clear: () => ground.clear(),
    };
  });
});
