// What the hub knows of people's shared spaces: counts and a channel, notices without words, and lines that everybody agreed to.

import type { SpaceStatus } from '@parley/protocol';
import { onBothEngines, type Person, startTestHub, type TestHub } from '@parley/testkit';
import { afterEach, expect, test } from 'vitest';
import { PeerServiceKit } from '../kit/peers.ts';

const spaceId = 'spc_trip01';

onBothEngines('shared spaces in the hub', (engine) => {
  let kit: TestHub;
  let service: PeerServiceKit;
  let ann: Person;
  let general: string;
  afterEach(() => kit.stop());

  async function start(): Promise<void> {
    service = new PeerServiceKit();
    kit = await startTestHub(engine, { peers: service });
    ann = await kit.person('ann');
    general = await kit.general();
  }
  const report = (status: Partial<SpaceStatus>, memberId = ann.id) =>
    service.hub!.events.space(memberId, { spaceId, moves: 1, noticed: null, line: null, ...status });
  const by = async ({ id }: Person) => {
    const [token] = await kit.hub.kernel.store.rows('tokens', { member_id: id });
    return { memberId: id, tokenId: token!.id };
  };
  const linkTo = async (conversationId: string | null) =>
    kit.hub.kernel.engine.submit({ type: 'space.link', by: await by(ann), spaceId, conversationId });
  const notices = async () => (await ann.call('listNotices', { query: {} })).notices.filter(({ kind }) => kind === 'space_changed');
  const lines = async () =>
    (await ann.call('listMessages', { params: { conversationId: general }, query: {} })).messages
      .filter(({ authorId }) => authorId === null)
      .map(({ body }) => body);
  const rows = () => kit.hub.kernel.store.rows('spaces', {});

  test('[A2C-33] a report makes one notice, however often it comes, and names nothing but the space', async () => {
    await start();
    for (const noticed of [null, 2, 2, 1]) await report({ moves: 3, noticed });
    expect(await notices()).toMatchObject([{ reason: spaceId, conversationId: null, messageId: null }]);
    await report({ moves: 4, noticed: 3 });
    expect(await notices()).toHaveLength(2);
    expect(await rows()).toMatchObject([{ member_id: ann.id, space_id: spaceId, moves: 4, noticed: 3, posted: 0 }]);
  });

  test('[A2C-33] a space that somebody shared is a notice of its own', async () => {
    await start();
    await report({ noticed: 1, isNew: true });
    expect((await ann.call('listNotices', { query: {} })).notices).toMatchObject([{ kind: 'space_shared', reason: spaceId }]);
    await report({ moves: 2, noticed: 2 });
    expect(await notices()).toHaveLength(1);
  });

  test('[A2C-33] a space is shared with any number of members and of people elsewhere', async () => {
    await start();
    const [bob, cem] = [await kit.person('bob'), await kit.person('cem')];
    const elsewhere = { address: 'agent:dan@relay.example' };
    for (const members of [[], [bob], [bob, cem]]) {
      const others = [...members.map(({ id }) => ({ memberId: id })), elsewhere];
      const invited = await kit.hub.kernel.engine.submit({ type: 'space.invite', by: await by(ann), others });
      expect(invited.others).toEqual([...members.map(({ handle }) => expect.objectContaining({ handle }) as unknown), elsewhere]);
    }
  });

  test('[A2C-33] a line is posted once, only in the channel that its person chose, and calls nobody', async () => {
    await start();
    const line = { n: 1, text: 'A shared space has 1 change: `^ORAC` stop (bob)', audience: '#general' };
    await report({ line });
    expect(await lines()).toEqual([]);
    line.audience = (await linkTo(general)).audience!;
    expect(line.audience).toContain('#general');
    for (const n of [2, 2, 1]) await report({ line: { ...line, n } });
    expect(await lines()).toEqual([`${line.text} (@ann)`]);
    expect((await ann.call('listTasks', { query: { state: 'all' } })).tasks).toEqual([]);
    expect(await linkTo(null)).toEqual({ audience: null });
    await report({ line: { ...line, n: 3 } });
    expect(await lines()).toHaveLength(1);
  });

  test('[A2C-33] nobody links a space to a place where they may not speak, and a line stops where they no longer may', async () => {
    await start();
    const bob = await kit.person('bob');
    const params = { conversationId: (await bob.call('createChannel', { body: { name: 'secret', visibility: 'private' } })).id };
    await expect(linkTo(params.conversationId)).rejects.toMatchObject({ code: 'not_found' });
    await bob.call('addToConversation', { params, body: { memberId: ann.id } });
    expect(await linkTo(params.conversationId)).toEqual({ audience: expect.stringMatching(/^a private channel of 2 members/) });
    await bob.call('removeFromConversation', { params: { ...params, memberId: ann.id } });
    await report({ line: { n: 1, text: 'A shared space has 1 change.', audience: '' } });
    const { messages } = await bob.call('listMessages', { params, query: {} });
    expect(messages.filter(({ authorId }) => authorId === null)).toEqual([]);
  });

  test('[A2C-33] words stay out of a channel that has other readers than were agreed to', async () => {
    await start();
    const [bob, eve] = [await kit.person('bob'), await kit.person('eve')];
    const params = { conversationId: (await ann.call('createChannel', { body: { name: 'trip', visibility: 'private' } })).id };
    await ann.call('addToConversation', { params, body: { memberId: bob.id } });
    const audience = (await linkTo(params.conversationId)).audience!;
    const line = (n: number) => report({ line: { n, text: `A shared space has 1 change: hotel: Ritz (bob)`, audience } });
    const posted = async () =>
      (await ann.call('listMessages', { params, query: {} })).messages.filter(({ authorId }) => authorId === null).map(({ body }) => body);
    await line(1);
    await ann.call('addToConversation', { params, body: { memberId: eve.id } });
    await line(2);
    await linkTo(general);
    await line(3);
    expect(await posted()).toEqual(['A shared space has 1 change: hotel: Ritz (bob) (@ann)', 'A shared space has changes. (@ann)']);
    expect(await lines()).toEqual(['A shared space has changes. (@ann)']);
  });

  test('[A2C-33] a report for nobody, and one of no space, store nothing', async () => {
    await start();
    await report({}, 'mem_nobody');
    await report({ spaceId: 'Rome with Bob' });
    expect(await rows()).toEqual([]);
    await expect(
      kit.hub.kernel.engine.submit({
        type: 'space.record',
        by: await by(ann),
        memberId: ann.id,
        status: { spaceId, moves: 1, noticed: 1, line: null },
      }),
    ).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('[A2C-33] [SYS-14] an erased person leaves no row of a space', async () => {
    await start();
    const bob = await kit.person('bob');
    await report({ moves: 2, noticed: 1 }, bob.id);
    await report({ moves: 1 });
    await kit.owner.call('eraseMember', { params: { memberId: bob.id } });
    expect((await rows()).map(({ member_id }) => member_id)).toEqual([ann.id]);
    await report({ moves: 9, noticed: 9 }, bob.id);
    expect(await rows()).toHaveLength(1);
  });
});
