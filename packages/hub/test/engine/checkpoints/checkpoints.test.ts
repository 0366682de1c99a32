// What waits for a person: theirs to answer, told to them, and made of ids.

import { Ear, onBothEngines, type Person } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Floor } from '../../kit/floor.ts';
import { obliging, worldOn } from '../../kit/obligations.ts';

onBothEngines('checkpoints', (engine) => {
  let floor: Floor;
  let bob: Person;
  beforeAll(async () => {
    floor = await obliging(engine);
    ({ bob } = floor);
  });
  afterAll(() => floor.kit.stop());

  /** Something that has come up to bob. */
  const raised = async () => {
    const { post, asked, above, here } = await worldOn(floor);
    const owed = await post('the written words');
    for (const agent of [asked, above])
      await agent.call('signalObligation', { params: { obligationId: owed.id }, body: { signal: 'declined' } });
    const { checkpoints } = await bob.call('listCheckpoints', { query: {} });
    return { owed, here, checkpoint: checkpoints.find(({ obligationIds }) => obligationIds.includes(owed.id))! };
  };
  const close = (who: Person, checkpointId: string, choice: string) =>
    who.ask('closeCheckpoint', { params: { checkpointId }, body: { choice } });

  test('[SYS-1] a checkpoint says who waits, links to the message, and is answered with one of its choices, once', async () => {
    const { owed, here, checkpoint } = await raised();
    expect(checkpoint).toMatchObject({
      kind: 'obligation',
      text: '@ann waits for an answer that nobody has given.',
      links: [{ conversationId: here, messageId: owed.messageId }],
      open: true,
    });
    expect(checkpoint.choices.map(({ choice }) => choice)).toEqual(['taken', 'left']);
    expect((await close(bob, checkpoint.id, 'maybe')).status).toBe(400);
    expect((await close(bob, checkpoint.id, 'taken')).body).toMatchObject({ open: false, choice: 'taken', closedBy: bob.id });
    expect((await close(bob, checkpoint.id, 'left')).body).toMatchObject({ choice: 'taken' });
    const open = await bob.call('listCheckpoints', { query: {} });
    const all = await bob.call('listCheckpoints', { query: { state: 'all' } });
    const inHere = await bob.call('listCheckpoints', { query: { state: 'all', conversationId: here } });
    expect(inHere.checkpoints.map(({ id, choice }) => [id, choice])).toEqual([[checkpoint.id, 'taken']]);
    const ofAnn = await floor.ann.call('listCheckpoints', { query: { state: 'all', conversationId: here } });
    expect(ofAnn.checkpoints).toEqual([]);
    expect([open, all].map(({ checkpoints }) => checkpoints.some(({ id }) => id === checkpoint.id))).toEqual([false, true]);
    // Answered is not settled: that is for who waits to say.
    const { obligations } = await bob.call('listObligations', { query: { owe: 'me' } });
    expect(obligations.some(({ id, open: stays }) => id === owed.id && stays)).toBe(true);
  });

  test('[SYS-1] [SYS-11] a checkpoint is its person’s; owners and admins can answer in their stead, others do not see it', async () => {
    const { checkpoint } = await raised();
    const get = { params: { checkpointId: checkpoint.id } };
    expect((await floor.ann.ask('getCheckpoint', get)).status).toBe(404);
    expect((await close(floor.ann, checkpoint.id, 'taken')).status).toBe(404);
    expect((await floor.kit.owner.ask('getCheckpoint', get)).status).toBe(200);
    expect((await close(floor.kit.owner, checkpoint.id, 'left')).body).toMatchObject({ open: false, closedBy: floor.kit.owner.id });
  });

  test('[SYS-1] [SYS-4] the person gets the checkpoint on the stream when it opens and when it closes, and nobody else does', async () => {
    const [mine, others] = [new Ear(bob), new Ear(floor.ann)];
    await Promise.all([mine.ready(), others.ready()]);
    const { checkpoint } = await raised();
    await close(bob, checkpoint.id, 'taken');
    await mine.fact('checkpoint.closed');
    const told = (ear: Ear) =>
      ear
        .facts()
        .filter(({ type }) => type.startsWith('checkpoint.'))
        .map(({ type }) => type);
    expect([told(mine), told(others)]).toEqual([['checkpoint.opened', 'checkpoint.closed'], []]);
    mine.close();
    others.close();
  });

  test('[SYS-1] nothing that was written is kept in it', async () => {
    const { checkpoint } = await raised();
    const kept = await floor.kit.hub.kernel.store.rows('checkpoints', 'where id = ?', [checkpoint.id]);
    expect(JSON.stringify(kept)).not.toMatch(/written|take the first/);
    await close(bob, checkpoint.id, 'left');
  });
});
