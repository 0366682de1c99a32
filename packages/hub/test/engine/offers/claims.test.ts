// Long because every way a claim begins and ends is tried on one floor.
// Claims (C2A-15): one owner at a time. A claim ends when its agent declines, says nothing for too long, or goes; the next
// is asked, and when nobody is left, whoever asked is told, once.

import type { Task } from '@parley/protocol';
import { onBothEngines, type Person, Random } from '@parley/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { operator } from '../../../src/engine/command.ts';
import { FloorModel } from '../../kit/judges/floor.ts';
import { Wire } from '../../kit/agent-wire.ts';
import { floorFor, freshAgents } from '../../kit/floor.ts';

const second = 1000;
const minute = 60 * second;

onBothEngines('claims', (engine) => {
  const { floor, ann } = floorFor(engine);
  const [a, b] = freshAgents(floor, 'A', 'B');
  let n = 0;
  const all: string[] = [];
  beforeEach(async () => {
    n++;
    all.push(a.id, b.id);
  });
  const room = (...members: Person[]) => floor.channel(`claims-${n}`, ...members);
  const one = async (here: string): Promise<Task> => (await floor.tasks(here))[0]!;
  const asks = async (here: string, body = '^ANY help') => {
    await ann.post(here, body);
    return one(here);
  };
  const code = async (asked: Promise<{ status: number; body: { error?: { code: string } } }>) => {
    const { status, body } = await asked;
    return status === 200 ? 'ok' : body.error?.code;
  };
  const claim = (who: Person, task: Task) => code(who.ask('startTask', { params: { taskId: task.id } }));
  const decline = async (who: Person, task: Task, reason = 'not for me') => {
    const [row] = await floor.kit.hub.kernel.store.rows('tasks', 'where id = ?', [task.id]);
    return code(who.ask('declineTask', { params: { taskId: task.id }, body: { lease: row!.lease, reason } }));
  };
  const say = (who: Person, task: Task, kind: 'progress' | 'answer') => code(floor.say(who, task, kind, `${kind} of ${who.handle}`));
  const told = async (task: Task) => (await floor.notices(ann)).filter(({ taskId }) => taskId === task.id).map(({ kind }) => kind);
  const offers = async (task: Task) =>
    (await floor.kit.hub.kernel.store.rows('offers', 'where message_id = ? order by n', [task.messageId])).map((offer) => [
      offer.agent_id,
      offer.state,
    ]);

  test('[C2A-15] a task that was about to begin for an agent that has gone a moment before is not claimed for it', async () => {
    const here = await room(a, b);
    const task = await asks(here);
    await claim(a, task);
    await floor.disconnect(a);
    // As the scheduler had meant to when it last looked.
    const begin = { type: 'task.begin', by: operator, taskId: task.id, agentId: a.id, ifQueued: true } as const;
    await expect(floor.kit.hub.kernel.engine.submit(begin)).rejects.toMatchObject({ code: 'not_offered' });
    expect(await one(here)).toMatchObject({ agentId: null, state: 'offered' });
  });

  test.each(['^ANY help', 'does anybody know why the build is red?'])(
    '[C2A-15] [C2A-22] however many it had taken with a sign, who goes leaves them all to the next: %s',
    async (body) => {
      const here = await room(a, b);
      await ann.call('editConversation', { params: { conversationId: here }, body: { floor: 'open' } });
      const said: string[] = [];
      for (let i = 0; i < 20; i++) said.push((await ann.post(here, `${body} ${i}`)).id);
      const takeAll = async (who: Person) => {
        for (const messageId of said) expect(await code(who.ask('addReaction', { params: { messageId, emoji: '✋' } }))).toBe('ok');
      };
      const holders = async () =>
        (await floor.tasks(here)).filter(({ state }) => state === 'active' || state === 'queued').map(({ agentId }) => agentId);
      await takeAll(a);
      expect(await holders()).toEqual(said.map(() => a.id));
      await floor.disconnect(a);
      expect((await holders()).filter((id) => id === a.id)).toEqual([]);
      await takeAll(b);
      expect(await holders()).toEqual(said.map(() => b.id));
      await ann.call('removeFromConversation', { params: { conversationId: here, memberId: b.id } });
      expect((await holders()).filter((id) => id === b.id)).toEqual([]);
      // Who only went may have them when it is back.
      await floor.connect(a);
      await takeAll(a);
      expect(await holders()).toEqual(said.map(() => a.id));
    },
  );

  describe('expire', () => {
    test('[C2A-15] an agent that says nothing for two minutes loses the claim; the next is asked, and not the same again', async () => {
      const here = await room(a, b);
      const task = await asks(here);
      expect(await claim(a, task)).toBe('ok');
      await floor.pass(2 * minute - second);
      expect(await one(here)).toMatchObject({ state: 'active', agentId: a.id });
      await floor.pass(second);
      expect(await one(here)).toMatchObject({ state: 'offered', agentId: null, timer: { running: true } });
      expect(await say(a, task, 'answer')).toBe('task_of_another');
      expect(await claim(a, task)).toBe('not_offered');
      expect(await claim(b, task)).toBe('ok');
      expect(await say(a, task, 'answer')).toBe('task_of_another');
      expect(await offers(task)).toEqual([
        [a.id, 'expired'],
        [b.id, 'taken'],
      ]);
      expect(await say(b, task, 'answer')).toBe('ok');
      expect(await told(task)).toEqual([]);
    });

    test('[C2A-15] a word keeps it: from then on it is the agent’s work', async () => {
      const here = await room(a, b);
      const task = await asks(here);
      await claim(a, task);
      await floor.pass(minute);
      expect(await say(a, task, 'progress')).toBe('ok');
      await floor.pass(10 * minute);
      expect(await one(here)).toMatchObject({ state: 'active', agentId: a.id });
      expect(await say(a, task, 'answer')).toBe('ok');
    });

    test('[C2A-15] [C2A-13] every agent lets the task pass: it ends, and the requester gets one notice that nobody took it', async () => {
      const here = await room(a, b);
      const task = await asks(here);
      await claim(a, task);
      await floor.pass(2 * minute);
      await claim(b, task);
      await floor.pass(2 * minute);
      expect(await one(here)).toMatchObject({ state: 'timed_out', cause: 'nobody_took_it', agentId: null });
      expect(await told(task)).toEqual(['nobody_took_it']);
      await floor.pass(5 * minute);
      expect(await told(task)).toEqual(['nobody_took_it']);
    });

    test('[C2A-15] while everything is stopped, no claim runs out', async () => {
      const here = await room(a, b);
      const task = await asks(here);
      await claim(a, task);
      await floor.kit.owner.call('halt', {});
      await floor.pass(10 * minute);
      expect((await one(here)).agentId).toBe(a.id);
      await floor.kit.owner.call('release', {});
      await floor.pass(2 * minute);
      expect((await one(here)).agentId).toBeNull();
    });
  });

  describe('decline', () => {
    test('[C2A-15] an agent that declines is shown, and the next is asked; the last refusal ends the task, with one notice', async () => {
      const here = await room(a, b);
      const task = await asks(here);
      await claim(a, task);
      expect(await decline(a, task, 'ask somebody else')).toBe('ok');
      expect(await one(here)).toMatchObject({ state: 'offered', agentId: null, answerId: null });
      expect(await claim(a, task)).toBe('not_offered');
      expect(await told(task)).toEqual([]);
      await claim(b, task);
      expect(await decline(b, task)).toBe('ok');
      expect(await one(here)).toMatchObject({ state: 'declined', cause: 'declined', agentId: b.id });
      expect(await told(task)).toEqual(['nobody_took_it']);
      expect((await floor.bodies(here)).slice(1)).toEqual([
        [a.handle, 'ask somebody else'],
        [b.handle, 'not for me'],
      ]);
    });

    test('[C2A-15] delegations end with the claim', async () => {
      const c = await floor.agent(`C${n}`);
      all.push(c.id);
      const here = await room(a, b, c);
      const task = await asks(here);
      await claim(a, task);
      await floor.say(a, task, 'progress', `^${c.handle} look into it`);
      expect(await decline(a, task)).toBe('ok');
      expect((await floor.tasks(here)).map(({ state, cause }) => [state, cause])).toEqual([
        ['offered', null],
        ['cancelled', 'parent_ended'],
      ]);
      expect(await claim(b, task)).toBe('ok');
    });

    test('[C2A-15] [PAP-14] an agent that was asked by name declines for itself: nobody else is asked', async () => {
      const here = await room(a, b);
      await ann.post(here, `^${a.handle} help`);
      await floor.pass();
      const task = await one(here);
      expect(await decline(a, task)).toBe('ok');
      expect(await one(here)).toMatchObject({ state: 'declined', agentId: a.id });
      expect(await told(task)).toEqual([]);
    });
  });

  describe('disconnect', () => {
    test('[C2A-15] an agent that goes before its first word leaves the task to the next, and may take it again itself', async () => {
      const here = await room(a, b);
      const task = await asks(here);
      await claim(a, task);
      await floor.disconnect(a);
      expect(await one(here)).toMatchObject({ state: 'offered', agentId: null });
      expect(await offers(task)).toEqual([[a.id, 'withdrawn']]);
      await floor.connect(a);
      expect(await claim(a, task)).toBe('ok');
      expect(await claim(b, task)).toBe('already_claimed');
    });

    test('[C2A-15] [PAP-17] with no other agent there the task waits, and its author gets a notice', async () => {
      const here = await room(a);
      const task = await asks(here);
      await claim(a, task);
      await floor.disconnect(a);
      expect(await one(here)).toMatchObject({ state: 'queued', agentId: null, timer: { running: false } });
      expect(await told(task)).toEqual(['nobody_available']);
      await floor.connect(a);
      expect((await one(here)).state).toBe('offered');
    });

    test('[C2A-15] after its first word it is its own, and waits for it', async () => {
      const here = await room(a, b);
      const task = await asks(here);
      await claim(a, task);
      await say(a, task, 'progress');
      await floor.disconnect(a);
      expect(await one(here)).toMatchObject({ state: 'queued', agentId: a.id });
    });
  });

  test('[C2A-15] [C2A-34] a role is claimed like ^ANY, by those who hold it', async () => {
    const c = await floor.agent(`C${n}`);
    all.push(c.id);
    const here = await room(a, b, c);
    await floor.kit.owner.call('addRole', { body: { handle: `duty${n}`, holderIds: [a.id, b.id] } });
    const task = await asks(here, `^duty${n} help`);
    await claim(a, task);
    await floor.pass(2 * minute);
    expect((await one(here)).state).toBe('offered');
    expect(await claim(c, task)).toBe('not_offered');
    await claim(b, task);
    await decline(b, task);
    expect(await one(here)).toMatchObject({ state: 'declined' });
    expect(await told(task)).toEqual(['nobody_took_it']);
  });

  test('[C2A-15] built-in agents are asked next like any other', async () => {
    const here = await room(a, b);
    const task = await asks(here, '^ANY who is here?');
    await claim(a, task);
    await floor.disconnect(b);
    await ann.call('editAgent', { params: { memberId: b.id }, body: { brain: 'builtin' } });
    await floor.pass(2 * minute);
    expect(await one(here)).toMatchObject({ agentId: b.id, state: 'completed' });
  });

  const builtin = async (...agents: Person[]) => {
    for (const { id } of agents) await ann.call('editAgent', { params: { memberId: id }, body: { brain: 'builtin' } });
  };
  const said = async (here: string) => {
    const { messages } = await ann.call('listMessages', { params: { conversationId: here }, query: {} });
    return messages.filter(({ authorId }) => authorId !== ann.id).length;
  };

  test('[PAP-4] built-in agents pass without a word on tasks they cannot certainly answer; where no other agent is, the author gets a notice at once', async () => {
    const here = await room(a, b);
    await builtin(a, b);
    const task = await asks(here, '^ANY what is the capital of France?');
    await floor.pass(5 * second);
    expect(await one(here)).toMatchObject({ agentId: null, state: 'timed_out', cause: 'nobody_took_it' });
    expect([await told(task), await said(here)]).toEqual([['nobody_took_it'], 0]);
    expect(new Set(await offers(task))).toEqual(
      new Set([
        [a.id, 'declined'],
        [b.id, 'declined'],
      ]),
    );
  });

  test('[PAP-4] an agent whose model has no key takes nothing that another could; where it is alone, it says what it lacks', async () => {
    const keyless = async () => {
      const params = { memberId: a.id };
      const { version, identity } = await ann.call('getIdentity', { params });
      await ann.call('putIdentity', {
        params,
        body: { ...identity, brain: { kind: 'model', provider: 'anthropic', model: 'm' }, version },
      });
    };
    const here = await room(a, b);
    await keyless();
    const first = await asks(here, '^ANY what is the capital of France?');
    await floor.pass(5 * second);
    expect(await one(here)).toMatchObject({ agentId: null, state: 'offered' });
    expect(await say(b, first, 'answer')).toBe('ok');
    await builtin(b);
    await asks(here, '^ANY who is here?');
    await floor.pass(5 * second);
    expect((await floor.tasks(here)).at(-1)).toMatchObject({ agentId: b.id, state: 'completed' });
    const task = (await ann.post(here, '^ANY what is the capital of Spain?')).id;
    await floor.pass(5 * second);
    expect((await floor.tasks(here)).find(({ messageId }) => messageId === task)).toMatchObject({ agentId: a.id, state: 'failed' });
  });

  test('[PAP-4] they decide on every piece of it', async () => {
    const here = await room(a);
    await ann.call('editConversation', { params: { conversationId: here }, body: { composeMs: 4000 } });
    await builtin(a);
    await asks(here, '^ANY');
    await ann.post(here, 'who is here?');
    await floor.pass(30 * second);
    expect(await one(here)).toMatchObject({ agentId: a.id, state: 'completed' });
  });

  test('[PAP-4] [PAP-17] another agent that is there has its time; while it is away the request waits for it', async () => {
    const here = await room(a, b);
    await builtin(a);
    const task = await asks(here, '^ANY what is the capital of France?');
    await floor.pass(minute);
    expect([await one(here), await told(task)]).toMatchObject([{ agentId: null, state: 'offered' }, []]);
    await floor.disconnect(b);
    await floor.pass(second);
    expect([(await one(here)).state, await told(task)]).toEqual(['queued', ['nobody_available']]);
    await floor.connect(b);
    await floor.pass(second);
    expect((await one(here)).state).toBe('offered');
    expect(await claim(b, task)).toBe('ok');
    expect(await offers(task)).toContainEqual([a.id, 'declined']);
  });

  test('[PAP-4] [PAP-17] a request made while the only other agent is away waits for it', async () => {
    const here = await room(a, b);
    await builtin(a);
    await floor.disconnect(b);
    const task = await asks(here, '^ANY what is the capital of France?');
    await floor.pass(minute);
    expect([(await one(here)).state, await told(task), await said(here)]).toEqual(['queued', ['nobody_available'], 0]);
    await floor.connect(b);
    expect(await claim(b, task)).toBe('ok');
  });

  test('[PAP-4] an agent that passed gets no offer of it again; after the last one the author gets a notice at once', async () => {
    const here = await room(a, b);
    const task = await asks(here);
    const pass = (who: Person) => who.ask('passMessage', { params: { messageId: task.messageId } });
    expect((await pass(a)).status).toBe(200);
    expect([(await one(here)).state, await claim(a, task), (await pass(a)).status]).toEqual(['offered', 'not_offered', 403]);
    expect((await pass(b)).status).toBe(200);
    expect([await one(here), await told(task)]).toMatchObject([{ state: 'timed_out', cause: 'nobody_took_it' }, ['nobody_took_it']]);
    expect((await pass(b)).status).not.toBe(200);
  });

  test('[C2A-15] on the agents’ line: an agent that lost the claim learns it, and the next gets the offer again', async () => {
    const [c, d] = [await floor.agent(`C${n}`, { online: false }), await floor.agent(`D${n}`, { online: false })];
    all.push(c.id, d.id);
    const here = await room(c, d);
    const [first, other] = [await Wire.hello(c), await Wire.hello(d)];
    await ann.post(here, '^ANY help');
    const { event } = await first.event('offer');
    await other.event('offer');
    await first.call('claim', { taskId: event.task.id });
    await floor.pass(2 * minute);
    const { event: lost } = await first.event('ended');
    expect(lost).toMatchObject({ cause: 'claim_expired', content: null, words: [], lease: null, policy: 'must_not_respond' });
    const { event: again } = await other.event('offer', ({ eventId }) => eventId !== event.eventId);
    expect(again).toMatchObject({ task: { id: event.task.id }, content: '^ANY help' });
    await other.call('claim', { taskId: again.task.id });
    await first.close();
    await other.close();
  });

  test('[C2A-15] [SYS-4] a claim’s time goes on after a restart, and ends once', async () => {
    const c = await floor.agent(`C${n}`, { online: false });
    all.push(c.id);
    const here = await room(b, c);
    const task = await asks(here);
    expect(await claim(c, task)).toBe('ok');
    await floor.pass(minute);
    await floor.kit.restart();
    await floor.connect(b);
    await floor.pass(2 * minute);
    expect(await one(here)).toMatchObject({ state: 'offered', agentId: null });
    expect(await claim(b, task)).toBe('ok');
    expect(await say(b, task, 'answer')).toBe('ok');
    expect(await told(task)).toEqual([]);
  });

  test('[C2A-15] [PAP-4] in any order of its agents’ acts, a task has one owner at a time and one answer', async () => {
    const random = new Random(20_261_115 + n);
    const c = await floor.agent(`C${n}`);
    all.push(c.id);
    const agents = [a, b, c];
    const here = await room(...agents);
    for (let round = 0; round < 8; round++) {
      await ann.post(here, '^ANY help');
      for (let step = 0; step < 12; step++) {
        const task = (await floor.tasks(here)).at(-1)!;
        const who = random.pick(agents);
        await random.pick([
          () => Promise.all(agents.map((agent) => claim(agent, task))),
          () => claim(who, task),
          () => decline(who, task),
          () => say(who, task, 'progress'),
          () => say(who, task, 'answer'),
          () => floor.disconnect(who),
          () => floor.connect(who),
          () => floor.pass(random.int(130) * second),
        ])();
      }
      for (const agent of agents) await floor.connect(agent);
    }
    expect(await new FloorModel(floor.kit.hub.kernel.store, all).verdict()).toEqual([]);
    for (const task of await floor.tasks(here)) {
      const words = await floor.kit.hub.kernel.store.rows('task_words', "where task_id = ? and kind = 'answer'", [task.id]);
      expect(words.length).toBe(task.state === 'completed' ? 1 : 0);
      expect((await told(task)).filter((kind) => kind === 'nobody_took_it').length).toBeLessThan(2);
    }
  }, 60_000);
});
