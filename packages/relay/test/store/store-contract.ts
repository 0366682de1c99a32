// What every store of a relay does, whichever keeps the data. `another` opens the same data again, as a second process does.

import { expect, test } from 'vitest';
import type { Account, NewFrame, NameHolder, Passkey, RelayStore } from '../../src/store/port.ts';

type Skip = (condition: boolean, note: string) => void;

export interface StoreGround {
  store: RelayStore;
  another: () => Promise<RelayStore>;
}

const [ann, bob, eve] = ['agent:ann@x', 'agent:bob@x', 'agent:eve@x'] as const;
const all = { only: false, among: [] };

const frame = (n: number, change: Partial<NewFrame> = {}): NewFrame => ({
  from: ann,
  to: bob,
  tag: 't',
  packetId: `pkt_${String(n).padStart(8, '0')}`,
  sentAt: n,
  storedAt: n,
  bytes: new Uint8Array(300).fill(n),
  ...change,
});

const account = (address: string, key: string, change: Partial<Account> = {}): Account => ({
  address,
  key,
  epoch: { counter: 1, device: 'd' },
  email: null,
  createdAt: 10,
  ...change,
});

const take = (store: RelayStore, ...frames: NewFrame[]) => store.accept(frames, [], () => undefined);
const numbers = async (store: RelayStore, to = bob as string, after = 0, senders: Parameters<RelayStore['waiting']>[2] = all) =>
  (await store.waiting(to, after, senders, 100)).map(({ sentAt }) => sentAt);

async function registered(store: RelayStore, address: string, key: string, change: Partial<Account> = {}): Promise<void> {
  await store.invite(`code of ${address}`, 100);
  expect(await store.register(account(address, key, change), `code of ${address}`)).toBe('registered');
}

const holder = (address: string): NameHolder => ({
  address,
  userHandle: `u ${address}`,
  email: 'a@x.example',
  createdAt: 10,
  connectedAt: null,
});
const passkey = (address: string): Passkey => ({ id: `p ${address}`, address, publicKey: new Uint8Array([1, 2, 255]), counter: 0 });

export function storeContract(ground: (skip: Skip) => Promise<StoreGround>): void {
  test('[A2C-6] frames wait in order until they are acknowledged, each for its recipient', async ({ skip }) => {
    const { store, another } = await ground(skip);
    const answers = await take(store, frame(1), frame(2, { to: eve }), frame(3), frame(4, { from: eve }));
    expect(answers).toMatchObject([1, 2, 3, 4].map((sentAt) => ({ stored: { sentAt } })));
    const waiting = await store.waiting(bob, 0, all, 2);
    expect(waiting).toEqual([frame(1), frame(3)].map((one, index) => ({ ...one, sequence: waiting[index]!.sequence })));
    expect(await numbers(store, bob, waiting[0]!.sequence)).toEqual([3, 4]);
    expect(await numbers(store, bob, 0, { only: true, among: [eve] })).toEqual([4]);
    expect(await numbers(store, bob, 0, { only: false, among: [eve] })).toEqual([1, 3]);
    await store.accept([], [waiting[0]!], () => undefined);
    await store.accept([frame(5)], [waiting[0]!, waiting[1]!], () => undefined);
    expect(await numbers(store)).toEqual([4, 5]);
    expect(await numbers(await another())).toEqual([4, 5]);
    expect(await numbers(store, eve)).toEqual([2]);
  });

  test('[A2C-6] a packet id stands for its bytes, also after its frame left; a frame without room leaves no id behind', async ({
    skip,
  }) => {
    const { store, another } = await ground(skip);
    expect(await store.accept([frame(1)], [], () => 'queue_full')).toEqual([{ refused: 'queue_full' }]);
    const other = { ...frame(1), bytes: new Uint8Array(300) };
    expect(await take(store, frame(1), frame(1), other)).toMatchObject([
      { stored: { sentAt: 1 } },
      { repeated: true },
      { refused: 'packet_id_taken' },
    ]);
    await take(store, frame(2));
    await store.accept([], await store.waiting(bob, 0, all, 10), () => undefined);
    let asked = 0;
    const judge = (): undefined => void (asked += 1);
    for (const one of [store, await another()])
      expect(await one.accept([frame(1), other, frame(2)], [], judge)).toEqual([
        { repeated: true },
        { refused: 'packet_id_taken' },
        { repeated: true },
      ]);
    expect([asked, await numbers(store)]).toEqual([0, []]);
  });

  test('[A2C-6] a frame that comes through two processes at once is stored once', async ({ skip }) => {
    const { store, another } = await ground(skip);
    const second = await another();
    const frames = Array.from({ length: 20 }, (_, n) => frame(n + 1));
    const answers = (await Promise.all([store, second].map((one) => take(one, ...frames)))).flat();
    expect(answers.filter((answer) => 'stored' in answer)).toHaveLength(20);
    expect(answers.filter((answer) => 'repeated' in answer)).toHaveLength(20);
    expect(await numbers(store)).toEqual(frames.map(({ sentAt }) => sentAt));
  });

  test('[A2C-6] loads say what waits; frames that are too old leave', async ({ skip }) => {
    const { store } = await ground(skip);
    await take(store, frame(1), frame(2), frame(3, { tag: 'u' }), frame(4, { to: eve }));
    const byTag = (one: { to: string; tag: string }, two: { to: string; tag: string }): number =>
      `${one.to}${one.tag}`.localeCompare(`${two.to}${two.tag}`);
    const load = (change: object) => ({ from: ann, to: bob, tag: 't', frames: 1, bytes: 300, ...change });
    expect((await store.loads()).toSorted(byTag)).toEqual([load({ frames: 2, bytes: 600 }), load({ tag: 'u' }), load({ to: eve })]);
    const gone = await store.forget({ sentAt: 0, storedAt: 3 });
    expect(gone.reduce((sum, { frames }) => sum + frames, 0)).toBe(2);
    expect((await store.loads()).toSorted(byTag)).toEqual([load({ tag: 'u' }), load({ to: eve })]);
  });

  test('[A2C-8] the store knows when a device last sent, also in a frame that overtook others, until another device takes over', async ({
    skip,
  }) => {
    const { store, another } = await ground(skip);
    await registered(store, ann, 'k');
    const second = await another();
    const lastSent = async () => [await store.lastSentAt(ann), await second.lastSentAt(ann)];
    expect([await lastSent(), await store.lastSentAt('agent:nobody@x')]).toEqual([[0, 0], 0]);
    await take(store, frame(8), frame(5));
    expect(await second.lastSentAt(ann), 'the device connects to the second process').toBe(8);
    await take(second, frame(7));
    await store.accept([frame(9)], [], () => 'queue_full');
    expect(await lastSent()).toEqual([8, 8]);
    await store.forget({ sentAt: 100, storedAt: 100 });
    expect(await lastSent()).toEqual([8, 8]);
    await second.setEpoch(ann, { counter: 2, device: 'e' });
    expect(await lastSent()).toEqual([0, 0]);
    await take(store, frame(20));
    expect(await lastSent()).toEqual([20, 20]);
  });

  test('[A2C-1] an invitation registers one name, also when two processes use it at once', async ({ skip }) => {
    const { store, another } = await ground(skip);
    const second = await another();
    await store.invite('code', 100);
    const results = await Promise.all([store.register(account(ann, 'k1'), 'code'), second.register(account(bob, 'k2'), 'code')]);
    expect(results.toSorted()).toEqual(['invalid_code', 'registered']);
    await store.invite('late', 9);
    expect(await store.register(account(eve, 'k3'), 'late')).toBe('invalid_code');
    expect(await second.accounts()).toHaveLength(1);
    expect(await second.accounts()).toEqual(await store.accounts());
  });

  test('[A2C-1] one key has one name, and one name has one key', async ({ skip }) => {
    const { store, another } = await ground(skip);
    const second = await another();
    await registered(store, ann, 'k');
    await store.invite('more', 100);
    expect(await second.register(account(bob, 'k'), 'more')).toBe('taken');
    expect(await second.register(account(ann, 'k2'), 'more')).toBe('taken');
    expect(await second.account(ann)).toEqual(account(ann, 'k'));
    expect([await second.account(bob), await second.anyAddress()]).toEqual([undefined, ann]);
    await second.setEpoch(ann, { counter: 2, device: 'e' });
    expect((await store.account(ann))?.epoch).toEqual({ counter: 2, device: 'e' });
  });

  test('[A2C-5] a key package is handed out once, also when two processes hand out at once', async ({ skip }) => {
    const { store, another } = await ground(skip);
    const second = await another();
    await registered(store, ann, 'k');
    const entry = { statement: 's', signature: 'g' };
    expect(await store.publish(ann, 1, entry, ['p1', 'p2', 'p3'])).toBe('published');
    expect(await second.lookup(ann, false)).toEqual({ ...entry, package: null });
    expect(await second.packagesLeft(ann)).toBe(3);
    const taken = await Promise.all([store, second, store, second].map((one) => one.lookup(ann, true)));
    expect(taken.map((one) => String(one?.package)).toSorted()).toEqual(['null', 'p1', 'p2', 'p3']);
    expect(await second.publish(ann, 1, entry, ['p1', 'p4'])).toBe('published');
    expect([await store.packagesLeft(ann), (await store.lookup(ann, true))?.package]).toEqual([1, 'p4']);
    expect(await second.publish(ann, 1, { ...entry, statement: 'other' }, [])).toBe('old_statement');
    await store.publish(ann, 1, entry, ['p5']);
    expect(await second.publish(ann, 2, { ...entry, statement: 's2' }, ['p1'])).toBe('published');
    expect(await store.publish(ann, 1, entry, [])).toBe('old_statement');
    expect(await store.lookup(ann, true)).toEqual({ statement: 's2', signature: 'g', package: 'p1' });
    expect(await store.packagesLeft(ann)).toBe(0);
    await second.setEpoch(ann, { counter: 2, device: 'e' });
    expect([await store.lookup(ann, false), await store.lookup(bob, false)]).toEqual([undefined, undefined]);
  });

  test('[A2C-9] blocks and reports count for every process; only somebody who wrote first is reported', async ({ skip }) => {
    const { store, another } = await ground(skip);
    const second = await another();
    await store.setBlock(bob, ann, true);
    expect(await second.blocks()).toEqual([{ owner: bob, address: ann }]);
    await second.setBlock(bob, ann, false);
    expect(await store.blocks()).toEqual([]);
    expect(await store.report(bob, ann, 'spam', 50)).toBe(false);
    await take(store, frame(1));
    await take(second, frame(2, { from: bob, to: ann }));
    expect([await second.report(ann, bob, 'spam', 50), await second.report(bob, ann, 'spam', 50)]).toEqual([false, true]);
    expect(await store.report(bob, ann, 'abuse', 60)).toBe(true);
    expect([await store.offenders(1, 60), await store.offenders(1, 61), await store.offenders(2, 0)]).toEqual([[ann], [], []]);
  });

  test('[A2C-1] a passkey holds a name; a ticket replaces its key once', async ({ skip }) => {
    const { store, another } = await ground(skip);
    const second = await another();
    await store.invite('code', 100);
    expect(await second.mayHold(ann, 'code', 10)).toBe('free');
    const ticket = { codeHash: 'ticket', expiresAt: 100 };
    const results = await Promise.all([
      store.hold(holder(ann), passkey(ann), 'code', ticket),
      second.hold(holder(bob), passkey(bob), 'code', { ...ticket, codeHash: 'other' }),
    ]);
    expect(results.toSorted()).toEqual(['free', 'invalid_code']);
    const [winner, loser] = results[0] === 'free' ? [ann, bob] : [bob, ann];
    expect(await store.passkey(`p ${winner}`)).toEqual(passkey(winner));
    expect(await second.holder(winner)).toEqual(holder(winner));
    await store.putTicket(winner, ticket);
    expect(await second.register(account(loser, 'k'), 'ticket')).toBe('invalid_code');
    expect(await second.register(account(winner, 'k'), 'ticket')).toBe('registered');
    expect(await store.register(account(winner, 'k2'), 'ticket')).toBe('invalid_code');
    expect(await store.account(winner)).toMatchObject({ key: 'k', email: 'a@x.example' });
    await store.noteConnect(winner, 77, { counter: 1, device: 'd' });
    expect((await second.holder(winner))?.connectedAt).toBe(77);
    expect([await store.countUse(`p ${winner}`, 3), await second.countUse(`p ${winner}`, 3)]).toEqual([true, false]);
  });

  test('[A2C-1] removing an account removes all that waits for it', async ({ skip }) => {
    const { store, another } = await ground(skip);
    const second = await another();
    await store.invite('code', 100);
    await store.hold(holder(bob), passkey(bob), 'code', { codeHash: 'ticket', expiresAt: 100 });
    await take(second, frame(1), frame(2), frame(3, { to: eve }));
    const gone = await store.removeHolder(bob);
    expect(gone.reduce((sum, { frames }) => sum + frames, 0)).toBe(2);
    expect([await second.holder(bob), await numbers(second), await numbers(second, eve)]).toEqual([undefined, [], [3]]);
    await store.invite('again', 100);
    expect(await second.mayHold(bob, 'again', 10)).toBe('free');
  });

  test('[A2C-10] the first key of another relay is trusted, a later one only noted until it is accepted', async ({ skip }) => {
    const { store, another } = await ground(skip);
    const second = await another();
    const met = await Promise.all([store.meetRelay('b.example', 'k1', 10), second.meetRelay('b.example', 'k2', 10)]);
    const [{ key }] = met;
    const other = key === 'k1' ? 'k2' : 'k1';
    expect(met[1]).toMatchObject({ key });
    expect(await second.meetRelay('b.example', other, 20)).toMatchObject({ key, changedKey: other });
    expect(await store.knownRelay('b.example')).toMatchObject({ key, metAt: 10, changedKey: other });
    expect([await store.acceptRelayKey('b.example', 'k3'), await store.acceptRelayKey('c.example', other)]).toEqual([false, false]);
    expect([await second.acceptRelayKey('b.example', other), await store.acceptRelayKey('b.example', other)]).toEqual([true, false]);
    expect(await store.knownRelays()).toEqual([{ name: 'b.example', key: other, metAt: 10, changedKey: null, changedAt: null }]);
    await store.meetRelay('b.example', 'k3', 30);
    expect(await second.meetRelay('b.example', other, 40), 'the trusted one is back').toMatchObject({ key: other, changedKey: null });
    expect(await store.knownRelay('c.example')).toBeUndefined();
  });

  test('[A2C-10] a frame that waits for the line to another relay counts for its recipient where somebody is reported', async ({
    skip,
  }) => {
    const { store } = await ground(skip);
    const carl = 'agent:carl@y';
    await take(store, frame(1, { to: 'relay:y', addressee: carl }));
    expect(await numbers(store, 'relay:y')).toEqual([1]);
    await take(store, frame(2, { from: carl, to: ann }));
    expect([await store.report(ann, carl, 'spam', 50), await store.report(carl, ann, 'spam', 50)]).toEqual([false, true]);
  });
}
