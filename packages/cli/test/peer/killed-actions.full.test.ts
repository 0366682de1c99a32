import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agree } from './agreeing-person.ts';
import { bookingServer } from './booking-server.ts';
import { killedUntilQuiet } from './killed-peers.ts';
import { commands, dinnerPair, eventsOf, latest } from './negotiation-kit.ts';
import type { Person } from './people-kit.ts';

/** As it is on disk: a look by commands would do the work of the process that is killed. */
const stateOf = async ({ store }: Person): Promise<string> =>
  ((await store.list('machine')).at(-1)!.value as { machine: { state: string } }).machine.state;

test.each(['initiator', 'responder'] as const)(
  '[A2C-29] [A2C-34] kill -9 of the %s after every commit and every effect, through rollback and a second try: each effect nets 0 or 1',
  async (role) => {
    const [ann, bob] = await dinnerPair();
    const server = await bookingServer();
    server.refusesFirst('/club');
    await commands(ann).addAction({ name: 'book_table', kind: 'webhook', run: `${server.url}/book`, undo: `${server.url}/release` });
    await commands(bob).addAction({ name: 'tell_club', kind: 'webhook', run: `${server.url}/club`, undo: `${server.url}/leave` });
    await commands(bob).setTier({ field: 'offered_actions', tier: 'always_share' });
    const { id } = await commands(ann).negotiate({ address: bob.address, intent: 'Dinner on Friday', needs: [] });
    const [victim, other] = role === 'initiator' ? [ann, bob] : [bob, ann];
    const marks = join(victim.folder, 'marks');
    await writeFile(marks, '');
    let kills = 0;
    for (let rounds = 0; rounds < 20; rounds += 1) {
      kills += await killedUntilQuiet(victim, marks);
      await agree(commands(other));
      if ((await stateOf(ann)) === 'COMPLETED' && (await stateOf(bob)) === 'COMPLETED') break;
    }
    for (const person of [ann, bob]) {
      const { state, notes } = await commands(person).show(id);
      expect([state, notes.filter(({ notice }) => notice === 'failed').length]).toEqual(['COMPLETED', 1]);
    }
    expect((await latest(ann)).proposal?.hash).toBe((await latest(bob)).proposal?.hash);
    // The first booking is released, the second one is there; nothing happened twice.
    expect(server.effects('/book', '/release')).toEqual([0, 1]);
    expect(server.effects('/club', '/leave')).toEqual([0, 1]);
    expect([await eventsOf(ann), await eventsOf(bob)]).toEqual([1, 1]);
    const killedAfter = (await readFile(marks, 'utf8')).trim().split('\n');
    console.log(`${role}: killed ${kills} times, ${killedAfter.length} of them at an effect`);
    // Two tries: the event before and after it is added, two calls or one, and in between what is undone.
    expect(kills).toBeGreaterThan(20);
    expect(killedAfter.length).toBeGreaterThan(6);
  },
);
