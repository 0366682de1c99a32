// A relay on a free port, in a folder that outlives a restart.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { ClientOptions } from 'ws';
import { inviteTo, openRelayStore, readRelayConfig, type RelayConfig, type ServedRelay, serveRelay } from '../../src/index.ts';
import { type RelayIdentity, newIdentity, RelayClient } from '@parley/testkit/relay';
import { natsSettings } from './nats.ts';

/** For its metrics. */
export const scraping = { headers: { authorization: 'Bearer a-token-for-prometheus' } };

export class TestRelay {
  readonly folder: string;
  readonly env: Record<string, string>;
  /** Added to the real time. */
  ahead = 0;
  clientOptions: ClientOptions = {};
  served!: ServedRelay;
  readonly log: string[] = [];
  private readonly clients: RelayClient[] = [];

  constructor(folder: string, env: Record<string, string>) {
    this.folder = folder;
    this.env = env;
  }

  private readonly logger = pino({ level: 'debug' }, { write: (line: string) => void this.log.push(line) });

  private get config(): RelayConfig {
    return readRelayConfig({
      PARLEY_RELAY_PORT: '0',
      PARLEY_RELAY_DATA: this.folder,
      PARLEY_RELAY_CONNECTIONS_PER_MINUTE: '10000',
      PARLEY_METRICS_TOKEN: 'a-token-for-prometheus',
      ...this.env,
    });
  }

  network: NonNullable<Parameters<typeof serveRelay>[3]> = {};

  async start(): Promise<void> {
    this.served = await serveRelay(this.config, this.logger, () => Date.now() + this.ahead, this.network);
  }

  async restart(): Promise<void> {
    await this.served.close();
    await this.start();
  }

  async invite(): Promise<string> {
    const store = await openRelayStore(this.config, this.logger);
    const { code } = await inviteTo(store, Date.now() + this.ahead);
    await store.close();
    return code;
  }

  async connect(): Promise<RelayClient> {
    const client = await RelayClient.connect(this.served.url, this.clientOptions);
    this.clients.push(client);
    return client;
  }

  /** Registers somebody new and leaves. */
  async registered(name: string): Promise<RelayIdentity> {
    const who = newIdentity(name, this.env['PARLEY_RELAY_NAME']);
    const client = await this.connect();
    const answer = await client.register(who, await this.invite());
    if (answer.type !== 'ready') throw new Error(JSON.stringify(answer));
    await client.leave();
    return who;
  }

  async loggedIn(who: RelayIdentity): Promise<RelayClient> {
    const client = await this.connect();
    const answer = await client.login(who);
    if (answer.type !== 'ready') throw new Error(JSON.stringify(answer));
    return client;
  }

  async close(): Promise<void> {
    for (const client of this.clients) client.socket.terminate();
    await this.served.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A relay that ends with its test. */
export async function startRelay(env: Record<string, string> = {}): Promise<TestRelay> {
  const relay = new TestRelay(await mkdtemp(join(tmpdir(), 'parley-relay-')), { ...natsSettings(), ...env });
  await relay.start();
  onTestFinished(() => relay.close());
  return relay;
}
