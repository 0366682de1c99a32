// The demo story goes through the real hub: tasks, a delegation, an approval that a person taps, and an event.

import { type Person, makeOnce } from '@parley/testkit';
import { waitFor } from '@parley/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { floorFor } from '../kit/floor.ts';

describe('the demo story', () => {
  let member: Person;
  const { floor } = floorFor('sqlite');
  const owner = makeOnce(() => floor.kit.person('olga', 'owner'));
  beforeAll(async () => {
    member = floor.bob;
  });

  const said = async (conversationId: string): Promise<string[]> =>
    (await owner.call('listMessages', { params: { conversationId }, query: {} })).messages.map(({ body }) => body ?? '');

  /** Lets what is due happen until it has come to this; the clock is the test's own. */
  const until = (look: () => Promise<void>): Promise<void> =>
    waitFor(async () => {
      // Without waiting for turns to end: the scripted ones wait for this clock.
      floor.clock.advance(500);
      await floor.kit.hub.kernel.timers.tick();
      await look();
    });

  test('[SYS-11] only an owner or an admin plays it or removes it', async () => {
    for (const route of ['playDemo', 'removeDemo'] as const)
      expect(await member.ask(route, {})).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
    expect(await member.call('getDemo', {})).toEqual({ mayPlay: false, played: false, conversationId: null });
    expect(await owner.call('getDemo', {})).toEqual({ mayPlay: true, played: false, conversationId: null });
  });

  test('[SYS-7] [PAP-10] [IAC-12] [PRV-1] it plays a delegation, an approval and an event, and is removed whole', async () => {
    const { conversationId } = await owner.call('playDemo', {});
    expect(conversationId).not.toBeNull();
    expect(await owner.call('playDemo', {}), 'a second time it is the same').toEqual({ mayPlay: true, played: true, conversationId });
    expect(await member.ask('listMessages', { params: { conversationId: conversationId! }, query: {} })).toMatchObject({ status: 404 });

    let checkpointId = '';
    await until(async () => {
      const [asked] = (await owner.call('listCheckpoints', { query: {} })).checkpoints;
      expect(asked?.text).toMatch(/PILOT wants to use publish_release_note/);
      checkpointId = asked!.id;
    });
    expect((await said(conversationId!)).some((text) => text.startsWith('Published'))).toBe(false);
    await owner.call('closeCheckpoint', { params: { checkpointId }, body: { choice: 'approve' } });
    await until(async () => expect((await said(conversationId!)).some((text) => text.includes('Release 2.4 is out.'))).toBe(true));
    const { tasks } = await owner.call('listTasks', { query: { conversationId: conversationId!, state: 'all' } });
    expect(tasks.map(({ state, depth }) => `${depth} ${state}`).sort()).toEqual(['0 completed', '1 completed', '1 completed']);

    await until(async () =>
      expect((await said(conversationId!)).at(-1)).toMatch(
        /^The error rate of search is 4\.2 % since release 2\.4, .* \*Remove the demo\* is above\.\nEvent: demo\.shop\.error_rate_exceeded from .*$/,
      ),
    );

    await owner.call('removeDemo', {});
    expect(await owner.call('getDemo', {})).toEqual({ mayPlay: true, played: true, conversationId: null });

    const { conversations } = await owner.call('listConversations', { query: {} });
    expect(conversations.find(({ id }) => id === conversationId)?.archivedAt).not.toBeNull();
    for (const kind of ['trigger', 'manifest'] as const)
      expect((await owner.call('listProvoke', { params: { kind }, query: {} })).objects).toEqual([]);
    expect((await owner.call('listAgents', {})).agents).toEqual([]);
    // Work holds nothing of it; who asks for its channel still finds it.
    const chains = async (query: object) => (await owner.call('listChains', { query: { state: 'all', ...query } })).chains;
    expect([await chains({}), (await chains({ conversationId })).length]).toEqual([[], 1]);
  });

  test('[SYS-12] it plays again after it was removed, and a denied approval ends it without publishing', async () => {
    const { conversationId } = await owner.call('playDemo', {});
    let checkpointId = '';
    await until(async () => {
      const [asked] = (await owner.call('listCheckpoints', { query: {} })).checkpoints;
      expect(asked).toBeDefined();
      checkpointId = asked!.id;
    });
    await owner.call('closeCheckpoint', { params: { checkpointId }, body: { choice: 'deny' } });
    await until(async () => expect((await said(conversationId!)).at(-1)).toMatch(/not published|demo\.shop/));
    expect((await said(conversationId!)).some((text) => text.startsWith('Published'))).toBe(false);
    await owner.call('removeDemo', {});
  });

  test('[SYS-7] a second demo is removed with its agents, whose handles have numbers', async () => {
    const { conversationId } = await owner.call('playDemo', {});
    await until(async () => {
      const [asked] = (await owner.call('listCheckpoints', { query: {} })).checkpoints;
      expect(asked).toBeDefined();
      await owner.call('closeCheckpoint', { params: { checkpointId: asked!.id }, body: { choice: 'approve' } });
    });
    await until(async () => expect((await said(conversationId!)).at(-1)).toContain('demo.shop.error_rate_exceeded'));
    expect((await owner.call('listAgents', {})).agents).toHaveLength(4);
    await owner.call('removeDemo', {});
    expect((await owner.call('listAgents', {})).agents).toEqual([]);
  });
});
