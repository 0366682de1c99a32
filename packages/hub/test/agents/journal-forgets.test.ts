// A journal is for going on with a turn: when nobody can any more, nothing that was written, read or done is left in it.

import { onBothEngines } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Contacts, contactsOn } from '../contact/kit.ts';

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
});
