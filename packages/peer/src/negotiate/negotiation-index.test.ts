import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Negotiation, openNegotiation } from '@parley/core/negotiation';
import { expect, onTestFinished, test } from 'vitest';
import type { PeerStore } from '../store/port.ts';
import { openPeerFolder } from '../store/sqlite/peer-folder.ts';
import { NegotiationIndex } from './negotiation-index.ts';
import { newMachine, putMachine } from './negotiation-records.ts';

const peer = 'agent:bob@localhost';
const threadOf = (n: number): string => `thr_${String(n).padStart(10, '0')}`;
const machineOf = (n: number, state: Negotiation['state'] = 'COMPLETED') => {
  const opening = { threadId: threadOf(n), own: 'agent:ann@localhost', peer, role: 'initiator' } as const;
  return newMachine({ ...openNegotiation(opening, 1_800_000_000_000), state });
};

/** 300 that are over, with an open one among the oldest. */
async function start(): Promise<{ index: NegotiationIndex; store: PeerStore; read: () => number }> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-index-'));
  const stored = await openPeerFolder(folder, undefined);
  onTestFinished(async () => {
    await stored.close();
    rmSync(folder, { recursive: true });
  });
  await stored.commit(Array.from({ length: 300 }, (_, n) => putMachine(machineOf(n, n === 3 ? 'NEGOTIATING' : 'COMPLETED'))));
  let count = 0;
  const store: PeerStore = {
    ...stored,
    get: async (kind, key) => {
      count += 1;
      return stored.get(kind, key);
    },
    list: async (kind, after, most) => {
      const page = await stored.list(kind, after, most);
      count += page.length;
      return page;
    },
  };
  const read = (): number => {
    const was = count;
    count = 0;
    return was;
  };
  return { index: new NegotiationIndex(store), store, read };
}

test('[A2C-34] a look, a packet and a tick do not open every negotiation that ever was', async () => {
  const { index, store, read } = await start();
  expect(await index.unfinished()).toEqual([`${peer}/${threadOf(3)}`]);
  expect(read()).toBe(300);
  expect((await index.find(threadOf(7)))?.machine.threadId).toBe(threadOf(7));
  expect([await index.find('thr_unknown'), await index.unfinished(), read()]).toEqual([undefined, [`${peer}/${threadOf(3)}`], 1]);
  const recent = (await index.recent(10)).map(({ machine }) => machine.threadId);
  expect([recent.length, recent[0], recent.at(-1), read()]).toEqual([11, threadOf(3), threadOf(299), 11]);

  const opened = machineOf(300, 'NEGOTIATING');
  await store.commit([putMachine(opened)]);
  await index.add(opened);
  expect(await index.unfinished()).toHaveLength(2);
  const { createdAt = 0 } = opened;
  expect([await index.openings(createdAt - 1), await index.openings(createdAt)]).toEqual([
    { unfinished: 2, opened: 301 },
    { unfinished: 2, opened: 0 },
  ]);
  index.note(`${peer}/${threadOf(300)}`, machineOf(300));
  expect([await index.unfinished(), read()]).toEqual([[`${peer}/${threadOf(3)}`], 0]);
});

test('one that another process put there is found when it is asked for', async () => {
  const { index, store } = await start();
  await index.unfinished();
  await store.commit([putMachine(machineOf(301))]);
  expect([await index.find(threadOf(301)), (await index.findAnew(threadOf(301)))?.machine.threadId]).toEqual([undefined, threadOf(301)]);
});
