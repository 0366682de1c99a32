import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openExisting, readConfig, restoreBackup, startHub, verifyBackup, writeBackup } from '@parley/hub';
import { onBothEngines, startTestHub, type TestHub } from '@parley/testkit';
import { PeerCallError } from '@parley/protocol';
import { afterEach, expect, test, vi } from 'vitest';
import { PeerServiceKit } from '../kit/peers.ts';

onBothEngines('a backup of a hub with peers', (engine) => {
  let kit: TestHub | undefined;
  let folder: string | undefined;
  afterEach(async () => {
    await kit?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  test('[SYS-15] it has each peer’s own backup, and the first start after a restore puts it back', async () => {
    const service = new PeerServiceKit();
    kit = await startTestHub(engine, { peers: service });
    folder = await mkdtemp(join(tmpdir(), 'parley-peers-'));
    const ann = await kit.person('ann');
    await ann.call('makePeer', {});
    const params = { memberId: ann.id };
    expect(await kit.operator.call('backUpPeer', { params })).toEqual({ backup: `sealed backup of ${ann.id}` });
    for (const other of [ann, kit.owner]) expect((await other.ask('backUpPeer', { params })).status).toBe(404);

    const source = await openExisting({ dataDir: kit.ground.dataDir, databaseUrl: kit.ground.databaseUrl });
    const path = join(folder, 'backup');
    const { peers } = await writeBackup(source, { path, now: 0, peerOf: service.backup });
    await source.store.close();
    expect([peers, (await verifyBackup(path, kit.ground.dataDir)).peers]).toEqual([1, 1]);

    const dataDir = join(folder, 'restored');
    await restoreBackup({ path, dataDir, epoch: 'abcdef', unsigned: true });
    expect(await readdir(join(dataDir, 'restored-peers'))).toEqual([ann.id]);
    const next = new PeerServiceKit();
    const config = readConfig({ PARLEY_PORT: '0', PARLEY_DATA: dataDir, PARLEY_LOG: 'error' });
    const hub = await startHub(config, { sync: false, peers: next });
    expect([...next.restored]).toEqual([[ann.id, `sealed backup of ${ann.id}`]]);
    expect(await hub.kernel.store.rows('peers', {})).toMatchObject([{ member_id: ann.id, address: 'agent:ann@localhost' }]);
    expect(await readdir(dataDir)).not.toContain('restored-peers');
    await hub.stop();
  });

  test('[SYS-15] [A2C-8] a restore leaves a peer that is in the folder as it is: it is newer, and an older copy uses keys twice', async () => {
    const service = new PeerServiceKit();
    kit = await startTestHub(engine, { peers: service });
    folder = await mkdtemp(join(tmpdir(), 'parley-peers-'));
    const [ann, bob] = [await kit.person('ann'), await kit.person('bob')];
    for (const person of [ann, bob]) await person.call('makePeer', {});
    const source = await openExisting({ dataDir: kit.ground.dataDir, databaseUrl: kit.ground.databaseUrl });
    const path = join(folder, 'backup');
    await writeBackup(source, { path, now: 0, peerOf: service.backup });
    await source.store.close();
    // The database was moved out of the way, as a hub that lost facts asks for.
    const dataDir = join(folder, 'same');
    await mkdir(join(dataDir, 'peers', ann.id), { recursive: true });
    await restoreBackup({ path, dataDir, epoch: 'abcdef', unsigned: true });
    expect(await readdir(join(dataDir, 'restored-peers'))).toEqual([bob.id]);
  });

  test('[SYS-15] a peer that cannot be read is named, and the others are saved; a restore that fails for one puts back the rest', async () => {
    const service = new PeerServiceKit();
    kit = await startTestHub(engine, { peers: service });
    folder = await mkdtemp(join(tmpdir(), 'parley-peers-'));
    const [ann, bob] = [await kit.person('ann'), await kit.person('bob')];
    for (const person of [ann, bob]) await person.call('makePeer', {});
    const source = await openExisting({ dataDir: kit.ground.dataDir, databaseUrl: kit.ground.databaseUrl });
    const [broken, whole] = [join(folder, 'broken'), join(folder, 'whole')];
    const peerOf = async (memberId: string) => {
      if (memberId === ann.id) throw new Error('file is not a database');
      return service.backup(memberId);
    };
    expect(await writeBackup(source, { path: broken, now: 0, peerOf })).toMatchObject({ peers: 1, lostPeers: [ann.id] });
    expect(await verifyBackup(broken, kit.ground.dataDir)).toMatchObject({ peers: 1, lostPeers: [ann.id] });
    await writeBackup(source, { path: whole, now: 0, peerOf: service.backup });
    await source.store.close();

    const dataDir = join(folder, 'restored');
    await restoreBackup({ path: whole, dataDir, epoch: 'abcdef', unsigned: true });
    const next = new PeerServiceKit();
    const { restore } = next;
    next.restore = (memberId, text) => (memberId === ann.id ? Promise.reject(new Error('no disk')) : restore(memberId, text));
    // The relay is off: the peer waits in its folder.
    next.refusal = new PeerCallError('unavailable', 'This hub carries no relay.');
    const config = readConfig({ PARLEY_PORT: '0', PARLEY_DATA: dataDir, PARLEY_LOG: 'silent' });
    const hub = await startHub(config, { sync: false, peers: next });
    await vi.waitFor(() => expect([...next.restored.keys()]).toEqual([bob.id]));
    expect(await readdir(join(dataDir, 'restored-peers'))).toEqual([ann.id]);
    expect(await hub.kernel.peers.call(bob.id, 'people', null)).toEqual([]);
    await hub.stop();
  });
});
