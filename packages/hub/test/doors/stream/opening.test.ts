// The seam between past and live, taken apart: while a stream is being opened, something happens between each two of
// the reads that opening makes. Whatever the moment, it is told exactly once.

import { Ear, hubFor, makeOnce, onEveryEngine } from '@parley/testkit';
import { beforeAll, expect, test } from 'vitest';

onEveryEngine('opening a stream', (engine) => {
  const kit = hubFor(engine);
  const ann = makeOnce(() => kit.person('ann', 'admin'));
  const bob = makeOnce(() => kit.person('bob'));
  let general: string;
  beforeAll(async () => {
    general = await kit.general();
  });

  /** Runs `work` once, when opening makes its nth read, and lets the tail pass it on before that read begins. */
  function atRead(nth: number, work: () => Promise<void>): { done: () => boolean } {
    const { store, tail } = kit.hub.kernel;
    const [rows, all] = [store.rows.bind(store), store.all.bind(store)];
    let reads = 0;
    let state: 'waiting' | 'working' | 'done' = 'waiting';
    const before = async (): Promise<void> => {
      // Timers, the tail and the index read as well; only what `open` asks for is counted.
      if (state !== 'waiting' || !/Live\.open/.test(new Error('where').stack!) || ++reads !== nth) return;
      state = 'working';
      await work();
      await tail.settled();
      state = 'done';
    };
    Object.assign(store, {
      rows: async (...args: [never, never]) => (await before(), rows(...args)),
      all: async (...args: Parameters<typeof all>) => (await before(), all(...args)),
    });
    return {
      done: () => {
        Object.assign(store, { rows, all });
        return state === 'done';
      },
    };
  }

  test('[SYS-4] what is said between any two of its reads is told once', async () => {
    let seams = 0;
    for (let happened = true; happened;) {
      const nth = seams + 1;
      const { cursor } = await bob.call('getSession', {});
      let made: { said: string; channel: string; inside: string } | undefined;
      const interruption = atRead(nth, async () => {
        const { id: channel } = await ann.call('createChannel', { body: { name: `new-${engine}-${nth}` } });
        await ann.call('addToConversation', { params: { conversationId: channel }, body: { memberId: bob.id } });
        const { id: inside } = await ann.post(channel, 'inside');
        const { id: said } = await ann.post(general, `read ${nth}`);
        made = { said, channel, inside };
      });
      const ear = new Ear(bob, cursor);
      await ear.ready();
      happened = interruption.done();
      const { id: last } = await ann.post(general, 'last');
      await ear.fact('message.posted', (fact) => fact.data.message.id === last);
      ear.close();
      // Opening makes fewer reads than this: every seam was tried.
      if (!happened) break;
      seams = nth;
      const cursors = ear.facts().map((fact) => fact.cursor);
      expect(cursors, `read ${nth}`).toEqual([...new Set(cursors)]);
      const told = ear.facts().flatMap((fact) => (fact.type === 'message.posted' ? [fact.data.message.id] : []));
      expect(told, `read ${nth}`).toEqual([made!.inside, made!.said, last]);
      expect(ear.facts().some((fact) => fact.type === 'membership.added' && fact.data.membership.conversationId === made!.channel)).toBe(
        true,
      );
    }
    expect(seams).toBeGreaterThan(4);
  });

  test('[SYS-11] who is taken out of a channel between any two of its reads hears nothing of it afterwards', async () => {
    for (let nth = 1; ; nth++) {
      const { id: channel } = await ann.call('createChannel', { body: { name: `left-${engine}-${nth}`, visibility: 'private' } });
      await ann.call('addToConversation', { params: { conversationId: channel }, body: { memberId: bob.id } });
      const { cursor } = await bob.call('getSession', {});
      const interruption = atRead(nth, async () => {
        await ann.call('removeFromConversation', { params: { conversationId: channel, memberId: bob.id } });
      });
      const ear = new Ear(bob, cursor);
      await ear.ready();
      const happened = interruption.done();
      if (!happened) {
        ear.close();
        return;
      }
      const { id: secret } = await ann.post(channel, 'among ourselves');
      const { id: last } = await ann.post(general, 'last');
      await ear.fact('message.posted', (fact) => fact.data.message.id === last);
      ear.close();
      expect(
        ear.facts().some((fact) => fact.type === 'message.posted' && fact.data.message.id === secret),
        `read ${nth}`,
      ).toBe(false);
    }
  });

  test('[SYS-11] a token that was revoked between the door and the stream is cut off', async () => {
    const { token, secret } = await bob.call('createToken', { body: { kind: 'person', label: 'short' } });
    const { auth } = kit.hub.kernel;
    const stale = await auth.principal(secret);
    await bob.call('revokeToken', { params: { tokenId: token.id } });
    await kit.hub.kernel.tail.settled();
    auth.principal = async () => stale;
    try {
      expect(await new Ear({ url: kit.url, token: secret }).closed()).toBe(4001);
    } finally {
      Reflect.deleteProperty(auth, 'principal');
    }
  });
});
