// Agents that contact each other in any order, while people stop them and lines break: whatever happens, nobody is told
// anything twice, nothing is lost, and no call waits for ever.

import { often, onBothEngines, type Person, Random } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Contacts, contactsOn } from '../../kit/contacts.ts';

const steps = 70;

const deedsInTurn = ['root', 'root', ...Array<string>(6).fill('contact'), ...Array<string>(6).fill('say'), 'stop', 'line', 'line', 'time'];

onBothEngines('contacts in any order', (engine) => {
  let on: Contacts;
  const agents: Person[] = [];
  beforeAll(async () => {
    on = await contactsOn(engine);
    for (const name of ['A', 'B', 'C', 'D']) agents.push(await on.floor.agent(name));
  });
  afterAll(() => on.floor.kit.stop());

  test.each(Array.from({ length: often(1, 4) }, (_, i) => i + 1))(
    '[IAC-3] [IAC-6] [IAC-7] each result is delivered once, in order, with its true state (seed %i)',
    async (seed) => {
      const random = new Random(seed);
      const pick = <T>(list: readonly T[]): T | undefined => (list.length === 0 ? undefined : random.pick(list));
      const { floor } = on;
      const { kernel } = floor.kit.hub;
      const asks: Promise<unknown>[] = [];
      const open = (where = '') => kernel.store.rows('tasks', `where open = 1 ${where} order by seq`);
      const offline = new Set<Person>();
      const room = await floor.channel(`any-${seed}`, ...agents);
      const deeds: Record<string, () => Promise<unknown>> = {
        root: () => floor.ann.post(room, `^${random.pick(agents).handle} do part ${random.int(1e6)}`),
        contact: async () => {
          const task = pick(await open("and state = 'active'"));
          const from = agents.find(({ id }) => id === task?.agent_id);
          if (!task || !from) return deeds['root']!();
          const call = { action: random.pick(['ask', 'delegate', 'delegate', 'notify']), message: `do ${random.int(1e9)}` };
          asks.push(on.contact(from, random.pick(agents), call, task).catch(() => undefined));
        },
        say: async () => {
          const task = pick(await open("and state = 'active'"));
          const agent = agents.find(({ id }) => id === task?.agent_id);
          if (!task || !agent) return;
          const { by } = (await kernel.auth.principal(agent.token))!;
          const kind = random.pick(['answer', 'answer', 'answer', 'question', 'progress'] as const);
          const body = `said ${random.int(1e9)}`;
          await kernel.engine.submit({ type: 'task.say', by, taskId: task.id, lease: task.lease, kind, body }).catch(() => undefined);
        },
        stop: async () => {
          const task = pick(await open());
          if (task) await floor.ann.ask('stopTask', { params: { taskId: task.id } });
        },
        line: async () => {
          for (const agent of offline) await floor.connect(agent);
          if (offline.size > 0) return offline.clear();
          const agent = random.pick(agents);
          await floor.disconnect(agent);
          offline.add(agent);
        },
        time: () => floor.pass(30_000),
      };
      for (let step = 0; step < steps; step++) {
        await deeds[random.pick(deedsInTurn)]!();
        await floor.pass();
      }
      await floor.pass(150_000);
      for (const { id } of await open('and parent_id is null')) await floor.ann.ask('stopTask', { params: { taskId: id } });
      for (const { id } of await open()) await floor.ann.ask('stopTask', { params: { taskId: id } });
      for (const agent of offline) await floor.connect(agent);
      // None of them waits for ever.
      await Promise.all(asks);
      expect(await open()).toEqual([]);

      const contacts = await kernel.store.rows('contacts', '');
      expect(contacts.length).toBeGreaterThan(5);
      const tasks = new Map((await kernel.store.rows('tasks', '')).map((task) => [task.id, task]));
      const messages = new Map((await kernel.store.rows('messages', '')).map((message) => [message.id, message]));
      for (const contact of contacts) {
        expect(contact.state).not.toBe('pending');
        if (contact.action !== 'delegate' || contact.result_id === null) continue;
        const { body } = messages.get(contact.result_id)!;
        if (body!.startsWith('[Delegation'))
          expect(body!.startsWith('[Delegation Result')).toBe(tasks.get(contact.task_id)!.state === 'completed');
      }
      const told = await kernel.store.rows('facts', "where type = 'task.result' order by seq");
      const byParent = Map.groupBy(told, ({ subject_id }) => subject_id);
      for (const facts of byParent.values()) {
        const given = facts.map(({ data }) => (JSON.parse(data) as { message?: string }).message).filter((id) => id !== undefined);
        expect(new Set(given).size).toBe(given.length);
        const places = given.map((id) => messages.get(id)!.seq);
        expect(places).toEqual(places.toSorted((a, b) => a - b));
      }
      expect(await kernel.store.rows('timers', "where kind = 'contact.until'")).toEqual([]);
      const pairs = await kernel.store.rows('conversations', 'where dm_key is not null');
      expect(new Set(pairs.map(({ dm_key }) => dm_key)).size).toBe(pairs.length);
    },
    90_000,
  );
});
