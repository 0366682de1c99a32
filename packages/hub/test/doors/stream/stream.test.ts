import { Ear, onEveryEngine, twoPeopleOn } from '@parley/testkit';
import { expect, test } from 'vitest';

onEveryEngine('the stream', (engine) => {
  const { kit, ann, bob, general } = twoPeopleOn(engine);

  const bodies = (ear: Ear) => ear.facts().flatMap((fact) => (fact.type === 'message.posted' ? [fact.data.message.body] : []));

  test('[SYS-4] what is acked is told live, in order, to those who are there', async () => {
    const [a, b] = [new Ear(ann), new Ear(bob)];
    await Promise.all([a.ready(), b.ready()]);
    for (let i = 0; i < 10; i++) await (i % 2 ? ann : bob).post(general.id, `live ${i}`);
    for (const ear of [a, b]) {
      await ear.fact('message.posted', (f) => f.data.message.body === 'live 9');
      expect(bodies(ear).filter((body) => body?.startsWith('live'))).toEqual(Array.from({ length: 10 }, (_, i) => `live ${i}`));
      ear.close();
    }
  });

  test('[SYS-4] a client resumes from any cursor it saw: nothing missing, nothing twice', async () => {
    const first = new Ear(bob);
    await first.ready();
    for (let i = 0; i < 20; i++) await ann.post(general.id, `resume ${i}`);
    await first.fact('message.posted', (f) => f.data.message.body === 'resume 19');
    const told = first.facts().filter((f) => f.type === 'message.posted');
    first.close();
    for (const cut of [0, 7, 18, 19]) {
      const again = new Ear(bob, told[cut]!.cursor);
      await again.ready();
      expect(bodies(again)).toEqual(told.slice(cut + 1).map((f) => f.data.message.body));
      again.close();
    }
  });

  test('[SYS-4] catching up while others talk leaves no gap at the seam', async () => {
    const { cursor } = await bob.call('getSession', {});
    const talking = { on: true };
    let n = 0;
    const talk = (async () => {
      while (talking.on) await Promise.all([ann.post(general.id, `seam ${n++}`), ann.post(general.id, `seam ${n++}`)]);
    })();
    const ears: Ear[] = [];
    for (let i = 0; i < 10; i++) {
      const ear = new Ear(bob, cursor);
      await ear.ready();
      ears.push(ear);
    }
    talking.on = false;
    await talk;
    const { messages } = await bob.call('listMessages', { params: { conversationId: general.id }, query: { limit: 200 } });
    const expected = messages.map((m) => m.body).filter((body) => body?.startsWith('seam'));
    expect(expected).toHaveLength(n);
    for (const ear of ears) {
      await ear.until(() => bodies(ear).length >= n);
      expect(bodies(ear)).toEqual(expected);
      ear.close();
    }
  });

  test('[SYS-4] a cursor survives a restart; one of another epoch or too far behind gets a reset', async () => {
    const { cursor } = await bob.call('getSession', {});
    await ann.post(general.id, 'before the restart');
    await kit.restart();
    await ann.post(general.id, 'after the restart');
    const ear = new Ear(bob, cursor);
    await ear.ready();
    expect(bodies(ear)).toEqual(['before the restart', 'after the restart']);
    ear.close();
    const lost = new Ear(bob, 'otherepoch:1');
    await lost.ready();
    expect(lost.heard.map((e) => e.type)).toEqual(['reset', 'ready']);
    lost.close();
    const future = new Ear(bob, cursor.replace(/\d+$/, '999999999'));
    await future.ready();
    expect(future.heard[0]).toMatchObject({ type: 'reset', reason: 'epoch' });
    future.close();
    await Promise.all(Array.from({ length: 1100 }, (_, i) => ann.post(general.id, `bulk ${i}`)));
    const behind = new Ear(bob, cursor);
    await behind.ready();
    expect(behind.heard.map((e) => e.type)).toEqual(['reset', 'ready']);
    expect(behind.heard[0]).toMatchObject({ reason: 'too_far_behind' });
    behind.close();
  });

  test('[SYS-11] a stream tells only what its member may read, as of each fact', async () => {
    const ear = new Ear(bob);
    await ear.ready();
    const secret = await ann.call('createChannel', { body: { name: 'covert', visibility: 'private' } });
    await ann.post(secret.id, 'without bob');
    await ann.call('addToConversation', { params: { conversationId: secret.id }, body: { memberId: bob.id } });
    await ann.post(secret.id, 'with bob');
    await ann.call('removeFromConversation', { params: { conversationId: secret.id, memberId: bob.id } });
    await ann.post(secret.id, 'without bob again');
    await ann.post(general.id, 'done');
    await ear.fact('message.posted', (f) => f.data.message.body === 'done');
    expect(bodies(ear)).toEqual(['with bob', 'done']);
    expect(ear.facts().map((f) => f.type)).toEqual(expect.arrayContaining(['membership.added', 'membership.removed']));
    ear.close();
  });

  test('[SYS-14] a deleted message is told as deleted, also to who was away when it was written', async () => {
    const { cursor } = await bob.call('getSession', {});
    const message = await ann.post(general.id, 'regret');
    await ann.call('deleteMessage', { params: { messageId: message.id } });
    const ear = new Ear(bob, cursor);
    await ear.ready();
    expect(JSON.stringify(ear.heard)).not.toContain('regret');
    expect(ear.facts().map((f) => f.type)).toEqual(['message.posted', 'message.deleted']);
    ear.close();
  });

  test('[SYS-14] typing and presence reach those who share the conversation, and are kept nowhere', async () => {
    const pia = await kit.person('pia');
    const { cursor } = await pia.call('getSession', {});
    const a = new Ear(ann);
    await a.ready();
    const b = new Ear(pia);
    await b.ready();
    await a.until((heard) => heard.some((e) => e.type === 'presence' && e.memberId === pia.id && e.online));
    expect((await ann.call('getMember', { params: { memberId: pia.id } })).online).toBe(true);
    b.socket.send(JSON.stringify({ type: 'typing', conversationId: general.id }));
    await a.until((heard) => heard.some((e) => e.type === 'typing' && e.memberId === pia.id && e.conversationId === general.id));
    await pia.call('sendTyping', { params: { conversationId: general.id } });
    b.close();
    await a.until((heard) => heard.some((e) => e.type === 'presence' && e.memberId === pia.id && !e.online));
    expect((await pia.call('getSession', {})).cursor).toBe(cursor);
    a.close();
  });

  test('[SYS-4] server-sent events carry the same facts and resume by Last-Event-ID', async () => {
    const listen = async (headers: Record<string, string>, query = ''): Promise<{ next: () => Promise<string>; stop: () => void }> => {
      const abort = new AbortController();
      const response = await fetch(`${kit.url}/api/v1/stream${query}`, {
        headers: { authorization: `Bearer ${bob.token}`, ...headers },
        signal: abort.signal,
      });
      expect(response.headers.get('content-type')).toBe('text/event-stream');
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      return {
        stop: () => abort.abort(),
        next: async () => {
          for (;;) {
            const end = text.indexOf('\n\n');
            if (end < 0) {
              text += (await reader.read()).value ?? '';
              continue;
            }
            const block = text.slice(0, end);
            text = text.slice(end + 2);
            if (!block.startsWith(':') && !block.includes('"presence"')) return block;
          }
        },
      };
    };
    const live = await listen({});
    expect(await live.next()).toContain('"type":"ready"');
    await ann.post(general.id, 'over sse');
    const block = await live.next();
    expect(block).toContain('over sse');
    const id = /^id: (.+)$/m.exec(block)![1]!;
    live.stop();
    await ann.post(general.id, 'missed');
    const again = await listen({ 'last-event-id': id });
    expect(await again.next()).toContain('missed');
    expect(await again.next()).toContain('"type":"ready"');
    again.stop();
  });
});
