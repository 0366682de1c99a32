// One member does not spend what is everyone's (SYS-10).

import { onBothEngines, type Person, startTestHub, hubFor } from '@parley/testkit';
import { expect, test } from 'vitest';
import { workLimits } from '../../../src/engine/limits.ts';
import { invitedBy } from '../../kit/invitations.ts';
import { startProvoke } from '../../kit/provoke-runs.ts';

onBothEngines('the budget of a member', (engine) => {
  const limits = {
    ...workLimits,
    agentsPerMember: 3,
    budgets: { ...workLimits.budgets, member_day: { turns: 2, micros: 1_000_000 } },
  };
  const kit = hubFor(engine, { limits });

  const addAgent = (who: Person, handle: string) => who.ask('addMember', { body: { kind: 'agent', handle, displayName: 'Bot' } });
  const stateOf = async (messageId: string) =>
    (await kit.owner.call('listTasks', { query: { state: 'all', limit: 200 } })).tasks.find((task) => task.messageId === messageId)?.state;

  test('[SYS-10] a member and those they invited have so many agents between them', async () => {
    const mia = await kit.person('mia');
    const second = await invitedBy(mia, 'mia-two');
    const third = await invitedBy(second, 'mia-three');
    const first = await addAgent(mia, 'M-A');
    expect(first.status).toBe(200);
    expect((await addAgent(second, 'M-B')).status).toBe(200);
    expect((await addAgent(third, 'M-C')).status).toBe(200);
    const refused = await addAgent(third, 'M-D');
    expect([refused.status, refused.body.error]).toMatchObject([
      403,
      {
        reason: 'member.add_agent:quota',
        message:
          'Agent limit reached: you and the people you invited have 3 of 3 agents. Deactivate one, or ask an owner or admin to add it.',
      },
    ]);
    // One that was deactivated makes room, and only an owner or admin brings it back.
    const resting = { params: { memberId: first.body.id } };
    await mia.call('deactivateMember', resting);
    expect((await addAgent(third, 'M-D')).status).toBe(200);
    expect((await mia.ask('reactivateMember', resting)).body.error?.code).toBe('forbidden');
    expect((await kit.owner.ask('reactivateMember', resting)).status).toBe(200);
    for (const n of [1, 2, 3, 4]) expect((await addAgent(kit.owner, `O-${n}`)).status).toBe(200);
  });

  test('[SYS-10] work that a member requests from agents counts on the member’s day, with that of the members they invited', async () => {
    const ned = await kit.person('ned');
    const second = await invitedBy(ned, 'ned-two');
    const room = await kit.general();
    const bot = await kit.agent('HELPER');
    await kit.owner.call('addToConversation', { params: { conversationId: room }, body: { memberId: bot.id } });
    await kit.owner.call('editAgent', { params: { memberId: bot.id }, body: { brain: 'builtin' } });
    const ask = async (who: Person) => {
      const { id } = await who.post(room, '^HELPER what is new here today?');
      await kit.hub.kernel.scheduler.settled();
      return stateOf(id);
    };
    const first = await ask(ned);
    expect(first).not.toBe('failed');
    expect(await ask(second)).toBe(first);
    expect(await ask(ned)).toBe('failed');
    expect(await ask(second)).toBe('failed');
    expect(await ask(kit.owner)).toBe(first);
  });

  test('[SYS-10] a member who is not its owner has half of an agent’s day, and leaves the rest to others', async () => {
    const part = { turns: 2, micros: 1_000_000 };
    const shared = await startTestHub(engine, { limits: { ...workLimits, budgets: { ...workLimits.budgets, agent_member_day: part } } });
    const [mal, eve] = [await shared.person('mal'), await shared.person('eve')];
    const room = await shared.general();
    const bot = await shared.agent('HELPER', eve);
    await shared.owner.call('addToConversation', { params: { conversationId: room }, body: { memberId: bot.id } });
    await shared.owner.call('editAgent', { params: { memberId: bot.id }, body: { brain: 'builtin' } });
    const fails = async (who: Person, handle = 'HELPER') => {
      const { id } = await who.post(room, `^${handle} what is new here today?`);
      await shared.hub.kernel.scheduler.settled();
      const { tasks } = await shared.owner.call('listTasks', { query: { state: 'all', limit: 200 } });
      return tasks.find(({ messageId }) => messageId === id)!.state === 'failed';
    };
    expect([await fails(mal), await fails(mal), await fails(mal)]).toEqual([false, false, true]);
    expect(await fails(mal, 'ORAC')).toBe(false);
    for (const who of [eve, shared.owner]) expect([await fails(who), await fails(who), await fails(who)]).not.toContain(true);
    await shared.stop();
  });

  test('[SYS-10] the invocations of an invited person’s triggers count on the day of the inviter', async () => {
    const world = await startProvoke(engine);
    const mal = await world.kit.person('mal');
    const second = await invitedBy(mal, 'mal-two');
    await world.put('manifest', { id: 'seconds', risk_level: 'low' }, second);
    await world.put('trigger', { id: 'on-full', agent: 'seconds', match: { type: 'host.disk.full' } }, second);
    await world.emit({ type: 'host.disk.full' });
    await world.settled();
    const days = await world.kit.hub.kernel.store.rows('purses', "where id like 'member:%'");
    expect(days.map(({ id, turns }) => [id.split(':')[1], turns])).toEqual([[mal.id, 1]]);
    await world.stop();
  });

  test('[SYS-10] the agents that manifests bring are counted, and none is made beyond the limit', async () => {
    const world = await startProvoke(engine, { limits: { ...workLimits, agentsPerMember: 2 } });
    const mal = await world.kit.person('mal');
    const second = await invitedBy(mal, 'mal-two');
    for (const [i, who] of [mal, second, second, mal].entries()) {
      await world.put('manifest', { id: `made-${i}`, risk_level: 'low' }, who);
      await world.put('trigger', { id: `on-${i}`, agent: `made-${i}`, match: { type: `host.disk.full${i}` } }, who);
      await world.emit({ type: `host.disk.full${i}` });
      await world.settled();
    }
    const { members } = await world.kit.owner.call('listMembers', { query: {} });
    expect(
      members
        .filter(({ ownerId }) => ownerId === mal.id || ownerId === second.id)
        .map(({ handle }) => handle)
        .toSorted(),
    ).toEqual(['made-0', 'made-1']);
    await world.stop();
  });
});
