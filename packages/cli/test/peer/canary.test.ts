import { expect, test } from 'vitest';
import { carryCanaries, hasCanary } from './canary-kit.ts';

const hits = (places: Map<string, Buffer>): string[] => [...places].filter(([, bytes]) => hasCanary(bytes)).map(([name]) => name);

test('[A2C-3] nothing of a sealed packet is in the relay’s files, its log or on its socket', async () => {
  const relay = await carryCanaries({ isSealed: true });
  expect(relay.texts).toEqual([expect.stringContaining('canary')]);
  const places = await relay.places();
  expect([...places.keys()].toSorted()).toEqual(expect.arrayContaining(['relay.db', 'relay.db-wal', 'socket']));
  expect(hits(places)).toEqual([]);
  const log = await relay.stopped();
  expect(log).toContain('"url"');
  expect(hasCanary(Buffer.from(log))).toBe(false);
});

test('[A2C-3] with the seal switched off the same search finds it, except in the log', async () => {
  const relay = await carryCanaries({ isSealed: false });
  expect(relay.texts).toEqual([expect.stringContaining('canary')]);
  expect(hits(await relay.places())).toEqual(expect.arrayContaining(['relay.db-wal', 'socket']));
  expect(hasCanary(Buffer.from(await relay.stopped()))).toBe(false);
});
