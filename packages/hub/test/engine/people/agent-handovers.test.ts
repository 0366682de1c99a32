// An agent's tokens end with the right of whoever made them, and a new owner accepts an agent before it acts for them.

import { hubFor, onBothEngines, Person } from '@parley/testkit';
import { expect, test } from 'vitest';

onBothEngines('agents change hands', (engine) => {
  const kit = hubFor(engine);
  let names = 0;

  const fresh = (name: string): string => `${name}-${++names}x`;
  const statusOf = async (one: Person): Promise<number> => (await one.ask('getSession', {})).status;
  const ownerOf = async (agent: { id: string }) => (await kit.owner.call('getMember', { params: { memberId: agent.id } })).ownerId;
  const inbox = async (who: Person) => (await who.call('listCheckpoints', { query: {} })).checkpoints.filter(({ open }) => open);
  const answer = (who: Person, checkpointId: string, choice: string) =>
    who.ask('closeCheckpoint', { params: { checkpointId }, body: { choice } });
  const agentOf = async (owner: Person, body: object = {}) =>
    owner.call('addMember', { body: { kind: 'agent', handle: fresh('bot'), displayName: 'Bot', ...body } });
  const tokenFor = async (maker: Person, agentId: string): Promise<Person> => {
    const { secret } = await maker.call('createToken', { body: { kind: 'agent', memberId: agentId, label: 'bot' } });
    return new Person(kit.url, secret, agentId, 'bot');
  };
  const noticesOf = async (who: Person, kind: string) =>
    (await who.call('listNotices', { query: {} })).notices
      .filter((one) => one.kind === kind)
      .map(({ agentId, memberId }) => [agentId, memberId]);
  const edit = (who: Person, memberId: string, body: object) => who.ask('editMember', { params: { memberId }, body });

  test('[SYS-14] a token for an agent ends when its maker is deactivated', async () => {
    const [ada, ben] = [await kit.person(fresh('ada'), 'admin'), await kit.person(fresh('ben'))];
    const bot = await agentOf(ben);
    const [byAda, byBen] = [await tokenFor(ada, bot.id), await tokenFor(ben, bot.id)];
    await kit.owner.call('deactivateMember', { params: { memberId: ada.id } });
    expect(await statusOf(byAda)).toBe(401);
    expect(await statusOf(byBen)).toBe(200);
  });

  test('[SYS-14] a token for another’s agent ends when its maker is no admin any more', async () => {
    const [ada, ben] = [await kit.person(fresh('ada'), 'admin'), await kit.person(fresh('ben'))];
    const [bot, own] = [await agentOf(ben), await agentOf(ada)];
    const [byAda, forOwn] = [await tokenFor(ada, bot.id), await tokenFor(ada, own.id)];
    await edit(kit.owner, ada.id, { role: 'member' });
    expect(await statusOf(byAda)).toBe(401);
    expect(await statusOf(forOwn)).toBe(200);
  });

  test('[SYS-14] an agent is its owner’s until the one it is given to accepts, and its tokens end then', async () => {
    const [ann, ben] = [await kit.person(fresh('ann')), await kit.person(fresh('ben'))];
    const bot = await agentOf(ann);
    const token = await tokenFor(ann, bot.id);
    expect((await edit(ann, bot.id, { ownerId: ben.id })).body.ownerId).toBe(ann.id);
    expect(await statusOf(token)).toBe(200);
    const [asked] = await inbox(ben);
    expect(asked).toMatchObject({
      kind: 'agent_handover',
      text: `If you accept, you become the owner of ^${bot.handle}, version 0. It has no manager. Its token ends.`,
      choices: [
        { choice: 'accept', label: 'Accept' },
        { choice: 'decline', label: 'Decline' },
      ],
    });
    expect((await answer(ann, asked!.id, 'accept')).status).toBe(404);
    expect((await answer(kit.owner, asked!.id, 'accept')).status).toBe(403);
    expect(await ownerOf(bot)).toBe(ann.id);
    const accepted = await answer(ben, asked!.id, 'accept');
    expect(accepted).toMatchObject({ status: 200, body: { open: false, choice: 'accept', closedBy: ben.id, already: false } });
    expect(await ownerOf(bot)).toBe(ben.id);
    expect(await noticesOf(ann, 'agent_given')).toEqual([[bot.id, ben.id]]);
    expect(await statusOf(token)).toBe(401);
    expect((await ann.ask('createToken', { body: { kind: 'agent', memberId: bot.id, label: 'x' } })).status).toBe(403);
    expect(await statusOf(await tokenFor(ben, bot.id))).toBe(200);
  });

  test('[SYS-14] declined, or offered to another, it stays where it is', async () => {
    const [ann, ben, cid] = [await kit.person(fresh('ann')), await kit.person(fresh('ben')), await kit.person(fresh('cid'))];
    const bot = await agentOf(ann);
    const token = await tokenFor(ann, bot.id);
    await edit(ann, bot.id, { ownerId: ben.id });
    await answer(ben, (await inbox(ben))[0]!.id, 'decline');
    expect(await ownerOf(bot)).toBe(ann.id);
    await edit(ann, bot.id, { ownerId: ben.id });
    const [first] = await inbox(ben);
    await edit(ann, bot.id, { ownerId: cid.id });
    expect(await inbox(ben)).toEqual([]);
    await answer(ben, first!.id, 'accept');
    expect(await ownerOf(bot)).toBe(ann.id);
    expect(await statusOf(token)).toBe(200);
    await edit(ann, bot.id, { ownerId: ann.id });
    expect(await inbox(cid)).toEqual([]);
  });

  test('[SYS-14] an admin who takes an agent needs nobody’s acceptance, and its tokens end', async () => {
    const [ada, ann] = [await kit.person(fresh('ada'), 'admin'), await kit.person(fresh('ann'))];
    const bot = await agentOf(ann);
    const token = await tokenFor(ann, bot.id);
    expect((await edit(ada, bot.id, { ownerId: ada.id })).body.ownerId).toBe(ada.id);
    expect(await statusOf(token)).toBe(401);
  });

  test('[SYS-14] an agent that an admin adds for another person waits for that person', async () => {
    const [ada, ben] = [await kit.person(fresh('ada'), 'admin'), await kit.person(fresh('ben'))];
    const bot = await agentOf(ada, { ownerId: ben.id });
    const refused = await ada.ask('createToken', { body: { kind: 'agent', memberId: bot.id, label: 'x' } });
    expect(refused.body.error?.problems).toEqual([{ field: 'memberId', message: 'is an agent that waits for its owner to accept it' }]);
    await answer(ben, (await inbox(ben))[0]!.id, 'accept');
    expect(await statusOf(await tokenFor(ben, bot.id))).toBe(200);
  });

  test('[SYS-14] when its owner leaves, an agent goes to the heir paused and without tokens until the heir accepts', async () => {
    const [boss, leo] = [await kit.person(fresh('boss')), await kit.person(fresh('leo'))];
    await edit(kit.owner, leo.id, { managerId: boss.id });
    const bot = await agentOf(leo);
    const token = await tokenFor(leo, bot.id);
    await kit.owner.call('editAgent', { params: { memberId: bot.id }, body: { brain: 'builtin' } });
    const room = await kit.general();
    await kit.owner.call('addToConversation', { params: { conversationId: room }, body: { memberId: bot.id } });
    await kit.owner.call('deactivateMember', { params: { memberId: leo.id } });
    expect(await ownerOf(bot)).toBe(boss.id);
    expect(await statusOf(token)).toBe(401);
    const said = await kit.owner.post(room, `^${bot.handle} what is new?`);
    const tasks = async () => (await kit.owner.call('listTasks', { query: { conversationId: room, state: 'all' } })).tasks;
    const stateOf = async () => (await tasks()).find(({ messageId }) => messageId === said.id)?.state;
    await kit.restart();
    expect(await stateOf()).toBe('queued');
    const { agents } = await kit.owner.call('listAgents', {});
    expect(agents.find(({ id }) => id === bot.id)?.status).toBe('offline');
    const [asked] = await inbox(boss);
    expect((await answer(kit.owner, asked!.id, 'accept')).status).toBe(403);
    await answer(boss, asked!.id, 'accept');
    await expect.poll(stateOf).toBe('completed');
    expect(await statusOf(token)).toBe(401);
  });

  test('[SYS-14] declined by the heir, the agent of someone who left is deactivated', async () => {
    const [boss, leo] = [await kit.person(fresh('boss')), await kit.person(fresh('leo'))];
    await edit(kit.owner, leo.id, { managerId: boss.id });
    const bot = await agentOf(leo);
    await kit.owner.call('deactivateMember', { params: { memberId: leo.id } });
    await answer(boss, (await inbox(boss))[0]!.id, 'decline');
    expect((await kit.owner.call('getMember', { params: { memberId: bot.id } })).status).toBe('deactivated');
  });

  test.each(['declined', 'taken back', 'left open by who leaves'])(
    '[SYS-14] an agent that waits for its heir asks the heir again, once the heir’s offer of it is %s',
    async (how) => {
      const [boss, leo, ann] = [await kit.person(fresh('boss')), await kit.person(fresh('leo')), await kit.person(fresh('ann'))];
      await edit(kit.owner, leo.id, { managerId: boss.id });
      const bot = await agentOf(leo);
      await kit.owner.call('deactivateMember', { params: { memberId: leo.id } });
      await edit(boss, bot.id, { ownerId: ann.id });
      expect(await inbox(boss)).toEqual([]);
      if (how === 'declined') await answer(ann, (await inbox(ann))[0]!.id, 'decline');
      else if (how === 'taken back') await edit(boss, bot.id, { ownerId: boss.id });
      else await kit.owner.call('deactivateMember', { params: { memberId: ann.id } });
      expect(await ownerOf(bot)).toBe(boss.id);
      await answer(boss, (await inbox(boss))[0]!.id, 'accept');
      expect(await statusOf(await tokenFor(boss, bot.id))).toBe(200);
    },
  );

  test('[SYS-14] a checkpoint that only the person could answer is withdrawn when they leave', async () => {
    const [boss, leo, ann] = [await kit.person(fresh('boss')), await kit.person(fresh('leo')), await kit.person(fresh('ann'))];
    await edit(kit.owner, leo.id, { managerId: boss.id });
    const bot = await agentOf(ann);
    await edit(ann, bot.id, { ownerId: leo.id });
    await kit.owner.call('createSignInLink', { body: { memberId: leo.id } });
    expect(await inbox(leo)).toHaveLength(2);
    await kit.owner.call('deactivateMember', { params: { memberId: leo.id } });
    expect(await inbox(boss)).toEqual([]);
    expect(await ownerOf(bot)).toBe(ann.id);
  });

  const managed = async (owner: Person, managerId: string) => {
    const bot = await agentOf(owner);
    await edit(owner, bot.id, { managerId });
    return bot;
  };
  const managerOf = async (agent: { id: string }) => (await kit.owner.call('getMember', { params: { memberId: agent.id } })).managerId;

  test('[SYS-14] an offer names the manager, whom the acceptance ends unless the new owner keeps them', async () => {
    const [ann, meg, ben] = [await kit.person(fresh('ann')), await kit.person(fresh('meg')), await kit.person(fresh('ben'))];
    const [first, second] = [await managed(ann, meg.id), await managed(ann, meg.id)];
    for (const bot of [first, second]) await edit(ann, bot.id, { ownerId: ben.id });
    const [one, two] = await inbox(ben);
    expect(one!.text).toBe(
      `If you accept, you become the owner of ^${first.handle}, version 0. @${meg.handle} manages it and can read its DMs; that ends unless you keep it. It has no tokens.`,
    );
    expect(one!.choices.map(({ choice }) => choice)).toEqual(['accept', 'keep_manager', 'decline']);
    await answer(ben, one!.id, 'accept');
    await answer(ben, two!.id, 'keep_manager');
    expect([await ownerOf(first), await ownerOf(second)]).toEqual([ben.id, ben.id]);
    expect([await managerOf(first), await managerOf(second)]).toEqual([null, meg.id]);
  });

  test('[SYS-14] an agent given at once loses its manager, unless who gives it names one', async () => {
    const [ada, ann, meg] = [await kit.person(fresh('ada'), 'admin'), await kit.person(fresh('ann')), await kit.person(fresh('meg'))];
    const [first, second, third] = [await managed(ann, meg.id), await managed(ann, meg.id), await managed(ann, meg.id)];
    await edit(ada, first.id, { ownerId: ada.id });
    await edit(ada, second.id, { ownerId: ada.id, managerId: meg.id });
    await kit.operator.call('editMember', { params: { memberId: third.id }, body: { ownerId: ada.id } });
    expect([await managerOf(first), await managerOf(second), await managerOf(third)]).toEqual([null, meg.id, null]);
  });

  test('[SYS-14] an agent that has changed since it was offered is not accepted: a new offer names what it is now', async () => {
    const [ann, meg, ben] = [await kit.person(fresh('ann')), await kit.person(fresh('meg')), await kit.person(fresh('ben'))];
    const bot = await agentOf(ann);
    const room = await kit.general();
    await ann.call('addToConversation', { params: { conversationId: room }, body: { memberId: bot.id } });
    await edit(ann, bot.id, { ownerId: ben.id });
    const changes = [
      () => edit(ann, bot.id, { managerId: meg.id }),
      () => ann.ask('editAgent', { params: { memberId: bot.id }, body: { mode: 'supervised' } }),
      () => edit(ann, bot.id, { handle: fresh('renamed') }),
      () => ann.ask('editAgent', { params: { memberId: bot.id }, body: { maxConcurrent: 7 } }),
      () => ann.ask('setContactRule', { params: { memberId: bot.id, target: '*' }, body: { permission: 'allow' } }),
      () => ann.ask('setDigest', { params: { conversationId: room, memberId: bot.id }, body: { everyMs: 3_600_000 } }),
    ];
    for (const change of changes) {
      const [asked] = await inbox(ben);
      expect((await change()).status).toBe(200);
      const refused = await answer(ben, asked!.id, 'accept');
      expect(refused.status).toBe(409);
      expect(refused.body.error?.message).toMatch(/has changed since it was offered to you.*new offer is in your inbox/);
      expect(await ownerOf(bot)).toBe(ann.id);
      expect(await inbox(ben)).toMatchObject([{ kind: 'agent_handover' }]);
      expect((await inbox(ben))[0]!.id).not.toBe(asked!.id);
    }
    const [last] = await inbox(ben);
    expect(last!.text).toContain('version 1');
    expect((await answer(ben, last!.id, 'accept')).status).toBe(200);
    expect([await ownerOf(bot), await managerOf(bot)]).toEqual([ben.id, null]);
  });

  test('[SYS-14] an offer made with other changes is of the agent as they leave it', async () => {
    const [ann, meg, ben] = [await kit.person(fresh('ann')), await kit.person(fresh('meg')), await kit.person(fresh('ben'))];
    const bot = await agentOf(ann);
    await edit(ann, bot.id, { ownerId: ben.id, managerId: meg.id });
    expect((await answer(ben, (await inbox(ben))[0]!.id, 'keep_manager')).status).toBe(200);
    expect([await ownerOf(bot), await managerOf(bot)]).toEqual([ben.id, meg.id]);
  });

  test('[SYS-14] one member has at most three offers open with another', async () => {
    const [ann, ben, cid] = [await kit.person(fresh('ann')), await kit.person(fresh('ben')), await kit.person(fresh('cid'))];
    const bots = [await agentOf(ann), await agentOf(ann), await agentOf(ann), await agentOf(ann)];
    for (const bot of bots.slice(0, 3)) expect((await edit(ann, bot.id, { ownerId: ben.id })).status).toBe(200);
    const last = bots[3]!.id;
    expect((await edit(ann, last, { ownerId: ben.id })).body.error?.problems).toMatchObject([
      { field: 'ownerId', message: expect.stringContaining('three offers') as string },
    ]);
    expect(await inbox(ben)).toHaveLength(3);
    // The same offer again is no further one, and somebody else has room.
    expect((await edit(ann, bots[0]!.id, { ownerId: ben.id })).status).toBe(200);
    expect((await edit(ann, last, { ownerId: cid.id })).status).toBe(200);
    expect((await edit(cid, (await agentOf(cid)).id, { ownerId: ben.id })).status).toBe(200);
    await answer(ben, (await inbox(ben))[0]!.id, 'decline');
    expect((await edit(ann, last, { ownerId: ben.id })).status).toBe(200);
  });

  test('[SYS-11] the owner of an agent is notified of a token that somebody else makes for it', async () => {
    const [ada, ben] = [await kit.person(fresh('ada'), 'admin'), await kit.person(fresh('ben'))];
    const bot = await agentOf(ben);
    await tokenFor(ben, bot.id);
    await tokenFor(kit.operator, bot.id);
    await tokenFor(ada, bot.id);
    expect(await noticesOf(ben, 'token_created')).toEqual([[bot.id, ada.id]]);
    const { entries } = await kit.owner.call('listAudit', { query: { kind: 'access', limit: 200 } });
    expect(entries).toContainEqual(expect.objectContaining({ name: 'token.created', actorId: ada.id, targetId: bot.id }));
  });
});
