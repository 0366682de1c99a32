import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { recordKinds } from '@parley/peer';
import { Knowledge } from '@parley/peer/knowledge';
import { openPeerFolder } from '@parley/peer/node';
import { readFrame } from '@parley/protocol/relay';
import { newPair, type Person } from './people-kit.ts';
import { startRelay } from './relay-kit.ts';

/** Every byte in a peer's folder, and every record in it, opened with the key that lies beside them. */
async function stolenFrom(folder: string): Promise<Uint8Array[]> {
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))));
  const store = await openPeerFolder(folder, undefined);
  const records = (await Promise.all(recordKinds.map((kind) => store.list(kind)))).flat();
  await store.close();
  const words = JSON.stringify(records).match(/[\w-]+/g) ?? [];
  return [...files, ...words.map((word) => Buffer.from(word, 'base64url'))];
}

test('[A2C-5] all files of a peer and their key open no packet that it read or sent; files from before do', async () => {
  const relay = await startRelay();
  const knowledge = new Knowledge();
  onTestFinished(() => knowledge.stop());
  const [ann, bob] = await newPair(relay);
  const frames = [ann, bob].map((person: Person) => person.watchFrames());
  await ann.send(bob, { day: 'Friday' });
  const before = await mkdtemp(join(tmpdir(), 'parley-stolen-'));
  onTestFinished(() => rm(before, { recursive: true }));
  await cp(bob.folder, before, { recursive: true });
  for (const n of [1, 2, 3]) {
    await bob.exchange();
    await bob.send(ann, { n });
    await ann.exchange();
    await ann.send(bob, { n });
  }
  await bob.exchange();
  const captured = frames.flat().map((frame) => readFrame(frame).body);
  expect(captured).toHaveLength(7);
  for (const { folder } of [ann, bob]) expect(captured.filter(knowledge.opener(await stolenFrom(folder)))).toEqual([]);
  expect(captured.some(knowledge.opener(await stolenFrom(before)))).toBe(true);
});
