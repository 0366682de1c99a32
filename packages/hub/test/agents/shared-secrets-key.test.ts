// Hubs that share a database share the key of its secrets.

import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig, restoreBackup, startHub } from '@parley/hub';
import { freshGround, startTestHub } from '@parley/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { backUp, placeOf } from '../kit/backup.ts';
import { folderBeside, hubBeside } from '../kit/hub-beside.ts';

test('[SYS-11] a hub with another secrets.key is refused until a command resets it, and a restore takes any', async () => {
  const kit = await startTestHub('postgres', { agents: [] });
  onTestFinished(() => kit.stop());
  await kit.owner.call('setSecret', { params: { name: 'mine' }, body: { value: 'sk-one' } });

  const { ground } = kit;
  const stranger = () => folderBeside(ground, ['checksum.key']);
  const same = await hubBeside(ground);
  expect(await same.kernel.keys.keyFor('mine')).toBe('sk-one');
  await expect(hubBeside(ground, {}, await stranger())).rejects.toThrow(
    /sealed with another secrets\.key.*copy secrets\.key.*parley up --new-secrets-key/s,
  );
  const kept = await kit.hub.kernel.store.all<{ value: string }>("select value from meta where key = 'secrets_key'");
  expect(kept).toHaveLength(1);
  const key = await readFile(join(ground.dataDir, 'secrets.key'), 'utf8');
  expect(key.trim()).not.toContain(kept[0]!.value);

  const folder = await mkdtemp(join(tmpdir(), 'parley-secrets-key-'));
  const empty = await freshGround('postgres');
  onTestFinished(async () => {
    await rm(folder, { recursive: true });
    await empty.clear();
  });
  const { path } = await backUp(ground, join(folder, 'backup'));
  const place = placeOf(empty);
  await restoreBackup({ path, ...place, epoch: 'bbbb' });
  await hubBeside(empty, {}, place.dataDir);

  const reset = await hubBeside(ground, { newSecretsKey: true }, await stranger());
  await expect(reset.kernel.keys.keyFor('mine')).rejects.toThrow('set it again');
  await expect(hubBeside(ground)).rejects.toThrow('another secrets.key');
});

test('[SYS-11] after a restore the old secrets.key may come later than the first start', async () => {
  const kit = await startTestHub('postgres', { agents: [] });
  const empty = await freshGround('postgres');
  const folder = await mkdtemp(join(tmpdir(), 'parley-secrets-key-'));
  onTestFinished(async () => {
    await kit.stop();
    await empty.clear();
    await rm(folder, { recursive: true });
  });
  await kit.owner.call('setSecret', { params: { name: 'mine' }, body: { value: 'sk-one' } });
  const { path } = await backUp(kit.ground, join(folder, 'backup'));
  const place = placeOf(empty);
  await restoreBackup({ path, ...place, epoch: 'bbbb' });
  const start = () =>
    startHub(readConfig({ PARLEY_PORT: '0', PARLEY_DATA: place.dataDir, PARLEY_DATABASE_URL: empty.databaseUrl, PARLEY_LOG: 'silent' }));

  const without = await start();
  await expect(without.kernel.keys.keyFor('mine')).rejects.toThrow('put that key into the data folder');
  await without.stop();
  await cp(join(place.dataDir, 'secrets.key'), join(folder, 'new.key'));
  await cp(join(kit.ground.dataDir, 'secrets.key'), join(place.dataDir, 'secrets.key'));
  const again = await start();
  expect(await again.kernel.keys.keyFor('mine')).toBe('sk-one');
  await again.stop();
  // The key that opens them is the database's from then on.
  await cp(join(folder, 'new.key'), join(place.dataDir, 'secrets.key'));
  await expect(start()).rejects.toThrow('another secrets.key');
});
