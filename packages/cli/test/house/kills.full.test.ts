// The hub's process, its relay and the thread of its peers are killed in the middle of the story. Nothing happens twice, nothing is lost.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readHubInfo } from '@parley/hub/data-dir';
import { Person, Random, seedFromEnv, waitFor } from '@parley/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { type Running, up } from '../kit.ts';
import { bookingServer } from '../peer/booking-server.ts';
import { answer, shareOnce } from './story-kit.ts';

/** A hub in a process of its own; each act is followed by a kill after so many milliseconds, and a new start. */
class KilledHub {
  readonly cwd: string;
  hub!: Running;
  people: Person[] = [];

  constructor(cwd: string) {
    this.cwd = cwd;
  }

  async start(): Promise<void> {
    this.hub = await up([], { cwd: this.cwd });
    this.people = this.people.map(({ token, id, handle }) => new Person(this.hub.url, token, id, handle));
  }

  async kill(afterMs: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    const info = await readHubInfo(this.hub.dataDir);
    process.kill(info!.pid, 'SIGKILL');
    await this.hub.stop();
    await this.start();
  }

  async add(handle: string): Promise<void> {
    const key = `op_${(await readFile(join(this.hub.dataDir, 'operator.key'), 'utf8')).trim()}`;
    const operator = new Person(this.hub.url, key, '', 'operator');
    const { id } = await operator.call('addMember', { body: { kind: 'human', handle, displayName: handle, role: 'member' } });
    const { secret } = await operator.call('createToken', { body: { kind: 'person', memberId: id, label: 'test' } });
    this.people.push(new Person(this.hub.url, secret, id, handle));
  }

  async calendar(person: Person): Promise<number> {
    const response = await fetch(new URL('/api/v1/peer/calendar.ics', person.url), {
      headers: { authorization: `Bearer ${person.token}` },
    });
    return (await response.text()).match(/BEGIN:VEVENT/g)?.length ?? 0;
  }
}

const seed = seedFromEnv();

test(
  `[A2C-34] [A2C-29] kill -9 of hub, relay and peers after every step (seed ${seed}): one outcome, one event and one effect of each action`,
  { timeout: 240_000 },
  async () => {
    const random = new Random(seed);
    const cwd = await mkdtemp(join(tmpdir(), 'parley-killed-'));
    const killed = new KilledHub(cwd);
    onTestFinished(async () => {
      await killed.hub.stop();
      await rm(cwd, { recursive: true, force: true });
    });
    await killed.start();
    for (const handle of ['ann', 'bob']) await killed.add(handle);
    const server = await bookingServer();
    for (const [person, name] of killed.people.map((one, n) => [one, ['book', 'tell'][n]!] as const))
      await person.call('addPeerAction', {
        body: { name, kind: 'webhook', run: `${server.url}/${name}`, undo: `${server.url}/un${name}` },
      });
    const ann = (): Person => killed.people[0]!;
    const bob = (): Person => killed.people[1]!;
    const { conversations } = await ann().call('listConversations', {});
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
