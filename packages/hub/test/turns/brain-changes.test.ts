// An agent is given another brain while it is at work: its turn was taken from it, and whoever goes on goes by what it did.

import { onBothEngines, SimClock, hubFor } from '@parley/testkit';
import { expect, test } from 'vitest';
import type { Brain, BrainTurn } from '../../src/brains/brain.ts';

onBothEngines('another brain in the middle of a turn', (engine) => {
  let turns = 0;
  let restarts = 0;
  const reached = Promise.withResolvers<void>();
  const act = async (turn: BrainTurn) => {
    await turn.say('on it');
    await turn.step({ kind: 'tool', name: 'restart', readOnly: false, input: 'site 1' }, () => Promise.resolve(++restarts));
  };
  const brain: Brain = {
    turn: async (turn) => {
      turns++;
      await act(turn);
      if (turns > 1) return { kind: 'answer', text: 'done' };
      reached.resolve();
      return new Promise<never>(() => {});
    },
  };
  const kit = hubFor(engine, { brain, clock: new SimClock() });

  test('[SYS-12] finished calls are not made again, and spoken words not said again', async () => {
    const { owner } = kit;
    const { id: memberId } = (await owner.call('listAgents', {})).agents.find(({ handle }) => handle === 'ORAC')!;
    const { id: dm } = await owner.call('openDm', { body: { memberIds: [memberId] } });
    await owner.post(dm, 'restart site 1');
    await reached.promise;
    await owner.call('editAgent', { params: { memberId }, body: { brain: 'remote' } });
    await kit.hub.kernel.scheduler.settled();
    const [taken] = await kit.hub.kernel.store.rows('turns', 'where agent_id = ?', [memberId]);
    expect(taken!.state).toBe('interrupted');
    await owner.call('editAgent', { params: { memberId }, body: { brain: 'builtin' } });
    await kit.hub.kernel.scheduler.settled();
    const { messages } = await owner.call('listMessages', { params: { conversationId: dm }, query: {} });
    expect([messages.map(({ body }) => body), restarts, turns]).toEqual([['restart site 1', 'on it', 'done'], 1, 2]);
  });
});
