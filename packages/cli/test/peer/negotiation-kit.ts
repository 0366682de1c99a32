// Two people who negotiate by their commands, at a real relay.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandsOf, type NegotiationView, type PeerCommands } from '@parley/peer';
import type { Packet } from '@parley/protocol/relay';
import { newPair, type Person } from './people-kit.ts';
import { startRelay, type TestRelay } from './relay-kit.ts';

export const commands = ({ link, negotiations }: Person): PeerCommands =>
  commandsOf(
    link,
    (act) =>
      link.exchange(async () => {
        await negotiations.resume();
        return act();
      }),
    negotiations,
  );

/** Both look until nothing comes any more. */
export async function exchangeAll(...people: Person[]): Promise<void> {
  for (let before = -1, packets = 0; packets !== before;) {
    before = packets;
    for (const person of people) await commands(person).negotiations();
    packets = (await Promise.all(people.map((person) => person.store.list('packet', 0, 10_000)))).flat().length;
  }
}

/** The newest negotiation, as it is on disk. */
export async function latest(person: Person): Promise<NegotiationView> {
  return (await commands(person).negotiations()).at(-1)!;
}

/** Packets of the other side, in the order they came. */
export const opened = async (person: Person): Promise<Packet[]> => (await person.peer.inbox()).map(({ packet }) => packet);

/** Ann has what a first dinner needs: everything in her first packet may go out, the fields Bob asks for are asked first. */
export async function dinnerPair(): Promise<[Person, Person, TestRelay]> {
  const relay = await startRelay();
  const [ann, bob] = await newPair(relay);
  await prepareDinner(ann, bob);
  return [ann, bob, relay];
}

export async function prepareDinner(ann: Person, bob: Person): Promise<void> {
  for (const person of [ann, bob])
    for (const field of ['time_windows', 'dietary', 'location_preference']) await commands(person).setTier({ field, tier: 'always_share' });
  await commands(ann).setField({ field: 'dietary', value: 'vegetarian' });
  await commands(ann).setField({ field: 'cuisine_preference', value: 'Italian' });
  await commands(ann).setField({ field: 'transport_mode', value: 'train' });
  await commands(ann).setField({ field: 'location_preference', value: 'central Reading' });
  await commands(bob).setField({ field: 'dietary', value: 'none' });
  await commands(bob).setField({ field: 'location_preference', value: 'anywhere near the station' });
}

export const eventsOf = async ({ folder }: Person): Promise<number> => {
  const text = await readFile(join(folder, 'calendar.ics'), 'utf8').catch(() => '');
  return text.match(/BEGIN:VEVENT/g)?.length ?? 0;
};

/** Up to the moment when Ann has to decide what to share; the negotiation's ID. */
export async function untilPrompt(ann: Person, bob: Person, intent = 'Dinner on Friday'): Promise<string> {
  await commands(ann).negotiate({ address: bob.address, intent, needs: [] });
  await exchangeAll(ann, bob);
  return (await latest(ann)).id;
}

/** Up to the proposal that both have. */
export async function untilProposal(ann: Person, bob: Person): Promise<string> {
  const id = await untilPrompt(ann, bob);
  await commands(ann).consent({ id, answers: [{ field: 'cuisine_preference', answer: 'share' }] });
  await exchangeAll(ann, bob);
  return id;
}

/** Sends a packet that no honest peer could write. `threadId`: undefined, a new one. */
export async function forge(from: Person, to: Person, threadId: string | undefined, patch: Record<string, unknown>): Promise<void> {
  const { key } = await from.peer.write(to.address, { type: 'context', ...(threadId === undefined ? {} : { threadId }), members: {} });
  const row = (await from.store.get('outbox', key))!.value as { text: string };
  const text = JSON.stringify({ ...(JSON.parse(row.text) as object), ...patch });
  await from.store.commit([{ put: 'outbox', key, value: { ...row, text } }]);
  await exchangeAll(from, to);
}
