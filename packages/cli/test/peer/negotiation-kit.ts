// Two people who negotiate by their commands, at a real relay.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { callsOf } from '@parley/peer';
import type { ConsentField, OutsideAnswer, OwnNegotiation, OwnPeerCalls, PeerCalls, PromptAnswer, PromptKind } from '@parley/protocol';
import type { Packet } from '@parley/protocol/relay';
import { newPair, type Person } from './people-kit.ts';
import { startRelay, type TestRelay } from './relay-kit.ts';

/** Of a prompt, what its kind has. */
type Prompt = { id: string; kind: PromptKind; fields: ConsentField[]; conflict: string | null; shared: string[] };
export type Shown = Omit<OwnNegotiation, 'openPrompts'> & {
  openPrompts: Prompt[];
  id: string;
  forks: string[];
  parent: string | undefined;
};

/** The calls in a few words. `id`: of a negotiation or a prompt. */
interface Words {
  negotiate: (opening: { address: string; intent: string; needs: unknown }) => Promise<Shown>;
  negotiateGroup: (
    opening: { addresses: string[]; intent: string; order?: string[] } & Omit<NonNullable<PeerCalls['open']['in']['group']>, 'order'>,
  ) => Promise<Shown>;
  show: (id: string) => Promise<Shown>;
  /** All negotiations, whole. */
  all: () => Promise<Shown[]>;
  /** Somebody without an agent. */
  ask: (opening: PeerCalls['invite']['in']) => Promise<Shown>;
  passOn: (given: { id: string; reply: OutsideAnswer }) => Promise<Shown>;
  consent: (given: { id: string; answers: Extract<PromptAnswer, { kind: 'consent' }>['fields'] }) => Promise<Shown>;
  confirm: (given: { id: string; answer: PromptAnswer }) => Promise<Shown>;
  split: (given: { id: string; into: string[]; rest?: string }) => Promise<Shown>;
}

const shownBy = ({ openPrompts, ...negotiation }: OwnNegotiation): Shown => ({
  ...negotiation,
  id: negotiation.threadId,
  openPrompts: openPrompts as unknown as Prompt[],
  forks: negotiation.family.filter(({ relation }) => relation === 'fork').map(({ threadId }) => threadId),
  parent: negotiation.family.find(({ relation }) => relation === 'parent')?.threadId,
});

export function commands({ link, negotiations }: Person): OwnPeerCalls & Words {
  const calls = callsOf(
    link,
    (act) =>
      link.exchange(async () => {
        await negotiations.resume();
        return act();
      }),
    negotiations,
  );
  const stored = async ({ threadId, line = null }: { threadId: string; line?: string | null | undefined }): Promise<Shown> =>
    shownBy({ ...(await calls.negotiation({ threadId, isStored: true })), line });
  const opened = async (opening: PeerCalls['open']['in']): Promise<Shown> => stored(await calls.open(opening));
  const words: Words = {
    negotiate: ({ address, intent, needs }) => opened({ with: { address }, intent, needs: needs as PeerCalls['open']['in']['needs'] }),
    negotiateGroup: ({ addresses, intent, order, ...terms }) =>
      opened({
        with: addresses.map((address) => ({ address })),
        intent,
        group: { ...terms, order: order?.map((address) => ({ address })) },
      }),
    show: async (id) => shownBy(await calls.negotiation({ threadId: id })),
    all: async () => Promise.all((await calls.negotiations()).map(stored)),
    ask: async (opening) => stored(await calls.invite(opening)),
    passOn: async ({ id, reply }) => stored(await calls.reply({ threadId: id, reply })),
    consent: async ({ id, answers }) => stored((await calls.answer({ promptId: id, answer: { kind: 'consent', fields: answers } }))!),
    confirm: async ({ id, answer }) => stored((await calls.answer({ promptId: id, answer }))!),
    split: async ({ id, ...parts }) => stored((await calls.fork({ threadId: id, ...parts }))[0]!),
  };
  return new Proxy(words as OwnPeerCalls & Words, {
    get: (own, name) => (Object.hasOwn(own, name) ? own[name as keyof Words] : calls[name as keyof OwnPeerCalls]),
  });
}

/** Both look until nothing comes any more. */
export async function exchangeAll(...people: Person[]): Promise<void> {
  for (let before = -1, packets = 0; packets !== before;) {
    before = packets;
    for (const person of people) await commands(person).negotiations();
    packets = (await Promise.all(people.map((person) => person.store.list('packet', 0, 10_000)))).flat().length;
  }
}

/** The newest negotiation, as it is on disk. */
export async function latest(person: Person): Promise<Shown> {
  return (await commands(person).all()).toSorted((one, other) => other.createdAt - one.createdAt)[0]!;
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
  return (await latest(ann)).threadId;
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
