import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openNatsStore } from '../../src/store/nats/store.ts';
import type { RelayStore } from '../../src/store/port.ts';
import { needNats, newPrefix } from '../kit/nats.ts';
import { type StoreGround, storeContract } from './store-contract.ts';

async function ground(servers: string, snapshotEvery?: number): Promise<StoreGround> {
  const prefix = newPrefix();
  const open: RelayStore[] = [];
  onTestFinished(async () => {
    for (const store of open) await store.close();
  });
  const another = async (): Promise<RelayStore> => {
    const log = pino({ level: 'error' }, pino.destination(2));
    open.push(await openNatsStore({ servers, prefix, replicas: 1, log, ...(snapshotEvery ? { snapshotEvery } : {}) }));
    return open.at(-1)!;
  };
  return { store: await another(), another };
}

describe('the store on NATS JetStream', () => {
  storeContract((skip) => ground(needNats(skip)));

  // Snapshots come so often here that every test starts from one.
  describe('with a snapshot after every third entry', () => {
    storeContract((skip) => ground(needNats(skip), 3));
  });
});

test('[SYS-7] a process that starts late has the registry of the others, from a snapshot and the log after it', async ({ skip }) => {
  const { store, another } = await ground(needNats(skip), 10);
  const codes = Array.from({ length: 25 }, (_, n) => `code${n}`);
  for (const code of codes) await store.invite(code, 100);
  const late = await another();
  const answers = await Promise.all(codes.map((code, n) => late.mayHold(`agent:n${n}@x`, code, 10)));
  expect(answers).toEqual(codes.map(() => 'free'));
});
