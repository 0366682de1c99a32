// The hub's process, its relay and the thread of its peers are killed in the middle of the story. Nothing happens twice, nothing is lost.

import { type Person, Random, seedFromEnv, waitFor } from '@parley/testkit';
import { expect, test } from 'vitest';
import { bookingServer } from '../peer/booking-server.ts';
import { startKilledHub } from './killed-hub.ts';
import { answer, shareOnce } from './story-kit.ts';

const seed = seedFromEnv();

test(
  `[A2C-34] [A2C-29] kill -9 of hub, relay and peers after every step (seed ${seed}): one outcome, one event and one effect of each action`,
  { timeout: 240_000 },
  async () => {
    const random = new Random(seed);
    const killed = await startKilledHub('ann', 'bob');
    const server = await bookingServer();
    for (const [person, name] of killed.people.map((one, n) => [one, ['book', 'tell'][n]!] as const))
      await person.call('addPeerAction', {
        body: { name, kind: 'webhook', run: `${server.url}/${name}`, undo: `${server.url}/un${name}` },
      });
    const ann = (): Person => killed.people[0]!;
    const bob = (): Person => killed.people[1]!;
    const { conversations } = await ann().call('listConversations', { query: {} });
    const general = conversations.find(({ name }) => name === 'general')!.id;
    const steps = [
      () => ann().post(general, '^ORAC sort dinner with @bob on Friday'),
      () => shareOnce(bob()),
      () => shareOnce(ann()),
      () => answer(bob(), 'proposal', { kind: 'confirm' }),
      () => answer(ann(), 'proposal', { kind: 'confirm' }),
    ];
    for (const step of steps) {
      await step();
      await killed.kill(random.int(300));
    }
    const bodies = await waitFor(async () => {
      const { messages } = await ann().call('listMessages', { params: { conversationId: general }, query: {} });
      const { tasks } = await ann().call('listTasks', { query: { state: 'all' } });
      expect(tasks.map(({ state }) => state)).toEqual(['completed']);
      return messages.map(({ body }) => body ?? '');
    });
    expect(bodies.filter((body) => /Dinner, Friday/.test(body))).toHaveLength(1);
    for (const name of ['book', 'tell']) expect(server.effects(`/${name}`, `/un${name}`)).toEqual([1]);
    for (const person of [ann(), bob()]) {
      await waitFor(async () => expect((await person.call('listNegotiations', {})).negotiations).toMatchObject([{ state: 'COMPLETED' }]));
      expect(await killed.calendar(person)).toBe(1);
      expect((await person.call('listCheckpoints', { query: {} })).checkpoints).toEqual([]);
    }
  },
);
