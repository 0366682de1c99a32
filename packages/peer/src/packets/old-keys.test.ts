import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { hour, Line } from '../../test/kit/line.ts';
import { openPeerFolder } from '../store/sqlite/peer-folder.ts';
import { eraseOldKeys } from './sessions.ts';
import { getRecord, packBytes, sessionOf, type SessionRecord } from './peer-records.ts';

it('[A2C-5] keys of late packets are erased after 32 days, also in a session that nobody uses', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-peer-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const store = await openPeerFolder(folder, undefined);
  onTestFinished(() => store.close());
  const line = await Line.begun();
  await line.sealed('ann', 'lost');
  await line.say('ann', 'overtakes it');
  const { address, epoch } = line.ann;
  const record: SessionRecord = {
    address,
    ownEpoch: line.bob.epoch,
    peerEpoch: epoch,
    beganAt: line.now,
    isCreator: false,
    state: packBytes(line.ends.bob!),
  };
  await store.commit([{ put: 'session', key: 's', value: record }]);
  const stored = async () => (await getRecord(store, 'session', 's'))!;
  await eraseOldKeys(store, line.now + 31 * 24 * hour);
  expect(await stored()).toMatchObject({ version: 1, value: record });
  await eraseOldKeys(store, line.now + 32 * 24 * hour);
  expect(await stored()).toMatchObject({ version: 2 });
  expect(sessionOf((await stored()).value)).toMatchObject({ waiting: { overtaken: [] } });
});
