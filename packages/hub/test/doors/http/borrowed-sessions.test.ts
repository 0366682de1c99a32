// A session that another member's sign-in link opened is borrowed: nothing that it makes may outlast it.

import { hubFor, onBothEngines, openLink, Person, promote } from '@parley/testkit';
import { expect, test } from 'vitest';

onBothEngines('sessions opened by another member’s link', (engine) => {
  const kit = hubFor(engine);
  let names = 0;

  const fresh = (name: string): string => `${name}-${++names}x`;

  const open = (secret: string) => openLink(kit.url, secret);
  const borrow = async (lender: Person, member: Person): Promise<Person> =>
    open((await lender.call('createSignInLink', { body: { memberId: member.id } })).secret);
  const mint = async (from: Person, body: object = {}): Promise<Person> => {
    const { secret } = await from.call('createToken', { body: { kind: 'person', label: 'minted', ...body } });
    return new Person(kit.url, secret, from.id, from.handle);
  };
  const statusOf = async (one: Person): Promise<number> => (await one.ask('getSession', {})).status;
  test('[SYS-11] a promotion ends everything that a borrowed session made, however far down', async () => {
    const [ada, ben] = [await kit.person(fresh('ada'), 'admin'), await kit.person(fresh('ben'))];
    const borrowed = await borrow(ada, ben);
    const token = await mint(borrowed);
    const tokenOfToken = await mint(token);
    const linked = await open((await token.call('createSignInLink', { body: {} })).secret);
    const tokenOfLinked = await mint(linked);
    const unspent = await tokenOfLinked.call('createSignInLink', { body: {} });
    const agent = await tokenOfLinked.call('addMember', { body: { kind: 'agent', handle: fresh('bot'), displayName: 'Bot' } });
    const agents = await mint(tokenOfLinked, { kind: 'agent', memberId: agent.id });
    const all = [borrowed, token, tokenOfToken, linked, tokenOfLinked, agents];
    for (const one of all) expect(await statusOf(one)).toBe(200);
    const own = await mint(ben);

    const promoted = await promote(kit.owner, ben, 'owner');
    for (const one of all) expect(await statusOf(one)).toBe(401);
    const spent = await fetch(`${kit.url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ secret: unspent.secret }),
    });
    expect(spent.status).toBe(410);
    // Nobody can tell the member's own from what another made with the account.
    for (const one of [ben, own]) expect(await statusOf(one)).toBe(401);
    expect((await promoted.call('getSession', {})).openedBy).toBeNull();
  });

  test('[SYS-11] a borrowed session of an admin lends nobody else’s, either', async () => {
    const [ada, bea, cid] = [
      await kit.person(fresh('ada'), 'admin'),
      await kit.person(fresh('bea'), 'admin'),
      await kit.person(fresh('cid')),
    ];
    const asBea = await borrow(ada, bea);
    const asCid = await borrow(asBea, cid);
    const token = await mint(asCid);
    await promote(kit.owner, bea, 'owner');
    for (const one of [asBea, asCid, token]) expect(await statusOf(one)).toBe(401);
    expect(await statusOf(cid)).toBe(200);
  });

  test.each(['deactivated', 'demoted'])('[SYS-14] when the lender is %s, everything they borrowed ends', async (how) => {
    const [ada, ben] = [await kit.person(fresh('ada'), 'admin'), await kit.person(fresh('ben'))];
    const borrowed = await borrow(ada, ben);
    const token = await mint(borrowed);
    const mine = await mint(ben);
    if (how === 'deactivated') await kit.owner.call('deactivateMember', { params: { memberId: ada.id } });
    else await kit.owner.call('editMember', { params: { memberId: ada.id }, body: { role: 'member' } });
    for (const one of [borrowed, token]) expect(await statusOf(one)).toBe(401);
    for (const one of [ben, mine]) expect(await statusOf(one)).toBe(200);
  });

  test('[SYS-11] an owner who becomes an admin keeps no session of another owner', async () => {
    const [olga, otto] = [await kit.person(fresh('olga'), 'owner'), await kit.person(fresh('otto'), 'owner')];
    const borrowed = await borrow(olga, otto);
    const token = await mint(borrowed);
    await kit.owner.call('editMember', { params: { memberId: olga.id }, body: { role: 'admin' } });
    for (const one of [borrowed, token]) expect(await statusOf(one)).toBe(401);
    expect(await statusOf(otto)).toBe(200);
  });

  test('[SYS-11] the member sees who opened a session and revokes it with all it made', async () => {
    const [ada, ben] = [await kit.person(fresh('ada'), 'admin'), await kit.person(fresh('ben'))];
    const borrowed = await borrow(ada, ben);
    const token = await mint(borrowed);
    expect((await borrowed.call('getSession', {})).openedBy).toBe(ada.id);
    expect((await token.call('getSession', {})).openedBy).toBe(ada.id);
    expect((await ben.call('getSession', {})).openedBy).toBeNull();
    const { tokens } = await ben.call('listTokens', {});
    expect(tokens.map(({ label, openedBy }) => [label, openedBy])).toEqual([
      ['test', null],
      ['browser', ada.id],
      ['minted', ada.id],
    ]);
    await ben.call('revokeToken', { params: { tokenId: tokens[1]!.id } });
    for (const one of [borrowed, token]) expect(await statusOf(one)).toBe(401);
  });

  test('[SYS-1] the member is asked about a link that another made, and only they answer', async () => {
    const [ada, ben] = [await kit.person(fresh('ada'), 'admin'), await kit.person(fresh('ben'))];
    const inbox = async (who: Person) => (await who.call('listCheckpoints', { query: {} })).checkpoints;
    await ben.call('createSignInLink', { body: {} });
    expect(await inbox(ben)).toEqual([]);
    const borrowed = await borrow(ada, ben);
    const token = await mint(borrowed);
    const [asked] = await inbox(ben);
    expect(asked).toMatchObject({
      kind: 'sign_in_link',
      text: `@${ada.handle} made a link that signs in as you.`,
      choices: [
        { choice: 'expected', label: 'I expected it' },
        { choice: 'revoke', label: 'Revoke it' },
      ],
    });
    const answer = (who: Person, choice: string) => who.ask('closeCheckpoint', { params: { checkpointId: asked!.id }, body: { choice } });
    for (const who of [borrowed, token, ada, kit.owner]) expect((await answer(who, 'expected')).status).toBe(403);
    expect((await answer(ben, 'revoke')).status).toBe(200);
    for (const one of [borrowed, token]) expect(await statusOf(one)).toBe(401);
    expect(await inbox(ben)).toEqual([]);
    // One that was not opened yet opens nothing any more.
    const unspent = await ada.call('createSignInLink', { body: { memberId: ben.id } });
    const [second] = await inbox(ben);
    await ben.call('closeCheckpoint', { params: { checkpointId: second!.id }, body: { choice: 'revoke' } });
    const response = await fetch(`${kit.url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ secret: unspent.secret }),
    });
    expect(response.status).toBe(410);
  });

  test('[SYS-1] a newcomer is not asked about the link that lets them in for the first time', async () => {
    const added = await kit.owner.call('addMember', { body: { kind: 'human', handle: fresh('new'), displayName: 'New' } });
    const { secret } = await kit.owner.call('createSignInLink', { body: { memberId: added.id } });
    const session = await open(secret);
    expect((await session.call('listCheckpoints', { query: {} })).checkpoints).toEqual([]);
  });

  test('[SYS-11] triggers are switched off by the promotion, whoever wrote them', async () => {
    const [ada, ben] = [await kit.person(fresh('ada'), 'admin'), await kit.person(fresh('ben'))];
    const borrowed = await borrow(ada, ben);
    const put = async (who: Person, id: string) =>
      who.call('putProvoke', {
        params: { kind: 'trigger', id },
        body: { version: 0, object: { id, match: { type: 'shop.deploy.done' }, agent: 'watcher' } },
      });
    const [theirs, own] = [fresh('theirs'), fresh('own')];
    await put(borrowed, theirs);
    await put(ben, own);
    await promote(kit.owner, ben, 'owner');
    const enabled = async (id: string) => (await kit.owner.call('getProvoke', { params: { kind: 'trigger', id } })).enabled;
    expect(await enabled(theirs)).toBe(false);
    expect(await enabled(own)).toBe(false);
  });
});
