// A relay on a free port, in a folder that outlives a restart.

import { hash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { RelayNames } from '@parley/testkit/relay';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { inviteTo, openRelayFolder, readRelayConfig, type ServedRelay, serveRelay } from '@parley/relay';

export interface TestRelay {
  folder: string;
  served: ServedRelay;
  /** Added to the real time. */
  ahead: number;
  invite(): Promise<string>;
  stop(): Promise<void>;
  /** Takes frames off its disk, by their place in the queue; only while it is stopped. */
  lose(...places: number[]): void;
  /** On the port it had, as people know it. */
  start(): Promise<void>;
}

export async function startRelay(env: Record<string, string> = {}, network?: Parameters<typeof serveRelay>[3]): Promise<TestRelay> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-line-'));
  const serve = (port: string): Promise<ServedRelay> =>
    serveRelay(
      readRelayConfig({
        PARLEY_RELAY_DATA: folder,
        PARLEY_RELAY_CONNECTIONS_PER_MINUTE: '10000',
        PARLEY_RELAY_REQUESTS_PER_MINUTE: '10000',
        PARLEY_RELAY_LOOKUPS_PER_MINUTE: '10000',
        ...env,
        PARLEY_RELAY_PORT: port,
      }),
      pino({ level: 'silent' }),
      () => Date.now() + relay.ahead,
      network,
    );
  const relay: TestRelay = {
    folder,
    served: undefined as never,
    ahead: 0,
    invite: async () => {
      const { store } = openRelayFolder(folder);
      const { code } = await inviteTo(store, Date.now() + relay.ahead);
      await store.close();
      return code;
    },
    stop: () => relay.served.close(),
    lose: (...places) => {
      const db = new DatabaseSync(join(folder, 'relay.db'));
      const rows = db.prepare('SELECT sequence FROM queue ORDER BY sequence').all() as { sequence: number }[];
      for (const place of places) db.prepare('DELETE FROM queue WHERE sequence = ?').run(rows[place]!.sequence);
      db.close();
    },
    start: async () => void (relay.served = await serve(new URL(relay.served.url).port)),
  };
  relay.served = await serve('0');
  onTestFinished(async () => {
    await relay.served.close();
    await rm(folder, { recursive: true, force: true });
  });
  return relay;
}

/** Relays under these names that find each other. */
export async function federatedRelays<const N extends readonly string[]>(...names: N): Promise<{ [I in keyof N]: TestRelay }> {
  const places = new RelayNames();
  const relays = names.map(async (name) => {
    const env = { PARLEY_RELAY_NAME: name, PARLEY_RELAY_FEDERATION: 'on', PARLEY_RELAY_FEDERATION_PRIVATE: '1' };
    const relay = await startRelay(env, { dial: places.dial, backoff: { firstMs: 10, maxMs: 50 } });
    places.set(name, () => Number(new URL(relay.served.url).port));
    return relay;
  });
  return (await Promise.all(relays)) as { [I in keyof N]: TestRelay };
}

/** A ticket, as the account page makes one. */
export function ticketIn(code: string): { codeHash: string; expiresAt: number } {
  return { codeHash: hash('sha256', code, 'base64url'), expiresAt: Date.now() + 60_000 };
}

/** Somebody who made a passkey at the relay; their first ticket is `first`. */
export async function holdName(relay: TestRelay, address: string): Promise<void> {
  const holder = { address, userHandle: 'handle', email: 'bob@example.org', createdAt: Date.now(), connectedAt: null };
  const passkey = { id: 'passkey', address, publicKey: new Uint8Array(1), counter: 0 };
  const { codeHash } = ticketIn(await relay.invite());
  expect(await relay.served.relay.store.hold(holder, passkey, codeHash, ticketIn('first'))).toBe('free');
}
