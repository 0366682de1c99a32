import { describe, expect, test } from 'vitest';
import { Visitor } from './kit/account-page.ts';
import { makePasskey, signWithPasskey } from './kit/authenticator.ts';
import { startRelay } from './kit/relay.ts';

const refused = (why: RegExp) => ({
  status: 401,
  body: { error: { code: 'unauthenticated', message: expect.stringMatching(why) as string } },
});

describe('a new passkey is refused', () => {
  test('[A2C-1] when another page made it, or another page sends it', async () => {
    const visitor = new Visitor(await startRelay());
    expect(await visitor.signUp('ann', { origin: 'http://localhost:1' })).toMatchObject(refused(/origin/));
    const code = await visitor.relay.invite();
    for (const origin of ['http://localhost:1', 'https://evil.example', 'null'])
      expect(await visitor.post('/sign-up/options', { code, name: 'ann', email: 'a@example.org' }, origin)).toMatchObject({
        status: 403,
        body: { error: { code: 'origin_refused' } },
      });
    const program = await visitor.fetch('/sign-in/options', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(program.status).toBe(403);
  });

  test('[A2C-1] when its challenge was answered before, took too long, or was for a sign-in', async () => {
    const relay = await startRelay();
    const visitor = new Visitor(relay);
    const { body } = await visitor.begin('ann');
    const wrong = makePasskey(body, { origin: 'http://localhost:1' }).answer;
    expect(await visitor.post('/sign-up', { passkey: wrong })).toMatchObject(refused(/origin/));
    const right = makePasskey(body, { origin: visitor.origin }).answer;
    expect(await visitor.post('/sign-up', { passkey: right })).toMatchObject(refused(/sent twice/));
    const slow = (await visitor.begin('ann')).body;
    relay.ahead = 6 * 60_000;
    expect(await visitor.post('/sign-up', { passkey: makePasskey(slow, { origin: visitor.origin }).answer })).toMatchObject(
      refused(/too long/),
    );
    const { challenge } = (await visitor.post<{ challenge: string }>('/sign-in/options', {})).body;
    const crossed = makePasskey({ ...slow, challenge }, { origin: visitor.origin }).answer;
    expect(await visitor.post('/sign-up', { passkey: crossed })).toMatchObject(refused(/made to sign in/));
  });

  test('[A2C-1] when it is nested too deeply to be read', async () => {
    const visitor = new Visitor(await startRelay());
    const { answer } = makePasskey((await visitor.begin('ann')).body, visitor);
    const response = { ...answer.response, attestationObject: Buffer.alloc(8000, 0x81).toString('base64url') };
    expect(await visitor.post('/sign-up', { passkey: { ...answer, response } })).toMatchObject(
      refused(/^The passkey was not accepted: it cannot be read\. Try again\.$/),
    );
  });

  test('[A2C-1] when its invitation was used meanwhile, and the name stays free', async () => {
    const relay = await startRelay();
    const [ann, bob] = [new Visitor(relay), new Visitor(relay)];
    const code = await relay.invite();
    const [first, second] = [(await ann.begin('ann', code)).body, (await bob.begin('bob', code)).body];
    expect(await ann.post('/sign-up', { passkey: makePasskey(first, ann).answer })).toMatchObject({ status: 200 });
    expect(await bob.post('/sign-up', { passkey: makePasskey(second, bob).answer })).toMatchObject({
      status: 400,
      body: { error: { problems: [{ field: 'code' }] } },
    });
    expect(await bob.begin('bob', code)).toMatchObject({ status: 400 });
    expect(await bob.begin('ann')).toMatchObject({ status: 409, body: { error: { code: 'name_taken', problems: [{ field: 'name' }] } } });
    expect(await bob.signUp('bob')).toMatchObject({ status: 200 });
  });

  test('[A2C-1] when it brings a certificate, which the relay would have to look up elsewhere', async () => {
    const visitor = new Visitor(await startRelay());
    for (const attestation of ['packed', 'apple', 'fido-u2f'])
      expect(await visitor.signUp('ann', { attestation })).toMatchObject(refused(/certificate that nobody asked for/));
  });
});

describe('a sign-in is refused', () => {
  test('[A2C-1] when the same answer comes again, or answers another challenge', async () => {
    const ann = new Visitor(await startRelay());
    await ann.joined('ann');
    const passkey = await ann.assertion();
    expect(await ann.post('/sign-in', { passkey })).toMatchObject({ status: 200 });
    expect(await ann.post('/sign-in', { passkey })).toMatchObject(refused(/sent twice/));
    const { challenge } = (await ann.post<{ challenge: string }>('/sign-in/options', {})).body;
    const clientDataJSON = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge, origin: ann.origin })).toString('base64url');
    const moved = { ...passkey, response: { ...passkey.response, clientDataJSON } };
    expect((await ann.post('/sign-in', { passkey: moved })).status).toBe(401);
  });

  test('[A2C-1] when another page asked for it', async () => {
    const ann = new Visitor(await startRelay());
    await ann.joined('ann');
    expect(await ann.signIn({ origin: 'http://localhost:1' })).toMatchObject(refused(/origin/));
    const { body } = await ann.post<Parameters<typeof signWithPasskey>[1]>('/sign-in/options', {});
    const elsewhere = signWithPasskey(ann.passkey, { ...body, rpId: 'evil.example' }, ann);
    expect(await ann.post('/sign-in', { passkey: elsewhere })).toMatchObject(refused(/RP ID/));
  });

  test('[A2C-1] with the passkey of somebody else', async () => {
    const relay = await startRelay();
    const [ann, eve] = [new Visitor(relay), new Visitor(relay)];
    await ann.joined('ann');
    await eve.joined('eve');
    eve.cookie = '';
    const named = { ...eve.passkey, userHandle: ann.passkey.userHandle };
    expect(await eve.post('/sign-in', { passkey: await eve.assertion({}, named) })).toMatchObject(refused(/another account/));
    const signed = { ...ann.passkey, secret: eve.passkey.secret };
    expect(await eve.post('/sign-in', { passkey: await eve.assertion({}, signed) })).toMatchObject(refused(/does not fit/));
    const unknown = { ...eve.passkey, id: 'AAAA' };
    expect(await eve.post('/sign-in', { passkey: await eve.assertion({}, unknown) })).toMatchObject(refused(/no account here/));
    expect((await eve.state()).account).toBeNull();
  });

  test('[A2C-1] when the counter of the authenticator goes back, as that of a copy would', async () => {
    const relay = await startRelay();
    const ann = new Visitor(relay);
    await ann.joined('ann');
    expect(await ann.signIn({ counter: 9 })).toMatchObject({ status: 200 });
    await relay.restart();
    for (const counter of [9, 3, 0]) expect(await ann.signIn({ counter })).toMatchObject(refused(/counter/));
    expect(await ann.signIn({ counter: 10 })).toMatchObject({ status: 200 });
  });

  test('[A2C-1] when the authenticator asked nobody for a PIN or a finger, as for a new passkey', async () => {
    const ann = new Visitor(await startRelay());
    expect(await ann.signUp('ann', { verifiesUser: false })).toMatchObject(refused(/User verification/));
    await ann.joined('ann');
    expect(await ann.signIn({ verifiesUser: false })).toMatchObject(refused(/[Uu]ser verification/));
  });

  test('[A2C-1] never for an authenticator that does not count', async () => {
    const ann = new Visitor(await startRelay());
    expect(await ann.signUp('ann', { counter: 0 })).toMatchObject({ status: 200 });
    for (const _ of [1, 2]) expect(await ann.signIn({ counter: 0 })).toMatchObject({ status: 200 });
  });
});
