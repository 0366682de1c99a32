// A hub is restarted, and the agents that were connected to it come back: to what they were at, or to what they left.

import { onBothEngines, type Person } from '@parley/testkit';
import { expect, test } from 'vitest';
import { returnMs } from '../../../src/engine/reconnecting-agents.ts';
import { floorFor } from '../../kit/floor.ts';

onBothEngines('agents that come back to a hub', (engine) => {
  let rooms = 0;
  const { floor } = floorFor(engine);

  const kernel = () => floor.kit.hub.kernel;
  const by = async (agent: Person) => (await kernel().auth.principal(agent.token))!.by;
  const row = async (id: string) => (await kernel().store.rows('tasks', 'where id = ?', [id]))[0]!;
  const online = async (agent: Person) => (await kernel().store.rows('agents', 'where member_id = ?', [agent.id]))[0]!.online;
  const comeBack = async (agent: Person, holds?: { taskId: string; lease: number }[]) => {
    const { kept } = await kernel().engine.submit({ type: 'agent.connect', by: await by(agent), holds });
    await kernel().scheduler.settled();
    return kept;
  };
  /** How often it was given, and taken back. */
  const moves = async (id: string) =>
    (await kernel().store.rows('facts', "where subject_id = ? and type in ('task.begin', 'task.yield') order by seq", [id])).map(
      ({ type }) => type,
    );
  /** An agent at work when the hub goes down. */
  async function atWork(): Promise<{ agent: Person; taskId: string; lease: number; room: string }> {
    const agent = await floor.agent(`HAND${++rooms}`);
    const room = await floor.channel(`room-${rooms}`, agent);
    await floor.ann.post(room, `^${agent.handle} work`);
    await floor.pass(60_000);
    const [task] = await floor.tasks(room);
    expect(task).toMatchObject({ state: 'active' });
    return { agent, taskId: task!.id, lease: (await row(task!.id)).lease, room };
  }
  const say = async (agent: Person, taskId: string, lease: number) =>
    kernel().engine.submit({ type: 'task.say', by: await by(agent), taskId, lease, kind: 'answer', body: 'done' });

  test('[SYS-12] what an agent still holds is left to it: the same lease, and nothing is given again', async () => {
    const { agent, taskId, lease, room } = await atWork();
    await floor.kit.restart();
    expect([await online(agent), (await row(taskId)).state]).toEqual([1, 'active']);
    expect(await comeBack(agent, [{ taskId, lease }])).toEqual([taskId]);
    expect(await moves(taskId)).toEqual(['task.begin']);
    await floor.pass(returnMs + 30_000);
    expect([await online(agent), await row(taskId)]).toMatchObject([1, { state: 'active', lease }]);
    await say(agent, taskId, lease);
    expect((await floor.bodies(room)).at(-1)).toEqual([agent.handle, 'done']);
  });

  test('[SYS-12] a new process of the agent holds nothing: it is given all of it again, and the old lease is refused', async () => {
    const { agent, taskId, lease } = await atWork();
    await floor.kit.restart();
    expect(await comeBack(agent)).toEqual([]);
    expect(await moves(taskId)).toEqual(['task.begin', 'task.yield', 'task.begin']);
    expect(await row(taskId)).toMatchObject({ state: 'active', lease: lease + 1 });
    await expect(say(agent, taskId, lease)).rejects.toMatchObject({ code: 'stale_lease' });
  });

  test('[SYS-12] [SYS-9] nothing is kept that is not the agent’s, or that it has under another lease, or no more', async () => {
    const mine = await atWork();
    const other = await atWork();
    const over = await atWork();
    await say(over.agent, over.taskId, over.lease);
    await floor.kit.restart();
    const holds = [
      { taskId: mine.taskId, lease: mine.lease - 1 },
      { taskId: mine.taskId, lease: mine.lease + 1 },
      { taskId: other.taskId, lease: other.lease },
      { taskId: over.taskId, lease: over.lease },
    ];
    expect(await comeBack(mine.agent, holds)).toEqual([]);
    expect(await row(mine.taskId)).toMatchObject({ state: 'active', lease: mine.lease + 1 });
    expect([await row(other.taskId), await row(over.taskId)]).toMatchObject([
      { state: 'active', lease: other.lease, agent_id: other.agent.id },
      { state: 'completed' },
    ]);
  });

  test('[PAP-17] [IAC-15] one that does not come back in time is offline, and what it had waits for it', async () => {
    const { agent, taskId, lease } = await atWork();
    await floor.kit.restart();
    await floor.pass(returnMs - 1000);
    expect([await online(agent), (await row(taskId)).state]).toEqual([1, 'active']);
    await floor.pass(1000);
    await expect.poll(() => online(agent)).toBe(0);
    expect(await row(taskId)).toMatchObject({ state: 'queued', lease });
    expect((await row(taskId)).waiting_since).not.toBeNull();
    // Too late: others could have changed what it is about meanwhile.
    expect(await comeBack(agent, [{ taskId, lease }])).toEqual([]);
    expect(await row(taskId)).toMatchObject({ state: 'active', lease: lease + 1 });
  });

  test('[SYS-12] a hub that goes down twice counts the time again', async () => {
    const { agent, taskId, lease } = await atWork();
    await floor.kit.restart();
    await floor.pass(returnMs - 1000);
    await floor.kit.restart();
    await floor.pass(returnMs - 1000);
    expect(await online(agent)).toBe(1);
    expect(await comeBack(agent, [{ taskId, lease }])).toEqual([taskId]);
  });
});
