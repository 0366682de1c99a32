// A hub in a child process that can be killed and started again, any number of times, on the same data.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Ground } from '../store/engines.ts';
import { Person, testSettings } from '../hub.ts';
import type { Mutant } from './child.ts';

const child = fileURLToPath(new URL('./child.ts', import.meta.url));
/** Shared with the launcher: without it, a start spends most of its time on taking types out of TypeScript. */
const compileCache = fileURLToPath(new URL('../../../../node_modules/.cache/parley-node', import.meta.url));

export interface ChildHubOptions {
  ground: Pick<Ground, 'dataDir' | 'databaseUrl'>;
  /** Off: SQLite does not sync, and a loss of power loses what was acked. */
  sync?: boolean;
  mutant?: Mutant;
  /** The hub continues with a database that lost facts, because the verdict names them instead. */
  acceptLoss?: boolean;
  env?: Record<string, string>;
  /** Put before the command, to run it in other surroundings. */
  prefix?: string[];
  /** The program to run instead of the usual one; it starts on a line from us and says where it is on a line of its own. */
  script?: string;
  /** Gets the later lines of the hub's output. */
  onLine?: (line: string) => void;
}

interface Ready {
  url: string;
  operatorKey: string;
}

export class ChildHub {
  private readonly options: ChildHubOptions;
  private current: ChildProcess | undefined;
  private standby: ChildProcess | undefined;
  private ready = Promise.withResolvers<Ready>();
  private isUp = false;
  /** Everything the children wrote to stderr. */
  log = '';

  constructor(options: ChildHubOptions) {
    this.options = options;
    this.standby = this.spawn();
  }

  private spawn(): ChildProcess {
    const { ground, sync, mutant, acceptLoss, env, prefix = [], script = child } = this.options;
    const [command, ...args] = [...prefix, process.execPath, '--no-warnings', script];
    const spawned = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: compileCache,
        ...testSettings(ground),
        ...(sync === false ? { PARLEY_TEST_SYNC: 'off' } : {}),
        ...(mutant ? { PARLEY_TEST_MUTANT: mutant } : {}),
        ...(acceptLoss ? { PARLEY_TEST_ACCEPT_LOSS: '1' } : {}),
        ...env,
      },
    });
    spawned.stderr.on('data', (chunk: Buffer) => (this.log += chunk.toString()));
    // Writing to one that was killed is no news.
    spawned.stdin.on('error', () => {});
    return spawned;
  }

  get pid(): number {
    return this.current!.pid!;
  }

  /** Lets the waiting process start; does not wait for it. It gets `orders` before. */
  begin(orders: string[] = []): void {
    const starting = this.standby ?? this.spawn();
    this.standby = undefined;
    this.current = starting;
    createInterface(starting.stdout!).on('line', (line) => {
      if (this.current !== starting) return;
      const message = JSON.parse(line) as Partial<Ready>;
      if (message.url === undefined) return this.options.onLine?.(line);
      this.isUp = true;
      this.ready.resolve(message as Ready);
    });
    starting.once('exit', (code, signal) => {
      // Nobody but us may end it: a test that waits for a hub gets the error, instead of waiting for ever.
      if (this.current !== starting) return;
      if (this.isUp) this.ready = Promise.withResolvers<Ready>();
      this.isUp = false;
      this.ready.promise.catch(() => {});
      this.ready.reject(new Error(`The hub ended by itself (${code ?? signal}):\n${this.log.slice(-4000)}`));
    });
    starting.stdin!.write([...orders, 'start', ''].join('\n'));
  }

  /** A line to the running program. */
  tell(line: string): void {
    this.current!.stdin!.write(`${line}\n`);
  }

  /** Resolves when there is a hub that answers: now, or after the next start. */
  up(): Promise<Ready> {
    return this.ready.promise;
  }

  async start(orders: string[] = []): Promise<Ready> {
    this.begin(orders);
    return this.up();
  }

  /** SIGKILL, and the process is gone when this resolves. A new one warms up meanwhile when `next` is set. */
  async kill(next = true): Promise<void> {
    const dying = this.current!;
    this.current = undefined;
    // Callers that wait for a hub that was killed while it started continue to wait for the next one.
    if (this.isUp) this.ready = Promise.withResolvers<Ready>();
    this.isUp = false;
    const exit = dying.exitCode === null && dying.signalCode === null ? once(dying, 'exit') : undefined;
    dying.kill('SIGKILL');
    if (next) this.standby ??= this.spawn();
    await exit;
  }

  /** Has a new process load its code now, beside the running one. */
  warm(): void {
    this.standby ??= this.spawn();
  }

  async end(): Promise<void> {
    this.standby?.kill('SIGKILL');
    this.standby = undefined;
    if (this.current) await this.kill(false);
  }

  async operator(): Promise<Person> {
    const { url, operatorKey } = await this.up();
    return new Person(url, operatorKey, '', 'operator');
  }

  async person(handle: string, role: 'owner' | 'admin' | 'member' | 'guest' = 'member'): Promise<Person> {
    const operator = await this.operator();
    const member = await operator.call('addMember', { body: { kind: 'human', handle, displayName: handle, role } });
    const { secret } = await operator.call('createToken', { body: { kind: 'person', memberId: member.id, label: 'test' } });
    return new Person(operator.url, secret, member.id, handle);
  }
}
