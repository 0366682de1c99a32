// Servers of NATS that have just started, and servers that are gone.

import { startNats } from '@parley/testkit/nats';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openNatsStore } from '../../src/store/nats/store.ts';
import type { RelayStore } from '../../src/store/port.ts';
import { needNats, newPrefix } from '../kit/nats.ts';

const log = pino({ level: 'silent' });
const open = (servers: string, prefix: string, replicas: number): Promise<RelayStore> => openNatsStore({ servers, prefix, replicas, log });

test('[SYS-7] processes that start at once on an empty cluster share its streams', { timeout: 120_000 }, async ({ skip }) => {
  needNats(skip);
  const nats = (await startNats(3))!;
  onTestFinished(() => nats.stop());
  const servers = nats.url.split(',');
  for (let rounds = 0; rounds < 5; rounds += 1) {
    const prefix = newPrefix();
    // Each is connected to another server.
    const started = servers.map(async (_, first) => {
      const store = await open([...servers.slice(first), ...servers.slice(0, first)].join(','), prefix, 3);
      const { key } = await store.others!.agreeOn({ name: 'relay.example', key: String(first) });
      await store.invite(`code of ${first}`, 1);
      await store.close();
      return key;
    });
    expect(new Set(await Promise.all(started)).size).toBe(1);
  }
});

test('[SYS-7] a process ends without its servers', async ({ skip }) => {
  needNats(skip);
  const nats = (await startNats())!;
  onTestFinished(() => nats.stop());
  const store = await open(nats.url, newPrefix(), 1);
  await nats.servers[0]!.kill();
  await expect(store.accounts()).rejects.toThrow();
  await store.close();
});
