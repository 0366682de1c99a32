// People in a conversation see which tool an agent is using now, by name only.

import type { StreamEvent } from '@parley/protocol';
import { Ear, onBothEngines } from '@parley/testkit';
import { startOwnTools } from '@parley/testkit/mcp-tools';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blankIdentity } from '../../src/engine/steps/membership/agent-identities.ts';
import { type Floor, floorOn } from '../kit/floor.ts';
import { type AtWork, atWork } from '../kit/tools.ts';

type Sign = Extract<StreamEvent, { type: 'tool' }>;

onBothEngines('tools in use', (engine) => {
  let floor: Floor;
  let server: Awaited<ReturnType<typeof startOwnTools>>;
  let gate: PromiseWithResolvers<string>;
  let working: AtWork;
  const ears: Ear[] = [];
  const listen = async (person: ConstructorParameters<typeof Ear>[0]) => {
    const ear = new Ear(person);
    ears.push(ear);
    await ear.ready();
    return ear;
  };
  const signs = (ear: Ear) =>
    ear.heard.filter((event): event is Sign => event.type === 'tool').map(({ taskId, tools }) => [taskId === working.task.id, ...tools]);

  beforeAll(async () => {
    server = await startOwnTools('depot', {
      stock: { about: 'what is in stock', takes: { item: 'string' }, does: () => gate.promise },
    });
    floor = await floorOn(engine);
    await floor.kit.owner.call('setToolServer', { params: { name: 'depot' }, body: { url: server.url, timeoutMs: 60_000 } });
    const agent = await floor.agent('KEEPER', { online: false });
    const row = {
      agent_id: agent.id,
      version: 1,
      mode: 'autonomous',
      data: JSON.stringify({ ...blankIdentity('remote'), tools: ['mcp://depot'] }),
      source: 'api',
      at: 0,
    };
    const { transaction } = await floor.kit.hub.kernel.store.begin([], []);
    await transaction.commit({ inserts: [{ table: 'identities', row }], updates: [], deletes: [], facts: [] });
    working = await atWork(floor, { agent, here: await floor.channel('stock-room', agent) });
  });
  afterAll(async () => {
    for (const ear of ears) ear.close();
    await working.line.close();
    await floor.kit.stop();
    await server.stop();
  });

  test('[SYS-4] [SYS-9] a member there is told which tool is used and when it ends, also who comes in the middle; others and guests are not', async () => {
    const guest = await floor.kit.person('visitor', 'guest');
    await floor.ann.call('addToConversation', { params: { conversationId: working.here }, body: { memberId: guest.id } });
    const [ann, bob, visitor] = [await listen(floor.ann), await listen(floor.bob), await listen(guest)];
    gate = Promise.withResolvers();
    const call = working.call('depot__stock', { item: 'blue heron 77' });
    await ann.until(() => signs(ann).length === 1);
    const late = await listen(floor.ann);
    await late.until(() => signs(late).length === 1);
    gate.resolve('twelve');
    await call;
    await ann.until(() => signs(ann).length === 2);
    await late.until(() => signs(late).length === 2);
    for (const ear of [ann, late]) expect(signs(ear)).toEqual([[true, 'depot__stock'], [true]]);
    // A fact that comes after it has been heard by everybody who is there.
    const last = await floor.ann.post(working.here, 'and that is all');
    await visitor.fact('message.posted', ({ data }) => data.message.id === last.id);
    expect([signs(bob), signs(visitor)]).toEqual([[], []]);
    expect(JSON.stringify(ann.heard.filter(({ type }) => type === 'tool'))).not.toMatch(/heron|twelve/);
  });

  test('[SYS-4] what the task reads and says by itself is no tool', async () => {
    const ann = await listen(floor.ann);
    await working.line.call('say', { taskId: working.task.id, lease: working.task.lease, kind: 'progress', body: 'halfway' });
    gate = Promise.withResolvers();
    const call = working.call('depot__stock', { item: 'x' });
    await ann.until(() => signs(ann).length === 1);
    // Stopped in the middle of it.
    await floor.ann.call('stopTask', { params: { taskId: working.task.id } });
    await ann.until(() => signs(ann).length === 2);
    expect(signs(ann)).toEqual([[true, 'depot__stock'], [true]]);
    gate.resolve('too late');
    await call.catch(() => {});
  });
});
