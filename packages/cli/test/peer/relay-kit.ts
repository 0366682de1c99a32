// A relay on a free port, in a folder that outlives a restart.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
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

export async function startRelay(env: Record<string, string> = {}): Promise<TestRelay> {
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
