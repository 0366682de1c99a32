// Whom an agent may contact, as people write it down, and the matrix of what follows from it.

import type { ContactPair } from '@parley/protocol';
import { onBothEngines, type Person } from '@parley/testkit';
import { beforeAll, expect, test } from 'vitest';
import { floorFor } from '../../kit/floor.ts';

onBothEngines('contact rules', (engine) => {
  let [data, writer, boss]: Person[] = [];
  const { floor, ann, bob } = floorFor(engine);
  beforeAll(async () => {
    [data, writer, boss] = [await floor.agent('DataBot'), await floor.agent('WriterBot'), await floor.agent('BossBot')];
  });

  const put = (who: Person, agent: Person, target: string, body: { permission: 'allow' | 'deny'; requiresApproval?: boolean }) =>
    who.ask('setContactRule', { params: { memberId: agent.id, target }, body });
  const clear = (who: Person, agent: Person, target: string) => who.ask('clearContactRule', { params: { memberId: agent.id, target } });
  const pair = async (from: Person, to: Person): Promise<Partial<ContactPair>> => {
    const { pairs } = await ann.call('getContactMatrix', { query: { from: from.id } });
    const { allowed, reason, approval, why } = pairs.find((one) => one.to === to.id)!;
    return { allowed, reason, approval, why };
  };

  test('[IAC-12] in the published order: deny the one, allow the one, deny all, allow all, default; the matrix says which decided', async () => {
    expect(await pair(data!, writer!)).toEqual({ allowed: true, reason: 'default', approval: null, why: 'no rule is about it' });
    await put(ann, data!, '*', { permission: 'allow', requiresApproval: true });
    expect(await pair(data!, writer!)).toMatchObject({ allowed: true, reason: 'allowed_for_all', approval: 'rule' });
    await put(ann, data!, '*', { permission: 'deny' });
    expect(await pair(data!, writer!)).toMatchObject({ allowed: false, reason: 'denied_for_all', approval: null });
    await put(ann, data!, writer!.id, { permission: 'allow' });
    expect(await pair(data!, writer!)).toMatchObject({ allowed: true, reason: 'allowed', approval: null, why: 'a rule allows this agent' });
    await put(ann, data!, writer!.id, { permission: 'deny' });
    expect(await pair(data!, writer!)).toMatchObject({ allowed: false, reason: 'denied' });
    // One way: what the other may do is another line.
    expect(await pair(writer!, data!)).toMatchObject({ allowed: true, reason: 'default' });
    expect((await ann.call('getContacts', { params: { memberId: data!.id } })).rules).toEqual(
      expect.arrayContaining([
        { agentId: data!.id, target: '*', permission: 'deny', requiresApproval: false },
        { agentId: data!.id, target: writer!.id, permission: 'deny', requiresApproval: false },
      ]),
    );
    for (const target of ['*', writer!.id]) expect((await clear(ann, data!, target)).status).toBe(200);
    expect(await pair(data!, writer!)).toMatchObject({ reason: 'default' });
  });

  test('[IAC-12] the mode comes on top, and can be changed', async () => {
    const mode = (to: 'autonomous' | 'supervised') => ann.call('editAgent', { params: { memberId: data!.id }, body: { mode: to } });
    expect((await mode('supervised')).mode).toBe('supervised');
    expect(await pair(data!, writer!)).toMatchObject({ allowed: true, reason: 'default', approval: 'mode' });
    expect((await ann.call('listAgents', {})).agents.find(({ id }) => id === data!.id)!.mode).toBe('supervised');
    expect((await mode('autonomous')).mode).toBe('autonomous');
    expect(await pair(data!, writer!)).toMatchObject({ approval: null });
  });

  test('[IAC-13] manager and report always may, whatever is written down and in every mode', async () => {
    await floor.kit.operator.call('editMember', { params: { memberId: data!.id }, body: { managerId: boss!.id } });
    await put(ann, data!, boss!.id, { permission: 'deny' });
    await put(ann, boss!, '*', { permission: 'deny' });
    await ann.call('editAgent', { params: { memberId: data!.id }, body: { mode: 'strict' } });
    for (const [from, to] of [
      [data!, boss!],
      [boss!, data!],
    ] as const)
      expect(await pair(from, to)).toEqual({ allowed: true, reason: 'hierarchy', approval: null, why: 'one manages the other' });
    expect(await pair(boss!, writer!)).toMatchObject({ allowed: false });
    for (const [agent, target] of [
      [data!, boss!.id],
      [boss!, '*'],
    ] as const)
      await clear(ann, agent, target);
    await ann.call('editAgent', { params: { memberId: data!.id }, body: { mode: 'autonomous' } });
  });

  test('[IAC-12] [SYS-11] owners, admins and the agent’s owner edit; nobody else, and no agent', async () => {
    const rule = { permission: 'deny' } as const;
    const admin = await floor.kit.person('adm', 'admin');
    for (const [who, status] of [
      [ann, 200],
      [admin, 200],
      [floor.kit.owner, 200],
      [bob, 403],
      [writer!, 403],
      [data!, 403],
    ] as const) {
      expect([who.handle, (await put(who, data!, writer!.id, rule)).status]).toEqual([who.handle, status]);
      expect([who.handle, (await clear(who, data!, writer!.id)).status]).toEqual([who.handle, status]);
    }
    expect((await bob.ask('editAgent', { params: { memberId: data!.id }, body: { mode: 'strict' } })).status).toBe(403);
    const facts = await floor.kit.hub.kernel.store.rows('facts', "where type = 'contact.ruled' and actor_id = ?", [admin.id]);
    expect(JSON.parse(facts[0]!.data)).toEqual({ target: writer!.id, permission: 'deny', requiresApproval: false });
  });

  test('[IAC-12] rules that make no sense are refused with the reason', async () => {
    const problem = async (answer: ReturnType<Person['ask']>) => {
      const { status, body } = await answer;
      return [status, body.error?.problems?.[0]?.field ?? body.error?.code];
    };
    expect(await problem(put(ann, data!, ann.id, { permission: 'allow' }))).toEqual([400, 'target']);
    expect(await problem(put(ann, data!, data!.id, { permission: 'allow' }))).toEqual([400, 'target']);
    expect(await problem(put(ann, data!, 'everyone', { permission: 'allow' }))).toEqual([400, 'target']);
    expect(await problem(put(ann, data!, '*', { permission: 'deny', requiresApproval: true }))).toEqual([400, 'requiresApproval']);
    expect(await problem(put(ann, bob, '*', { permission: 'deny' }))).toEqual([404, 'not_found']);
  });

  test('[SYS-11] the matrix has every ordered pair of agents one may see, for people who may; guests and agents are refused', async () => {
    const { agents, pairs, more } = await ann.call('getContactMatrix', { query: {} });
    expect([agents.map(({ handle }) => handle), more]).toEqual([['BossBot', 'DataBot', 'WriterBot'], false]);
    expect(pairs).toHaveLength(agents.length * (agents.length - 1));
    expect(new Set(pairs.map(({ from, to }) => `${from} ${to}`)).size).toBe(pairs.length);
    const few = await ann.call('getContactMatrix', { query: { limit: 2 } });
    expect([few.agents.length, few.more]).toEqual([2, true]);
    const guest = await floor.kit.person('gus', 'guest');
    for (const who of [guest, data!]) expect((await who.ask('getContactMatrix', { query: {} })).status).toBe(403);
  });
});
