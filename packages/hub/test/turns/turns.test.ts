// Turns of brains inside the hub: taken up again, gone on with, and ended once.

import { onBothEngines, type Person, startTestHub, type TestHub } from '@parley/testkit';
import { afterEach, expect, test } from 'vitest';
import type { Brain, BrainTurn } from '../../src/brains/brain.ts';
import { builtinBrain } from '../../src/brains/builtin/brain.ts';
import { bodiesOf, bothAnswered, oracDm, tasksOf } from '../kit/brain-turns.ts';

onBothEngines('turns in the hub', (engine) => {
  let kit: TestHub | undefined;
  afterEach(async () => {
    await kit?.stop();
    kit = undefined;
  });

  async function start(brain: Brain): Promise<{ kit: TestHub; general: string; owner: Person; settle: () => Promise<void> }> {
    kit = await startTestHub(engine, { brain });
    return { kit, general: await kit.general(), owner: kit.owner, settle: () => kit!.hub.kernel.scheduler.settled() };
  }
  const asked = (turn: BrainTurn) => turn.words.map(({ kind, text }) => `${kind}: ${text}`);

  test('[SYS-12] a delegation that ends before the turn pauses is taken up in a new turn', async () => {
    const seen: number[] = [];
    const brain: Brain = {
      turn: async (turn) => {
        if (turn.me.handle === 'STEF') return { kind: 'answer', text: 'done' };
        seen.push(turn.given.length);
        if (turn.given.length > 0) return { kind: 'answer', text: `${turn.given[0]!.agent!.handle} said ${turn.given[0]!.words}` };
        await turn.say('^STEF please');
        // As slow as it likes: the other is done before it pauses.
        for (let i = 0; i < 200 && (await turn.read.tasks()).some(({ parent_id }) => parent_id !== null); i++);
        return { kind: 'pause' };
      },
    };
    const { general, owner, settle } = await start(brain);
    await owner.post(general, '^ORAC go');
    await settle();
    expect((await tasksOf(owner)).map(({ state }) => state)).toEqual(['completed', 'completed']);
    expect([seen, (await bodiesOf(owner, general)).at(-1)]).toEqual([[0, 1], 'STEF said done']);
  });

  test('[PAP-9] [SYS-12] more said while it works is answered too, and nothing is said twice', async () => {
    let more: (() => Promise<unknown>) | undefined;
    const brain: Brain = {
      turn: async (turn) => {
        if (more) {
          const say = more;
          more = undefined;
          await turn.say('working');
          await say();
        }
        return { kind: 'answer', text: asked(turn).join(' | ') };
      },
    };
    const { kit: hub, owner, settle } = await start(brain);
    const dm = await oracDm(owner);
    more = async () => {
      await owner.post(dm, 'and this');
      await hub.hub.kernel.tail.settled();
    };
    await owner.post(dm, 'do that');
    await settle();
    expect(await bodiesOf(owner, dm)).toEqual(bothAnswered);
    expect(await tasksOf(owner)).toMatchObject([{ state: 'completed' }]);
  });

  test('[PAP-12] [PAP-14] an agent asked to ask one above it says that it cannot, once', async () => {
    const { general, owner, settle } = await start(builtinBrain());
    await owner.post(general, '^ORAC ask STEF to ask ORAC who is here');
    await settle();
    expect((await tasksOf(owner)).map(({ state, cause }) => [state, cause])).toEqual([
      ['completed', 'answered'],
      ['declined', 'blocked'],
    ]);
    expect(await bodiesOf(owner, general)).toHaveLength(4);
  });

  test('[SYS-4] [SYS-12] a greeting takes three commits: it is asked, its turn begins, and it is answered', async () => {
    const commits: string[][] = [];
    kit = await startTestHub(engine, {
      brain: builtinBrain(),
      onGroup: ({ committed, facts }) => {
        if (committed && facts.length > 0) commits.push(facts.map(({ type }) => type));
      },
    });
    const general = await kit.general();
    for (const mode of ['autonomous', 'strict'] as const) {
      const { members } = await kit.owner.call('listMembers', { query: {} });
      const orac = members.find(({ handle }) => handle === 'ORAC')!;
      await kit.owner.call('editAgent', { params: { memberId: orac.id }, body: { mode } });
      await kit.hub.kernel.tail.settled();
      commits.length = 0;
      await kit.owner.post(general, '^ORAC hello');
      await kit.hub.kernel.scheduler.settled();
      const steps = commits.filter((facts) => facts.some((type) => type.startsWith('turn.')));
      if (mode === 'autonomous') {
        expect(commits).toEqual([
          expect.arrayContaining(['message.posted', 'task.opened']),
          expect.arrayContaining(['task.begin']),
          expect.arrayContaining(['message.posted', 'task.complete']),
        ]);
        expect((await bodiesOf(kit.owner, general)).at(-1)).toMatch(/^Hello! I am `\^ORAC`/);
        // Where a person is asked about each read, each is journaled, and waits for them.
      } else expect(steps.flat()).toEqual(expect.arrayContaining(['turn.intended', 'turn.refused']));
    }
  });

  test('[PAP-14] a built-in agent that cannot answer says what it can do instead', async () => {
    const { general, owner, settle } = await start(builtinBrain());
    await owner.post(general, '^ORAC sing me a song');
    await settle();
    const said = (await bodiesOf(owner, general)).at(-1);
    expect(said).toMatch(/^I am a built-in agent without a model, so I cannot answer that\. I can\n- .*\n(?:- .*\n)+- .*\)$/);
    expect(said).toContain('`who is here?`');
  });

  test('[PAP-14] [SYS-10] a brain that waits for nothing is not begun again and again', async () => {
    const { general, owner, settle } = await start({ turn: () => Promise.resolve({ kind: 'pause' }) });
    await owner.post(general, '^ORAC go');
    await settle();
    expect(await tasksOf(owner)).toMatchObject([{ state: 'failed', cause: 'brain_failed' }]);
  });

  test('[PAP-14] a brain that fails ends its task, and the requester gets a notice', async () => {
    const { general, owner, settle } = await start({
      turn: () => Promise.reject(new Error('no idea')),
    });
    await owner.post(general, '^ORAC go');
    await settle();
    expect(await tasksOf(owner)).toMatchObject([{ state: 'failed', cause: 'brain_failed' }]);
    expect((await owner.call('listNotices', { query: {} })).notices.map(({ kind }) => kind)).toEqual(['task_failed']);
  });

  test('[PAP-15] stopping a task takes its turn away at once', async () => {
    let began!: () => void;
    const running = new Promise<void>((resolve) => (began = resolve));
    let aborted = false;
    const { general, owner, settle } = await start({
      turn: (turn) =>
        new Promise((_resolve, reject) => {
          turn.signal.addEventListener('abort', () => {
            aborted = true;
            reject(new Error('stopped'));
          });
          began();
        }),
    });
    await owner.post(general, '^ORAC go');
    await running;
    await owner.call('stopTask', { params: { taskId: (await tasksOf(owner))[0]!.id } });
    await settle();
    expect([aborted, (await tasksOf(owner))[0]!.state]).toEqual([true, 'cancelled']);
  });

  test('[SYS-10] stop everything takes every turn away; released, they are taken up again with what they had', async () => {
    let calls = 0;
    let hold = true;
    const waits: (() => void)[] = [];
    const { general, owner, settle } = await start({
      turn: async (turn) => {
        const found = await turn.step({ kind: 'tool', name: 'count', readOnly: false, keyed: true }, async () => ++calls);
        if (hold)
          await new Promise<void>((_resolve, reject) => {
            turn.signal.addEventListener('abort', () => reject(new Error('halted')));
            waits.shift()?.();
          });
        return { kind: 'answer', text: `counted ${found}` };
      },
    });
    const reached = new Promise<void>((resolve) => waits.push(resolve));
    await owner.post(general, '^ORAC count');
    await reached;
    await owner.call('halt', {});
    await settle();
    expect((await tasksOf(owner))[0]!.state).toBe('active');
    hold = false;
    await owner.call('release', {});
    await settle();
    expect([calls, (await bodiesOf(owner, general)).at(-1)]).toEqual([1, 'counted 1']);
  });

  test('[PAP-7] a question from below goes up through a built-in agent, and the answer down', async () => {
    const { kit: hub, general, owner, settle } = await start(builtinBrain());
    const bot = await hub.agent('BOT');
    await owner.call('addToConversation', { params: { conversationId: general }, body: { memberId: bot.id } });
    const principal = await hub.hub.kernel.auth.principal(bot.token);
    await hub.hub.kernel.engine.submit({ type: 'agent.connect', by: principal!.by });
    await owner.post(general, '^ORAC ask BOT for the report');
    await settle();
    const ofBot = async () => (await tasksOf(owner)).find(({ agentId }) => agentId === bot.id)!;
    const say = async (kind: 'question' | 'answer', body: string) => {
      const { id, conversationId } = await ofBot();
      const [row] = await hub.hub.kernel.store.rows('tasks', 'where id = ?', [id]);
      await bot.call('postMessage', { params: { conversationId }, body: { body, task: { id, lease: row!.lease, kind } } });
      await settle();
    };
    await say('question', 'which quarter?');
    expect((await tasksOf(owner)).map(({ state }) => state)).toEqual(['waiting', 'waiting']);
    expect((await bodiesOf(owner, general)).at(-1)).toBe('`^BOT` asks:\n> which quarter?');
    await owner.post(general, 'the third');
    await settle();
    expect((await ofBot()).state).toBe('active');
    await say('answer', 'here it is');
    expect((await tasksOf(owner)).map(({ state }) => state)).toEqual(['completed', 'completed']);
  });
});
