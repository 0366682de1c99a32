// Starts a hub from the environment: what `parley up` runs.

import { readConfig } from './config.ts';
import { type Hub, type HubOverrides, startHub, version } from './hub.ts';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

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

interface UpOptions extends Pick<HubOverrides, 'mount' | 'peers' | 'acceptLoss' | 'peersHere' | 'newSecretsKey' | 'onProgress'> {
  demo?: boolean;
}

/** `verify` exits with the same status. */
const damagedStatus = 74;

/** Resolves when the hub is up; it then runs until a signal stops it, or until its database has lost facts. */
export async function up(
  env: Record<string, string | undefined>,
  { demo = false, ...services }: UpOptions = {},
  announce: (arrival: StartReport) => void = inWords,
): Promise<void> {
  const config = readConfig(env);
  let stopping = false;
  const running: { hub?: Hub } = {};
  const hub = (running.hub = await startHub(config, { ...services, onLoss: ({ message }) => stop(message, damagedStatus) }));
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
  function stop(why: string, status: number): void {
    if (stopping && status === 0) process.exit(1);
    if (stopping) return;
    stopping = true;
    process.stderr.write(`\n${why}\n`);
    (running.hub?.stop() ?? Promise.resolve()).then(
      () => process.exit(status),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
      },
    );
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop(`${signal}: finishing what was begun…`, 0));
}

/** A way in is for operators without one: in every other log it would only lie about. */
function inWords({ version: which, url, engine, dataDir, link, ownerIsIn }: StartReport): void {
  const where = engine === 'sqlite' ? `${dataDir} (SQLite)` : `PostgreSQL, files in ${dataDir}`;
  const comeIn = ownerIsIn
    ? 'To sign in from another browser: `npx parley link` prints a link that works once.'
    : `Open this link to come in (it works once; \`npx parley link\` prints another):\n\n    ${link}`;
  process.stdout.write(`Parley ${which} is up at ${url}\n  data: ${where}\n\n  ${comeIn}\n\n  Stop with Ctrl-C.\n`);
}

// Loading leaves garbage behind, and room that grew for it: some 25 MB that V8 would give back only after a while of
// quiet. A hub that has just come up has that quiet.

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

function releaseAfterStart(): void {
  // An engine without it keeps the room a while longer. Set only for this call: code that is loaded under other flags is not found in the compile cache.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext("typeof gc === 'function' ? gc : undefined") as Collect | undefined;
  setFlagsFromString('--no-expose-gc');
  collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
