import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PeerCallError } from '@parley/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { folderCalendar } from '../src/calendar/index.ts';
import { callsOf, LocalPeer, Negotiations, openBackup, PeerLink, restoreBackup, rulesBrain } from '../src/index.ts';
import { openPeerFolder } from '../src/node.ts';

// Made before `control` and `house` became `calls`: Ann met Bob for dinner, has his proposal for a coffee, and shares a space with him.
const earlier = fileURLToPath(new URL('fixtures/earlier-folder/', import.meta.url));
const about = JSON.parse(await readFile(join(earlier, 'about.json'), 'utf8')) as {
  madeAt: number;
  address: string;
  peer: string;
  dinner: string;
  coffee: string;
  lunch: string;
  space: string;
};

async function openAs(kind: string) {
  const folder = await mkdtemp(join(tmpdir(), 'parley-earlier-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  if (kind === 'folder') await cp(earlier, folder, { recursive: true });
  const store = await openPeerFolder(folder, undefined);
  onTestFinished(() => store.close());
  if (kind === 'backup')
    await restoreBackup(store, await openBackup(await readFile(join(earlier, 'backup'), 'utf8'), { passphrase: 'of the step before' }));
  const openSocket = () => {
    throw new Error('This test has no relay.');
  };
  const peer = await LocalPeer.open({ store, openSocket, now: () => about.madeAt + 60_000 });
  const calendar = folderCalendar(folder);
  const negotiations = new Negotiations(peer, { calendar, brain: rulesBrain, random: () => 0, zone: 'Europe/London' });
  const link = new PeerLink(peer, { onEvent: () => {}, random: () => 0, sleep: async () => {}, quietMs: 10 });
  return callsOf(link, () => Promise.reject(new PeerCallError('relay_away', 'There is no relay.')), negotiations);
}

test.each(['folder', 'backup'])('[SYS-15] [A2C-34] the %s of an earlier version opens, and its peer goes on', async (kind) => {
  const calls = await openAs(kind);
  expect(await calls.me()).toMatchObject({ address: about.address });
  expect(await calls.people()).toMatchObject([{ address: about.peer, trust: 'pinned', alarm: null }]);
  const { fields, tiers } = await calls.profile();
  expect([fields['dietary'], tiers['time_windows']]).toEqual(['vegetarian', 'always_share']);
  const states = (await calls.negotiations()).map(({ threadId, state }) => [threadId, state]);
  expect(Object.fromEntries(states)).toEqual({ [about.dinner]: 'COMPLETED', [about.coffee]: 'PROPOSED', [about.lunch]: 'NEGOTIATING' });
  const coffee = await calls.negotiation({ threadId: about.coffee });
  expect(coffee).toMatchObject({ intent: 'Coffee on Saturday', line: 'There is no relay.', openPrompts: [{ kind: 'proposal' }] });
  expect(coffee.steps.map(({ text }) => text)).toContain(`Their peer proposed “${coffee.proposal!.summary}”`);
  expect(await calls.memory({})).toMatchObject([{ address: about.peer, trust: { level: 'new' } }]);
  expect(await calls.space({ id: about.space })).toMatchObject({ name: 'Game nights', fields: [{ field: 'place', value: 'Dopo' }] });
  expect((await calls.inbox()).packets.length).toBeGreaterThan(0);

  const { id } = coffee.openPrompts[0]!;
  expect(await calls.answer({ promptId: id, answer: { kind: 'decline' } })).toMatchObject({ state: 'DECLINED' });
});
