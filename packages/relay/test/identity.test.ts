import { describe, expect, test } from 'vitest';
import { loginToSign, toBase64Url } from '@parley/protocol/relay';
import { newIdentity, signed, statementOf } from '@parley/testkit/relay';
import { startRelay } from './kit/relay.ts';

describe('registration', () => {
  test('[A2C-1] an invitation registers one name with one key, once', async () => {
    const relay = await startRelay();
    const code = await relay.invite();
    const ann = newIdentity('ann');
    const first = await relay.connect();
    expect(await first.register(ann, code)).toMatchObject({ type: 'ready', address: 'agent:ann@localhost', packages: 0 });
    const second = await relay.connect();
    expect(await second.register(newIdentity('bob'), code)).toMatchObject({ type: 'refused', code: 'invalid_code' });
    const third = await relay.connect();
    expect(await third.register(newIdentity('ann'), await relay.invite())).toMatchObject({ type: 'refused', code: 'name_taken' });
  });

  test('[A2C-1] a registration whose answer was lost can be repeated with the same key', async () => {
    const relay = await startRelay();
    const code = await relay.invite();
    const ann = newIdentity('ann');
    await (await relay.connect()).register(ann, code);
    expect(await (await relay.connect()).register(ann, code)).toMatchObject({ type: 'ready' });
  });

  test('[A2C-1] an invitation expires after a week', async () => {
    const relay = await startRelay();
    const code = await relay.invite();
    relay.ahead = 8 * 24 * 3_600_000;
    expect(await (await relay.connect()).register(newIdentity('ann'), code)).toMatchObject({ type: 'refused', code: 'invalid_code' });
  });

  test('[A2C-2] a key of low order is refused', async () => {
    const relay = await startRelay();
    const weak = { ...newIdentity('ann'), key: toBase64Url(Uint8Array.of(1, ...new Uint8Array(31))) };
    expect(await (await relay.connect()).register(weak, await relay.invite())).toMatchObject({ type: 'refused', code: 'bad_signature' });
  });
});

describe('login', () => {
  test('[A2C-1] a challenge can be answered once', async () => {
    const relay = await startRelay();
    const ann = await relay.registered('ann');
    const client = await relay.connect();
    const greeting = await client.hello();
    expect(await client.login({ ...ann, key: newIdentity('x').key }, greeting)).toMatchObject({ code: 'bad_signature' });
    expect(await client.login(ann, greeting)).toMatchObject({ code: 'wrong_state' });
    expect(await client.login(ann)).toMatchObject({ type: 'ready' });
  });

  test.for([
    { of: 'another relay', change: { relay: 'evil.example' } },
    { of: 'another key', change: { relay_key: newIdentity('evil').key } },
    { of: 'an earlier connection', change: { nonce: toBase64Url(new Uint8Array(32)) } },
  ])('[A2C-1] an answer to the challenge of $of is refused', async ({ change }) => {
    const relay = await startRelay();
    const ann = await relay.registered('ann');
    const client = await relay.connect();
    const greeting = { ...(await client.hello()), ...change };
    expect(await client.login(ann, greeting)).toMatchObject({ type: 'refused', code: 'bad_signature' });
  });

  test('[A2C-1] a recorded login does not open another connection, nor the same relay after a restart', async () => {
    const relay = await startRelay();
    const ann = await relay.registered('ann');
    const { address, key, epoch } = ann;
    const first = await relay.connect();
    const recorded = { type: 'login' as const, address, key, epoch, signature: signed(ann, loginToSign(await first.hello(), ann)) };
    for (const attempt of ['beside it', 'after a restart']) {
      const thief = await relay.connect();
      await thief.hello();
      thief.send(recorded);
      const refused = await thief.until(() => thief.messages.find(({ type }) => type === 'refused'));
      expect(refused, attempt).toMatchObject({ code: 'bad_signature' });
      await relay.restart();
    }
  });

  test('[A2C-2] nobody logs in as somebody else', async () => {
    const relay = await startRelay();
    const [ann, eve] = [await relay.registered('ann'), await relay.registered('eve')];
    const client = await relay.connect();
    expect(await client.login({ ...eve, address: ann.address })).toMatchObject({ code: 'key_changed' });
    const greeting = await client.hello();
    const signature = signed(eve, loginToSign(greeting, ann));
    client.send({ type: 'login', address: ann.address, key: ann.key, epoch: ann.epoch, signature });
    expect(await client.until(() => client.messages.findLast(({ type }) => type === 'refused' || type === 'ready'))).toMatchObject({
      code: 'key_changed',
    });
    await client.until(() => client.messages.find((message) => message.type === 'refused' && message.code === 'bad_signature'));
  });

  test('[A2C-1] the relay keeps its name and key over a restart', async () => {
    const relay = await startRelay();
    const ann = await relay.registered('ann');
    const before = await (await relay.connect()).hello();
    await relay.restart();
    const client = await relay.connect();
    expect(await client.login(ann)).toMatchObject({ type: 'ready' });
    expect(client.greeting).toMatchObject({ relay: before.relay, relay_key: before.relay_key });
  });

  test('[A2C-1] a relay keeps the name that people registered under, and starts under no other', async () => {
    const relay = await startRelay({ PARLEY_RELAY_NAME: 'first.example' });
    await relay.registered('ann');
    relay.env['PARLEY_RELAY_NAME'] = 'second.example';
    await expect(relay.restart()).rejects.toThrow('people registered here under first.example');
    delete relay.env['PARLEY_RELAY_NAME'];
    await relay.start();
    expect(await (await relay.connect()).hello()).toMatchObject({ relay: 'first.example' });
  });

  test('[A2C-14] a client of an unknown version is refused', async () => {
    const relay = await startRelay();
    const client = await relay.connect();
    client.send({ type: 'hello', versions: [7], nonce: toBase64Url(new Uint8Array(32)) });
    expect(await client.until(() => client.messages[0])).toMatchObject({ type: 'refused', code: 'unsupported_version' });
  });
});

describe('devices', () => {
  test('[A2C-8] the latest device wins, and the displaced one gets a notice', async () => {
    const relay = await startRelay();
    const ann = await relay.registered('ann');
    const old = await relay.loggedIn(ann);
    const epoch = { counter: 2, device: toBase64Url(new Uint8Array(16).fill(7)) };
    await relay.loggedIn({ ...ann, epoch });
    expect(await old.untilClosed()).toMatchObject({ code: 4409 });
    expect(old.messages.at(-1)).toEqual({ type: 'displaced', epoch });
  });

  test('[A2C-8] one visit of a thief leaves room above it: an epoch grows by 1,000 at a login, and a version within its epoch', async () => {
    const relay = await startRelay();
    const ann = await relay.registered('ann');
    const at = (counter: number) => ({ ...ann, epoch: { counter, device: toBase64Url(new Uint8Array(16).fill(7)) } });
    for (const counter of [2 ** 31, 1002]) expect(await (await relay.connect()).login(at(counter))).toMatchObject({ code: 'bad_message' });
    const thief = await relay.loggedIn(at(1001));
    const publish = (version: number) => ({
      type: 'publish' as const,
      ref: String(version),
      ...statementOf(at(1001), version),
      packages: [],
    });
    for (const version of [Number.MAX_SAFE_INTEGER, 1002 * 2 ** 20])
      expect(await thief.request(publish(version))).toMatchObject({ code: 'bad_message' });
    expect(await thief.request(publish(1002 * 2 ** 20 - 1))).toMatchObject({ type: 'done' });
  });

  test('[A2C-8] an older epoch is refused after a restart too, and a fork is named', async () => {
    const relay = await startRelay();
    const ann = await relay.registered('ann');
    const epoch = { counter: 2, device: toBase64Url(new Uint8Array(16).fill(7)) };
    await relay.loggedIn({ ...ann, epoch });
    await relay.restart();
    const client = await relay.connect();
    expect(await client.login(ann)).toMatchObject({ code: 'old_epoch', epoch });
    const fork = { counter: 2, device: toBase64Url(new Uint8Array(16).fill(8)) };
    expect(await (await relay.connect()).login({ ...ann, epoch: fork })).toMatchObject({ code: 'epoch_fork', epoch });
  });
});
