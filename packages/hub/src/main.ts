// Starts a hub from the environment: what `parley up` runs.

import { readConfig } from './config.ts';
import type { MountService } from './doors/mounted-service.ts';
import type { PeerHost } from './peers/port.ts';
import { startHub, version } from './hub.ts';
import { releaseAfterStart } from './startup-memory.ts';

export interface StartReport {
  version: string;
  url: string;
  engine: 'sqlite' | 'postgres';
  dataDir: string;
  pid: number;
  /** Works once: for the first owner to come in, or for the owner to sign in again. */
  link: string;
  /** An owner is signed in already, and needs no link. */
  ownerIsIn: boolean;
}

/** Resolves when the hub is up; it then runs until a signal stops it. */
export async function up(
  env: Record<string, string | undefined>,
  { demo = false, ...services }: { demo?: boolean; mount?: MountService | undefined; peers?: PeerHost | undefined } = {},
  announce: (arrival: StartReport) => void = inWords,
): Promise<void> {
  const config = readConfig(env);
  const hub = await startHub(config, services);
  announce({
    version,
    url: config.publicUrl ?? hub.url,
    engine: hub.kernel.store.engine,
    dataDir: config.dataDir,
    pid: process.pid,
    link: await hub.ownerLink(),
    ownerIsIn: await hub.ownerIsIn(),
  });
  if (demo) await hub.kernel.story.playOnArrival();
  releaseAfterStart();
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

/** A way in is for operators without one: in every other log it would only lie about. */
function inWords({ version: which, url, engine, dataDir, link, ownerIsIn }: StartReport): void {
  const where = engine === 'sqlite' ? `${dataDir} (SQLite)` : `PostgreSQL, files in ${dataDir}`;
  const comeIn = ownerIsIn
    ? 'To sign in from another browser: `npx parley link` prints a link that works once.'
    : `Open this link to come in (it works once; \`npx parley link\` prints another):\n\n    ${link}`;
  process.stdout.write(`Parley ${which} is up at ${url}\n  data: ${where}\n\n  ${comeIn}\n\n  Stop with Ctrl-C.\n`);
}
