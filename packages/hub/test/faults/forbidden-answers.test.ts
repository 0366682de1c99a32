// What an agent must not answer, it cannot: each such answer is refused with its own reason at both doors, is shown to
// nobody, and is a fact.

import { onBothEngines, type Person } from '@parley/testkit';
import { expect, test } from 'vitest';
import { Wire } from '../kit/agent-wire.ts';
import { floorFor } from '../kit/floor.ts';

interface Answer {
  agent: Person;
  here: string;
  /** Null: there is none it could name. */
  task: { id: string; lease: number } | null;
}
interface Scene {
  here: string;
  /** ModelCall, with what it asks for; and another agent. */
  a: Person;
  b: Person;
  lines: { a: Wire; b: Wire };
}
type Case = [title: string, code: string, reason: string | undefined, scene: (s: Scene) => Promise<Answer>];

onBothEngines('answers that are not let in', (engine) => {
  let n = 0;
  const { floor } = floorFor(engine);

  async function scene(): Promise<Scene> {
    n++;
    const [a, b] = [await floor.agent(`A${n}`, { online: false }), await floor.agent(`B${n}`, { online: false })];
    const here = await floor.channel(`forbidden-${n}`, floor.bob, a, b);
    return { here, a, b, lines: { a: await Wire.hello(a), b: await Wire.hello(b) } };
  }
  const given = async (line: Wire): Promise<{ id: string; lease: number }> => {
    await floor.pass();
    const { event } = await line.event('task');
    return { id: event.task.id, lease: event.lease! };
  };
  const post = (here: string, body: string) => floor.ann.post(here, body);
  const asked = async ({ here, a, lines }: Scene) => {
    const message = await post(here, `^${a.handle} go`);
    return { message, task: await given(lines.a) };
  };

  const cases: Case[] = [
    [
      '[C2A-2] nobody addressed it',
      'agent_without_task',
      undefined,
      async ({ here, a }) => {
        await post(here, 'what a day');
        return { agent: a, here, task: null };
      },
    ],
    [
      '[C2A-2] it was said to another agent',
      'task_of_another',
      undefined,
      async ({ here, a, b, lines }) => {
        await post(here, `^${b.handle} go`);
        return { agent: a, here, task: await given(lines.b) };
      },
    ],
    [
      '[C2A-17] it is its own message, whoever it names in it',
      'task_over',
      'answered',
      async (s) => {
        const { task } = await asked(s);
        await s.lines.a.call('say', { taskId: task.id, lease: task.lease, kind: 'answer', body: `^${s.a.handle} is done` });
        await floor.pass();
        expect(await floor.tasks(s.here)).toHaveLength(1);
        return { agent: s.a, here: s.here, task };
      },
    ],
    [
      '[C2A-18] it was only thanked',
      'agent_without_task',
      undefined,
      async ({ here, a }) => {
        await post(here, `^${a.handle} thanks`);
        expect(await floor.tasks(here)).toEqual([]);
        return { agent: a, here, task: null };
      },
    ],
    [
      '[C2A-15] another has claimed it',
      'task_of_another',
      undefined,
      async ({ here, a, lines }) => {
        await post(here, '^ANY go');
        const { event } = await lines.b.event('offer');
        const { lease } = await lines.b.call('claim', { taskId: event.task.id });
        return { agent: a, here, task: { id: event.task.id, lease } };
      },
    ],
    [
      '[C2A-15] its claim was let go',
      'task_of_another',
      undefined,
      async ({ here, a, lines }) => {
        await post(here, '^ANY go');
        const { event } = await lines.a.event('offer');
        const { lease } = await lines.a.call('claim', { taskId: event.task.id });
        await floor.pass(3 * 60_000);
        return { agent: a, here, task: { id: event.task.id, lease } };
      },
    ],
    [
      '[C2A-16] it was asked to leave, and has parted',
      'asked_to_leave',
      undefined,
      async ({ here, a, lines }) => {
        await post(here, `^${a.handle} please leave this channel`);
        await lines.a.leave();
        await lines.a.call('goodbye', { conversationId: here, body: 'All right.' });
        return { agent: a, here, task: null };
      },
    ],
    [
      '[C2A-16] it was asked to leave while it worked',
      'asked_to_leave',
      undefined,
      async (s) => {
        const { task } = await asked(s);
        await floor.ann.call('askToLeave', { params: { conversationId: s.here }, body: { memberId: s.a.id } });
        return { agent: s.a, here: s.here, task };
      },
    ],
    [
      '[C2A-27] what was asked was deleted',
      'task_over',
      'request_deleted',
      async (s) => {
        const { task, message } = await asked(s);
        await floor.ann.call('deleteMessage', { params: { messageId: message.id } });
        return { agent: s.a, here: s.here, task };
      },
    ],
    [
      '[C2A-25] an edit asks another',
      'task_over',
      'request_edited',
      async (s) => {
        const { task, message } = await asked(s);
        await floor.ann.call('editMessage', { params: { messageId: message.id }, body: { body: `^${s.b.handle} rather you` } });
        return { agent: s.a, here: s.here, task };
      },
    ],
    [
      '[PAP-15] it was stopped',
      'task_over',
      'stopped',
      async (s) => {
        const { task } = await asked(s);
        await floor.ann.call('stopTask', { params: { taskId: task.id } });
        return { agent: s.a, here: s.here, task };
      },
    ],
  ];

  const refusals = async (agent: Person): Promise<string[]> =>
    (await floor.kit.hub.kernel.store.rows('facts', "where type = 'post.refused' and member_id = ? order by seq", [agent.id])).map(
      ({ data }) => (JSON.parse(data) as { reason: string }).reason,
    );

  test.each(cases)('%s: %s', async (_title, code, reason, prepare) => {
    const s = await scene();
    const { agent, here, task } = await prepare(s);
    await floor.pass();
    const shown = await floor.bodies(here);
    const line = agent === s.a ? s.lines.a : s.lines.b;

    const named = task ? { task: { ...task, kind: 'answer' as const } } : {};
    const http = await agent.ask('postMessage', { params: { conversationId: here }, body: { body: 'let me in', ...named } });
    const { error } = task
      ? await line.ask('say', { taskId: task.id, lease: task.lease, kind: 'answer', body: 'let me in' })
      : await line.ask('goodbye', { conversationId: here, body: 'let me in' });
    const expected = { code, ...(reason === undefined ? {} : { reason }) };
    expect([http.body.error, error?.data]).toMatchObject([expected, expected]);
    expect(http.status).toBeGreaterThanOrEqual(400);

    expect(await floor.bodies(here)).toEqual(shown);
    expect(await refusals(agent)).toEqual([code, code]);
    await Promise.all([s.lines.a.close(), s.lines.b.close()]);
  });

  test('[C2A-2] inside a task it replies to what belongs to its work, and to nothing else', async () => {
    const s = await scene();
    const { task, message } = await asked(s);
    const say = (replyTo: string, body: string) =>
      s.a.ask('postMessage', {
        params: { conversationId: s.here },
        body: { body, replyTo, task: { id: task.id, lease: task.lease, kind: 'progress' } },
      });
    const remark = await post(s.here, 'what a day');
    const toB = await post(s.here, `^${s.b.handle} count the users`);
    const shown = (await floor.bodies(s.here)).length;
    for (const { id } of [remark, toB]) {
      const { status, body } = await say(id, 'let me in');
      expect([status, body.error?.code]).toEqual([403, 'must_not_respond']);
    }
    expect(await floor.bodies(s.here)).toHaveLength(shown);
    expect(await refusals(s.a)).toEqual(['must_not_respond', 'must_not_respond']);
    const own = (await say(message.id, 'on it')).body as { id: string };
    expect((await say(own.id, 'still on it')).status).toBe(200);
    await Promise.all([s.lines.a.close(), s.lines.b.close()]);
  });

  test('[C2A-17] [C2A-18] its own words and thanks open nothing for it, and are not its to mark', async () => {
    const s = await scene();
    const { task } = await asked(s);
    const said = await s.lines.a.call('say', { taskId: task.id, lease: task.lease, kind: 'progress', body: `^${s.a.handle} look at this` });
    await post(s.here, `^${s.a.handle} thanks!`);
    await floor.pass();
    expect(await floor.tasks(s.here)).toHaveLength(1);
    const why = await floor.ann.call('explainMessage', { params: { messageId: said.id }, query: {} });
    expect(why.agents.find(({ agentId }) => agentId === s.a.id)).toMatchObject({ policy: 'must_not_respond', reason: 'own_message' });
    const mark = await s.lines.a.ask('signal', { messageId: said.id, signal: 'agree' });
    expect(mark.error?.data).toMatchObject({ code: 'forbidden', reason: 'message.react:own_message' });
    await Promise.all([s.lines.a.close(), s.lines.b.close()]);
  });
});
