// The SDK against the real hub: what its unit tests assume of a server is what the hub does.

import type { StreamEvent } from '@parley/protocol';
import { onBothEngines, hubFor, makeOnce } from '@parley/testkit';
import type { Person } from '@parley/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../src/client.ts';
import { connectWithToken } from '../src/node.ts';
import type { Stream, StreamState } from '../src/stream.ts';
import { until } from './support.ts';

onBothEngines('the SDK and a hub', (engine) => {
  let general: string;
  const clientOf = (person: Person) => createClient({ baseUrl: kit.url, token: person.token, connect: connectWithToken });

  const kit = hubFor(engine);
  const ben = makeOnce(() => kit.person('ben'));
  beforeAll(async () => {
    general = await kit.general();
  });

  function follow(person: Person, cursor: string, transport: 'websocket' | 'sse') {
    const bodies: string[] = [];
    const signs: StreamEvent[] = [];
    const states: StreamState[] = [];
    const stream: Stream = clientOf(person).stream({
      cursor,
      transport,
      onEvent: (event) => {
        if (event.type === 'message.posted') bodies.push(event.data.message.body ?? '');
        else signs.push(event);
      },
      onState: (state) => void states.push(state),
    });
    return { stream, bodies, signs, states, isLive: () => stream.state.status === 'live' };
  }

  test('a post is answered once per idempotency key, a refusal by its code', async () => {
    const client = clientOf(kit.owner);
    const post = () =>
      client.call('postMessage', { params: { conversationId: general }, body: { body: 'once' } }, { idempotencyKey: 'key-1' });
    const [first, again] = [await post(), await post()];
    expect(again.id).toBe(first.id);
    await expect(client.call('getMessage', { params: { messageId: 'msg_00000000000000000000000000' } })).rejects.toMatchObject({
      name: 'ParleyError',
      code: 'not_found',
    });
    await expect(client.call('createChannel', { body: { name: 'no spaces' } })).rejects.toMatchObject({
      code: 'invalid_request',
      problems: [{ field: 'name' }],
    });
  });

  test('a file goes up and comes down', async () => {
    const client = clientOf(kit.owner);
    const data = new TextEncoder().encode('hello');
    const file = await client.upload({ name: 'a b.txt', data, mediaType: 'text/plain' });
    expect(file).toMatchObject({ name: 'a b.txt', size: 5, mediaType: 'text/plain' });
    await expect((await client.download(file.id)).text()).resolves.toBe('hello');
  });

  describe.each(['websocket', 'sse'] as const)('followed over %s', (transport) => {
    test('SYS-4 what was said while nobody listened comes first, then what is said now, each once', async () => {
      const { cursor } = await clientOf(ben).call('getSession');
      await kit.owner.post(general, `${transport} past`);
      const heard = follow(ben, cursor, transport);
      await until(heard.isLive, 'live');
      await kit.owner.post(general, `${transport} live`);
      await until(() => heard.bodies.length === 2, 'both messages');
      expect(heard.bodies).toEqual([`${transport} past`, `${transport} live`]);
      heard.stream.close();
    });

    test('a cursor of another line of history is answered with a reset', async () => {
      const heard = follow(ben, 'ffff:1', transport);
      await until(heard.isLive, 'live');
      expect(heard.signs[0]).toMatchObject({ type: 'reset', reason: 'epoch' });
      heard.stream.close();
    });

    test('a revoked token ends it', async () => {
      const eve = await kit.person(`eve-${transport}`);
      const client = clientOf(eve);
      const { cursor } = await client.call('getSession');
      const heard = follow(eve, cursor, transport);
      await until(heard.isLive, 'live');
      const { tokens } = await client.call('listTokens');
      await client.call('revokeToken', { params: { tokenId: tokens[0]!.id } });
      await until(() => heard.stream.state.status === 'stopped', 'stopped');
      expect(heard.stream.state).toEqual({ status: 'stopped', why: 'unauthenticated' });
    });

    test('SYS-4 the hub restarts: it resumes by itself, with no gap and no duplicate', async () => {
      const { cursor } = await clientOf(ben).call('getSession');
      const heard = follow(ben, cursor, transport);
      await until(heard.isLive, 'live');
      await kit.owner.post(general, 'before');
      await until(() => heard.bodies.length === 1, 'the message before');
      await kit.restart();
      await kit.owner.post(general, 'after');
      await until(() => heard.bodies.length === 2, 'the message after');
      expect(heard.bodies).toEqual(['before', 'after']);
      expect(heard.states.some((state) => state.status === 'waiting')).toBe(true);
      heard.stream.close();
    });
  });
});
