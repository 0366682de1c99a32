import { toBase64Url } from '@parley/protocol/relay';
import { type RelayIdentity, statementOf } from '@parley/testkit/relay';
import { describe, expect, test } from 'vitest';
import { startRelay } from './kit/relay.ts';

describe('directory', () => {
  const publish = (ref: string, who: RelayIdentity, version: number, packages: string[]) => ({
    type: 'publish' as const,
    ref,
    ...statementOf(who, version),
    packages,
  });

  test('[A2C-3] each one-time package is handed out once, then the last-resort one', async () => {
    const relay = await startRelay();
    const [ann, bob] = [await relay.registered('ann'), await relay.registered('bob')];
    const owner = await relay.loggedIn(bob);
    expect(await owner.request(publish('1', bob, 1, ['b25l', 'dHdv']))).toEqual({ type: 'done', ref: '1', packages: 2 });
    const asker = await relay.loggedIn(ann);
    const lookups = [];
    for (const ref of ['a', 'b', 'c']) lookups.push(await asker.request({ type: 'lookup', ref, address: bob.address, package: true }));
    expect(lookups).toMatchObject([
      { package: 'b25l', last_resort: false },
      { package: 'dHdv', last_resort: false },
      { package: null, last_resort: true, ...statementOf(bob, 1) },
    ]);
  });

  test('[A2C-4] a directory entry is signed by its owner, and never goes back', async () => {
    const relay = await startRelay();
    const [ann, bob] = [await relay.registered('ann'), await relay.registered('bob')];
    const client = await relay.loggedIn(bob);
    expect(await client.request(publish('1', bob, 2, ['b25l']))).toMatchObject({ type: 'done' });
    expect(await client.request(publish('2', bob, 1, []))).toMatchObject({ code: 'old_statement' });
    expect(await client.request({ ...publish('3', bob, 3, []), signature: statementOf(ann, 3).signature })).toMatchObject({
      code: 'bad_signature',
    });
    expect(await client.request({ type: 'publish', ref: '4', ...statementOf(ann, 3), packages: [] })).toMatchObject({ type: 'refused' });
    expect(await client.request(publish('5', { ...bob, epoch: { ...bob.epoch, counter: 9 } }, 3, []))).toMatchObject({
      code: 'wrong_sender',
    });
  });

  test('[A2C-9] nobody empties a list of packages by asking, nor keeps others from a first contact', async () => {
    const relay = await startRelay({ PARLEY_RELAY_LOOKUPS_PER_MINUTE: '3' });
    const [ann, bob, eve] = [await relay.registered('ann'), await relay.registered('bob'), await relay.registered('eve')];
    await (await relay.loggedIn(bob)).request(publish('1', bob, 1, ['b25l', 'dHdv', 'dGhy', 'Zm91']));
    const greedy = await relay.loggedIn(eve);
    for (const ref of ['a', 'b', 'c']) await greedy.request({ type: 'lookup', ref, address: bob.address, package: true });
    expect(await greedy.request({ type: 'lookup', ref: 'd', address: bob.address, package: true })).toMatchObject({ code: 'rate_limited' });
    const other = await relay.loggedIn(ann);
    const atFirstContact = { type: 'entry', package: null, last_resort: true };
    expect(await other.request({ type: 'lookup', ref: 'e', address: bob.address, package: true })).toMatchObject(atFirstContact);
    expect(await other.request({ type: 'lookup', ref: 'f', address: bob.address, package: false })).toMatchObject({ last_resort: false });
    relay.ahead += 60_000;
    expect(await other.request({ type: 'lookup', ref: 'g', address: bob.address, package: true })).toMatchObject({ package: 'Zm91' });
  });

  const lookup = (ref: string, of: RelayIdentity, take = true) => ({ type: 'lookup' as const, ref, address: of.address, package: take });

  test('[A2C-3] a package that is published again is not handed out again, nor after a restart', async () => {
    const relay = await startRelay();
    const [ann, bob] = [await relay.registered('ann'), await relay.registered('bob')];
    const owner = await relay.loggedIn(bob);
    await owner.request(publish('1', bob, 1, ['b25l', 'dHdv']));
    const asker = await relay.loggedIn(ann);
    expect(await asker.request(lookup('a', bob))).toMatchObject({ package: 'b25l' });
    await owner.request(publish('2', bob, 1, ['b25l', 'dHdv']));
    await relay.restart();
    await (await relay.loggedIn(bob)).request(publish('3', bob, 1, ['b25l', 'dHdv', 'dGhy']));
    const again = await relay.loggedIn(ann);
    const found = [];
    for (const ref of ['b', 'c', 'd']) found.push(await again.request(lookup(ref, bob)));
    expect(found).toMatchObject([{ package: 'dHdv' }, { package: 'dGhy' }, { package: null, last_resort: true }]);
  });

  test('[A2C-9] the relay keeps 200 unused packages of an address and drops further ones', async () => {
    const relay = await startRelay();
    const bob = await relay.registered('bob');
    const owner = await relay.loggedIn(bob);
    const packages = (from: number) => Array.from({ length: 90 }, (_, n) => Buffer.from(`package ${from + n}`).toString('base64url'));
    for (const from of [0, 90, 180]) await owner.request(publish(String(from), bob, 1, packages(from)));
    await owner.leave();
    const again = await relay.connect();
    expect(await again.login(bob)).toMatchObject({ type: 'ready', packages: 200 });
  });

  test('[A2C-8] after a takeover the old device’s entry and packages are withheld until the new one publishes', async () => {
    const relay = await startRelay();
    const [ann, bob] = [await relay.registered('ann'), await relay.registered('bob')];
    await (await relay.loggedIn(bob)).request(publish('1', bob, 1, ['b25l']));
    const device = { ...bob, epoch: { counter: 2, device: toBase64Url(new Uint8Array(16).fill(7)) } };
    const client = await relay.loggedIn(device);
    const asker = await relay.loggedIn(ann);
    expect(await asker.request(lookup('a', bob))).toMatchObject({ code: 'not_published' });
    expect(await client.request(publish('2', device, 1, ['dHdv']))).toMatchObject({ code: 'old_statement' });
    expect(await client.request(publish('3', device, 2, ['dHdv']))).toMatchObject({ type: 'done' });
    expect(await asker.request(lookup('b', bob))).toMatchObject({ package: 'dHdv', ...statementOf(device, 2) });
  });
});
