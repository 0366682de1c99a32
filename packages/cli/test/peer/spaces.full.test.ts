import { expect, onTestFinished, test } from 'vitest';
import { commands, exchangeAll } from './negotiation-kit.ts';
import { newPair, newPerson } from './people-kit.ts';
import { startRelay } from './relay-kit.ts';
import { offline, space, valuesIn, write } from './spaces-kit.ts';

test('[A2C-33] [SYS-6] what is never shared does not get into a space, and an agent writes only what is always shared', async () => {
  const [ann, bob] = await newPair(await startRelay());
  await commands(ann).setField({ field: 'health_info', value: 'asthma since 2019' });
  await commands(ann).setField({ field: 'dietary', value: 'no shellfish at all' });
  const { id } = await commands(ann).createSpace({ name: 'Rome', people: [{ with: { address: bob.address }, may: 'full-write' }] });
  await expect(write(ann, id, { notes: 'I have asthma since 2019' })).rejects.toThrow(
    'health_info is never shared with agent:bob@localhost',
  );
  await expect(write(ann, id, { notes: 'no shellfish at all' }, 'agent')).rejects.toThrow('only after its person was asked');
  const people = [{ with: { address: bob.address }, may: 'full-write' as const }];
  const named = (name: string, words?: 'agent') => commands(ann).createSpace({ name, people, ...(words ? { words } : {}) });
  await expect(named('Ann has asthma since 2019')).rejects.toThrow('health_info is never shared with agent:bob@localhost');
  await expect(named('Dinner, no shellfish at all', 'agent')).rejects.toThrow('only after its person was asked');
  await write(ann, id, { notes: 'no shellfish at all' });
  await exchangeAll(ann, bob);
  expect(valuesIn(await space(bob, id))).toEqual({ notes: 'no shellfish at all' });
});

test('[A2C-33] changes are mentioned again after the channel was taken away and chosen again', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const { id } = await commands(ann).createSpace({ name: 'Rome', people: [{ with: { address: bob.address }, may: 'full-write' }] });
  const { spaces } = ann.negotiations;
  const lineAfter = async (hotel: string): Promise<number> => {
    await write(ann, id, { hotel });
    return (await spaces.channelLine(await spaces.find(id)))!.n;
  };
  await spaces.setChannel(id, '#general');
  await lineAfter('Astoria');
  const posted = await lineAfter('Ritz');
  await spaces.posted(id, posted);
  for (const audience of [null, '#general', null, '#trips']) await spaces.setChannel(id, audience);
  expect(await lineAfter('Hassler')).toBeGreaterThan(posted);
});

test('[A2C-33] a person writes a megabyte into a space; the history of their own fields goes first', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const { id } = await commands(ann).createSpace({ name: 'Rome', people: [{ with: { address: bob.address }, may: 'full-write' }] });
  const key = `${ann.address}/${id}`;
  const fill = async (earlier: number, current: number): Promise<void> => {
    const versions = (most: number, from: number) =>
      Array.from({ length: most }, (_, n) => ({ counter: from - n, by: ann.address, value: 'x'.repeat(8000) }));
    const fields = Object.fromEntries(
      Array.from({ length: current }, (_, n) => [`f${n}`, { current: versions(1, 50)[0], earlier: versions(earlier, 49) }]),
    );
    const { value } = (await ann.store.get('space', key))!;
    await ann.store.commit([{ put: 'space', key, value: { ...(value as object), fields } }]);
  };
  await fill(20, 8);
  await offline(ann, id, { hotel: 'Astoria' });
  expect((await ann.negotiations.spaces.find(id)).fields).toMatchObject({ f0: { earlier: [] }, hotel: {} });
  await fill(0, 131);
  await expect(offline(ann, id, { hotel: 'x'.repeat(8000) })).rejects.toThrow('more than 1048576 bytes in this space');
  await offline(ann, id, { f0: '', hotel: 'Astoria' });
});

test('[A2C-33] of three people two know each other only by the space: nothing goes to a stranger before a person joins', async () => {
  const relay = await startRelay();
  const [ann, bob] = await newPair(relay);
  const cat = await newPerson(relay, 'cat');
  await ann.peer.add(cat.peer.card());
  await cat.peer.add(ann.peer.card());
  const { id } = await commands(ann).createSpace({
    name: 'Rome',
    people: [
      { with: { address: bob.address }, may: 'full-write' },
      { with: { address: cat.address }, may: 'full-write' },
    ],
  });
  await exchangeAll(ann, bob, cat);
  expect(await space(bob, id)).toMatchObject({ isJoined: false });
  await expect(write(bob, id, { hotel: 'Ritz' })).rejects.toThrow('Join it first');
  await commands(bob).joinSpace({ id });
  await commands(cat).joinSpace({ id });
  await write(bob, id, { hotel: 'Ritz' });
  await offline(cat, id, { hotel: 'Hassler' });
  await exchangeAll(ann, bob, cat);
  for (const person of [ann, bob, cat])
    expect(valuesIn(await space(person, id))).toEqual({ hotel: expect.stringMatching(/^(Ritz|Hassler)$/) });
  const all = await Promise.all([ann, bob, cat].map(async (person) => valuesIn(await space(person, id))));
  expect(new Set(all.map((one) => JSON.stringify(one))).size).toBe(1);
});

test('[A2C-33] [A2C-34] a space survives a restart and a restored backup', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const { id } = await commands(ann).createSpace({ name: 'Rome', people: [{ with: { address: bob.address }, may: 'full-write' }] });
  await write(ann, id, { hotel: 'Astoria' });
  const backup = await commands(ann).backup({ passphrase: 'a long passphrase' });
  await ann.store.close();
  const again = await ann.open();
  onTestFinished(() => again.offline());
  expect(valuesIn(await space(again, id))).toEqual({ hotel: 'Astoria' });
  const device = await again.restored(backup, { passphrase: 'a long passphrase' });
  await write(device, id, { hotel: 'Ritz' });
  await exchangeAll(device, bob);
  expect(valuesIn(await space(bob, id))).toEqual({ hotel: 'Ritz' });
});

test('[A2C-33] [A2C-34] what a restored device writes counts, also over what the lost one wrote after its backup', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const { id } = await commands(ann).createSpace({ name: 'Rome', people: [{ with: { address: bob.address }, may: 'full-write' }] });
  await write(ann, id, { hotel: 'Astoria' });
  const backup = await commands(ann).backup({ passphrase: 'a long passphrase' });
  for (const hotel of ['Ritz', 'Hassler', 'Eden']) await write(ann, id, { hotel });
  await exchangeAll(ann, bob);
  const device = await ann.restored(backup, { passphrase: 'a long passphrase' });
  await write(device, id, { hotel: 'Locarno', days: 'two' });
  await exchangeAll(device, bob);
  for (const person of [device, bob]) expect(valuesIn(await space(person, id))).toEqual({ hotel: 'Locarno', days: 'two' });
  await write(bob, id, { hotel: 'Plaza' });
  await exchangeAll(device, bob);
  for (const person of [device, bob]) expect(valuesIn(await space(person, id))).toMatchObject({ hotel: 'Plaza' });
});
