// Two hubs on one database, each with a folder of its own: a person has one peer all the same.

import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import type { Hub } from '@parley/hub';
import { Person, startTestHub, waitFor } from '@parley/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { folderBeside, hubBeside } from '../kit/hub-beside.ts';
import { PeerServiceKit } from '../kit/peers.ts';

test('[SYS-7] only the hub with the peers answers for them, erases them and exports them, until a command moves them', async () => {
  const [home, other] = [new PeerServiceKit(), new PeerServiceKit()];
  const kit = await startTestHub('postgres', { peers: home });
  onTestFinished(() => kit.stop());
  const [ann, bob] = [await kit.person('ann'), await kit.person('bob')];
  for (const person of [ann, bob]) await person.call('makePeer', {});
  const hub = await hubBeside(kit.ground, { peers: other });
  const there = (person: Person): Person => new Person(hub.url, person.token, person.id, person.handle);
  expect(await there(ann).ask('getPeer', {})).toMatchObject({
    status: 503,
    body: { error: { code: 'peer_unavailable', message: expect.stringContaining('another hub') } },
  });
  const exported = await there(ann).call('exportMember', { params: { memberId: ann.id } });
  expect(exported.peer).toMatchObject({ missing: expect.stringContaining('another hub') });

  await there(kit.owner).call('eraseMember', { params: { memberId: bob.id } });
  await waitFor(() => expect(home.erased).toEqual([bob.id]));
  expect(other.erased).toEqual([]);

  const moved = new PeerServiceKit();
  moved.peers.set(ann.id, home.peers.get(ann.id)!);
  const third = await hubBeside(kit.ground, { peers: moved, peersHere: true });
  await new Person(third.url, ann.token, ann.id, 'ann').call('getPeer', {});
  await waitFor(async () => expect((await ann.ask('getPeer', {})).status).toBe(503));
});

test('[SYS-7] where two folders hold peers no hub runs any until a command chooses, and no copy contests a choice', async () => {
  const kit = await startTestHub('postgres', { peers: new PeerServiceKit() });
  onTestFinished(() => kit.stop());
  const ann = await kit.person('ann');
  await ann.call('makePeer', {});
  const copy = await folderBeside(kit.ground);
  await mkdir(`${copy}/peers/${ann.id}`, { recursive: true });
  const at = (hub: Hub): Person => new Person(hub.url, ann.token, ann.id, 'ann');

  const contested = at(await hubBeside(kit.ground, { peers: new PeerServiceKit() }, copy));
  const refusal = (remedy: RegExp) => ({ status: 503, body: { error: { message: expect.stringMatching(remedy) } } });
  // The command is for whoever may run it.
  const ofMember = refusal(/^Two data folders hold .*\. Ask an owner or admin/);
  await waitFor(async () => expect(await ann.ask('getPeer', {})).toMatchObject(ofMember));
  expect(await contested.ask('getPeer', {})).toMatchObject(ofMember);
  expect(await kit.owner.ask('getPeer', {})).toMatchObject(refusal(/^Two data folders hold .*--peers-here/));

  const third = await folderBeside(kit.ground);
  const withAnn = new PeerServiceKit();
  withAnn.peers.set(ann.id, { address: 'agent:ann@localhost' });
  const chosen = at(await hubBeside(kit.ground, { peers: withAnn, peersHere: true }, third));
  await chosen.call('getPeer', {});
  const fourth = await folderBeside(kit.ground);
  await mkdir(`${fourth}/peers/${ann.id}`, { recursive: true });
  const late = at(await hubBeside(kit.ground, { peers: new PeerServiceKit() }, fourth));
  expect((await late.ask('getPeer', {})).status).toBe(503);
  await chosen.call('getPeer', {});
});

test('[SYS-7] [SYS-14] an erased person’s folder goes at every hub, and nobody gets a second peer while the first is elsewhere', async () => {
  const home = new PeerServiceKit();
  const kit = await startTestHub('postgres', { peers: home });
  onTestFinished(() => kit.stop());
  const [cara, dave, eve] = [await kit.person('cara'), await kit.person('dave'), await kit.person('eve')];
  for (const person of [cara, dave]) await person.call('makePeer', {});
  await kit.hub.kernel.tail.settled();

  // Their folders lie in another data folder, as after a copy by hand.
  const copy = await folderBeside(kit.ground);
  const held = (person: Person) => `${copy}/peers/${person.id}`;
  for (const person of [cara, dave]) await mkdir(held(person), { recursive: true });
  await mkdir(`${held(cara)}.sample`);
  home.peers.clear();
  await hubBeside(kit.ground, { peers: new PeerServiceKit() }, copy);
  const third = new PeerServiceKit();
  const chosen = await hubBeside(kit.ground, { peers: third, peersHere: true });
  const at = (hub: Hub, { id, token, handle }: Person): Person => new Person(hub.url, token, id, handle);

  for (const route of ['getPeer', 'makePeer'] as const)
    expect(await at(chosen, dave).ask(route, {})).toMatchObject({
      status: 503,
      body: { error: { code: 'peer_unavailable', message: expect.stringContaining(`peers/${dave.id}`) } },
    });
  const asked = { body: { with: '@dave', intent: 'Lunch on Friday', needs: [] } };
  expect((await at(chosen, eve).ask('openNegotiation', asked)).status).toBe(503);
  expect([...third.peers.keys()]).not.toContain(dave.id);

  await at(chosen, kit.owner).call('eraseMember', { params: { memberId: cara.id } });
  await waitFor(() =>
    expect([existsSync(held(cara)), existsSync(`${held(cara)}.sample`), existsSync(held(dave))]).toEqual([false, false, true]),
  );
  await waitFor(() => expect(third.erased).toContain(cara.id));
  expect(third.erasedAddresses).toContain('agent:cara@localhost');

  // One that is there when its hub starts goes at once.
  const late = await folderBeside(kit.ground);
  await mkdir(`${late}/peers/${cara.id}`, { recursive: true });
  await hubBeside(kit.ground, { peers: new PeerServiceKit() }, late);
  expect(existsSync(`${late}/peers/${cara.id}`)).toBe(false);
});
