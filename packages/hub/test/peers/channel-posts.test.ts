// A person's peer posts to a channel: where the person may speak, once for a key, and takes it back.

import { startTestHub, type TestHub } from '@parley/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { PeerServiceKit } from '../kit/peers.ts';

async function start(): Promise<{ kit: TestHub; service: PeerServiceKit }> {
  const service = new PeerServiceKit();
  const kit = await startTestHub('sqlite', { peers: service });
  onTestFinished(() => kit.stop());
  return { kit, service };
}

test('[A2C-29] a post is made once for its key, calls nobody, and is deleted when it is taken back', async () => {
  const { kit, service } = await start();
  const [ann, bob] = [await kit.person('ann'), await kit.person('bob')];
  const general = await kit.general();
  const bodies = async () =>
    (await bob.call('listMessages', { params: { conversationId: general }, query: {} })).messages.map(({ body }) => body);
  const before = await bodies();
  await ann.call('addPeerAction', { body: { name: 'tell_team', kind: 'channel', run: general } });
  const added = service.calls.findLast(({ command }) => command === 'addAction')!.argument as { audience: string };
  expect(added).toMatchObject({ name: 'tell_team', run: general, audience: expect.stringMatching(/^#general at /) });
  const post = { key: 'hash-0-initiator', conversationId: general, audience: added.audience, text: '^ORAC ^ALL Dinner on Friday' };
  const tasks = async () => (await ann.call('listTasks', { query: { state: 'all' } })).tasks.length;
  const woken = await tasks();
  for (let n = 0; n < 2; n += 1) await service.hub!.post(ann.id, post);
  expect(await bodies()).toEqual([...before, '^ORAC ^ALL Dinner on Friday (@ann)']);
  await kit.hub.kernel.scheduler.settled();
  expect(await tasks()).toBe(woken);
  for (let n = 0; n < 2; n += 1) await service.hub!.takeBackPost(ann.id, post.key);
  await service.hub!.takeBackPost(ann.id, 'never posted');
  expect(await bodies()).toEqual([...before, null]);
});

test('[A2C-24] a peer posts only where its person may speak, and only in the channel that was approved', async () => {
  const { kit, service } = await start();
  const [ann, owner] = [await kit.person('ann'), await kit.person('olga', 'owner')];
  const { id: secret } = await owner.call('createChannel', { body: { name: 'secret', visibility: 'private' } });
  const { id: mine } = await ann.call('createChannel', { body: { name: 'mine', visibility: 'private' } });
  const add = (run: string) => ann.call('addPeerAction', { body: { name: 'tell_team', kind: 'channel', run } });
  await expect(add(secret)).rejects.toThrow('404');
  await expect(add(mine)).rejects.toThrow('must be a public channel');
  expect(service.calls.filter(({ command }) => command === 'addAction')).toEqual([]);
  const general = await kit.general();
  const post = (conversationId: string, audience: string) =>
    service.hub!.post(ann.id, { key: `k${conversationId}${audience}`, conversationId, audience, text: 'Dinner' });
  for (const [conversationId, audience] of [
    [secret, '#secret at Parley'],
    [mine, '#mine at Parley'],
    [general, '#another at Parley'],
  ] as const)
    await expect(post(conversationId, audience)).rejects.toMatchObject({ name: 'PeerCallError', code: 'refused' });
});
