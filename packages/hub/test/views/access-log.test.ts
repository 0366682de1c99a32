// Changes of rights and sign-ins in the audit log (SYS-11): owners and admins find who changed what, and who came in.

import type { AuditEntry } from '@parley/protocol';
import { hubFor, onBothEngines, openLink, promote } from '@parley/testkit';
import { expect, test } from 'vitest';
import { verifyWorkspace } from '../../src/backup/verify.ts';

onBothEngines('access in the audit log', (engine) => {
  const kit = hubFor(engine);
  let names = 0;

  const fresh = (name: string): string => `${name}-${++names}l`;
  const entries = async (query: object = {}): Promise<AuditEntry[]> =>
    (await kit.owner.call('listAudit', { query: { kind: 'access', limit: 200, ...query } })).entries;
  /** What is new in the log since the last call, oldest first. */
  let seen = -1;
  const news = async () => {
    const all = (await entries()).filter(({ seq }) => seq > seen).toReversed();
    seen = Math.max(seen, ...all.map(({ seq }) => seq));
    return all.map(({ actorId, name, targetId, arguments: given }) => ({ actorId, name, targetId, given }));
  };
  const edit = (memberId: string, body: object) => kit.owner.call('editMember', { params: { memberId }, body });

  test('[SYS-11] roles, handles, owners, tokens, links, sessions and departures are there, with who did it', async () => {
    const ben = await kit.person(fresh('ben'));
    await news();
    const admin = await promote(kit.owner, ben, 'admin');
    const [made, ended, used, raised] = await news();
    expect(made).toMatchObject({
      actorId: kit.owner.id,
      name: 'link.created',
      targetId: ben.id,
      given: { purpose: 'sign_in', role: 'admin' },
    });
    expect(ended).toMatchObject({ name: 'token.revoked', targetId: ben.id, given: { kind: 'person', purpose: 'api' } });
    expect(new Set([used, raised].map((one) => one?.name))).toEqual(new Set(['link.used', 'member.edited']));
    expect([used, raised].find((one) => one?.name === 'member.edited')).toMatchObject({
      actorId: kit.owner.id,
      targetId: ben.id,
      given: { role: { from: 'member', to: 'admin' } },
    });
    const handle = fresh('benno');
    await edit(ben.id, { handle });
    expect(await news()).toMatchObject([{ name: 'member.edited', given: { handle: { from: ben.handle, to: handle } } }]);
    await edit(ben.id, { displayName: 'Benno', about: 'hello' });
    expect(await news()).toEqual([]);

    const bot = await admin.call('addMember', { body: { kind: 'agent', handle: fresh('BOT'), displayName: 'Bot' } });
    const { token } = await admin.call('createToken', { body: { kind: 'agent', memberId: bot.id, label: 'mine' } });
    await admin.call('revokeToken', { params: { tokenId: token.id } });
    await kit.operator.call('editMember', { params: { memberId: bot.id }, body: { ownerId: kit.owner.id } });
    const ofBot = await news();
    expect(ofBot.map(({ actorId, name, targetId }) => [actorId, name, targetId])).toEqual([
      [ben.id, 'member.added', bot.id],
      [ben.id, 'token.created', bot.id],
      [ben.id, 'token.revoked', bot.id],
      ['operator', 'member.edited', bot.id],
    ]);
    expect(ofBot.at(-1)?.given).toMatchObject({ ownerId: { from: ben.id, to: kit.owner.id } });

    await admin.call('closeSession', {});
    await kit.owner.call('deactivateMember', { params: { memberId: ben.id } });
    expect((await news()).map(({ name, given }) => [name, given])).toEqual([
      ['token.revoked', { kind: 'person', purpose: 'session' }],
      ['member.edited', { status: { from: 'active', to: 'deactivated' } }],
    ]);
  });

  test('[SYS-11] invitations, joining, team roles, secrets and tool servers are there, and no secret is', async () => {
    await news();
    const { secret, id } = await kit.owner.call('createInvitation', { body: {} });
    const eve = await openLink(kit.url, secret, { handle: fresh('eve'), displayName: 'Eve' });
    const role = await kit.owner.call('addRole', { body: { handle: fresh('desk'), holderIds: [eve.id] } });
    await kit.owner.call('editRole', { params: { roleId: role.id }, body: { holderIds: [] } });
    await kit.owner.call('removeRole', { params: { roleId: role.id } });
    await kit.owner.call('setSecret', { params: { name: 'shop_key' }, body: { value: 'sesame-open-9', hosts: ['shop.example'] } });
    await kit.owner.call('removeSecret', { params: { name: 'shop_key' } });
    await kit.owner.call('setToolServer', { params: { name: 'shop' }, body: { url: 'https://shop.example/mcp' } });
    await kit.owner.call('removeToolServer', { params: { name: 'shop' } });
    const found = await news();
    expect(found.map(({ actorId, name }) => [actorId === eve.id ? 'eve' : actorId === kit.owner.id ? 'owner' : actorId, name])).toEqual([
      ['owner', 'link.created'],
      ['owner', 'member.added'],
      ['eve', 'link.used'],
      ['owner', 'role.added'],
      ['owner', 'role.edited'],
      ['owner', 'role.removed'],
      ['owner', 'secret.set'],
      ['owner', 'secret.removed'],
      ['owner', 'tool_server.changed'],
      ['owner', 'tool_server.changed'],
    ]);
    expect(found[5]?.given).toEqual({ role: role.handle });
    expect(found[6]?.given).toEqual({ name: 'shop_key', hosts: ['shop.example'] });
    expect(JSON.stringify(found)).not.toMatch(/sesame/);
    expect(JSON.stringify(found)).not.toContain(secret);
    expect(found[0]?.given).toEqual({ link: id, purpose: 'invite', role: 'member' });
  });

  test('[SYS-11] a burst of refused sign-ins is one warning, and owners and admins alone read it', async () => {
    const zoe = await kit.person(fresh('zoe'));
    await news();
    const knock = (i: number) =>
      i % 2 === 0
        ? fetch(`${kit.url}/api/v1/session`, { headers: { authorization: `Bearer pp_wrong${i}` } })
        : fetch(`${kit.url}/api/v1/session`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ secret: `pl_wrong${i}` }),
          });
    for (let i = 0; i < 9; i++) await knock(i);
    // Without a secret nobody tried to sign in.
    for (let i = 0; i < 20; i++) await fetch(`${kit.url}/api/v1/session`);
    expect(await news()).toEqual([]);
    for (let i = 9; i < 40; i++) await knock(i);
    await expect.poll(news).toMatchObject([{ actorId: 'platform', name: 'sign_in.refused', targetId: null, given: { refused: 10 } }]);
    expect(await news()).toEqual([]);
    expect((await zoe.ask('listAudit', { query: { kind: 'access' } })).status).toBe(403);
  });

  test('[SYS-14] [SYS-15] an erased person leaves no handle in the log, and the log verifies', async () => {
    const amy = await kit.person(fresh('amy'));
    await edit(amy.id, { handle: fresh('amelia') });
    await kit.owner.call('eraseMember', { params: { memberId: amy.id } });
    const about = await entries({ memberId: amy.id });
    expect(about.some(({ name, kept }) => name === 'member.edited' && !kept)).toBe(true);
    expect(JSON.stringify(about)).not.toMatch(/amelia|amy/);
    const { kernel, dataDir } = kit.hub;
    const found: string[] = [];
    const source = { store: kernel.store, blobs: kernel.blobs, key: dataDir.checksumKey };
    await verifyWorkspace(source, ({ where, what }) => found.push(`${where} ${what}`));
    expect(found).toEqual([]);
  });
});
