// A program that holds a peer by the SDK, at a real relay.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OwnPeer, openPeer, type PeerOptions } from '@parley/peer/sdk';
import { waitFor } from '@parley/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { startRelay, type TestRelay } from './relay-kit.ts';

/** Answers every question at once, as a person who agrees. */
const agree: NonNullable<PeerOptions['onChange']> = async ({ openPrompts }, { calls }) => {
  for (const prompt of openPrompts) {
    if (prompt.kind === 'proposal') await calls.answer({ promptId: prompt.id, answer: { kind: 'confirm' } });
    if (prompt.kind !== 'consent') continue;
    const fields = prompt.fields.map(({ field, value, choices }) => ({
      field,
      answer: 'share' as const,
      value: (value ?? choices[0] ?? 'any') as string,
    }));
    await calls.answer({ promptId: prompt.id, answer: { kind: 'consent', fields } });
  }
};

async function program(relay: TestRelay, name: string, actions: NonNullable<PeerOptions['actions']>): Promise<OwnPeer> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-sdk-'));
  const register = { name, relayUrl: relay.served.url, code: await relay.invite() };
  const peer = await openPeer({ folder, register, actions, zone: 'Europe/London', onChange: agree });
  onTestFinished(async () => {
    await peer.close();
    await rm(folder, { recursive: true, force: true });
  });
  return peer;
}

test('[A2C-40] [A2C-29] the line is up when openPeer resolves, and actions of the program are offered and run', async () => {
  const relay = await startRelay();
  const calls: string[] = [];
  const action = (name: string) => ({ run: async () => void calls.push(name), undo: async () => {} });
  const ann = await program(relay, 'ann', { book_table: action('booked') });
  const bob = await program(relay, 'bob', { order_cake: action('ordered') });
  const [hers, his] = await Promise.all([ann, bob].map(async ({ calls: own }) => (await own.inbox()).line));
  expect([hers, his]).toEqual([null, null]);
  await ann.calls.add({ card: (await bob.calls.me()).card! });
  await bob.calls.add({ card: (await ann.calls.me()).card! });
  const { threadId } = await ann.calls.open({ with: { address: bob.address }, intent: 'Dinner on Friday' });
  await waitFor(async () => expect(await ann.calls.negotiation({ threadId })).toMatchObject({ state: 'COMPLETED' }));
  const { proposal } = await ann.calls.negotiation({ threadId });
  expect(proposal!.actions.map((one) => [one.action, one.scope, one.reversible])).toEqual([
    ['book_table', 'shared', true],
    ['add_calendar_event', 'own', true],
    ['order_cake', 'own', true],
  ]);
  expect(calls.toSorted()).toEqual(['booked', 'ordered']);
});
