// A hub of its own process that is killed (SIGKILL) at a named command, and started again on the same data.

import { fileURLToPath } from 'node:url';
import { openDataDir, openStore, type Store } from '@parley/hub';
import type { AgentParams } from '@parley/protocol';
import { ChildHub, freshGround, type Ground, Person } from '@parley/testkit';
import { Wire } from '../agent-wire.ts';

const script = fileURLToPath(new URL('./attention.ts', import.meta.url));
export type When = 'before' | 'during' | 'after';

export class KilledHub {
  readonly child: ChildHub;
  private readonly ground: Ground;
  private armed = Promise.withResolvers<void>();
  private reached = Promise.withResolvers<void>();
  /** How far its clock has been moved forward. */
  private skipped = 0;

  static async on(engine: Ground['engine'], env: Record<string, string> = {}): Promise<KilledHub> {
    const hub = new KilledHub(await freshGround(engine), env);
    await hub.child.start();
    return hub;
  }

  private constructor(ground: Ground, env: Record<string, string>) {
    this.ground = ground;
    const onLine = (line: string) => ('at' in (JSON.parse(line) as object) ? this.reached : this.armed).resolve();
    // A killed process loses nothing that the system has: only a killed machine does.
    this.child = new ChildHub({ ground, script, env, sync: false, onLine });
  }

  async end(): Promise<void> {
    await this.child.end();
    await this.ground.clear();
  }

  skip(ms: number): void {
    this.skipped += ms;
    this.child.tell(`skip ${ms}`);
  }

  /** Acts, kills the hub when it reaches the command, and starts another after so long. */
  async killAt(when: When, command: string, act: () => Promise<unknown> | void, awayMs = 0): Promise<void> {
    [this.armed, this.reached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    this.child.tell(`stand ${when} ${command}`);
    await this.armed.promise;
    // The answer to the act is lost with the hub.
    const acting = Promise.resolve(act()).catch(() => {});
    await this.reached.promise;
    await this.child.kill();
    await acting;
    this.skipped += awayMs;
    await this.child.start([`skip ${this.skipped}`]);
  }

  /** The person on the hub that runs now. */
  async now(who: Person): Promise<Person> {
    return new Person((await this.child.up()).url, who.token, who.id, who.handle);
  }

  async connect(who: Person, params: AgentParams<'initialize'> = {}): Promise<Wire> {
    return Wire.hello(await this.now(who), params);
  }

  async agent(owner: Person, handle: string): Promise<Person> {
    const operator = await this.child.operator();
    const member = await operator.call('addMember', { body: { kind: 'agent', handle, displayName: handle, ownerId: owner.id } });
    const { secret } = await operator.call('createToken', { body: { kind: 'agent', memberId: member.id, label: 'test' } });
    return new Person(operator.url, secret, member.id, handle);
  }

  async inStore<R>(look: (store: Store) => Promise<R>): Promise<R> {
    const { dataDir, databaseUrl } = this.ground;
    const store = await openStore({ dataDir: await openDataDir(dataDir), databaseUrl, epoch: 'unused' });
    try {
      return await look(store);
    } finally {
      await store.close();
    }
  }
}
