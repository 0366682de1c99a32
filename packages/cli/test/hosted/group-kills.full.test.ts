// The hub's process, with the peers of a coordinator and its members, is killed after every step of a group's negotiation.

import type { GroupProgress } from '@parley/protocol';
import { type Person, Random, seedFromEnv, waitFor } from '@parley/testkit';
import { expect, test } from 'vitest';
import { bookingServer } from '../peer/booking-server.ts';
import { startKilledHub } from './killed-hub.ts';
import { answer, inboxOf, shareAlways } from './story-kit.ts';

const seed = seedFromEnv();

test.each([false, true])(
  `[A2C-30] [A2C-27] [A2C-34] kill -9 of the hub after every step of a group, handed over: %s (seed ${seed}): one outcome, no action before it`,
  { timeout: 300_000 },
  async (isHandedOver) => {
    const random = new Random(seed);
    const killed = await startKilledHub('ann', 'bob', 'cleo', 'dan');
    // By their places: each start of the hub has new ones.
    const [ann, bob, cleo, dan] = [0, 1, 2, 3] as const;
    const at = (place: number): Person => killed.people[place]!;
    const server = await bookingServer();
    await at(isHandedOver ? bob : ann).call('addPeerAction', {
      body: { name: 'book', kind: 'webhook', run: `${server.url}/book`, undo: `${server.url}/unbook` },
    });
    const kill = () => killed.kill(random.int(300));
    const calendars = () => Promise.all(killed.people.map((one) => killed.calendar(one)));
    const latest = async (of: Person) => {
      const [found] = (await of.call('listNegotiations', {})).negotiations;
      return found!;
    };
    const groupOf = async (of: Person): Promise<GroupProgress> => (await latest(of)).group!;

    const { threadId } = await at(ann).call('openNegotiation', {
      body: { with: ['bob', 'cleo', 'dan'], intent: 'Game night on Friday', needs: [], quorum: 3 },
    });
    await kill();
    if (isHandedOver) {
      const to = (await groupOf(at(ann))).members.find(({ name }) => name === 'bob')!.address;
      await at(ann).call('transferCoordination', { params: { threadId }, body: { to } });
      await kill();
      for (const one of [ann, bob, cleo, dan]) await waitFor(async () => expect((await groupOf(at(one))).coordinatorName).toBe('bob'));
      await kill();
    }
    // Everybody shares what is asked for, and is killed after it, until all have the proposal.
    await waitFor(async () => {
      for (const one of [ann, bob, cleo, dan]) {
        if (!(await inboxOf(at(one))).some(({ card }) => card?.kind === 'consent')) continue;
        await shareAlways(at(one));
        await kill();
      }
      for (const one of [ann, bob, cleo, dan])
        expect(
          (await inboxOf(at(one))).map(({ card }) => card?.kind),
          at(one).handle,
        ).toEqual(['proposal']);
    });
    const hashOf = async (of: Person) => (await of.call('getNegotiation', { params: { threadId } })).proposal?.hash;
    const hash = await hashOf(at(ann));
    await answer(at(dan), 'proposal', { kind: 'decline' });
    await kill();
    for (const one of [cleo, bob]) {
      await answer(at(one), 'proposal', { kind: 'confirm' });
      await kill();
    }
    // Two of three have confirmed: nothing has happened.
    expect(await calendars()).toEqual([0, 0, 0, 0]);
    expect(server.effects('/book', '/unbook')).toEqual([]);
    await answer(at(ann), 'proposal', { kind: 'confirm' });
    for (let kills = 0; kills < 3; kills += 1) await kill();
    for (const one of [ann, bob, cleo, dan])
      await waitFor(async () => expect((await latest(at(one))).state, at(one).handle).toBe(one === dan ? 'DECLINED' : 'COMPLETED'));
    expect(await Promise.all(killed.people.map(hashOf))).toEqual([hash, hash, hash, hash]);
    expect(await calendars()).toEqual([1, 1, 1, 0]);
    expect(server.effects('/book', '/unbook')).toEqual([1]);
    for (const one of [ann, bob, cleo, dan]) {
      expect((await at(one).call('listNegotiations', {})).negotiations).toHaveLength(1);
      expect(await inboxOf(at(one))).toEqual([]);
    }
  },
);
