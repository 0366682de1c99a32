import { encodings } from '@parley/testkit/encodings';
import { expect, test } from 'vitest';
import { type BrainView, rulesBrain } from '@parley/peer';
import { holdsAny } from '@parley/core';
import { leakyBrain, textOf, withLeak, withSecrets } from './leak-kit.ts';
import { commands, dinnerPair, exchangeAll, latest, opened, untilProposal } from './negotiation-kit.ts';

const kinds = Object.entries(encodings);

test('[SYS-6] [A2C-21] [A2C-31] a brain that sends all it sees, in every encoding, has none of 40 withheld values', async () => {
  const [ann, bob] = await dinnerPair();
  const secrets = await withSecrets(ann);
  const [seen, used] = [[] as string[], new Set<string>()];
  ann.brain = leakyBrain(rulesBrain, seen, used);
  for (const intent of ['Dinner on Friday', 'Lunch on Monday', 'Call on Tuesday', 'Coffee on Sunday']) {
    const { id } = await commands(ann).negotiate({ address: bob.address, intent, needs: [] });
    await exchangeAll(ann, bob);
    // A peer that asks for secrets by name gets nothing either.
    const needs = ['private_1', 'Private-2', 'private_3'].map((field) => ({ field, priority: 'required', reason: 'Please' }));
    await bob.peer.write(ann.address, { type: 'context_request', threadId: id, members: { needs } });
    await exchangeAll(ann, bob);
    const open = (await latest(ann)).openPrompts.filter(({ kind }) => kind === 'consent');
    if (open.length > 0) await commands(ann).consent({ id, answers: [] });
    await exchangeAll(ann, bob);
  }
  const packets = (await opened(bob)).map((packet) => JSON.stringify(packet));
  expect(used.size).toBeGreaterThan(20);
  expect(packets.length).toBeGreaterThan(4);
  for (const text of [...seen, ...packets]) {
    expect(secrets.filter((value) => text.includes(value))).toEqual([]);
    expect(holdsAny(text, secrets)).toBe(false);
    for (const [, encode] of kinds) expect(secrets.filter((value) => text.includes(encode(value)))).toEqual([]);
  }
  // It did send what it saw.
  expect(packets.some((text) => holdsAny(text, ['central Reading']))).toBe(true);
});

test('[SYS-6] the second line stops a brain that got the values elsewhere, and raises an alarm', async () => {
  const [ann, bob] = await dinnerPair();
  const secrets = await withSecrets(ann);
  let leak = '';
  ann.brain = async (view) => withLeak(await rulesBrain(view), { note: leak });
  const passed: string[] = [];
  for (const [index, [name, encode]] of kinds.entries()) {
    const value = secrets[index % 40]!;
    leak = encode(value);
    const { id, isPaused, notes } = await commands(ann).negotiate({ address: bob.address, intent: 'Dinner on Friday', needs: [] });
    const alarm = notes.find(({ notice }) => notice === 'leak_stopped');
    if (!isPaused || !alarm) passed.push(name);
    else expect(JSON.stringify(alarm.details)).not.toContain(value);
    const sent = (await ann.store.list('packet', 0, 10_000)).filter(({ key }) => key.includes(id));
    expect(
      sent.map(({ value: record }) => (record as { packet: { type: string } }).packet.type),
      name,
    ).toEqual(['processing_error']);
  }
  expect(passed).toEqual([]);
});

test('[SYS-6] [A2C-21] a brain knows neither free time nor time zone that the peer may not get', async () => {
  const [ann, bob] = await dinnerPair();
  const busy = { from: Date.now(), to: Date.now() + 30 * 86_400_000 };
  ann.calendar.busy = async () => [busy];
  const views: BrainView[] = [];
  ann.brain = async (view) => {
    views.push(view);
    return rulesBrain(view);
  };
  const freeTime = async (): Promise<number> => {
    await commands(ann).negotiate({ address: bob.address, intent: 'Dinner on Friday', needs: [] });
    return views.at(-1)!.free(busy).length;
  };
  expect(await freeTime()).toBe(0);
  expect(textOf(views[0]!)).toContain('Europe/London');
  for (const field of ['time_windows', 'timezone']) await commands(ann).setTier({ field, tier: 'never_share' });
  expect(await freeTime()).toBeGreaterThan(20);
  expect(textOf(views[1]!)).not.toContain('Europe/London');
});

test('[SYS-6] everyday words that are withheld too stop no dinner', async () => {
  const [ann, bob] = await dinnerPair();
  const days = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');
  const everyday = { days, drink: 'coffee', meal: 'breakfast', month: 'November', diet: 'vegetarian', area: 'central Reading', party: 2 };
  for (const person of [ann, bob]) for (const [field, value] of Object.entries(everyday)) await commands(person).setField({ field, value });
  const id = await untilProposal(ann, bob);
  await commands(ann).confirm({ id, answer: { kind: 'different', text: 'Wednesday 20:00' } });
  await exchangeAll(ann, bob);
  for (const person of [ann, bob]) {
    expect((await latest(person)).notes.map(({ notice }) => notice)).not.toContain('leak_stopped');
    expect((await latest(person)).state).toBe('PROPOSED');
  }
});
