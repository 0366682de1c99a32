// A higher access role takes effect when the person opens the link that the promoter got, and every other way in ends then: an
// account that somebody else made under this person's name gives them nothing.

import { hubFor, onBothEngines, openLink, Person, promote } from '@parley/testkit';
import { expect, test } from 'vitest';

onBothEngines('promotions', (engine) => {
  const kit = hubFor(engine);
  let names = 0;

  const fresh = (name: string): string => `${name}-${++names}p`;
  const statusOf = async (one: Person): Promise<number> => (await one.ask('getSession', {})).status;
  const mint = async (from: Person, body: object = {}): Promise<Person> => {
    const { secret } = await from.call('createToken', { body: { kind: 'person', label: 'minted', ...body } });
    return new Person(kit.url, secret, from.id, from.handle);
  };
  const inspect = async (secret: string) =>
    (await fetch(`${kit.url}/api/v1/links/inspect`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ secret }),
    }).then((response) => response.json())) as { role: string | null; account: unknown };
  const roleOf = async (id: string) => (await kit.owner.call('getMember', { params: { memberId: id } })).role;

  test('[SYS-11] who took an account before its person did keeps nothing of it when the person is promoted', async () => {
    const mal = await kit.person(fresh('mal'));
    const handle = fresh('carol');
    const invitation = await mal.call('createInvitation', { body: {} });
    const early = await openLink(kit.url, invitation.secret, { handle, displayName: 'Carol' });
    const token = await mint(early);
    const agent = await early.call('addMember', { body: { kind: 'agent', handle: fresh('bot'), displayName: 'Bot' } });
    const agents = await mint(early, { kind: 'agent', memberId: agent.id });
    // Carol comes in by the link that Mal made in the account, and is promoted.
    const carol = await openLink(kit.url, (await early.call('createSignInLink', { body: {} })).secret);
    const spare = await early.call('createSignInLink', { body: {} });
    const invites = await early.call('createInvitation', { body: {} });
    const { secret } = await kit.owner.call('createSignInLink', { body: { memberId: carol.id, role: 'admin' } });
    expect(await roleOf(carol.id)).toBe('member');
    expect((await early.ask('listAudit', { query: {} })).status).toBe(403);

    const promoted = await openLink(kit.url, secret, {}, carol);
    expect((await promoted.ask('listAudit', { query: {} })).status).toBe(200);
    for (const one of [early, token, agents, carol]) expect(await statusOf(one)).toBe(401);
    for (const one of [spare, invites])
      await expect(openLink(kit.url, one.secret, { handle: fresh('x'), displayName: 'X' })).rejects.toThrow('410');
  });

  test('[SYS-11] a manifest of the account does not begin with the new role', async () => {
    const [ada, carol] = [await kit.person(fresh('ada'), 'admin'), await kit.person(fresh('carol'))];
    const vault = await ada.call('addMember', { body: { kind: 'agent', handle: fresh('VAULT'), displayName: 'Vault' } });
    const own = await carol.call('addMember', { body: { kind: 'agent', handle: fresh('OWN'), displayName: 'Own' } });
    const names = [fresh('foreign'), fresh('own')] as const;
    for (const [id, { handle }] of [[names[0], vault] as const, [names[1], own] as const]) {
      const object = { id, risk_level: 'read_only', handle };
      await carol.call('putProvoke', { params: { kind: 'manifest', id }, body: { version: 0, object } });
    }
    await promote(kit.owner, carol, 'admin');
    const rows = await kit.hub.kernel.store.rows('provoke_objects', { kind: 'manifest', id: [...names] });
    expect(Object.fromEntries(rows.map(({ id, enabled }) => [id, enabled]))).toEqual({ [names[0]]: 0, [names[1]]: 0 });
  });

  test('[SYS-11] triggers and schedules that somebody planted in an account start nothing by its new role', async () => {
    const mal = await kit.person(fresh('mal'));
    const invitation = await mal.call('createInvitation', { body: {} });
    const early = await openLink(kit.url, invitation.secret, { handle: fresh('carol'), displayName: 'Carol' });
    const agent = await kit.owner.call('addMember', { body: { kind: 'agent', handle: fresh('PAYS'), displayName: 'Pays' } });
    const [manifest, name] = [fresh('manifest'), fresh('planted')];
    const put = (who: Person, kind: 'manifest' | 'trigger' | 'schedule', object: { id: string; [field: string]: unknown }) =>
      who.call('putProvoke', { params: { kind, id: object.id }, body: { version: 0, object } });
    await put(kit.owner, 'manifest', { id: manifest, risk_level: 'read_only', handle: agent.handle });
    const type = 'mal.says.go';
    await put(early, 'trigger', { id: name, accept: 'members', match: { type }, agent: manifest });
    await put(early, 'schedule', { id: name, cron: '0 * * * *', emit: { type, data: { cmd: 'pay mal' } } });
    const carol = await openLink(kit.url, (await early.call('createSignInLink', { body: {} })).secret);
    const promoted = await promote(kit.owner, carol, 'admin');
    const rows = await kit.hub.kernel.store.rows('provoke_objects', { id: name });
    expect(Object.fromEntries(rows.map(({ kind, enabled }) => [kind, enabled]))).toEqual({ schedule: 0, trigger: 0 });
    const { notices } = await promoted.call('listNotices', { query: {} });
    expect(notices.map(({ kind }) => kind)).toContain('triggers_off');
  });

  test('[SYS-11] a role is raised by a link alone, and lowered at once', async () => {
    const ben = await kit.person(fresh('ben'));
    const edit = (who: Person, role: 'owner' | 'admin' | 'member' | 'guest') =>
      who.ask('editMember', { params: { memberId: ben.id }, body: { role } });
    for (const who of [kit.owner, kit.operator]) {
      const refused = await edit(who, 'admin');
      expect([refused.status, refused.body.error?.problems?.[0]]).toEqual([
        400,
        { field: 'role', message: expect.stringContaining('POST /sign-in-links') as string },
      ]);
    }
    const raised = await promote(kit.owner, ben, 'admin');
    expect(await roleOf(ben.id)).toBe('admin');
    expect((await raised.call('getSession', {})).openedBy).toBeNull();
    expect((await edit(kit.owner, 'guest')).status).toBe(200);
    expect((await edit(kit.owner, 'member')).status).toBe(400);
    const lower = await kit.owner.ask('createSignInLink', { body: { memberId: kit.owner.id, role: 'admin' } });
    expect(lower.body.error?.problems?.[0]?.field).toBe('role');
  });

  test('[SYS-11] who may not give the role makes no link that gives it, and a link gives no more than its maker may still', async () => {
    const [ada, ben] = [await kit.person(fresh('ada'), 'admin'), await kit.person(fresh('ben'))];
    const make = (who: Person, role: 'owner' | 'admin' | 'member') => who.ask('createSignInLink', { body: { memberId: ben.id, role } });
    expect((await make(ben, 'admin')).status).toBe(403);
    expect((await make(ada, 'owner')).status).toBe(403);
    const byAda = await make(ada, 'admin');
    expect(await inspect(byAda.body.secret)).toMatchObject({ role: 'admin', account: { displayName: ben.handle, handle: ben.handle } });
    // The newer one replaces it.
    const newer = await make(ada, 'admin');
    await expect(openLink(kit.url, byAda.body.secret, {}, ben)).rejects.toThrow('410');
    await kit.owner.call('editMember', { params: { memberId: ada.id }, body: { role: 'member' } });
    await expect(openLink(kit.url, newer.body.secret, {}, ben)).rejects.toThrow('410');
    expect(await roleOf(ben.id)).toBe('member');
    // Set lower meanwhile, a person does not come back up by an older link.
    const again = await make(kit.owner, 'admin');
    await kit.owner.call('editMember', { params: { memberId: ben.id }, body: { role: 'guest' } });
    await expect(openLink(kit.url, again.body.secret, {}, ben)).rejects.toThrow('410');
    expect(await statusOf(ben)).toBe(200);
  });

  test('[SYS-11] opened where nobody is signed in, the session is borrowed from the promoter; opened by the person, it is their own', async () => {
    const ben = await kit.person(fresh('ben'));
    const { secret } = await kit.owner.call('createSignInLink', { body: { memberId: ben.id, role: 'admin' } });
    const session = await openLink(kit.url, secret);
    expect((await session.call('getSession', {})).openedBy).toBe(kit.owner.id);
    expect((await session.ask('getPeer', {})).status).toBe(403);
    const zoe = await kit.person(fresh('zoe'));
    const other = await kit.owner.call('createSignInLink', { body: { memberId: zoe.id, role: 'admin' } });
    // Somebody else's session vouches for nobody.
    expect((await (await openLink(kit.url, other.secret, {}, kit.owner)).call('getSession', {})).openedBy).toBe(kit.owner.id);
  });

  test('[SYS-11] another device ends nothing; a person sees their other sessions and ends them at once', async () => {
    const ben = await kit.person(fresh('ben'));
    const phone = await openLink(kit.url, (await ben.call('createSignInLink', { body: {} })).secret);
    const borrowed = await openLink(kit.url, (await kit.owner.call('createSignInLink', { body: { memberId: ben.id } })).secret);
    const minted = await mint(borrowed);
    const agent = await kit.agent(fresh('BOT'), ben);
    const unspent = await ben.call('createSignInLink', { body: {} });
    for (const one of [ben, phone, borrowed, minted]) expect(await statusOf(one)).toBe(200);
    expect(await inspect(unspent.secret)).toMatchObject({ role: null, account: { displayName: ben.handle, handle: ben.handle } });
    const { tokens } = await phone.call('listTokens', {});
    expect(tokens.filter(({ kind }) => kind === 'person').map(({ purpose, current }) => [purpose, current])).toEqual([
      ['api', false],
      ['session', true],
      ['session', false],
      ['api', false],
    ]);
    expect(await phone.call('endOtherSessions', {})).toEqual({ ended: 3 });
    for (const one of [ben, borrowed, minted]) expect(await statusOf(one)).toBe(401);
    for (const one of [phone, agent]) expect(await statusOf(one)).toBe(200);
    await expect(openLink(kit.url, unspent.secret)).rejects.toThrow('410');
    expect(await phone.call('endOtherSessions', {})).toEqual({ ended: 0 });
    for (const [who, status] of [
      [kit.operator, 403],
      [agent, 403],
    ] as const)
      expect((await who.ask('endOtherSessions', {})).status).toBe(status);
  });
});
