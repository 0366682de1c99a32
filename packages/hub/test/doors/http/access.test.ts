import { type Route, type RouteName, routes } from '@parley/protocol';
import { Ear, onBothEngines, promote, startTestHub, hubFor, makeOnce } from '@parley/testkit';
import { beforeAll, expect, test } from 'vitest';

// What is promised by the table in core has to be asked by every door. These go in where a reviewer got through.
onBothEngines('access through every door', (engine) => {
  let general: string;
  const kit = hubFor(engine);
  const admin = makeOnce(() => kit.person('ada', 'admin'));
  const ann = makeOnce(() => kit.person('ann'));
  const bob = makeOnce(() => kit.person('bob'));
  beforeAll(async () => {
    general = await kit.general();
  });

  const open = async (body: object): Promise<{ status: number; cookie: string }> => {
    const response = await fetch(`${kit.url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, cookie: (response.headers.get('set-cookie') ?? '').split(';')[0]! };
  };
  const upgrade = async (token: string): Promise<number> => {
    const ear = new Ear({ url: kit.url, token });
    const status = new Promise<number>((resolve) => {
      ear.socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
      ear.socket.on('open', () => resolve(101));
    });
    const code = await status;
    ear.close();
    return code;
  };

  test('[SYS-11] a source’s or bridge’s token is refused at every route and every stream; a source’s emits events', async () => {
    for (const kind of ['source', 'bridge'] as const) {
      const { secret } = await kit.owner.call('createToken', { body: { kind, label: kind } });
      for (const [name, route] of Object.entries(routes) as [RouteName, Route][]) {
        if (route.open || (route.sources && kind === 'source')) continue;
        const path = route.path.replaceAll(/:\w+/g, 'x');
        const response = await fetch(`${kit.url}/api/v1${path}`, { method: route.method, headers: { authorization: `Bearer ${secret}` } });
        expect([response.status, await response.json()], `${kind} ${name}`).toMatchObject([
          403,
          { error: { reason: `${route.sources ? 'event.emit' : 'workspace.enter'}:token_kind` } },
        ]);
      }
      expect((await fetch(`${kit.url}/api/v1/stream`, { headers: { authorization: `Bearer ${secret}` } })).status).toBe(403);
      expect(await upgrade(secret)).toBe(403);
    }
    expect(await upgrade(ann.token)).toBe(101);
    expect(await upgrade('pp_nobody')).toBe(401);
    expect((await fetch(`${kit.url}/api/v1/stream`)).status).toBe(401);
  });

  test('[SYS-11] a stranger is sent away before a byte of theirs is read', async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 65_536;
        if (sent > 64 * 1024 * 1024) controller.close();
        else controller.enqueue(new Uint8Array(65_536));
      },
    });
    const answer = await fetch(`${kit.url}/api/v1/attachments?name=x`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: endless,
      duplex: 'half',
    }).then(
      (response) => response.status,
      () => 'cut off',
    );
    expect([401, 'cut off']).toContain(answer);
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });

  test('[SYS-14] a file of any type is bytes, and an upload without any is named as such', async () => {
    const send = (body: string | undefined, type: string) =>
      fetch(`${kit.url}/api/v1/attachments?name=a.json`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ann.token}`, 'content-type': type },
        ...(body === undefined ? {} : { body }),
      });
    expect(await (await send('{"a":1}', 'application/json')).json()).toMatchObject({ mediaType: 'application/json', size: 7 });
    expect((await send('not json', 'application/json')).status).toBe(200);
    const none = await fetch(`${kit.url}/api/v1/attachments?name=a`, { method: 'POST', headers: { authorization: `Bearer ${ann.token}` } });
    expect([none.status, await none.json()]).toMatchObject([400, { error: { problems: [{ field: '(body)' }] } }]);
  });

  test('[SYS-11] half a character is refused wherever text is taken, and harms nobody', async () => {
    const raw = (path: string, method: string, body: string) =>
      fetch(`${kit.url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${ann.token}`, 'content-type': 'application/json' },
        body,
      });
    for (const [path, method, body] of [
      [`/members/${ann.id}`, 'PATCH', '{"displayName":"a\\ud800"}'],
      [`/members/${ann.id}`, 'PATCH', '{"about":"a\\ud800"}'],
      ['/conversations', 'POST', '{"name":"half","topic":"x\\udc00"}'],
      ['/tokens', 'POST', '{"kind":"person","label":"\\udfff"}'],
      [`/conversations/${general}/messages`, 'POST', '{"body":"\\ud800"}'],
    ] as const) {
      expect((await raw(path, method, body)).status, body).toBe(400);
    }
    expect((await bob.ask('listMembers', { query: {} })).status).toBe(200);
    expect((await bob.ask('listConversations', { query: {} })).status).toBe(200);
  });

  test('[SYS-9] an agent has no stream of what is said around it, and reads nothing outside a task', async () => {
    const bot = await kit.agent('EARBOT', ann);
    await ann.call('addToConversation', { params: { conversationId: general }, body: { memberId: bot.id } });
    const said = await ann.post(general, 'for all here');
    expect(await upgrade(bot.token)).toBe(403);
    const stream = await fetch(`${kit.url}/api/v1/stream`, { headers: { authorization: `Bearer ${bot.token}` } });
    expect([stream.status, await stream.json()]).toMatchObject([403, { error: { reason: 'stream.follow:agents_may_not' } }]);
    const conversation = { params: { conversationId: general } };
    const message = { params: { messageId: said.id } };
    const asked = [
      await bot.ask('listMessages', { ...conversation, query: {} }),
      await bot.ask('getMessage', message),
      await bot.ask('listVersions', { ...message, query: {} }),
      await bot.ask('search', { query: { q: 'here' } }),
      await bot.ask('search', { query: { q: 'here', conversationId: general } }),
      await bot.ask('explainMessage', { ...message, query: {} }),
      await bot.ask('listMemberships', conversation),
      await bot.ask('getConversation', conversation),
    ];
    expect(asked.map(({ status, body }) => [status, body.error?.code])).toEqual(asked.map(() => [403, 'outside_task']));
    expect((await bot.ask('previewMessage', { ...conversation, body: { body: 'x' } })).body.error?.code).toBe('forbidden');
    // A reaction needs no task, but something to react to; and it shows nothing.
    const reacted = await bot.ask('addReaction', { params: { messageId: said.id, emoji: '👀' } });
    expect([reacted.status, reacted.body]).toMatchObject([403, { error: { reason: 'message.react:not_delivered' } }]);
  });

  test('[SYS-9] where history begins on joining, an old message stays unseen whatever happens to it', async () => {
    const channel = await ann.call('createChannel', { body: { name: 'joined-only', visibility: 'private', history: 'joined' } });
    const old = await ann.post(channel.id, 'wombat secret');
    const file = await fetch(`${kit.url}/api/v1/attachments?name=a.txt`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ann.token}`, 'content-type': 'text/plain' },
      body: 'x',
    });
    const { id: attachmentId } = (await file.json()) as { id: string };
    await ann.call('postMessage', { params: { conversationId: channel.id }, body: { body: 'with file', attachmentIds: [attachmentId] } });
    await ann.call('addToConversation', { params: { conversationId: channel.id }, body: { memberId: bob.id } });
    const { cursor } = await bob.call('getSession', {});
    const live = new Ear(bob);
    await live.ready();
    await ann.call('addReaction', { params: { messageId: old.id, emoji: '👀' } });
    await ann.call('editMessage', { params: { messageId: old.id }, body: { body: 'wombat secret, edited' } });
    await ann.post(channel.id, 'new');
    await live.fact('message.posted', (f) => f.data.message.body === 'new');
    const late = new Ear(bob, cursor);
    await late.ready();
    for (const ear of [live, late]) {
      expect(JSON.stringify(ear.heard)).not.toContain('wombat');
      ear.close();
    }
    expect(
      (await fetch(`${kit.url}/api/v1/attachments/${attachmentId}`, { headers: { authorization: `Bearer ${bob.token}` } })).status,
    ).toBe(404);
    await kit.hub.kernel.indexer.settled();
    expect(await bob.call('search', { query: { q: 'wombat', limit: 1 } })).toMatchObject({ messages: [], more: false });
    expect(await ann.call('search', { query: { q: 'wombat', limit: 1 } })).toMatchObject({ messages: [{ id: old.id }], more: false });
  });

  test('[SYS-9] joining and reaching for an old message in one group gets nothing more', async () => {
    const channel = await ann.call('createChannel', { body: { name: 'one-group', history: 'joined' } });
    const old = await ann.post(channel.id, 'before');
    const { engine: hubEngine } = kit.hub.kernel;
    const token = (await kit.hub.kernel.store.rows('tokens', 'where member_id = ?', [bob.id]))[0]!;
    const by = { memberId: bob.id, tokenId: token.id };
    const [joined, reacted] = await Promise.allSettled([
      hubEngine.submit({ type: 'conversation.join', by, conversationId: channel.id }),
      hubEngine.submit({ type: 'message.react', by, messageId: old.id, emoji: '👀', on: true }),
    ]);
    expect(joined.status).toBe('fulfilled');
    expect(reacted).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } });
  });

  test('[SYS-9] a channel that was made private tells those outside only that it is gone', async () => {
    const channel = await ann.call('createChannel', { body: { name: 'was-public' } });
    const { cursor } = await bob.call('getSession', {});
    const live = new Ear(bob);
    await live.ready();
    const params = { conversationId: channel.id };
    await ann.call('editConversation', { params, body: { topic: 'still open' } });
    await ann.call('editConversation', { params, body: { visibility: 'private', name: 'hush', topic: 'about bob' } });
    await ann.post(general, 'after the change');
    await live.fact('message.posted', (f) => f.data.message.body === 'after the change');
    const late = new Ear(bob, cursor);
    await late.ready();
    for (const ear of [live, late]) {
      expect(JSON.stringify(ear.heard)).not.toMatch(/hush|about bob/);
      expect(ear.facts().map((f) => f.type)).toContain('conversation.hidden');
      ear.close();
    }
  });

  test('[SYS-11] a link gives no more than its author may still give', async () => {
    const other = await kit.person('other-admin', 'admin');
    const invitation = await other.call('createInvitation', { body: { role: 'admin' } });
    await kit.owner.call('editMember', { params: { memberId: other.id }, body: { role: 'guest' } });
    expect((await open({ secret: invitation.secret, handle: 'sly', displayName: 'S' })).status).toBe(410);

    const secret = await ann.call('createChannel', { body: { name: 'inner', visibility: 'private' } });
    await ann.call('addToConversation', { params: { conversationId: secret.id }, body: { memberId: bob.id } });
    const intoInner = await bob.call('createInvitation', { body: { conversationId: secret.id } });
    await ann.call('removeFromConversation', { params: { conversationId: secret.id, memberId: bob.id } });
    expect((await open({ secret: intoInner.secret, handle: 'sly', displayName: 'S' })).status).toBe(410);

    const rising = await kit.person('rising');
    const [used, unused] = [
      await admin.call('createSignInLink', { body: { memberId: rising.id } }),
      await admin.call('createSignInLink', { body: { memberId: rising.id } }),
    ];
    const { cookie } = await open({ secret: used.secret });
    const session = () => fetch(`${kit.url}/api/v1/session`, { headers: { cookie } });
    expect((await session()).status).toBe(200);
    await promote(kit.owner, rising, 'owner');
    expect((await open({ secret: unused.secret })).status).toBe(410);
    expect((await session()).status).toBe(401);
    await kit.owner.call('editMember', { params: { memberId: rising.id }, body: { role: 'member' } });
  });

  test('[SYS-11] an admin has no hold over an owner', async () => {
    const params = { memberId: kit.owner.id };
    for (const body of [{ displayName: 'Hacked' }, { handle: 'hacked' }, { managerId: admin.id }, { role: 'member' as const }]) {
      expect((await admin.ask('editMember', { params, body })).status, JSON.stringify(body)).toBe(403);
    }
    for (const name of ['deactivateMember', 'eraseMember', 'exportMember'] as const)
      expect((await admin.ask(name, { params })).status, name).toBe(403);
    expect((await admin.ask('createSignInLink', { body: params })).status).toBe(403);
  });

  test('[SYS-9] who may not, learns of no member by links or by taking out', async () => {
    const [gus, zoe] = [await kit.person('gus', 'guest'), await kit.person('zoe')];
    const channel = await kit.owner.call('createChannel', { body: { name: 'shared' } });
    await kit.owner.call('addToConversation', { params: { conversationId: channel.id }, body: { memberId: gus.id } });
    const nobody = '019b76da-a800-7000-8000-000000000000';
    const answers = async (memberId: string) => [
      (await gus.ask('createSignInLink', { body: { memberId } })).body,
      (await gus.ask('removeFromConversation', { params: { conversationId: channel.id, memberId } })).body,
    ];
    expect(await answers(zoe.id)).toEqual(await answers(nobody));
  });

  test('[SYS-11] an agent an admin switched off is not switched on by its owner, nor handed to a guest', async () => {
    const bot = await kit.agent('OFFBOT', ann);
    const params = { memberId: bot.id };
    await admin.call('deactivateMember', { params });
    expect((await ann.ask('reactivateMember', { params })).status).toBe(403);
    await admin.call('reactivateMember', { params });
    const guest = await kit.person('gast', 'guest');
    expect((await ann.ask('editMember', { params, body: { ownerId: guest.id } })).body.error?.problems?.[0]).toEqual({
      field: 'ownerId',
      message: 'is a guest',
    });
  });

  test('[SYS-11] the last active owner stays, though another owner is on the books', async () => {
    const second = await kit.person('second-owner', 'owner');
    await kit.owner.call('deactivateMember', { params: { memberId: second.id } });
    expect((await kit.owner.ask('deactivateMember', { params: { memberId: kit.owner.id } })).body.error?.code).toBe('last_owner');
    expect((await kit.owner.ask('editMember', { params: { memberId: kit.owner.id }, body: { role: 'member' } })).body.error?.code).toBe(
      'last_owner',
    );
  });

  test('[SYS-9] a repeat under a key shows nothing one may no longer read; keys are taken only where they are kept', async () => {
    const channel = await ann.call('createChannel', { body: { name: 'repeat', visibility: 'private' } });
    await ann.call('addToConversation', { params: { conversationId: channel.id }, body: { memberId: bob.id } });
    const say = () =>
      bob.ask('postMessage', { params: { conversationId: channel.id }, body: { body: 'mine' } }, { 'idempotency-key': 'r1' });
    const first = await say();
    expect((await say()).body.id).toBe(first.body.id);
    await ann.call('removeFromConversation', { params: { conversationId: channel.id, memberId: bob.id } });
    expect((await say()).status).toBe(404);
    const invite = await ann.ask('createInvitation', { body: {} }, { 'idempotency-key': 'r2' });
    expect(invite.body.error?.problems).toEqual([{ field: 'Idempotency-Key', message: 'is not taken by this operation' }]);
    const add = () =>
      kit.operator.call('addMember', { body: { kind: 'human', handle: 'op-added', displayName: 'O' } }, { 'idempotency-key': 'r3' });
    expect((await add()).id).toBe((await add()).id);
  });

  test('[SYS-14] nobody posts what another has uploaded', async () => {
    const file = await fetch(`${kit.url}/api/v1/attachments?name=a.txt`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ann.token}`, 'content-type': 'text/plain' },
      body: 'annes',
    });
    const { id } = (await file.json()) as { id: string };
    const stolen = await bob.ask('postMessage', { params: { conversationId: general }, body: { body: '', attachmentIds: [id] } });
    expect(stolen.body.error?.problems?.[0]?.field).toBe('attachmentIds');
    expect((await ann.ask('postMessage', { params: { conversationId: general }, body: { body: '', attachmentIds: [id] } })).status).toBe(
      200,
    );
  });

  test('[SYS-14] nothing is added in an archived channel, not even a reaction', async () => {
    const channel = await ann.call('createChannel', { body: { name: 'old-days' } });
    const said = await ann.post(channel.id, 'x');
    await ann.call('editConversation', { params: { conversationId: channel.id }, body: { archived: true } });
    expect((await ann.ask('addReaction', { params: { messageId: said.id, emoji: '👍' } })).body.error?.code).toBe('archived');
  });

  test('[SYS-11] one member’s streams have an end', async () => {
    const many = await kit.person('many');
    const ears = Array.from({ length: 50 }, () => new Ear(many));
    await Promise.all(ears.map((ear) => ear.ready()));
    expect(await upgrade(many.token)).toBe(429);
    expect((await fetch(`${kit.url}/api/v1/stream`, { headers: { authorization: `Bearer ${many.token}` } })).status).toBe(429);
    expect(await upgrade(ann.token)).toBe(101);
    ears.forEach((ear) => ear.close());
  });
});

onBothEngines('limits through the door', (engine) => {
  test('[SYS-11] a member that asks too often waits, and nobody else does', async () => {
    const kit = await startTestHub(engine, {}, { PARLEY_WRITES_PER_MINUTE: '50', PARLEY_STRANGERS_PER_MINUTE: '50' });
    try {
      const general = await kit.general();
      const statuses: number[] = [];
      for (let i = 0; i < 8; i++)
        statuses.push((await kit.owner.ask('postMessage', { params: { conversationId: general }, body: { body: 'x' } })).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
      const refused = await kit.owner.ask('sendTyping', { params: { conversationId: general } });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await kit.owner.ask('getSession', {})).status).toBe(200);
      const ann = await kit.person('ann');
      await ann.post(general, 'undisturbed');
      // A stranger's malformed requests count like any others.
      const knock = () =>
        fetch(`${kit.url}/api/v1/session`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' });
      const knocks: number[] = [];
      for (let i = 0; i < 7; i++) knocks.push((await knock()).status);
      expect(knocks).toEqual([400, 400, 400, 400, 400, 429, 429]);
    } finally {
      await kit.stop();
    }
  });
});
