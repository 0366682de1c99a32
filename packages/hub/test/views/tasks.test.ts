// What is shown of work: whose words a message is, and what a reader is told when the answer cannot be known.

import { onBothEngines } from '@parley/testkit';
import { expect, test, vi } from 'vitest';
import { StoreAwayError } from '../../src/store/port.ts';
import { floorFor } from '../kit/floor.ts';

onBothEngines('what is shown of work', (engine) => {
  const { floor } = floorFor(engine);
  let n = 0;
  const pair = async () => {
    const [a, b] = [await floor.agent(`A${n}`), await floor.agent(`B${n}`)];
    return { a, b, here: await floor.channel(`views-${n++}`, a, b) };
  };

  test('[SYS-2] [SYS-3] an agent’s word that goes on with what it gave on is its own, wherever it is shown', async () => {
    const { a, b, here } = await pair();
    await floor.ann.post(here, `^${a.handle} go`);
    await floor.pass();
    await floor.say(a, (await floor.tasks(here))[0]!, 'progress', `^${b.handle} help`);
    await floor.pass();
    const [mine, given] = await floor.tasks(here);
    const asked = (await floor.say(b, given!, 'question', 'which one?')).body as { id: string };
    const said = (await floor.say(a, mine!, 'progress', 'the second', { replyTo: asked.id })).body as { id: string };
    const words = await floor.kit.hub.kernel.store.rows('task_words', 'where message_id = ?', [said.id]);
    expect(words.map(({ kind }) => kind).toSorted()).toEqual(['follow_up', 'progress']);
    const shown = await floor.ann.call('listMessages', { params: { conversationId: here }, query: {} });
    expect(shown.messages.find(({ id }) => id === said.id)?.task).toEqual({ id: mine!.id, kind: 'progress' });
    await floor.pass();
    // Whichever of the two is read first.
    const { store } = floor.kit.hub.kernel;
    const rows = store.rows.bind(store);
    const turned = vi.spyOn(store, 'rows').mockImplementation(async (table, ...query) => {
      const found = await rows(table, ...(query as [string]));
      return table === 'task_words' ? found.toReversed() : found;
    });
    const before = await floor.ann.call('explainMessage', { params: { messageId: said.id }, query: {} });
    turned.mockRestore();
    expect(before).toEqual(await floor.ann.call('explainMessage', { params: { messageId: said.id }, query: {} }));
    expect(before.agents.find(({ agentId }) => agentId === b.id)?.task?.id).toBe(given!.id);
  });

  test('[SYS-4] with the database away nobody is told that a task does not exist', async () => {
    const { a, here } = await pair();
    await floor.ann.post(here, `^${a.handle} go`);
    const [task] = await floor.tasks(here);
    const { store } = floor.kit.hub.kernel;
    const rows = store.rows.bind(store);
    const away = vi.spyOn(store, 'rows').mockImplementation((table, ...query) => {
      if (table === 'conversations') throw new StoreAwayError('away');
      return rows(table, ...(query as [string]));
    });
    try {
      expect((await floor.bob.ask('getTask', { params: { taskId: task!.id } })).status).toBe(503);
    } finally {
      away.mockRestore();
    }
  });

  test('[SYS-9] an agent that lists its conversations for a task that is over is told so; for one that is open, who hears it is found once', async () => {
    const { a, here } = await pair();
    for (let i = 0; i < 5; i++) await floor.channel(`more-${n}-${i}`, a);
    await floor.ann.post(here, `^${a.handle} go`);
    await floor.pass();
    const [task] = await floor.tasks(here);
    const { store } = floor.kit.hub.kernel;
    const list = () => a.ask('listConversations', { query: {} }, { 'parley-task': task!.id });
    const read = vi.spyOn(store, 'rows');
    const listed = (await list()).body.conversations.map(({ id }) => id);
    expect(listed).toContain(here);
    expect(listed.length).toBeGreaterThanOrEqual(6);
    expect(read.mock.calls.filter(([table]) => table === 'chains')).toHaveLength(1);
    read.mockRestore();
    await floor.say(a, task!, 'answer', 'done');
    expect((await list()).body.error?.code).toBe('task_over');
  });
});
