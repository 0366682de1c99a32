// Links for people without an agent, as the hub serves them: sealed, opened once, answered once.

import { onBothEngines, type Person, startTestHub, SimClock, type TestHub, until } from '@parley/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { canaryKey, PeerServiceKit } from '../kit/peers.ts';

const day = 86_400_000;
const opener = 'opener-of-the-first-page';
const other = 'opener-of-another-page-1';
const sealed = 's'.repeat(80);

onBothEngines('a request link', (engine) => {
  let kit: TestHub;
  let service: PeerServiceKit;
  let clock: SimClock;
  let ann: Person;
  let threadId: string;

  beforeEach(async () => {
    clock = new SimClock();
    service = new PeerServiceKit();
    kit = await startTestHub(engine, { peers: service, clock });
    service.linksUntil = clock.now() + 7 * day;
    ann = await kit.person('ann');
    ({ threadId } = await ann.call('inviteOutside', { body: { name: 'Carla', intent: 'Dinner on Friday' } }));
  });
  afterEach(() => kit.stop());

  const make = async () => {
    const { url } = await ann.call('makeRequestLink', { params: { threadId } });
    return /\/g\/([\w-]{22})#/.exec(url)![1]!;
  };
  const request = async (path: string, init: RequestInit & { body?: string } = {}) => {
    const response = await fetch(new URL(path, kit.url), init);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, code: /"code":"(\w+)"/.exec(text)?.[1] };
  };
  const post = (linkId: string, act: 'open' | 'answer', body: object, headers: Record<string, string> = {}) =>
    request(`/api/v1/request-links/${linkId}/${act}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const open = (id: string, by = opener) => post(id, 'open', { opener: by });
  const answer = (id: string, by = opener, text = sealed) => post(id, 'answer', { opener: by, sealed: text });
  const row = async (id: string) => (await kit.hub.kernel.store.rows('request_links', { id }))[0]!;
  const delivered = () => service.calls.filter(({ command }) => command === 'takeLinkAnswer');
  /** The outbox works while time passes. */
  const eventually = (so: () => Promise<boolean> | boolean) =>
    until(async () => {
      clock.advance(1000);
      return so();
    });
  const linkOf = async () => (await ann.call('getNegotiation', { params: { threadId } })).outside!.link;

  test('[A2C-11] it opens once, is answered once, and the answer goes to the person’s peer, all as ciphertext', async () => {
    const id = await make();
    expect(await linkOf()).toMatchObject({ id, state: 'made' });
    const opened = await open(id);
    expect([opened.status, JSON.parse(opened.text)]).toEqual([200, { sealed: 'c'.repeat(100), until: expect.any(Number) }]);
    expect(await linkOf()).toMatchObject({ state: 'opened', at: clock.now() });
    expect((await answer(id)).status).toBe(200);
    await eventually(() => delivered().length === 1);
    expect(delivered()[0]).toMatchObject({ memberId: ann.id, argument: { threadId, linkId: id, sealed } });
    await eventually(async () => (await row(id)).answer === null);
    expect(await row(id)).toMatchObject({ state: 'answered', sealed: null });
  });

  test('[A2C-11] the key is in no row, no request and no answer but the one to its person', async () => {
    const { url } = await ann.call('makeRequestLink', { params: { threadId } });
    expect(url).toContain(`#${canaryKey}`);
    const id = /\/g\/([\w-]{22})#/.exec(url)![1]!;
    const seen = [await open(id), await answer(id)].map(({ text, headers }) => text + JSON.stringify([...headers]));
    const stored = JSON.stringify([await kit.hub.kernel.store.rows('request_links', {}), await kit.hub.kernel.store.rows('facts', {})]);
    for (const text of [...seen, stored, JSON.stringify(await ann.call('getNegotiation', { params: { threadId } }))])
      expect(text).not.toContain(canaryKey);
  });

  test('[A2C-11] of two who open it at once exactly one gets it; the other learns when it was opened', async () => {
    const id = await make();
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => open(id, `${opener}-${n}`)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, text } of answers.filter((one) => one.status !== 200)) {
      expect(status).toBe(409);
      expect(JSON.parse(text)).toMatchObject({ error: { code: 'link_opened', reason: new Date(clock.now()).toISOString() } });
      expect(text).not.toContain('ccc');
    }
  });

  test('[A2C-11] the page that opened it may ask again, also after a restart; nobody else may', async () => {
    const id = await make();
    await open(id);
    await kit.restart();
    expect((await open(id)).status).toBe(200);
    expect((await open(id, other)).code).toBe('link_opened');
    expect((await answer(id, other)).code).toBe('link_spent');
    expect((await answer(id)).status).toBe(200);
    for (const by of [opener, other]) {
      const refused = await open(id, by);
      expect(JSON.parse(refused.text)).toMatchObject({ error: { code: 'already_answered', reason: new Date(clock.now()).toISOString() } });
      expect(refused.text).not.toContain('ccc');
    }
  });

  test('[A2C-11] previews burn nothing, and see a page without content', async () => {
    const id = await make();
    for (const method of ['GET', 'HEAD', 'OPTIONS'])
      for (const path of [`/g/${id}`, `/api/v1/request-links/${id}/open`, `/api/v1/request-links/${id}`])
        expect((await request(path, { method })).text).not.toContain('ccc');
    expect((await row(id)).state).toBe('made');
    expect((await open(id)).status).toBe(200);
  });

  test('[A2C-11] an answer that was not sealed with the key counts for nothing, and the page may answer again', async () => {
    const id = await make();
    await open(id);
    await answer(id, opener, 'garbage'.repeat(20));
    await eventually(async () => (await row(id)).state === 'opened');
    expect(await linkOf()).toMatchObject({ state: 'opened' });
    expect((await open(id)).status).toBe(200);
    expect((await answer(id)).status).toBe(200);
    await eventually(async () => (await row(id)).answer === null);
    expect(await row(id)).toMatchObject({ state: 'answered', sealed: null });
  });

  test('[A2C-11] a second answer is refused, the same one again is not', async () => {
    const id = await make();
    await open(id);
    await answer(id);
    expect((await answer(id)).status).toBe(200);
    expect((await answer(id, opener, 't'.repeat(80))).code).toBe('already_answered');
    await eventually(() => delivered().length > 0);
    expect(delivered().map(({ argument }) => argument)).toEqual([{ threadId, linkId: id, sealed }]);
  });

  test('[A2C-11] it expires after seven days; who opened it has a day for the answer', async () => {
    const unopened = await make();
    clock.jump(7 * day);
    expect((await open(unopened)).code).toBe('link_spent');
    expect(await linkOf()).toMatchObject({ state: 'expired' });
    service.linksUntil = clock.now() + 7 * day;
    const id = await make();
    expect(id).not.toBe(unopened);
    clock.jump(7 * day - 1000);
    expect((await open(id)).status).toBe(200);
    clock.jump(day - 1000);
    expect((await answer(id, opener)).status).toBe(200);
    service.linksUntil = clock.now() + 7 * day;
    const last = await make();
    await open(last);
    clock.jump(8 * day);
    expect((await answer(last)).code).toBe('link_spent');
  });

  test('[A2C-11] guessed, revoked and unknown links answer alike', async () => {
    const id = await make();
    await ann.call('revokeRequestLink', { params: { threadId } });
    const answers = [await open(id), await open('g'.repeat(22)), await answer(id), await answer('g'.repeat(22))];
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]!.code).toBe('link_spent');
    expect((await row(id)).sealed).toBe(null);
    expect((await open('short')).code).toBe('invalid_request');
    // A new one in its place.
    expect((await open(await make())).status).toBe(200);
  });

  test('[A2C-11] another page’s request and a large answer are refused, and nothing is stored', async () => {
    const id = await make();
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await post(id, 'open', { opener }, foreign)).code).toBe('origin_refused');
    await open(id);
    expect((await post(id, 'answer', { opener, sealed }, foreign)).code).toBe('origin_refused');
    expect((await answer(id, opener, 's'.repeat(1_000_000))).code).toBe('too_large');
    expect((await answer(id, opener, 's'.repeat(6001))).code).toBe('invalid_request');
    expect((await answer(id, opener, '<script>alert(1)</script>'.repeat(3))).code).toBe('invalid_request');
    expect((await row(id)).state).toBe('opened');
  });

  test('[A2C-11] [SYS-11] only its person makes and revokes it; it goes with the person', async () => {
    const id = await make();
    const bob = await kit.person('bob');
    expect((await bob.ask('makeRequestLink', { params: { threadId } })).status).toBe(404);
    await bob.call('revokeRequestLink', { params: { threadId } });
    expect((await row(id)).state).toBe('made');
    const exported = await ann.call('exportMember', { params: { memberId: ann.id } });
    expect(exported.requestLinks).toMatchObject([{ id, threadId, state: 'made' }]);
    await kit.operator.call('deactivateMember', { params: { memberId: ann.id } });
    expect((await open(id)).code).toBe('link_spent');
    await kit.operator.call('eraseMember', { params: { memberId: ann.id } });
    await eventually(async () => (await kit.hub.kernel.store.rows('request_links', {})).length === 0);
  });

  test('[A2C-11] an answer waits for a peer that does not answer', async () => {
    const id = await make();
    await open(id);
    service.refusal = new Error('The worker stopped.');
    await answer(id);
    await eventually(() => delivered().length > 0);
    expect((await row(id)).answer).toBe(sealed);
    await eventually(async () => (await row(id)).answer === null);
    expect(delivered().length).toBe(2);
  });

  test('[A2C-11] what is left of it is deleted after a month', async () => {
    const id = await make();
    clock.jump(38 * day);
    await eventually(async () => (await kit.hub.kernel.store.rows('request_links', { id })).length === 0);
  });
});
