import { expect, test } from 'vitest';
import { newBackupKey, writeBackup } from '@parley/peer';
import { commands, dinnerPair, eventsOf, exchangeAll, latest, untilPrompt, untilProposal } from './negotiation-kit.ts';

const hour = 3_600_000;

test('[A2C-17] silence stalls a negotiation on both sides, and an answer wakes it', async () => {
  const [ann, bob, relay] = await dinnerPair();
  const id = await untilPrompt(ann, bob);
  for (const clock of [ann, bob, relay]) clock.ahead += 49 * hour;
  await exchangeAll(ann, bob);
  for (const person of [ann, bob]) {
    const { state, notes } = await latest(person);
    expect([state, notes.at(-1)!.notice]).toEqual(['STALLED', 'stalled']);
  }
  await commands(ann).consent({ id, answers: [{ field: 'cuisine_preference', answer: 'share' }] });
  await exchangeAll(ann, bob);
  expect([(await latest(ann)).state, (await latest(bob)).state]).toEqual(['PROPOSED', 'PROPOSED']);
});

test('[A2C-27] a proposal expires after one reminder, on both sides, and nothing happens', async () => {
  const [ann, bob, relay] = await dinnerPair();
  const id = await untilProposal(ann, bob);
  await commands(bob).confirm({ id, answer: { kind: 'confirm' } });
  for (let hours = 0; hours < 26; hours += 13) {
    for (const clock of [ann, bob, relay]) clock.ahead += 13 * hour;
    await exchangeAll(ann, bob);
  }
  const [hers, his] = [await latest(ann), await latest(bob)];
  expect([hers.state, his.state]).toEqual(['EXPIRED', 'EXPIRED']);
  expect(hers.notes.map(({ notice }) => notice)).toEqual(['reminder', 'expired']);
  expect(hers.openPrompts).toEqual([]);
  expect([await eventsOf(ann), await eventsOf(bob)]).toEqual([0, 0]);
});

test('[A2C-8] [A2C-34] a restored device has the open prompt, and goes on', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilPrompt(ann, bob);
  const [prompt] = (await latest(ann)).openPrompts;
  const secret = { key: newBackupKey() };
  const device = await ann.restored(await writeBackup(ann.peer, secret), secret);
  expect((await latest(device)).openPrompts).toEqual([prompt]);
  await commands(device).consent({ id, answers: [{ field: 'cuisine_preference', answer: 'share' }] });
  await exchangeAll(device, bob);
  expect([(await latest(device)).state, (await latest(bob)).state]).toEqual(['PROPOSED', 'PROPOSED']);
  expect((await latest(bob)).received).toMatchObject({ cuisine_preference: 'Italian' });
});
