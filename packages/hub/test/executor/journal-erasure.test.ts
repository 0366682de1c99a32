// A journal is for going on with a turn: when nobody can any more, nothing that was written, read or done is left in it.

import { onBothEngines } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Contacts, contactsOn } from '../kit/contacts.ts';

const operator = { operator: true } as const;

onBothEngines('what a journal keeps', (engine) => {
  let on: Contacts;
  beforeAll(async () => {
    on = await contactsOn(engine);
  });
  afterAll(() => on.floor.kit.stop());

  test('[SYS-12] [SYS-14] interrupted turns keep what they did until the next has ended; then there is not a word', async () => {
    const agent = await on.floor.agent('WRITER');
    const root = await on.at(agent);
    const { store, engine: hub } = on.floor.kit.hub.kernel;
    const at = async () => ({ by: operator, agentId: agent.id, taskId: root.id, lease: (await on.row(root.id)).lease });
    const take = async (n: number, name: string) => {
      const [turn] = await store.rows('turns', "where task_id = ? and state = 'running'", [root.id]);
      const held = { ...(await at()), turnId: turn!.id, n };
      const input = '{"message":"the words of ann"}';
      await hub.submit({ type: 'turn.intend', ...held, kind: 'tool', name, readOnly: false, stepKey: null, input });
      await hub.submit({ type: 'turn.done', ...held, result: '{"text":"the words of ann"}' });
    };
    const kept = async () => {
      const rows = await store.rows('journal', 'where turn_id in (select id from turns where task_id = ?) order by intended_at', [root.id]);
      return rows.filter(({ input, result }) => `${input}${result}`.includes('words')).map(({ name }) => name);
    };
    await take(0, 'contact_agent');
    await take(1, 'files__write');
    await hub.submit({ type: 'task.yield', ...(await at()) });
    await on.floor.pass();
    // Taken again, they are known.
    expect((await kept()).toSorted()).toEqual(['contact_agent', 'files__write']);
    await take(0, 'files__move');
    expect(await kept()).toHaveLength(3);
    await on.say(agent, 'answer', 'done', root);
    expect(await kept()).toEqual([]);
  });

  test('[SYS-14] [IAC-3] an answer that is deleted does not come back from the journal of a turn that was interrupted', async () => {
    const [agent, other] = [await on.floor.agent('ASKER'), await on.floor.agent('TELLER')];
    const root = await on.at(agent);
    const { store, engine: hub } = on.floor.kit.hub.kernel;
    const [turn] = await store.rows('turns', "where task_id = ? and state = 'running'", [root.id]);
    const at = { by: operator, agentId: agent.id, taskId: root.id, lease: (await on.row(root.id)).lease };
    const step = { turnId: turn!.id, n: 0 };
    const key = `${turn!.id}:0`;
    const input = { action: 'ask', agentId: other.id, message: 'what was it?' };
    const intended = { ...step, kind: 'tool', name: 'contact_agent', readOnly: false, stepKey: key, input: JSON.stringify(input) } as const;
    await hub.submit({ type: 'turn.intend', ...at, ...intended });
    const { outcome } = await on.ask(agent, other, { message: input.message, key });
    const answer = await on.say(other, 'answer', 'the words of ann');
    const { text } = await outcome;
    await hub.submit({ type: 'turn.done', ...at, ...step, result: JSON.stringify({ text }) });
    await hub.submit({ type: 'task.yield', ...at });
    await on.floor.pass();
    const row = async () => (await store.rows('journal', 'where turn_id = ? and n = 0', [turn!.id]))[0]!;
    expect((await row()).result).toContain('the words of ann');
    await on.floor.kit.operator.call('deleteMessage', { params: { messageId: answer.id } });
    // That it was done, and how, is still known: made again, it is the same call, and tells what is left of it.
    expect(await row()).toMatchObject({ input: intended.input, key, result: null });
    const again = await on.contact(agent, other, { message: input.message, key });
    expect(again.text).toBe('Error: TELLER failed to respond: its answer was deleted.');
  });
});
