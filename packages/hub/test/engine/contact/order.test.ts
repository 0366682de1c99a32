// In which order an agent is given what waits for it, and how many at once.

import { defaultBudgets } from '@parley/core';
import { often, onBothEngines, type Person } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Brain } from '../../../src/brains/brain.ts';
import { workLimits } from '../../../src/engine/limits.ts';
import { Wire } from '../../kit/agent-wire.ts';
import { roundsOf } from '../../kit/rounds.ts';
import { type Contacts, contactsOn, eventually } from '../../kit/contacts.ts';

const plenty = { turns: 100_000, micros: 1e12 };
const budgets = Object.fromEntries(Object.keys(defaultBudgets).map((purse) => [purse, plenty])) as unknown as typeof defaultBudgets;

onBothEngines('an agent’s queue', (engine) => {
  let on: Contacts;
  const groups: string[][] = [];
  beforeAll(async () => {
    on = await contactsOn(engine, {
      limits: { ...workLimits, budgets, maxTasks: 1000 },
      onGroup: ({ committed, facts, tables }) => {
        if (committed && facts.length + tables.size > 0) groups.push(facts.map(({ type }) => type));
      },
    });
  });
  afterAll(() => on.floor.kit.stop());

  test('[IAC-8] priority orders it between conversations, never within one', async () => {
    const { floor } = on;
    const target = await floor.agent('TARGET', { online: false });
    await floor.connect(target);
    await floor.ann.call('editAgent', {
      params: { memberId: target.id },
      body: { asleepUntil: floor.clock.now() + 60_000, maxConcurrent: 16 },
    });
    const callers: Person[] = [];
    for (const name of ['ONE', 'TWO', 'THREE']) callers.push(await floor.agent(name));
    const [one, two, three] = callers as [Person, Person, Person];
    for (const caller of callers) await on.at(caller);
    const give = (from: Person, message: string, priority: string) => on.contact(from, target, { action: 'delegate', message, priority });
    await give(one, 'one low', 'low');
    await give(one, 'one urgent', 'urgent');
    await give(two, 'two normal', 'normal');
    await give(three, 'three urgent', 'urgent');
    await give(two, 'two high', 'high');
    await floor.pass(61_000);
    const begun = await floor.kit.hub.kernel.store.all<{ body: string }>(
      `select m.body as body from facts f join tasks t on t.id = f.subject_id join messages m on m.id = t.message_id
       where f.type = 'task.begin' and t.agent_id = ? order by f.seq`,
      [target.id],
    );
    expect(begun.map(({ body }) => body.split('\n').at(-1))).toEqual(['three urgent', 'two normal', 'two high', 'one low', 'one urgent']);
  });

  test('[IAC-8] an agent of the hub begins what waits for it by priority, however long each estimate takes', async () => {
    const estimates: (() => void)[] = [];
    const brain: Brain = {
      turn: () => new Promise(() => {}),
      estimate: () => {
        const { promise, resolve } = Promise.withResolvers<number>();
        estimates.push(() => resolve(1));
        setImmediate(() => estimates.pop()?.());
        return promise;
      },
    };
    const agents = [{ handle: 'ORAC', displayName: 'ORAC', about: '' }];
    const own = await contactsOn(engine, { brain, agents, limits: { ...workLimits, budgets } });
    const { floor } = own;
    try {
      const orac = (await floor.ann.call('listAgents', {})).agents.find(({ handle }) => handle === 'ORAC')!;
      const asleepUntil = floor.clock.now() + 60_000;
      await floor.kit.owner.call('editAgent', { params: { memberId: orac.id }, body: { asleepUntil } });
      const priorities = ['low', 'urgent', 'normal', 'high', 'low', 'urgent'] as const;
      for (const [i, priority] of priorities.entries()) {
        const caller = await floor.agent(`CALLER${i}`);
        await own.at(caller);
        const given = await own.contact(caller, orac.id, { action: 'delegate', message: `${priority} ${i}`, priority });
        expect(given.text).toContain('Delegated');
      }
      await floor.kit.owner.call('editAgent', { params: { memberId: orac.id }, body: { asleepUntil: null } });
      await eventually(
        async () => (await floor.kit.hub.kernel.store.rows('tasks', "where agent_id = ? and state = 'queued'", [orac.id])).length === 0,
      );
      const begun = await floor.kit.hub.kernel.store.all<{ body: string }>(
        `select m.body as body from facts f join tasks t on t.id = f.subject_id join messages m on m.id = t.message_id
         where f.type = 'task.begin' and t.agent_id = ? order by f.seq`,
        [orac.id],
      );
      expect(begun.map(({ body }) => body.split('\n').at(-1))).toEqual(['urgent 1', 'urgent 5', 'high 3', 'normal 2', 'low 0', 'low 4']);
    } finally {
      await floor.kit.stop();
    }
  });

  test('[IAC-3] an ask between two connected agents is at most 4 groups, there and back, and 10 rounds for what they hang on', async () => {
    const { floor } = on;
    const [asker, answerer] = [await floor.kit.agent('ASKER', floor.ann), await floor.kit.agent('ANSWERER', floor.ann)];
    const [left, right] = [await Wire.hello(asker), await Wire.hello(answerer)];
    const here = await floor.channel('asking', asker);
    await floor.ann.post(here, '^ASKER ask it');
    const { event } = await left.event('task');
    const ask = (message: string) =>
      left.call('contact', { taskId: event.task.id, lease: event.lease!, action: 'ask', agentId: answerer.id, message });
    right.onEvent = ({ kind, task, lease }) => {
      if (kind === 'task') void right.call('say', { taskId: task.id, lease: lease!, kind: 'answer', body: 'it is 42' });
    };
    // The first makes the DM.
    await ask('how much is it?');
    await floor.kit.hub.kernel.tail.settled();
    groups.length = 0;
    const { rounds } = await roundsOf(floor.kit.hub.kernel.store, async () => {
      expect((await ask('and how much is that?')).text).toBe('Response from ANSWERER: it is 42');
      await floor.kit.hub.kernel.tail.settled();
    });
    expect(groups.length).toBeLessThanOrEqual(4);
    // What each of them looks at besides what it begins with: it is fetched together where it can be.
    expect(rounds.length, rounds.join('\n')).toBeLessThanOrEqual(10);
    expect(groups.map((types) => types[0])).toEqual(['message.posted', 'task.begin', 'message.posted']);
    await left.close();
    await right.close();
  });

  // The full run asks a thousand times on one of the two engines.
  const each = engine === 'sqlite' ? often(20, 100, 100) : often(20, 100);
  test(`[IAC-5] ${10 * each} asks to one agent all proceed, whichever is answered first`, async () => {
    const { floor } = on;
    const { kernel } = floor.kit.hub;
    const busy = await floor.agent('BUSY');
    const callers: Person[] = [];
    for (let i = 0; i < 10; i++) callers.push(await floor.agent(`CALLER${i}`));
    for (const caller of callers) await on.at(caller);
    const asks = callers.flatMap((caller) =>
      Array.from({ length: each }, (_, i) => on.contact(caller, busy, { message: `what is ${i}?` })),
    );
    const active = async () => kernel.store.rows('tasks', "where agent_id = ? and state = 'active' order by seq", [busy.id]);
    const count = "select count(*) as n from tasks where agent_id = ? and state = 'active'";
    await eventually(async () => {
      await kernel.scheduler.settled();
      return (await kernel.store.all<{ n: number }>(count, [busy.id]))[0]!.n === asks.length;
    });
    const begun = await active();
    // The last one is answered while all others wait.
    const { by } = (await kernel.auth.principal(busy.token))!;
    const answer = ({ id, lease }: (typeof begun)[number]) =>
      kernel.engine.submit({ type: 'task.say', by, taskId: id, lease, kind: 'answer', body: `it is ${id}` });
    const last = begun.at(-1)!;
    await answer(last);
    expect((await Promise.race(asks)).text).toBe(`Response from BUSY: it is ${last.id}`);
    await Promise.all(begun.slice(0, -1).map(answer));
    const texts = new Set((await Promise.all(asks)).map(({ text }) => text));
    expect(texts.size).toBe(asks.length);
  }, 120_000);
});
