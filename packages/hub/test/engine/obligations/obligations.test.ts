// What somebody waits for (C2A-31): who owes it, who may settle it, how it goes up, and what is left of it when its words go.

import { onBothEngines, type Person } from '@parley/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Wire } from '../../kit/agent-wire.ts';
import type { Floor } from '../../kit/floor.ts';
import { interval, obliging, type World, worldOn } from '../../kit/obligations.ts';

const held = { blocks: 'halted', defaultAction: 'secret plan', intervalMs: interval } as const;

onBothEngines('obligations', (engine) => {
  let floor: Floor;
  let ann: Person;
  let bob: Person;
  beforeAll(async () => {
    floor = await obliging(engine);
    ({ ann, bob } = floor);
  });
  afterAll(() => floor.kit.stop());
  const rows = (id: string) => floor.kit.hub.kernel.store.rows('obligations', 'where id = ?', [id]);
  const owedBy = async (who: Person) => (await who.call('listObligations', { query: { owe: 'me' } })).obligations;
  const ask = (who: Person, conversationId: string, body: string, obligation: object = held) =>
    who.ask('postMessage', { params: { conversationId }, body: { body, obligation: obligation as typeof held } });
  const signal = (who: Person, obligationId: string, said: 'declined' | 'blocked' | 'unclear' | 'working') =>
    who.ask('signalObligation', { params: { obligationId }, body: { signal: said } });
  const discharge = (who: Person, obligationId: string) => who.ask('dischargeObligation', { params: { obligationId } });
  const codes = async (...answers: Promise<{ status: number; body: { error?: { code: string; reason?: string } } }>[]) =>
    (await Promise.all(answers)).map(({ body }) => body.error?.reason ?? body.error?.code ?? 'ok');

  describe('declaring', () => {
    test('[C2A-31] is for a message that addresses one member: an agent, a person, or the other side of a DM', async () => {
      const { here, asked, above } = await worldOn(floor);
      const dm = await ann.call('openDm', { body: { memberIds: [bob.id] } });
      const posts = [
        ask(ann, here, 'anyone?'),
        ask(ann, here, `^${asked.handle} and ^${above.handle}?`),
        ask(ann, here, '^ANY?'),
        ask(ann, here, `^${asked.handle}?`, { ...held, delegateId: '00000000-0000-7000-8000-000000000000' }),
        ask(ann, here, `^${asked.handle} @nobody.here?`),
        ask(ann, here, '@bob?'),
        ask(ann, dm.id, 'lunch?'),
      ];
      expect(await codes(...posts)).toEqual(['invalid_request', 'invalid_request', 'invalid_request', 'invalid_request', 'ok', 'ok', 'ok']);
      expect((await owedBy(asked)).map((one) => [one.authorId, one.defaultAction])).toEqual([[ann.id, null]]);
      const mine = (await owedBy(bob)).filter((one) => [here, dm.id].includes(one.conversationId));
      expect(mine.map((one) => [one.recipientId, one.defaultAction])).toEqual([
        [bob.id, 'secret plan'],
        [bob.id, 'secret plan'],
      ]);
      const { obligations } = await bob.call('listObligations', { query: { blocking: 'me' } });
      expect(obligations.filter((one) => one.conversationId === dm.id)).toHaveLength(1);
    });

    test('[C2A-31] an agent’s question is owed by its requester, its progress by whom it names; an answer waits for nobody', async () => {
      const { here, asked, above } = await worldOn(floor);
      await ann.post(here, `^${asked.handle} build it`);
      await floor.pass();
      const [task] = await floor.tasks(here);
      const say = (kind: 'progress' | 'question' | 'answer', body: string) => floor.say(asked, task!, kind, body, { obligation: held });
      expect(await codes(say('answer', 'done'))).toEqual(['invalid_request']);
      expect(await codes(say('progress', `^${above.handle} which branch?`))).toEqual(['ok']);
      expect(await codes(say('question', 'which colour?'))).toEqual(['ok']);
      expect((await owedBy(above)).map((one) => [one.authorId, one.taskId])).toEqual([[asked.id, task!.id]]);
      expect((await owedBy(ann)).filter((one) => one.conversationId === here).map((one) => one.authorId)).toEqual([asked.id]);
    });
  });

  test('[C2A-31] a person gets a notice at each return; obligations that nobody answers go to their manager, all of them in one checkpoint', async () => {
    const world = await worldOn(floor);
    const carl = await floor.kit.person(`carl-${engine}`);
    const dana = await floor.kit.person(`dana-${engine}`);
    await floor.kit.owner.call('editMember', { params: { memberId: carl.id }, body: { managerId: dana.id } });
    const here = await floor.channel(`coalesce-${engine}`, carl);
    for (const body of [`@${carl.handle} one?`, `@${carl.handle} two?`]) expect((await ask(ann, here, body)).status).toBe(200);
    await world.pass(3 * interval);
    expect((await floor.notices(carl)).map(({ kind, memberId }) => [kind, memberId])).toEqual(
      Array.from({ length: 6 }, () => ['obligation_due', ann.id]),
    );
    await world.pass(interval);
    const { checkpoints } = await dana.call('listCheckpoints', { query: {} });
    const owed = (await owedBy(carl)).map(({ id }) => id);
    const [waiting] = checkpoints;
    expect(checkpoints).toHaveLength(1);
    expect(waiting!.obligationIds.toSorted()).toEqual(owed.toSorted());
    expect(waiting!.text).toBe('@ann waits for 2 answers that nobody has given.');
    // Settled by who waited, it need not be looked at any more.
    for (const id of owed) expect((await discharge(ann, id)).status).toBe(200);
    const after = await dana.call('getCheckpoint', { params: { checkpointId: waiting!.id } });
    expect([after.open, after.choice, after.closedBy]).toEqual([false, null, null]);
  });

  test('[C2A-31] only who waits, or whom they named, settles it; settled stays settled', async () => {
    const { here, asked, post, turns, pass } = await worldOn(floor);
    const owed = await post();
    expect(await codes(discharge(asked, owed.id), discharge(bob, owed.id))).toEqual(['obligation:not_yours', 'not_found']);
    await ask(ann, here, `^${asked.handle} again?`, { ...held, delegateId: bob.id });
    const [, lent] = await owedBy(asked);
    expect((await discharge(bob, lent!.id)).body).toMatchObject({ open: false, dischargedBy: bob.id });
    expect((await discharge(ann, lent!.id)).body).toMatchObject({ open: false, dischargedBy: bob.id });
    expect(await codes(signal(asked, lent!.id, 'working'))).toEqual(['obligation:settled']);
    await discharge(ann, owed.id);
    const before = await turns(asked);
    await pass(2 * interval);
    expect(await turns(asked)).toBe(before);
  });

  test('[C2A-31] declined and blocked send it up at once; only who has it can say so; a reaction says it as well', async () => {
    const { asked, above, post, turns, pass } = await worldOn(floor);
    const owed = await post();
    expect(await codes(signal(ann, owed.id, 'declined'))).toEqual(['obligation:not_the_holder']);
    await asked.call('addReaction', { params: { messageId: owed.messageId, emoji: '🙅' } });
    expect((await rows(owed.id))[0]).toMatchObject({ holder_id: above.id, level: 1, returns: 0 });
    await pass(0);
    expect(await turns(above)).toBe(1);
    expect((await signal(above, owed.id, 'blocked')).body).toMatchObject({ holderId: bob.id, nextAt: null });
    const { checkpoints } = await bob.call('listCheckpoints', { query: {} });
    expect(checkpoints.some(({ obligationIds }) => obligationIds.includes(owed.id))).toBe(true);
  });

  test('[C2A-31] unclear asks back: until that is settled the holder is not reminded', async () => {
    const { asked, post, turns, pass } = await worldOn(floor);
    const owed = await post();
    expect((await signal(asked, owed.id, 'unclear')).body).toMatchObject({ nextAt: null, open: true });
    const back = (await owedBy(ann)).find((one) => one.reciprocalOf === owed.id);
    expect(back).toMatchObject({ authorId: asked.id, recipientId: ann.id, messageId: owed.messageId });
    expect((await floor.notices(ann)).at(-1)).toMatchObject({ kind: 'obligation_due', memberId: asked.id });
    const before = await turns(asked);
    await pass(2 * interval);
    expect(await turns(asked)).toBe(before);
    expect(await codes(discharge(ann, back!.id))).toEqual(['obligation:not_yours']);
    expect((await discharge(asked, back!.id)).status).toBe(200);
    await pass(interval);
    expect(await turns(asked)).toBe(before + 1);
  });

  test('[C2A-31] an obligation to a sub-task wakes the agent above it, in its own task', async () => {
    const { here, asked, above, pass } = await worldOn(floor);
    await ann.post(here, `^${above.handle} ship it`);
    await floor.pass();
    const [outer] = await floor.tasks(here);
    await floor.say(above, outer!, 'progress', `^${asked.handle} build it`);
    await floor.pass();
    const inner = (await floor.tasks(here)).find((task) => task.parentId === outer!.id)!;
    await floor.say(above, outer!, 'question', 'ship where?');
    expect((await floor.say(asked, inner, 'question', 'which branch?', { obligation: { ...held, intervalMs: 10 * 60_000 } })).status).toBe(
      200,
    );
    const state = async () => (await floor.tasks(here)).find((task) => task.id === outer!.id)!.state;
    expect(await state()).toBe('waiting');
    await pass(10 * 60_000);
    expect(await state()).toBe('active');
    expect(await floor.tasks(here)).toHaveLength(2);
  });

  test('[C2A-31] the knock holds not one word that was written; in a turn that runs it comes as an event', async () => {
    const world: World = await worldOn(floor);
    await floor.disconnect(world.asked);
    const wire = await Wire.hello(world.asked);
    await ask(ann, world.here, `^${world.asked.handle} the hidden words`, { ...held, intervalMs: 20 * 60_000 });
    await wire.event('task');
    await world.pass(20 * 60_000);
    const { event } = await wire.event('obligation');
    expect(event).toMatchObject({ mode: 'notify', policy: 'must_respond', content: null, words: [], author: { id: ann.id } });
    await world.pass(20 * 60_000);
    const knock = await wire.event('task', ({ reason }) => reason === 'obligation');
    expect(JSON.stringify([event, knock])).not.toContain('hidden');
    expect(JSON.stringify([event, knock])).not.toContain('secret');
    const pulled = await wire.call('read.message', { taskId: knock.event.task.id, messageId: knock.event.messageId! });
    expect(pulled.body).toContain('the hidden words');
    const { obligations } = await wire.call('obligation.list', { side: 'owe' });
    expect(obligations.map(({ id }) => id)).toEqual([event.obligationId]);
    expect(await wire.call('obligation.signal', { obligationId: event.obligationId!, signal: 'working' })).toMatchObject({
      extended: true,
    });
    expect(await wire.refusal('obligation.discharge', { obligationId: event.obligationId! })).toBe('forbidden');
    await wire.close();
  });

  test('[C2A-31] [C2A-27] with its message it ends, and nothing that was written is left', async () => {
    const { post, asked, pass, turns } = await worldOn(floor);
    const owed = await post();
    await signal(asked, owed.id, 'unclear');
    await ann.call('deleteMessage', { params: { messageId: owed.messageId } });
    const left = await floor.kit.hub.kernel.store.rows('obligations', 'where message_id = ?', [owed.messageId]);
    expect(left.map((row) => [row.open, row.default_action, row.next_at])).toEqual([
      [0, '', null],
      [0, '', null],
    ]);
    const before = await turns(asked);
    await pass(2 * interval);
    expect(await turns(asked)).toBe(before);
  });

  test('[C2A-31] [SYS-15] an obligation is in its author’s export, and gone with them', async () => {
    const { here, asked } = await worldOn(floor);
    const dora = await floor.kit.person(`dora-${engine}`);
    await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: dora.id } });
    await ask(dora, here, `^${asked.handle}?`);
    const { obligations } = await dora.call('exportMember', { params: { memberId: dora.id } });
    expect(obligations.map(({ defaultAction }) => defaultAction)).toEqual(['secret plan']);
    await floor.kit.owner.call('eraseMember', { params: { memberId: dora.id } });
    await floor.kit.hub.kernel.outbox.settled();
    expect(await rows(obligations[0]!.id)).toMatchObject([{ open: 0, default_action: '' }]);
  });
});
