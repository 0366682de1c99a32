import { expect, test } from 'vitest';
import { carryCanaries } from './canary-kit.ts';

test('[A2C-3] nothing of a sealed packet is in the relay’s files, its log or on its socket', async () => {
  const relay = await carryCanaries({ isSealed: true });
  expect(relay.arrived).toBe(2);
  const hits = await relay.hits();
  expect(Object.keys(hits)).toEqual(expect.arrayContaining(['relay.db', 'relay.db-wal', 'socket']));
  expect(Object.entries(hits).filter(([, words]) => words.length > 0)).toEqual([]);
  const { log, hits: inLog } = await relay.hitsInLog();
  expect(log).toContain('"url"');
  expect(inLog).toEqual([]);
});

test('[A2C-3] with the seal switched off the same search finds each word of it, except in the log', async () => {
  const relay = await carryCanaries({ isSealed: false });
  expect(relay.arrived).toBe(2);
  const { socket, 'relay.db-wal': waiting } = await relay.hits();
  expect(socket).toEqual(relay.words);
  expect(waiting).toEqual(relay.words);
  expect((await relay.hitsInLog()).hits).toEqual([]);
});
