import { mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ask, parley, type RunOptions, running, type Stoppable } from '../kit.ts';
import { scanned } from './qr-kit.ts';

let here: RunOptions;
let relay: Stoppable & { url: string };
beforeEach(async () => {
  here = { cwd: await mkdtemp(join(tmpdir(), 'parley-peers-')), env: { PARLEY_RELAY_PORT: '0' } };
  relay = await running<{ url: string }>(['relay'], here);
});
afterEach(async () => {
  await relay.stop();
  await rm(here.cwd, { recursive: true });
});

const peer = <T>(who: string, ...args: string[]): Promise<T> => ask<T>(['peer', '--data', who, ...args], here);
const fails = (who: string, ...args: string[]) => parley(['peer', '--data', who, ...args], here);
const contexts = async (who: string): Promise<unknown[]> =>
  (await peer<{ packets: { context: unknown }[] }>(who, 'inbox')).packets.map(({ context }) => context);

async function init(who: string): Promise<string> {
  const { code } = await ask<{ code: string }>(['relay', 'invite'], here);
  await peer(who, 'init', '--name', who, '--relay', relay.url, '--code', code);
  const { out } = await parley(['peer', '--data', who, 'card'], here);
  return out.trim().split('\n').at(-1)!;
}

it('[A2C-1] [A2C-3] [A2C-4] two people exchange cards and sealed packets by commands, with and without `run`', async () => {
  expect(await fails('ann', 'list')).toMatchObject({ code: 3, err: expect.stringContaining('No peer lives in ann') });
  const [ann, bob] = [await init('ann'), await init('bob')];
  expect(await fails('ann', 'init', '--name', 'eve', '--relay', relay.url, '--code', 'x')).toMatchObject({
    code: 1,
    err: expect.stringContaining('holds agent:ann@localhost already'),
  });
  for (const file of ['peer.db', 'peer.key', 'peer.lock']) expect((await stat(join(here.cwd, 'ann', file))).mode & 0o777).toBe(0o600);

  expect(await fails('ann', 'send', 'agent:bob@localhost', '--context', '{}')).toMatchObject({ code: 3 });
  expect(await fails('ann', 'add', 'a2acp1.damaged.card')).toMatchObject({ code: 2 });
  expect(await peer('ann', 'add', bob)).toMatchObject({ address: 'agent:bob@localhost', trust: 'pinned' });
  await peer('bob', 'add', ann);
  await peer('ann', 'send', 'agent:bob@localhost', '--context', '{"day":"Friday"}');
  expect(await contexts('bob')).toEqual([{ day: 'Friday' }]);

  await peer('ann', 'send', 'agent:bob@localhost', '--context', '{"name":"a\u009b31m\u202eb"}', '--new');
  expect((await fails('bob', 'inbox')).out).toContain('{"name":"a 31m b"}');

  // Commands at the same moment wait for each other.
  await Promise.all([1, 2, 3].map((n) => peer('ann', 'send', 'agent:bob@localhost', '--context', `{"n":${n}}`, '--new')));
  expect(await contexts('bob')).toHaveLength(5);

  const run = await running<{ connected: boolean }>(['peer', '--data', 'bob', 'run'], here);
  expect(run).toMatchObject({ connected: true });
  await peer('bob', 'send', 'agent:ann@localhost', '--context', '{"day":"Saturday"}');
  await peer('ann', 'send', 'agent:bob@localhost', '--context', '{"time":"19:00"}');
  expect((await contexts('bob')).at(-1)).toEqual({ time: '19:00' });
  expect(await contexts('ann')).toEqual([{ day: 'Saturday' }]);
  const [one, other] = [
    await peer<{ safetyNumber: string }>('ann', 'verify', 'agent:bob@localhost'),
    await peer<{ safetyNumber: string }>('bob', 'verify', 'agent:ann@localhost'),
  ];
  expect(one.safetyNumber).toBe(other.safetyNumber);
  expect(await fails('bob', 'verify', 'agent:ann@localhost', '--accept', one.safetyNumber.replace(/\d/, 'x'))).toMatchObject({ code: 2 });
  await peer('bob', 'verify', 'agent:ann@localhost', '--accept', one.safetyNumber);
  expect(await peer('bob', 'list')).toMatchObject({ peers: [{ trust: 'verified', alarm: null }] });
  expect(await fails('bob', 'run')).toMatchObject({ code: 69, err: expect.stringContaining('runs in bob already') });
  expect(await run.stop()).toMatchObject({ code: 0, err: '' });
  expect(await contexts('bob')).toHaveLength(6);
});

it('[A2C-4] a contact card and a safety number scan as the words that `add` and `verify --accept` take', async () => {
  const [ann, bob] = [await init('ann'), await init('bob')];
  const card = await fails('ann', 'card', '--qr');
  expect(card.out.trim().split('\n').at(-1)).toBe(ann);
  expect(scanned(card.out)).toBe(ann);
  expect(await peer('bob', 'add', scanned(card.out)!)).toMatchObject({ trust: 'pinned' });
  await peer('ann', 'add', bob);
  const number = scanned((await fails('ann', 'verify', 'agent:bob@localhost', '--qr')).out)!;
  expect(number).toMatch(/^\d{60}$/);
  expect(await peer('bob', 'verify', 'agent:ann@localhost', '--accept', number)).toMatchObject({ accepted: true });
  const { fingerprint } = await peer<{ fingerprint: string }>('ann', 'card');
  expect(card.out).toContain(`Fingerprint: ${fingerprint}\n`);
  expect(number).toContain(fingerprint.replaceAll(' ', ''));
  // A pipe and JSON get words only.
  for (const args of [['card'], ['card', '--qr', '--json'], ['verify', 'agent:bob@localhost']])
    expect((await fails('ann', ...args)).out, args.join(' ')).not.toMatch(/[█▀▄]/);
});

it('[A2C-8] a backup moves an identity; the device that had it becomes read-only and says so', async () => {
  const [, bob] = [await init('ann'), await init('bob')];
  await peer('ann', 'add', bob);
  await peer('ann', 'send', 'agent:bob@localhost', '--context', '{"n":1}');
  await contexts('bob');
  expect(await peer('bob', 'backup', 'bob.backup')).toMatchObject({ key: expect.stringMatching(/bob\.backup\.key$/) });
  expect((await stat(join(here.cwd, 'bob.backup.key'))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(here.cwd, 'bob.backup'), 'utf8')).not.toContain('agent:');
  expect(await fails('bob', 'backup', 'bob.backup')).toMatchObject({ code: 1, err: expect.stringContaining('There is a file') });
  await rename(join(here.cwd, 'bob.backup.key'), join(here.cwd, 'elsewhere'));
  await fails('bob', 'backup', 'bob.backup');
  expect(await readdir(here.cwd)).not.toContain('bob.backup.key');
  await rename(join(here.cwd, 'elsewhere'), join(here.cwd, 'bob.backup.key'));
  expect(await fails('ann', 'restore', 'bob.backup')).toMatchObject({ code: 1, err: expect.stringContaining('holds a peer already') });
  await rename(join(here.cwd, 'bob.backup.key'), join(here.cwd, 'elsewhere'));
  expect(await fails('new', 'restore', 'bob.backup')).toMatchObject({ code: 3, err: expect.stringContaining('bob.backup.key beside it') });
  await rename(join(here.cwd, 'elsewhere'), join(here.cwd, 'bob.backup.key'));
  await peer('new', 'restore', 'bob.backup');
  expect(await contexts('new')).toEqual([{ n: 1 }]);
  await peer('ann', 'send', 'agent:bob@localhost', '--context', '{"n":2}');
  expect(await contexts('new')).toEqual([{ n: 1 }, { n: 2 }]);

  const displaced = await fails('bob', 'send', 'agent:ann@localhost', '--context', '{}');
  expect(displaced).toMatchObject({ code: 1, err: expect.stringContaining('Another device took agent:bob@localhost over') });
  expect(displaced.err).toContain('--take-over');
  expect(await peer('bob', 'inbox')).toMatchObject({
    packets: [{ context: { n: 1 } }],
    problem: expect.stringContaining('Another device'),
  });
});

it('[A2C-8] a passphrase locks the folder and its backup; without it, every command says so', async () => {
  const locked = { ...here, env: { ...here.env, PARLEY_PEER_PASSPHRASE: 'correct horse' } };
  const wrong = { ...here, env: { ...here.env, PARLEY_PEER_PASSPHRASE: 'wrong' } };
  const { code } = await ask<{ code: string }>(['relay', 'invite'], here);
  await ask(['peer', 'init', '--name', 'ann', '--relay', relay.url, '--code', code], locked);
  expect(await parley(['peer', 'list'], here)).toMatchObject({
    code: 2,
    err: expect.stringContaining('needs its passphrase. Set PARLEY_PEER_PASSPHRASE'),
  });
  expect(await parley(['peer', 'list'], wrong)).toMatchObject({ code: 2, err: expect.stringContaining('The passphrase is wrong') });
  expect(await ask(['peer', 'backup', 'ann.backup'], locked)).toMatchObject({ key: null });
  const run = await running(['peer', 'run'], locked);
  for (const other of [here, wrong]) expect(await parley(['peer', 'backup', 'beside.backup'], other)).toMatchObject({ code: 2 });
  await run.stop();
  expect((await readdir(here.cwd)).filter((name) => name.startsWith('beside'))).toEqual([]);
  const restore = ['peer', '--data', 'new', 'restore', 'ann.backup'];
  expect(await parley(restore, here)).toMatchObject({ code: 2, err: expect.stringContaining('Set PARLEY_PEER_PASSPHRASE') });
  expect(await parley(restore, wrong)).toMatchObject({ code: 2, err: expect.stringContaining('not the passphrase of this backup') });
  expect(await ask(restore, locked)).toMatchObject({ address: 'agent:ann@localhost' });
});

it('[A2C-7] without a relay a packet waits in the outbox, and the next command sends it', async () => {
  const [ann, bob] = [await init('ann'), await init('bob')];
  await peer('ann', 'add', bob);
  await peer('bob', 'add', ann);
  expect(await fails('ann', 'send', 'agent:nobody@localhost', '--context', '{}')).toMatchObject({ code: 3 });
  await relay.stop();
  const sent = await fails('ann', 'send', 'agent:bob@localhost', '--context', '{"kept":true}');
  expect(sent).toMatchObject({ code: 69, err: expect.stringMatching(/cannot be reached[^]*stays in the outbox/) });
  relay = await running<{ url: string }>(['relay', '--port', new URL(relay.url).port], here);
  await contexts('ann');
  expect(await contexts('bob')).toEqual([{ kept: true }]);
});

it('[A2C-9] a person blocks and reports somebody by commands, with and without `run`', async () => {
  const [ann] = [await init('ann'), await init('bob')];
  await peer('bob', 'add', ann);
  await peer('ann', 'add', 'agent:bob@localhost');
  await peer('ann', 'send', 'agent:bob@localhost', '--context', '{"buy":"now"}');
  expect(await contexts('bob')).toEqual([{ buy: 'now' }]);
  expect(await fails('bob', 'report', 'agent:ann@localhost', '--reason', 'boredom')).toMatchObject({ code: 2 });
  expect(await peer('bob', 'report', 'agent:ann@localhost', '--reason', 'spam')).toMatchObject({ reason: 'spam' });
  const run = await running(['peer', '--data', 'bob', 'run'], here);
  expect(await peer('bob', 'block', 'agent:ann@localhost')).toMatchObject({ blocked: true, problem: null });
  expect(await fails('bob', 'send', 'agent:ann@localhost', '--context', '{}')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/You blocked agent:ann@localhost[^]*peer unblock/),
  });
  await peer('ann', 'send', 'agent:bob@localhost', '--context', '{"buy":"more"}');
  expect(await contexts('bob')).toHaveLength(1);
  await run.stop();
  expect((await fails('bob', 'list')).out).toContain('blocked');
  expect(await peer('bob', 'unblock', 'agent:ann@localhost')).toMatchObject({ blocked: false });
  await peer('bob', 'send', 'agent:ann@localhost', '--context', '{"back":true}');
  expect(await contexts('ann')).toEqual([{ back: true }]);
});
