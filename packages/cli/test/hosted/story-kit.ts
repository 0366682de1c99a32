// A real hub with its relay and its people's peers, and two people who tap.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@parley/hub';
import type { Checkpoint, ConsentCard, PromptAnswer, PromptCard, PromptKind, Task, WholeNegotiation } from '@parley/protocol';
import { type Person, startTestHub, type TestHub, waitFor } from '@parley/testkit';
import { onTestFinished } from 'vitest';
import { relayAndPeers } from '../../src/hub-peers.ts';

export interface Story {
  kit: TestHub;
  folder: string;
  ann: Person;
  bob: Person;
  general: string;
  bodies(): Promise<string[]>;
  calendar(person: Person): Promise<string>;
  /** Ann's tasks, once so many have ended. */
  ended(count?: number): Promise<Task[]>;
  /** The hub stops, with its relay and its peers, and starts again. */
  restart(): Promise<void>;
}

export async function startStory(overrides: Parameters<typeof startTestHub>[1] = {}, env: Record<string, string> = {}): Promise<Story> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-story-'));
  const services = () => relayAndPeers({}, readConfig({ PARLEY_DATA: folder }));
  const kit = await startTestHub('sqlite', { ...overrides, ...(await services()) }, env);
  onTestFinished(async () => {
    await kit.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const [ann, bob, general] = [await kit.person('ann'), await kit.person('bob'), await kit.general()];
  return {
    kit,
    folder,
    ann,
    bob,
    general,
    bodies: async () =>
      (await ann.call('listMessages', { params: { conversationId: general }, query: {} })).messages.map(({ body }) => body ?? ''),
    calendar: async ({ url, token }) => {
      const response = await fetch(new URL('/api/v1/peer/calendar.ics', url), { headers: { authorization: `Bearer ${token}` } });
      return response.text();
    },
    ended: (count = 1) =>
      waitFor(async () => {
        const { tasks } = await ann.call('listTasks', { query: { state: 'all' } });
        const ended = tasks.filter(({ state }) => ['completed', 'failed', 'declined', 'timed_out', 'cancelled'].includes(state));
        if (ended.length < count) throw new Error(`Open: ${JSON.stringify(tasks.map(({ state }) => state))}`);
        return ended;
      }),
    restart: async () => kit.restart(await services()),
  };
}

export const inboxOf = async (person: Person): Promise<Checkpoint[]> => (await person.call('listCheckpoints', { query: {} })).checkpoints;

const checkpointOf = (person: Person, kind: PromptKind): Promise<Checkpoint> =>
  waitFor(async () => {
    const open = await inboxOf(person);
    const found = open.find(({ card }) => card?.kind === kind);
    if (!found) throw new Error(`${person.handle} has no ${kind}: ${JSON.stringify(open.map(({ card }) => card?.kind))}`);
    return found;
  });

export const cardOf = async (person: Person, kind: PromptKind): Promise<PromptCard> => (await checkpointOf(person, kind)).card!;

export async function answer(person: Person, kind: PromptKind, with_: PromptAnswer | ((card: PromptCard) => PromptAnswer)): Promise<void> {
  const { id, card } = await checkpointOf(person, kind);
  const body = typeof with_ === 'function' ? with_(card!) : with_;
  await person.call('answerCheckpoint', { params: { checkpointId: id }, body });
}

const share = (person: Person, how: 'share' | 'always'): Promise<void> =>
  answer(person, 'consent', (card) => ({
    kind: 'consent',
    fields: (card as ConsentCard).fields.map(({ field, value, choices }) => ({
      field,
      answer: how,
      ...(value === null ? { value: choices[0] ?? 'any' } : {}),
    })),
  }));
export const shareAlways = (person: Person): Promise<void> => share(person, 'always');
export const shareOnce = (person: Person): Promise<void> => share(person, 'share');

/** Both confirm what is proposed until it is done: after a failure the two proposals may cross, and one of them is replaced. */
export const agree = (...people: Person[]): Promise<WholeNegotiation> =>
  waitFor(async () => {
    for (const person of people) {
      const open = (await inboxOf(person)).find(({ card }) => card?.kind === 'proposal');
      if (open) await person.ask('answerCheckpoint', { params: { checkpointId: open.id }, body: { kind: 'confirm' } });
    }
    const lists = await Promise.all(people.map((person) => person.call('listNegotiations', {})));
    const latest = lists.map(({ negotiations }) => negotiations[0]);
    if (latest.some((one) => one?.state !== 'COMPLETED')) throw new Error(JSON.stringify(latest));
    return people[0]!.call('getNegotiation', { params: { threadId: latest[0]!.threadId } });
  });

export async function confirmBoth(...people: Person[]): Promise<void> {
  for (const person of people) await answer(person, 'proposal', { kind: 'confirm' });
}
