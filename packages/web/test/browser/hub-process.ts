// The hub as people run it: the launcher in a process of its own, which a test may kill without a word.

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freshGround } from '@parley/testkit';
import { freePort } from '@parley/testkit/free-port';
import type { Ground } from '@parley/testkit';

const launcher = fileURLToPath(new URL('../../../cli/bin/parley.mjs', import.meta.url));

export class HubProcess {
  readonly url: string;
  /** The one-time link of the latest start; empty once somebody has come in. */
  link = '';
  readonly #ground: Ground;
  readonly #port: number;
  #child: ChildProcess | undefined;
  #log = '';

  private constructor(ground: Ground, port: number) {
    this.#ground = ground;
    this.#port = port;
    this.url = `http://localhost:${port}`;
  }

  get dataDir(): string {
    return this.#ground.dataDir;
  }

  static async start(engine: Ground['engine']): Promise<HubProcess> {
    const hub = new HubProcess(await freshGround(engine), await freePort());
    await hub.up();
    return hub;
  }

  async up(): Promise<void> {
    this.#log = '';
    const { dataDir, databaseUrl } = this.#ground;
    const child = spawn(process.execPath, [launcher, 'up'], {
      env: {
        ...process.env,
        PARLEY_PORT: String(this.#port),
        PARLEY_DATA: dataDir,
        PARLEY_WORKSPACE: 'Northwind',
        PARLEY_COMPOSE_MS: '0',
        // Two people who type as fast as a test does, from one address.
        PARLEY_WRITES_PER_MINUTE: '60000',
        PARLEY_READS_PER_MINUTE: '60000',
        PARLEY_STRANGERS_PER_MINUTE: '60000',
        ...(databaseUrl === undefined ? {} : { PARLEY_DATABASE_URL: databaseUrl }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (this.#log += chunk.toString()));
    for (let waited = 0; waited < 30_000; waited += 50) {
      if (this.#log.includes('Stop with Ctrl-C.')) {
        // Only said while nobody has come in.
        this.link = new RegExp(`${this.url}/join#\\S+`).exec(this.#log)?.[0] ?? '';
        return;
      }
      if (child.exitCode !== null) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`the hub did not come up:\n${this.#log}`);
  }

  async down(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    // One that does not go must not outlive the test, nor pass for one that does.
    const stuck = setTimeout(() => child.kill('SIGKILL'), 20_000);
    const [, by] = (await gone) as [number | null, string | null];
    clearTimeout(stuck);
    if (signal === 'SIGTERM' && by === 'SIGKILL') throw new Error(`the hub did not stop:\n${this.log}`);
  }

  /** What the hub said last, for when a test wants to know why. */
  get log(): string {
    return this.#log.replaceAll(/join#\S+/g, 'join#…').slice(-4_000);
  }

  async clear(): Promise<void> {
    await this.down('SIGTERM');
    await this.#ground.clear();
  }
}
