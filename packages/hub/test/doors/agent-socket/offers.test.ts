// What anyone may take, on the agents' own line: only what the engine would let them have.

import { hubFor, makeOnce, onBothEngines, type Person } from '@parley/testkit';
import { expect, test } from 'vitest';
import type { Wire } from '../../kit/agent-wire.ts';
import { linesForEach } from '../../kit/agent-wire.ts';

onBothEngines('offers on the agents’ line', (engine) => {
  const kit = hubFor(engine, { agents: [] });
  const ann = makeOnce(() => kit.person('ann'));
  let n = 0;
  const agent = (handle: string) => kit.agent(`${handle}${n}`, ann);
  const hello = linesForEach();
  const room = async (history: 'all' | 'joined', ...members: Person[]) => {
    const { id } = await ann.call('createChannel', { body: { name: `line-${n++}`, visibility: 'private', history } });
    for (const { id: memberId } of members) await ann.call('addToConversation', { params: { conversationId: id }, body: { memberId } });
    return id;
  };
  const offered = (wire: Wire) => wire.events.filter(({ event }) => event.kind === 'offer').map(({ event }) => event.messageId);
  /** Everything up to here has been sent: what comes in this room is a task by name, and comes after it. */
  async function sent(wire: Wire, who: Person, here: string): Promise<void> {
    const asked = await ann.post(here, `^${who.handle} still there?`);
    const { event } = await wire.event('task', ({ messageId }) => messageId === asked.id);
    await wire.call('say', { taskId: event.task.id, lease: event.lease!, kind: 'answer', body: 'yes' });
  }

  test('[SYS-9] [PAP-4] where history begins on joining, an older request is offered to nobody who came later, live or on connecting', async () => {
    const late = await agent('LATE');
    const here = await room('joined');
    const secret = await ann.post(here, '^ANY the salary of eve is moonshine');
    const wire = await hello(late);
    await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: late.id } });
    await sent(wire, late, here);
    const again = await hello(late);
    await sent(again, late, here);
    expect([...offered(wire), ...offered(again)]).toEqual([]);
    expect(JSON.stringify([wire.frames, again.frames])).not.toContain('moonshine');
    const [task] = await kit.hub.kernel.store.rows('tasks', 'where message_id = ?', [secret.id]);
    expect(await again.refusal('claim', { taskId: task!.id })).toBe('not_offered');
  });

  test('[PAP-4] a sleeper is offered nothing until it wakes', async () => {
    const [sleeper, awake] = [await agent('SLEEPER'), await agent('AWAKE')];
    const here = await room('all', sleeper, awake);
    const [wire, other] = [await hello(sleeper), await hello(awake)];
    const sleep = (asleepUntil: number | null) => ann.call('editAgent', { params: { memberId: sleeper.id }, body: { asleepUntil } });
    await sleep(Date.now() + 3_600_000);
    const asked = await ann.post(here, '^ANY help');
    const { event } = await other.event('offer', ({ messageId }) => messageId === asked.id);
    expect(await wire.refusal('claim', { taskId: event.task.id })).toBe('not_offered');
    expect(offered(wire)).toEqual([]);
    await sleep(null);
    await wire.event('offer', ({ messageId }) => messageId === asked.id);
  });

  test('[PAP-4] who was asked by name in the same words is not offered them as well', async () => {
    const [one, other] = [await agent('ONE'), await agent('OTHER')];
    const here = await room('all', one, other);
    const [first, second] = [await hello(one), await hello(other)];
    const asked = await ann.post(here, `^${one.handle} or ^ANY: help`);
    await second.event('offer', ({ messageId }) => messageId === asked.id);
    const { event } = await first.event('task', ({ messageId }) => messageId === asked.id);
    await first.call('say', { taskId: event.task.id, lease: event.lease!, kind: 'answer', body: 'done' });
    await sent(first, one, here);
    expect(offered(first)).toEqual([]);
  });
});
