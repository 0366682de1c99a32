import { randomBytes } from 'node:crypto';
import { get } from 'node:http';
import { closeCodes } from '@parley/protocol';
import { Ear, onBothEngines, type Person, until, twoPeopleOn } from '@parley/testkit';
import { expect, test } from 'vitest';

onBothEngines('a reader that does not read', (engine) => {
  const { kit, ann, bob, general } = twoPeopleOn(engine);

  const isOnline = async (person: Person) => (await kit.owner.call('getMember', { params: { memberId: person.id } })).online;
  /** Talks until the hub has given up on the reader: the system's own buffers take some megabytes first. */
  const talkUntilCut = async (reader: Person): Promise<string[]> => {
    const said: string[] = [];
    while ((await isOnline(reader)) && said.length < 190) {
      const posts = await Promise.all(
        Array.from({ length: 4 }, () => ann.post(general.id, randomBytes(70_000).toString('base64').slice(0, 90_000))),
      );
      said.push(...posts.map(({ id }) => id));
    }
    return said;
  };
  const posted = (ear: Ear): string[] => ear.facts().flatMap((fact) => (fact.type === 'message.posted' ? [fact.data.message.id] : []));

  test('[SYS-4] is cut off when it is a megabyte behind, holds up nobody, and finds everything when it comes back', async () => {
    const attentive = new Ear(kit.owner);
    const slow = new Ear(bob);
    await Promise.all([attentive.ready(), slow.ready()]);
    const { cursor } = await bob.call('getSession', {});
    slow.socket.pause();
    const said = await talkUntilCut(bob);
    expect(await isOnline(bob)).toBe(false);
    await attentive.until(() => posted(attentive).length >= said.length);
    expect(new Set(posted(attentive))).toEqual(new Set(said));
    expect(attentive.closeCode).toBeUndefined();

    slow.socket.resume();
    // Told why if the last frame got through, and otherwise that the line is dead.
    expect([closeCodes.slow, 1006]).toContain(await slow.closed());
    const heard = posted(slow);
    expect(heard).toEqual(posted(attentive).slice(0, heard.length));
    const again = new Ear(bob, slow.facts().at(-1)?.cursor ?? cursor);
    await again.ready();
    // So far behind, it is told to look for itself instead of being sent it all.
    expect(again.heard[0]).toMatchObject({ type: 'reset', reason: 'too_far_behind' });
    // A page is bounded by its bytes: the rest is asked for from where it ended.
    const found: string[] = [];
    for (let before: number | undefined; ;) {
      const { messages, moreBefore } = await bob.call('listMessages', {
        params: { conversationId: general.id },
        query: { limit: 200, ...(before === undefined ? {} : { before }) },
      });
      found.unshift(...messages.map(({ id }) => id));
      if (!moreBefore) break;
      before = messages[0]!.seq;
    }
    expect(found).toEqual(posted(attentive));
    again.close();
    attentive.close();
  });

  test('[SYS-4] the same for an event stream', async () => {
    const attentive = new Ear(kit.owner);
    await attentive.ready();
    const carol = await kit.person('carol');
    const request = get(new URL('/api/v1/stream', kit.url), { headers: { authorization: `Bearer ${carol.token}` }, agent: false });
    await new Promise((resolve) => request.on('response', (response) => (response.pause(), resolve(undefined))));
    request.on('error', () => {});
    await until(() => isOnline(carol));
    const said = await talkUntilCut(carol);
    expect(await isOnline(carol)).toBe(false);
    await attentive.until(() => posted(attentive).length >= said.length);
    expect(new Set(posted(attentive))).toEqual(new Set(said));
    request.destroy();
    attentive.close();
  });
});
