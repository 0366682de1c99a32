// The hub is killed (SIGKILL) inside a claim and inside the return of what somebody waits for, and started again on the
// same data: nothing is lost, nothing is there twice (C2A-15, C2A-31).

import type { Rows } from '@parley/hub';
import type { Message } from '@parley/protocol';
import { onBothEngines, Person } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Wire } from '../kit/agent-wire.ts';
import { KilledHub } from '../kit/children/killed-hub.ts';

const minute = 60_000;
const interval = 10 * minute;

onBothEngines('a hub that is killed while somebody is waited for', (kind) => {
  let hub: KilledHub;
  let n = 0;

  beforeAll(async () => {
    hub = await KilledHub.on(kind);
  });
  afterAll(() => hub.end());

  async function scene() {
    n++;
    const ann = await hub.child.person(`ann${n}`, 'owner');
    const [a, b] = [await hub.agent(ann, `A${n}`), await hub.agent(ann, `B${n}`)];
    const { id: here } = await ann.call('createChannel', { body: { name: `kill-${n}` } });
    for (const { id } of [a, b]) await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: id } });
    return { ann, a, b, here };
  }

  const factsOf = (id: string, ...types: string[]): Promise<string[]> =>
    hub.inStore(async (store) =>
      (await store.rows('facts', 'where subject_id = ? order by seq', [id])).map(({ type }) => type).filter((type) => types.includes(type)),
    );
  const said = async (ann: Person, here: string, agents: Person[]): Promise<[string | undefined, Message['body']][]> => {
    const { messages } = await (await hub.now(ann)).call('listMessages', { params: { conversationId: here }, query: {} });
    return messages.filter(({ authorId }) => agents.some(({ id }) => id === authorId)).map(({ task, body }) => [task?.kind, body]);
  };

  async function offered() {
    const s = await scene();
    const lines = { a: await Wire.hello(s.a), b: await Wire.hello(s.b) };
    await s.ann.post(s.here, '^ANY who takes it?');
    const { event } = await lines.a.event('offer');
    return { ...s, lines, taskId: event.task.id };
  }

  test('[C2A-15] before a claim is written down: it is nobody’s, and is offered again', async () => {
    const { a, b, ann, here, lines, taskId } = await offered();
    await hub.killAt('before', 'claim', () => lines.a.tried('claim', { taskId }));
    const line = await hub.connect(a);
    await line.event('offer', ({ task }) => task.id === taskId);
    const { lease } = await line.call('claim', { taskId });
    await line.call('say', { taskId, lease, kind: 'answer', body: 'I did' });
    expect(await factsOf(taskId, 'task.claim', 'task.release')).toEqual(['task.claim']);
    expect(await said(ann, here, [a, b])).toEqual([['answer', 'I did']]);
    await line.close();
  });

  test('[C2A-15] after a claim and before its first word: it is let go, and the next one answers, alone', async () => {
    const { a, b, ann, here, lines, taskId } = await offered();
    await hub.killAt('after', 'claim', () => lines.a.tried('claim', { taskId }));
    const line = await hub.connect(b);
    await line.event('offer', ({ task }) => task.id === taskId);
    const { lease } = await line.call('claim', { taskId });
    // Whoever had it comes back, and has it no more.
    const late = await hub.connect(a);
    for (const given of [1, lease])
      expect(await late.refusal('say', { taskId, lease: given, kind: 'answer', body: 'late' })).toBe('task_of_another');
    expect(await late.refusal('claim', { taskId })).toBe('already_claimed');
    await line.call('say', { taskId, lease, kind: 'answer', body: 'I did' });
    expect(await factsOf(taskId, 'task.claim', 'task.release')).toEqual(['task.claim', 'task.release', 'task.claim']);
    expect(await said(ann, here, [a, b])).toEqual([['answer', 'I did']]);
    await Promise.all([line.close(), late.close()]);
  });

  test('[C2A-15] [C2A-30] after its first word it is its own: it goes on with it, and what it repeats is not said twice', async () => {
    const { a, b, ann, here, lines, taskId } = await offered();
    const { lease } = await lines.a.call('claim', { taskId });
    const word = { taskId, kind: 'progress', body: 'on it', key: 'first-word' } as const;
    await hub.killAt('after', 'progress', () => lines.a.tried('say', { ...word, lease }));
    const other = await hub.connect(b);
    expect(await other.refusal('claim', { taskId })).toBe('already_claimed');
    const line = await hub.connect(a);
    const { event } = await line.event('task', ({ task }) => task.id === taskId);
    await line.call('say', { ...word, lease: event.lease! });
    await hub.killAt('after', 'answer', () =>
      line.tried('say', { taskId, lease: event.lease!, kind: 'answer', body: 'done', key: 'last-word' }),
    );
    const again = await hub.connect(a);
    await again.call('say', { taskId, lease: event.lease!, kind: 'answer', body: 'done', key: 'last-word' });
    expect(await said(ann, here, [a, b])).toEqual([
      ['progress', 'on it'],
      ['answer', 'done'],
    ]);
    expect(await factsOf(taskId, 'task.claim', 'task.release', 'task.complete')).toEqual(['task.claim', 'task.complete']);
    await again.close();
  });

  /** What it was asked is answered, and what is waited for is not settled. */
  async function owing() {
    const s = await scene();
    const line = await Wire.hello(s.a);
    const asked = await s.ann.call('postMessage', {
      params: { conversationId: s.here },
      body: { body: `^${s.a.handle} which one?`, obligation: { blocks: 'halted', defaultAction: 'the first', intervalMs: interval } },
    });
    const { event } = await line.event('task');
    await line.call('say', { taskId: event.task.id, lease: event.lease!, kind: 'answer', body: 'I will see' });
    const row = (): Promise<Rows['obligations']> =>
      hub.inStore(async (store) => (await store.rows('obligations', 'where message_id = ?', [asked.id]))[0]!);
    return { ...s, asked, row };
  }

  test.each([['before'], ['during'], ['after']] as const)(
    '[C2A-31] %s the return is written down: what was missed while there was no hub is one return, and one turn',
    async (when) => {
      const { ann, a, asked, here, row } = await owing();
      const declared = await row();
      await hub.killAt(when, 'obligation.due', () => hub.skip(interval + minute), 3 * interval);
      const { url } = await hub.child.up();
      // It has come back to it once the hub is up, or does so at once.
      const line = await Wire.hello(new Person(url, a.token, a.id, a.handle));
      const { event } = await line.event('task', ({ task }) => task.addressedBy === 'obligation');
      expect([event.content, event.messageId]).toEqual([null, asked.id]);

      const owed = await row();
      const returned = (await factsOf(declared.id, 'obligation.returned')).length;
      // The one that was under way when it was killed, if it was written down, and one for all that was missed.
      expect({ before: [1], during: [1, 2], after: [2] }[when]).toContain(returned);
      expect(owed).toMatchObject({ returns: returned, open: 1, created_at: declared.created_at, level: 0 });
      expect((owed.next_at! - owed.created_at) % interval).toBe(0);
      const elapsed = 4 * interval + minute;
      expect([5, 6].map((ticks) => owed.created_at + ticks * interval)).toContain(owed.next_at);
      expect(owed.next_at! - owed.created_at).toBeGreaterThan(elapsed);

      await line.call('say', { taskId: event.task.id, lease: event.lease!, kind: 'answer', body: 'the second' });
      const tasks = await hub.inStore((store) => store.rows('tasks', "where message_id = ? and addressed_by = 'obligation'", [asked.id]));
      expect(tasks.map(({ id, state }) => [id, state])).toEqual([[event.task.id, 'completed']]);
      expect(await said(ann, here, [a])).toEqual([
        ['answer', 'I will see'],
        ['answer', 'the second'],
      ]);
      const person = await hub.now(ann);
      await person.call('dischargeObligation', { params: { obligationId: declared.id } });
      expect(await factsOf(declared.id, 'obligation.discharged')).toHaveLength(1);
      await line.close();
    },
  );
});
