// A no and a draft are an agent's words like any other: held to the same rules, and read for the same addresses.

import { Ear, onBothEngines, type Person, startTestHub } from '@parley/testkit';
import { expect, test } from 'vitest';
import type { BrainTurn } from '../../../src/brains/brain.ts';
import { floorOn } from '../../kit/floor.ts';

onBothEngines('declining and drafting', (engine) => {
  test('[PAP-10] [PAP-14] an address in a no makes no task and is flagged to the agent, as in an answer', async () => {
    const floor = await floorOn(engine);
    try {
      const [a, b] = [await floor.agent('A'), await floor.agent('B')];
      const here = await floor.channel('no', a, b);
      await floor.ann.post(here, '^A go');
      await floor.pass();
      const [task] = await floor.tasks(here);
      const [row] = await floor.kit.hub.kernel.store.rows('tasks', 'where id = ?', [task!.id]);
      await a.call('declineTask', { params: { taskId: task!.id }, body: { reason: 'ask ^B instead', lease: row!.lease } });
      expect(await floor.tasks(here)).toMatchObject([{ state: 'declined' }]);
      const flags = await floor.kit.hub.kernel.store.rows('facts', "where type = 'task.flagged' and member_id = ?", [a.id]);
      expect(flags.map(({ data }) => JSON.parse(data) as object)).toMatchObject([{ reason: 'final_answer', agent: b.id }]);
    } finally {
      await floor.kit.stop();
    }
  });

  test('[PAP-1] in a channel that is archived, an agent’s word and its no are refused, and that is a fact', async () => {
    const floor = await floorOn(engine);
    try {
      const a = await floor.agent('A');
      const here = await floor.channel('done', a);
      await floor.ann.post(here, '^A go');
      await floor.pass();
      const [task] = await floor.tasks(here);
      const { store } = floor.kit.hub.kernel;
      const [row] = await store.rows('tasks', 'where id = ?', [task!.id]);
      await floor.ann.call('editConversation', { params: { conversationId: here }, body: { archived: true } });
      expect((await floor.say(a, task!, 'answer', 'too late')).body.error?.reason).toBe('channel_archived');
      const no = await a.ask('declineTask', { params: { taskId: task!.id }, body: { reason: 'too late', lease: row!.lease } });
      expect(no.body.error?.reason).toBe('channel_archived');
      const facts = await store.rows('facts', "where type = 'post.refused' and member_id = ?", [a.id]);
      expect(facts.map(({ data }) => JSON.parse(data) as object)).toEqual([{ reason: 'task_over' }, { reason: 'task_over' }]);
    } finally {
      await floor.kit.stop();
    }
  });

  test('[PAP-14] [SYS-14] a channel that is archived ends its tasks, those of its threads too, and tells who asked for them', async () => {
    const floor = await floorOn(engine);
    const { ann, bob } = floor;
    const [a, b, c, d, e] = (await Promise.all(['A', 'B', 'C', 'D', 'E'].map((handle) => floor.agent(handle)))) as [
      Person,
      Person,
      Person,
      Person,
      Person,
    ];
    const here = await floor.channel('done', bob, a, b, c, e);
    const far = await floor.channel('far', d);
    try {
      const root = await bob.post(here, 'a plan');
      const thread = await bob.call('openThread', { params: { messageId: root.id } });
      await bob.post(here, '^A for me');
      await bob.post(thread.id, '^B for me');
      await ann.post(here, '^C for me');
      await ann.post(far, '^D for me');
      await floor.disconnect(e);
      await bob.post(here, '^E for me');
      await floor.pass();
      await ann.call('editConversation', { params: { conversationId: here }, body: { archived: true } });
      await floor.connect(e);
      const ends = [...(await floor.tasks(here)), ...(await floor.tasks(far))].map(({ agentId, state, cause }) => [agentId, state, cause]);
      expect(ends).toEqual([
        [a.id, 'cancelled', 'channel_archived'],
        [b.id, 'cancelled', 'channel_archived'],
        [c.id, 'cancelled', 'channel_archived'],
        [e.id, 'cancelled', 'channel_archived'],
        [d.id, 'active', null],
      ]);
      const told = async (who: Person) =>
        (await floor.notices(who)).flatMap(({ kind, reason, agentId }) => (reason === 'channel_archived' ? [[kind, agentId]] : []));
      expect(await told(bob)).toEqual([a, b, e].map(({ id }) => ['task_stopped', id]));
      expect(await told(ann)).toEqual([['task_stopped', c.id]]);
    } finally {
      await floor.kit.stop();
    }
  });

  test('[PAP-1] [PAP-7] drafts of an agent of the hub are shown while the task is its own, and not a moment longer', async () => {
    let held: BrainTurn | undefined;
    let began!: () => void;
    const beginning = new Promise<void>((resolve) => (began = resolve));
    const kit = await startTestHub(engine, {
      // It does not listen: what it still tries must be refused.
      brain: {
        turn: (turn) => {
          held ??= turn;
          if (held === turn) began();
          return held === turn ? new Promise(() => {}) : Promise.resolve({ kind: 'answer', text: 'done' });
        },
      },
    });
    const ear = new Ear(kit.owner);
    try {
      const general = await kit.general();
      await ear.ready();
      const drafts = () => ear.heard.flatMap((event) => (event.type === 'draft' ? [event.text] : []));
      await kit.owner.post(general, '^ORAC go');
      await beginning;
      held!.draft('on it');
      await ear.until(() => drafts().includes('on it'));
      await kit.owner.call('stopTask', { params: { taskId: held!.task.id } });
      await ear.until(() => drafts().includes(null));
      held!.draft('and another thing');
      await kit.owner.post(general, '^STEF go');
      await kit.hub.kernel.scheduler.settled();
      await ear.fact('message.posted', ({ data }) => data.message.body === 'done');
      expect(drafts()).toEqual(['on it', null]);
    } finally {
      ear.socket.terminate();
      await kit.stop();
    }
  });
});
