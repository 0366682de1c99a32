// A hub's backup is restored where its relay is another one: a new key, and no accounts.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@parley/testkit';
import { expect, test } from 'vitest';
import { ann, answerWith, bob, openDinner, shareAll, startHosting, stateOf, type TestHosting } from './hosting-kit.ts';
import { confirmBoth, shareAlways, startStory } from './story-kit.ts';

const [first, second] = ['thr_dinner01', 'thr_dinner02'];

async function confirm(hosting: TestHosting, threadId: string): Promise<void> {
  for (const person of [ann, bob]) await answerWith(hosting, person, threadId, 'proposal', { kind: 'confirm' });
  for (const person of [ann, bob]) await stateOf(hosting, person, threadId, 'COMPLETED');
}

test('[A2C-8] [A2C-1] restored peers register at the new relay of their hub, under the name and key they had', async () => {
  const before = await startHosting();
  await openDinner(before);
  for (const person of [bob, ann]) await shareAll(before, person, first, 'always');
  await confirm(before, first);
  const known = await Promise.all([ann, bob].map((person) => before.host.call(person, 'me', null)));
  const backups = await Promise.all([ann, bob].map(async ({ memberId }) => (await before.host.backup(memberId))!));
  await before.host.stop();

  const hosting = await startHosting();
  expect(hosting.relay.served.relay.key.public).not.toBe(before.relay.served.relay.key.public);
  const invite = hosting.relay.invite.bind(hosting.relay);
  let refusals = 2;
  hosting.relay.invite = () => (refusals-- > 0 ? Promise.reject(new Error('The relay is busy.')) : invite());
  await hosting.host.restore(ann.memberId, backups[0]!);
  await hosting.host.restore(bob.memberId, backups[1]!);
  for (const person of [ann, bob]) await hosting.host.call(person, 'me', null);
  for (const name of ['ann', 'bob'])
    await waitFor(async () => expect(await hosting.relay.served.relay.isOnline(`agent:${name}@localhost`)).toBe(true));
  await openDinner(hosting, second);
  await confirm(hosting, second);
  const now = await Promise.all([ann, bob].map((person) => hosting.host.call(person, 'me', null)));
  expect(now.map(({ address, fingerprint, problem }) => [address, fingerprint, problem])).toEqual(
    known.map(({ address, fingerprint }) => [address, fingerprint, null]),
  );
  for (const person of [ann, bob]) {
    expect(await hosting.host.call(person, 'people', null)).toMatchObject([{ trust: 'introduced', alarm: null }]);
    expect(hosting.hub.alarms.get(person.memberId)).toEqual([]);
    expect(await hosting.host.call(person, 'negotiations', null)).toHaveLength(2);
  }
  expect(hosting.hub.problems).toEqual([]);
});

test('[A2C-8] [SYS-7] the sample friend is restored with its person’s peer, and can be removed', async () => {
  const before = await startHosting();
  const { address } = await before.host.call(ann, 'sample', null);
  const backup = (await before.host.backup(ann.memberId))!;
  await before.host.stop();
  const hosting = await startHosting();
  await hosting.host.restore(ann.memberId, backup);
  expect(await hosting.host.call(ann, 'people', null)).toMatchObject([{ address, isSample: true }]);
  await hosting.host.call(ann, 'open', { threadId: first, with: { address }, intent: 'Lunch tomorrow', needs: [], audience: null });
  await shareAll(hosting, ann, first);
  await answerWith(hosting, ann, first, 'proposal', { kind: 'confirm' });
  await stateOf(hosting, ann, first, 'COMPLETED');
  await hosting.host.call(ann, 'removeSample', null);
  expect(await hosting.host.call(ann, 'people', null)).toEqual([]);
});

test('[A2C-8] a hub whose relay lost its folder puts its people’s peers back on the line', async () => {
  const story = await startStory();
  const { ann: asker, bob: asked, general } = story;
  await asker.post(general, '^ORAC sort dinner with @bob on Friday');
  await shareAlways(asked);
  await shareAlways(asker);
  await confirmBoth(asker, asked);
  await story.ended();
  await rm(join(story.kit.hub.dataDir.path, 'relay'), { recursive: true });
  await story.restart();
  await asker.post(general, '^ORAC sort dinner with @bob on Saturday');
  await confirmBoth(asker, asked);
  await story.ended(2);
  for (const person of [asker, asked]) await waitFor(async () => expect(await person.call('getPeer', {})).toMatchObject({ problem: null }));
});
