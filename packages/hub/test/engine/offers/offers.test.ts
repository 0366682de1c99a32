// What anyone may take (`^ANY`): offered while somebody is there who could, waiting while nobody is.

import type { Task } from '@parley/protocol';
import { onBothEngines, type Person } from '@parley/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { floorFor, freshAgents } from '../../kit/floor.ts';

const minute = 60_000;
const hour = 60 * minute;

onBothEngines('offers', (engine) => {
  const { floor, ann, bob } = floorFor(engine);
  const [a, b] = freshAgents(floor, 'A', 'B');
  let n = 0;
  beforeEach(() => void n++);
  const room = (...members: Person[]) => floor.channel(`offers-${n}-${members.length}`, bob, ...members);
  const threadIn = async (here: string) =>
    (await ann.call('openThread', { params: { messageId: (await ann.post(here, 'a matter')).id } })).id;
  const add = (here: string, who: Person) =>
    ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: who.id } });
  const drop = (here: string, who: Person) => ann.call('removeFromConversation', { params: { conversationId: here, memberId: who.id } });
  const sleep = (who: Person, ms: number | null) =>
    ann.call('editAgent', { params: { memberId: who.id }, body: { asleepUntil: ms === null ? null : floor.clock.now() + ms } });
  const anyone = async (here: string): Promise<Task> => (await floor.tasks(here)).findLast((task) => task.addressedBy === 'any_agent')!;
  const stands = async (here: string) => {
    const task = await anyone(here);
    return [task.state, task.timer?.running];
  };
  const told = async (task: Task) => (await floor.notices(ann)).filter(({ taskId }) => taskId === task.id).map(({ kind }) => kind);
  const claim = async (who: Person, task: Task) => {
    const { status, body } = await who.ask('startTask', { params: { taskId: task.id } });
    return status === 200 ? 'begun' : body.error?.code;
  };

  describe('kept right', () => {
    test('[PAP-4] [PAP-17] in a thread, too: the last agent goes, the task waits without the clock and its author gets a notice; the next agent gets the offer', async () => {
      const here = await threadIn(await room(a));
      await ann.post(here, '^ANY help');
      expect(await stands(here)).toEqual(['offered', true]);
      await floor.disconnect(a);
      expect(await stands(here)).toEqual(['queued', false]);
      expect(await told(await anyone(here))).toEqual(['nobody_available']);
      await floor.pass(2 * hour);
      await floor.connect(a);
      expect(await stands(here)).toEqual(['offered', true]);
      expect(await claim(a, await anyone(here))).toBe('begun');
    });

    test('[PAP-4] an answer without a claim is a claim, and every other answer is refused', async () => {
      const here = await room(a, b);
      await ann.post(here, '^ANY help');
      const task = await anyone(here);
      const say = (who: Person, kind: 'progress' | 'answer', body: string) =>
        who.ask('postMessage', { params: { conversationId: here }, body: { body, task: { id: task.id, lease: 0, kind } } });
      expect((await say(a, 'answer', 'I know: it is the cache.')).status).toBe(200);
      expect((await say(b, 'answer', 'It is the disk.')).body.error?.code).toBe('task_of_another');
      expect(await anyone(here)).toMatchObject({ agentId: a.id, state: 'completed' });
      expect((await floor.bodies(here)).filter(([who]) => who !== 'ann')).toEqual([[a.handle, 'I know: it is the cache.']]);
    });

    test('[PAP-4] an agent without the offer does not get the task by answering it', async () => {
      const here = await room(a);
      await ann.post(here, '^ANY help');
      const task = await anyone(here);
      const body = { body: 'me', task: { id: task.id, lease: 0, kind: 'answer' as const } };
      expect((await b.ask('postMessage', { params: { conversationId: here }, body })).status).not.toBe(200);
      expect(await stands(here)).toEqual(['offered', true]);
    });

    test('[PAP-4] an agent that falls asleep leaves the offer, and one that wakes by the clock or by hand gets it', async () => {
      const here = await room(a);
      await ann.post(here, '^ANY help');
      await sleep(a, hour);
      expect(await stands(here)).toEqual(['queued', false]);
      await floor.pass(hour + minute);
      expect(await stands(here)).toEqual(['offered', true]);
      await sleep(a, hour);
      expect(await stands(here)).toEqual(['queued', false]);
      await sleep(a, null);
      expect(await stands(here)).toEqual(['offered', true]);
    });

    test('[PAP-4] a person’s word that wakes a sleeper makes the offer in its other rooms', async () => {
      const [here, other] = [await threadIn(await room(a)), await room(a, b)];
      await sleep(a, hour);
      await ann.post(here, '^ANY help');
      expect(await stands(here)).toEqual(['queued', false]);
      await ann.post(other, `^${a.handle} wake up`);
      expect(await stands(here)).toEqual(['offered', true]);
    });

    test('[PAP-4] an agent that comes into a room gets the offers that wait there, in its threads as well; one that goes leaves them', async () => {
      const home = await room();
      const here = await threadIn(home);
      await ann.post(here, '^ANY help');
      expect(await stands(here)).toEqual(['queued', false]);
      await add(home, a);
      expect(await stands(here)).toEqual(['offered', true]);
      await drop(home, a);
      expect(await stands(here)).toEqual(['queued', false]);
    });

    test('[PAP-4] an agent with another brain, or none any more, is there or is not', async () => {
      const here = await room(a);
      await floor.disconnect(a);
      await floor.kit.owner.call('halt', {});
      await ann.post(here, '^ANY help');
      const brain = (to: 'builtin' | 'remote') => ann.call('editAgent', { params: { memberId: a.id }, body: { brain: to } });
      await brain('builtin');
      expect((await anyone(here)).state).toBe('offered');
      await brain('remote');
      expect((await anyone(here)).state).toBe('queued');
      await brain('builtin');
      await floor.kit.owner.call('deactivateMember', { params: { memberId: a.id } });
      expect((await anyone(here)).state).toBe('queued');
      await floor.kit.owner.call('reactivateMember', { params: { memberId: a.id } });
      expect((await anyone(here)).state).toBe('offered');
      await ann.call('stopTask', { params: { taskId: (await anyone(here)).id } });
      await floor.kit.owner.call('release', {});
    });

    test('[PAP-4] where history begins on joining, an older request is not for who came later', async () => {
      const { id: here } = await ann.call('createChannel', {
        body: { name: `later-${n}`, visibility: 'private', history: 'joined' },
      });
      await ann.post(here, '^ANY help');
      const before = await anyone(here);
      await add(here, a);
      expect((await anyone(here)).state).toBe('queued');
      expect(await claim(a, before)).not.toBe('begun');
      const principal = await floor.kit.hub.kernel.auth.principal(a.token);
      const begin = floor.kit.hub.kernel.engine.submit({ type: 'task.begin', by: principal!.by, taskId: before.id });
      await expect(begin).rejects.toMatchObject({ code: 'not_offered' });
      await ann.post(here, '^ANY help again');
      expect((await anyone(here)).state).toBe('offered');
    });

    test('[PAP-4] forty rooms with something for anyone: one agent more or less is one decision', async () => {
      const rooms = await Promise.all(Array.from({ length: 40 }, (_, i) => floor.channel(`many-${n}-${i}`, a)));
      for (const here of rooms) await ann.post(here, '^ANY help');
      const states = async () => new Set(await Promise.all(rooms.map(async (here) => (await anyone(here)).state)));
      expect(await states()).toEqual(new Set(['offered']));
      await floor.disconnect(a);
      expect(await states()).toEqual(new Set(['queued']));
      await floor.connect(a);
      expect(await states()).toEqual(new Set(['offered']));
      await floor.disconnect(a);
    });
  });

  describe('with a name beside it', () => {
    const tasks = async (here: string) => (await floor.tasks(here)).map(({ agentId, state }) => [agentId, state]);

    test('[PAP-3] the only agent is named and is one of ^ALL: it is woken, and no notice says that nobody is here', async () => {
      const here = await room(a);
      const before = (await floor.notices(ann)).length;
      await ann.post(here, `^${a.handle} and ^ALL: report`);
      await floor.pass();
      expect(await tasks(here)).toEqual([[a.id, 'active']]);
      expect(await floor.notices(ann)).toHaveLength(before);
    });

    test('[PAP-4] the only agent is named beside ^ANY: it has been asked, and nobody else is needed', async () => {
      const here = await room(a);
      const before = (await floor.notices(ann)).length;
      await ann.post(here, `^${a.handle} or ^ANY: help`);
      await floor.pass();
      expect(await tasks(here)).toEqual([[a.id, 'active']]);
      expect(await floor.notices(ann)).toHaveLength(before);
    });

    test('[PAP-4] others are here: ^ANY is offered to them, and not to who has been asked by name', async () => {
      const here = await room(a, b);
      await ann.post(here, `^${a.handle} or ^ANY: help`);
      await floor.pass();
      expect(await tasks(here)).toEqual([
        [a.id, 'active'],
        [null, 'offered'],
      ]);
      expect(await claim(a, await anyone(here))).toBe('not_offered');
      await floor.disconnect(b);
      expect((await anyone(here)).state).toBe('queued');
      await floor.connect(b);
      expect(await claim(b, await anyone(here))).toBe('begun');
    });

    test('[PAP-4] [PAP-17] the named agent is away, and so are all: the task waits for the first to come', async () => {
      const here = await room(a, b);
      await floor.disconnect(a);
      await floor.disconnect(b);
      await ann.post(here, `^${a.handle} or ^ANY: help`);
      expect(await tasks(here)).toEqual([
        [a.id, 'queued'],
        [null, 'queued'],
      ]);
    });
  });
});
