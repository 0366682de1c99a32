// What was read of a person's own is held to its owner's tier as long as anything of the chain is open, task or invocation, or
// can be opened again (SYS-6).

import { randomBytes } from 'node:crypto';
import { onBothEngines } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Wire } from '../../kit/agent-wire.ts';
import { type ProvokeWorld, startProvoke } from '../../kit/provoke-runs.ts';

const hourMs = 3_600_000;

onBothEngines('what was read of a person’s own', (engine) => {
  let world: ProvokeWorld;
  let line: Wire;
  const value = `the code is ${randomBytes(6).toString('hex')}`;

  beforeAll(async () => {
    world = await startProvoke(engine);
    const params = { memberId: (await world.kit.agent('NOTES')).id };
    const { version, identity } = await world.owner.call('getIdentity', { params });
    const baseUrl = world.models.baseUrl('anthropic');
    const brain = { kind: 'model', provider: 'anthropic', model: 'notes', baseUrl, key: 'canary' } as const;
    await world.owner.call('putIdentity', { params, body: { ...identity, memory: `- ${value}`, brain, version } });
    world.models.script('notes', [{ text: 'done' }]);
    const hers = await world.kit.agent('HERS', await world.kit.person('mia'));
    line = await Wire.hello(hers);
  });
  afterAll(async () => {
    await line.close();
    await world.stop();
  });

  /** Opens a task for the agent that knows it; the event of its end wakes another, in the same chain. */
  const asks = (type: string) => world.wakes([{ text: 'think' }], { deliver_to: { agent: 'NOTES' }, on_complete: { emit_event: type } });
  const tags = async (chainId: string) => (await world.kit.hub.kernel.store.rows('tags', 'where chain_id = ?', [chainId])).length;
  const openTasks = async (chainId: string) =>
    (await world.kit.hub.kernel.store.rows('tasks', 'where chain_id = ? and open = 1', [chainId])).length;
  const startedBy = async (trigger: string) => (await world.owner.call('listInvocations', { query: { trigger } })).invocations[0]!;

  test('[SYS-6] is kept back by an invocation that outlives the task in which it was read, and forgotten with that', async () => {
    const [thinking, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = await asks('test.outlive.read');
    const second = await world.wakes(
      async () => {
        thinking.resolve();
        await go.promise;
        return { text: `It says: ${value}` };
      },
      { deliver_to: { conversation: '#general' } },
      { match: { type: 'test.outlive.read' } },
    );
    const id = await first.emit();
    await thinking.promise;
    const { chainId } = await world.invocation(id);
    await expect.poll(() => openTasks(chainId)).toBe(0);
    expect([(await startedBy(second.name)).state, (await tags(chainId)) > 0]).toEqual(['running', true]);
    go.resolve();
    await world.settled();
    expect(await startedBy(second.name)).toMatchObject({
      state: 'failed',
      chainId,
      error: 'It holds what its owner has not agreed to share (memory).',
    });
    expect(await world.bodies()).toEqual([]);
    expect(await tags(chainId)).toBe(0);
  });

  test.each(['deny', 'cancel', 'disable'] as const)('[SYS-6] is forgotten, too, when the last of it never ran: %s', async (how) => {
    const type = `test.${how}.read`;
    const first = await asks(type);
    const second = await world.wakes([{ text: 'never' }], { risk_level: 'high' }, { match: { type } });
    const id = await first.emit();
    await world.settled();
    const { chainId } = await world.invocation(id);
    const waiting = await startedBy(second.name);
    expect([waiting.state, await openTasks(chainId), (await tags(chainId)) > 0]).toEqual(['awaiting_approval', 0, true]);
    const params = { checkpointId: waiting.checkpointId! };
    if (how === 'cancel') await world.owner.call('cancelInvocation', { params: { invocationId: waiting.id } });
    else {
      if (how === 'disable') {
        const trigger = { kind: 'trigger', id: second.name } as const;
        const { version } = await world.owner.call('getProvoke', { params: trigger });
        await world.owner.call('enableProvoke', { params: trigger, body: { version, enabled: false } });
      }
      await world.owner.call('closeCheckpoint', { params, body: { choice: how === 'deny' ? 'deny' : 'approve' } });
      await world.settled();
    }
    expect([(await startedBy(second.name)).state, await tags(chainId)]).toEqual([
      { deny: 'denied', cancel: 'cancelled', disable: 'cancelled' }[how],
      0,
    ]);
  });

  /** Waits for an approval of what would say it in a channel, until nobody gave one. */
  const expired = async (type: string) => {
    const first = await asks(type);
    const manifest = { risk_level: 'high', deliver_to: { conversation: '#general' } };
    const { name } = await world.wakes([{ text: `It says: ${value}` }], manifest, { match: { type } });
    await first.emit();
    await world.settled();
    await world.pass(25 * hourMs);
    const { id, chainId, state } = await startedBy(name);
    expect([state, (await tags(chainId)) > 0]).toEqual(['expired', true]);
    return { id, chainId };
  };

  test('[SYS-6] [PRV-11] is kept back by an invocation whose approval expired and is asked for again', async () => {
    const { id, chainId } = await expired('test.again.read');
    const { checkpointId } = await world.owner.call('askInvocationAgain', { params: { invocationId: id } });
    await world.owner.call('closeCheckpoint', { params: { checkpointId: checkpointId! }, body: { choice: 'approve' } });
    await world.settled();
    expect(await world.invocation(id)).toMatchObject({
      state: 'failed',
      error: 'It holds what its owner has not agreed to share (memory).',
    });
    expect([await world.bodies(), await tags(chainId)]).toEqual([[], 0]);
  });

  test.each([
    ['an agent of somebody else’s', () => ({ agent: 'HERS' })],
    ['an address outside', () => ({ webhook: { url: 'https://parley.invalid/in' } })],
  ])('[SYS-6] does not leave to %s', async (to, deliver_to) => {
    const type = `test.leaves${to.length}.read`;
    const first = await asks(type);
    const { name } = await world.wakes(
      [{ text: `It says: ${value}` }],
      { risk_level: 'high', deliver_to: deliver_to() },
      { match: { type } },
    );
    await first.emit();
    await world.settled();
    const { id, checkpointId } = await startedBy(name);
    await world.owner.call('closeCheckpoint', { params: { checkpointId: checkpointId! }, body: { choice: 'approve' } });
    await world.settled();
    const error = 'It holds what its owner has not agreed to share (memory).';
    expect(await world.invocation(id)).toMatchObject({ state: 'failed', error });
    const { store } = world.kit.hub.kernel;
    expect(await store.rows('outbox', "where kind = 'invocation.webhook'")).toEqual([]);
    expect((await store.rows('messages', "where body like '%[Provoked by%'")).filter(({ body }) => body!.includes(value))).toEqual([]);
  });

  test('[SYS-6] is forgotten with the chain when nobody asks for it again', async () => {
    const { id, chainId } = await expired('test.left.read');
    await world.pass(31 * 24 * hourMs);
    for (let i = 0; i < 5; i++) await world.pass(1000);
    expect((await world.owner.ask('getInvocation', { params: { invocationId: id } })).status).toBe(404);
    expect(await tags(chainId)).toBe(0);
  });
});
