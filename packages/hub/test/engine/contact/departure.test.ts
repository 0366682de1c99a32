// Those who ask each other go: deactivated or erased in the middle of it. Whoever waits is told, nothing is left waiting, and of
// whoever was erased not a word is left, wherever it was told.

import { onBothEngines, type Person } from '@parley/testkit';
import { beforeEach, expect, test } from 'vitest';
import { freshAgents } from '../../kit/floor.ts';
import { contactsFor } from '../../kit/contacts.ts';

onBothEngines('members who go while agents work for each other', (engine) => {
  const { on, floor } = contactsFor(engine);
  const [a, b, c] = freshAgents(floor, 'A', 'B', 'C');
  let n = 0;
  beforeEach(() => void n++);

  const goes = async (who: Person, how: 'deactivateMember' | 'eraseMember' = 'deactivateMember') => {
    await on.floor.kit.operator.call(how, { params: { memberId: who.id } });
    await on.floor.kit.hub.kernel.outbox.settled();
    await on.floor.pass();
  };
  const store = () => on.floor.kit.hub.kernel.store;
  const bodies = async (conversationId: string) => (await on.floor.bodies(conversationId)).map(([, body]) => body);
  /** Nothing of a task waits for anybody. */
  const nothingWaits = async (...taskIds: string[]) => {
    for (const id of taskIds) {
      const [task] = await store().rows('tasks', 'where id = ?', [id]);
      const [row] = await store().rows('contacts', 'where task_id = ?', [id]);
      expect([task!.open, row?.state]).toEqual([0, expect.not.stringMatching(/pending/)]);
      expect(await store().rows('timers', "where kind = 'contact.until' and subject = ?", [id])).toEqual([]);
    }
  };

  test('[IAC-3] [SYS-14] the called agent leaves: the call reports it at once', async () => {
    await on.at(a);
    const { outcome, task } = await on.ask(a, b, { message: 'what is it?' });
    await goes(b);
    expect(await outcome).toMatchObject({ text: `Error: B${n} failed to respond: it is no longer there.`, status: 'failed' });
    await nothingWaits(task.id);
    expect((await on.newest(a)).state).toBe('active');
    // And is nobody to ask any more.
    expect(await on.contact(a, b, {})).toMatchObject({ status: 'refused', text: expect.stringContaining(`No agent with id '${b.id}'`) });
  });

  test('[IAC-7] [SYS-14] one of two who work for it: that it failed resumes the task, and the other’s result comes all the same', async () => {
    const root = await on.at(a);
    const [toB, toC] = [await on.ask(a, b, { action: 'delegate' }), await on.ask(a, c, { action: 'delegate' })];
    await on.say(a, 'answer', 'I wait.', root);
    await goes(b);
    expect((await bodies(root.conversationId)).at(-1)).toBe(
      `[Delegation Failed | B${n} | ${toB.task.id}]\nError: B${n} failed to complete the task: it is no longer there.`,
    );
    expect((await on.row(root.id)).state).toBe('active');
    await on.say(a, 'answer', 'I wait for the other.', root);
    await on.say(c, 'answer', 'my part', toC.task);
    expect((await bodies(root.conversationId)).at(-1)).toBe(`[Delegation Result from C${n} | ${toC.task.id}]\nmy part`);
    await on.say(a, 'answer', 'Done.', root);
    expect((await on.row(root.id)).state).toBe('completed');
  });

  test('[IAC-6] [SYS-14] the caller leaves: its delegations end with it, and nobody who is gone gets a message', async () => {
    const root = await on.at(a);
    const [toB, toC] = [await on.ask(a, b, { action: 'delegate' }), await on.ask(a, c)];
    await goes(a);
    expect((await on.row(root.id)).open).toBe(0);
    await nothingWaits(toB.task.id, toC.task.id);
    await toC.outcome.catch(() => {});
    expect((await on.floor.say(b, toB.task, 'answer', 'too late')).body.error?.code).toBe('task_over');
    expect((await bodies(root.conversationId)).some((body) => body.startsWith('[Delegation'))).toBe(false);
  });

  test('[SYS-14] [IAC-10] an agent is erased: its answer goes from the DM, and from every task that got it', async () => {
    const root = await on.at(a);
    const { task } = await on.ask(a, b, { action: 'delegate' });
    await on.say(a, 'answer', 'I wait.', root);
    await on.say(b, 'answer', `a word of B that must not stay ${n}`, task);
    await on.ask(a, b, { action: 'delegate', message: 'and this' });
    await on.say(a, 'answer', 'I wait again.', root);
    await on.decline(b, `a reason of B that must not stay ${n}`);
    expect((await bodies(root.conversationId)).filter((body) => body.includes('must not stay'))).toHaveLength(2);
    await goes(b, 'eraseMember');
    const left = await store().all('select id, body from messages where body like ?', [`%must not stay ${n}%`]);
    expect(left).toEqual([]);
    const facts = await store().all('select type from facts where data like ?', [`%must not stay ${n}%`]);
    expect(facts).toEqual([]);
  });

  test('[SYS-14] [SYS-1] the person for whom it all is: erased, nobody is asked any more and nothing of the call is kept', async () => {
    const eve = await on.floor.kit.person(`eve${n}`);
    const { id: dm } = await eve.call('openDm', { body: { memberIds: [a.id] } });
    await on.floor.ann.call('setContactRule', {
      params: { memberId: a.id, target: '*' },
      body: { permission: 'allow', requiresApproval: true },
    });
    await eve.post(dm, `the word is swordfish${n}`);
    await on.floor.pass();
    expect(await on.contact(a, b, { message: `is it swordfish${n}?`, context: `eve said swordfish${n}` })).toMatchObject({
      status: 'awaiting_approval',
    });
    const asked = async () =>
      (await on.floor.ann.call('listCheckpoints', { query: {} })).checkpoints.filter(({ text }) => text.startsWith(`A${n} `));
    expect(await asked()).toHaveLength(1);
    await goes(eve, 'eraseMember');
    expect(await asked()).toEqual([]);
    for (const table of ['approvals', 'checkpoints', 'messages', 'journal', 'facts'] as const)
      expect([table, JSON.stringify(await store().rows(table, '')).includes(`swordfish${n}`)]).toEqual([table, false]);
  });
});
