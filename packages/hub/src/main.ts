// Starts a hub from the environment: what `parley up` runs.

import { readConfig } from './config.ts';
import { startHub, version } from './hub.ts';

export async function up(env: Record<string, string | undefined>): Promise<void> {
  const config = readConfig(env);
  const hub = await startHub(config);
  const where = config.databaseUrl === undefined ? `${config.dataDir} (SQLite)` : `PostgreSQL, files in ${config.dataDir}`;
  process.stdout.write(
    `Parley ${version} is up at ${config.publicUrl ?? hub.url}\n  data: ${where}\n\n  Open this link to come in (it works once):\n\n    ${await hub.ownerLink()}\n\n  Stop with Ctrl-C.\n`,
  );
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    process.stderr.write(`\n${signal}: finishing what was begun…\n`);
    hub.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}
