import { readdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newSigningKey, readCard, writeCard } from '@parley/peer';
import { toBase64Url } from '@parley/protocol/relay';
import { ask, parley, running } from '../kit.ts';
import { peerShell } from './commands-kit.ts';
import { scanned } from './qr-kit.ts';

const shell = peerShell();

it('[A2C-4] a contact card and a safety number scan as the words that `add` and `verify --accept` take', async () => {
  const [ann, bob] = [await shell.init('ann'), await shell.init('bob')];
  const card = await shell.tried('ann', 'card', '--qr');
  expect(card.out.trim().split('\n').at(-1)).toBe(ann);
  expect(scanned(card.out)).toBe(ann);
  expect(await shell.peer('bob', 'add', scanned(card.out)!)).toMatchObject({ trust: 'pinned' });
  await shell.peer('ann', 'add', bob);
  const number = scanned((await shell.tried('ann', 'verify', 'agent:bob@localhost', '--qr')).out)!;
  expect(number).toMatch(/^\d{60}$/);
  expect(await shell.peer('bob', 'verify', 'agent:ann@localhost', '--accept', number)).toMatchObject({ accepted: true });
  const { fingerprint } = await shell.peer<{ fingerprint: string }>('ann', 'card');
  expect(card.out).toContain(`Fingerprint: ${fingerprint}\n`);
  expect(number).toContain(fingerprint.replaceAll(' ', ''));
  // A pipe and JSON get words only.
  for (const args of [['card'], ['card', '--qr', '--json'], ['verify', 'agent:bob@localhost']])
    expect((await shell.tried('ann', ...args)).out, args.join(' ')).not.toMatch(/[█▀▄]/);
});

it('[A2C-8] a backup moves an identity; the device that had it becomes read-only and says so', async () => {
  const [, bob] = [await shell.init('ann'), await shell.init('bob')];
  await shell.peer('ann', 'add', bob);
  await shell.peer('ann', 'send', 'agent:bob@localhost', '--context', '{"n":1}');
  await shell.contexts('bob');
  expect(await shell.peer('bob', 'backup', 'bob.backup')).toMatchObject({ key: expect.stringMatching(/bob\.backup\.key$/) });
  expect((await stat(join(shell.here.cwd, 'bob.backup.key'))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(shell.here.cwd, 'bob.backup'), 'utf8')).not.toContain('agent:');
  expect(await shell.tried('bob', 'backup', 'bob.backup')).toMatchObject({ code: 1, err: expect.stringContaining('There is a file') });
  await rename(join(shell.here.cwd, 'bob.backup.key'), join(shell.here.cwd, 'elsewhere'));
  await shell.tried('bob', 'backup', 'bob.backup');
  expect(await readdir(shell.here.cwd)).not.toContain('bob.backup.key');
  await rename(join(shell.here.cwd, 'elsewhere'), join(shell.here.cwd, 'bob.backup.key'));
  expect(await shell.tried('ann', 'restore', 'bob.backup')).toMatchObject({
    code: 1,
    err: expect.stringContaining('holds a peer already'),
  });
  await rename(join(shell.here.cwd, 'bob.backup.key'), join(shell.here.cwd, 'elsewhere'));
  expect(await shell.tried('new', 'restore', 'bob.backup')).toMatchObject({
    code: 3,
    err: expect.stringContaining('bob.backup.key beside it'),
  });
  await rename(join(shell.here.cwd, 'elsewhere'), join(shell.here.cwd, 'bob.backup.key'));
  await shell.peer('new', 'restore', 'bob.backup');
  expect(await shell.contexts('new')).toEqual([{ n: 1 }]);
  await shell.peer('ann', 'send', 'agent:bob@localhost', '--context', '{"n":2}');
  expect(await shell.contexts('new')).toEqual([{ n: 1 }, { n: 2 }]);

  const displaced = await shell.tried('bob', 'send', 'agent:ann@localhost', '--context', '{}');
  expect(displaced).toMatchObject({ code: 1, err: expect.stringContaining('Another device took agent:bob@localhost over') });
  expect(displaced.err).toContain('--take-over');
  expect(await shell.peer('bob', 'inbox')).toMatchObject({
    packets: [{ context: { n: 1 } }],
    line: expect.stringContaining('Another device'),
  });
});

it('[A2C-8] commands work through `run`; `run`, `init` and `restore` say at once that a peer runs there', async () => {
  const [ann, bob] = [await shell.init('ann'), await shell.init('bob')];
  const run = await running<{ connected: boolean }>(['peer', '--data', 'bob', 'run'], shell.here);
  expect(await shell.peer('bob', 'card')).toMatchObject({ card: bob });
  await shell.peer('bob', 'add', ann);
  await shell.peer('bob', 'backup', 'bob.backup');
  const init = ['init', '--name', 'bob', '--relay', shell.relay.url, '--code', 'x'];
  for (const args of [['run'], ['restore', 'bob.backup'], init])
    expect(await shell.tried('bob', ...args), args[0]).toMatchObject({
      code: 69,
      err: expect.stringMatching(/A peer runs in bob already\.\n.+Stop it first/),
    });
  expect(await run.stop(), 'nothing displaced it').toMatchObject({ code: 0, err: '' });
});

it('[A2C-8] a passphrase locks the folder and its backup; without it, every command says so', async () => {
  const locked = { ...shell.here, env: { ...shell.here.env, PARLEY_PEER_PASSPHRASE: 'correct horse' } };
  const wrong = { ...shell.here, env: { ...shell.here.env, PARLEY_PEER_PASSPHRASE: 'wrong' } };
  const { code } = await ask<{ code: string }>(['relay', 'invite'], shell.here);
  await ask(['peer', 'init', '--name', 'ann', '--relay', shell.relay.url, '--code', code], locked);
  expect(await parley(['peer', 'list'], shell.here)).toMatchObject({
    code: 2,
    err: expect.stringContaining('needs its passphrase. Set PARLEY_PEER_PASSPHRASE'),
  });
  expect(await parley(['peer', 'list'], wrong)).toMatchObject({ code: 2, err: expect.stringContaining('The passphrase is wrong') });
  expect(await ask(['peer', 'backup', 'ann.backup'], locked)).toMatchObject({ key: null });
  const run = await running(['peer', 'run'], locked);
  for (const other of [shell.here, wrong]) expect(await parley(['peer', 'backup', 'beside.backup'], other)).toMatchObject({ code: 2 });
  await run.stop();
  expect((await readdir(shell.here.cwd)).filter((name) => name.startsWith('beside'))).toEqual([]);
  const restore = ['peer', '--data', 'new', 'restore', 'ann.backup'];
  expect(await parley(restore, shell.here)).toMatchObject({ code: 2, err: expect.stringContaining('Set PARLEY_PEER_PASSPHRASE') });
  expect(await parley(restore, wrong)).toMatchObject({ code: 2, err: expect.stringContaining('not the passphrase of this backup') });
  expect(await ask(restore, locked)).toMatchObject({ address: 'agent:ann@localhost' });

  // A peer that was made without one gets it by a backup.
  await shell.init('bob');
  expect(await parley(['peer', '--data', 'bob', 'list'], locked)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/made without a passphrase[^]*restore it into a new folder/),
  });
  await shell.peer('bob', 'backup', 'bob.backup');
  await ask(['peer', '--data', 'bob2', 'restore', 'bob.backup'], locked);
  expect(await shell.tried('bob2', 'list')).toMatchObject({ code: 2 });
  expect(await ask(['peer', '--data', 'bob2', 'list'], locked)).toEqual({ peers: [] });
});

it('[A2C-7] without a relay a packet waits in the outbox, and the next command sends it', async () => {
  const [ann, bob] = [await shell.init('ann'), await shell.init('bob')];
  await shell.peer('ann', 'add', bob);
  await shell.peer('bob', 'add', ann);
  expect(await shell.tried('ann', 'send', 'agent:nobody@localhost', '--context', '{}')).toMatchObject({ code: 3 });
  await shell.relay.stop();
  const sent = await shell.tried('ann', 'send', 'agent:bob@localhost', '--context', '{"kept":true}');
  expect(sent).toMatchObject({ code: 69, err: expect.stringMatching(/cannot be reached[^]*stays in the outbox/) });
  shell.relay = await running<{ url: string }>(['relay', '--port', new URL(shell.relay.url).port], shell.here);
  await shell.contexts('ann');
  expect(await shell.contexts('bob')).toEqual([{ kept: true }]);
});

it('[A2C-7] a packet that waited and fails for good is named by the command that tried it, and by `inbox`', async () => {
  await shell.init('ann');
  await shell.peer('ann', 'add', 'agent:nobody@localhost');
  await shell.relay.stop();
  expect(await shell.tried('ann', 'send', 'agent:nobody@localhost', '--context', '{"n":1}')).toMatchObject({ code: 69 });
  shell.relay = await running<{ url: string }>(['relay', '--port', new URL(shell.relay.url).port], shell.here);
  const failed = expect.stringMatching(/packet to agent:nobody@localhost[^]*not tried again/);
  expect(await shell.tried('ann', 'block', 'agent:eve@localhost')).toMatchObject({ code: 0, err: failed });
  const inbox = await shell.tried('ann', 'inbox');
  expect(inbox).toMatchObject({ code: 0, err: failed });
  expect(inbox.err).toContain('It said: {"n":1}');
  const own = await shell.tried('ann', 'send', 'agent:nobody@localhost', '--context', '{"n":2}');
  expect(own.err.match(/not tried again/g), 'its own failure once').toHaveLength(1);
});

it('[A2C-4] `inbox` and `run` name a stopped line each time', async () => {
  const [ann] = [await shell.init('ann'), await shell.init('bob')];
  await shell.peer('bob', 'add', ann);
  const other = writeCard({ ...readCard(ann), key: toBase64Url(newSigningKey().public) });
  expect(await shell.tried('bob', 'add', other)).toMatchObject({ code: 1 });
  const stopped = expect.stringMatching(
    /line to agent:ann@localhost is stopped: their key has changed[^]*peer verify agent:ann@localhost --data bob/,
  );
  expect(await shell.tried('bob', 'inbox')).toMatchObject({ code: 0, err: stopped });
  expect(await shell.peer('bob', 'inbox')).toMatchObject({ stopped: [{ address: 'agent:ann@localhost', alarm: 'key_changed' }] });
  const run = await running<{ stopped: object[] }>(['peer', '--data', 'bob', 'run'], shell.here);
  expect(run.stopped).toMatchObject([{ address: 'agent:ann@localhost' }]);
  await run.stop();
});

it('[A2C-9] a person blocks and reports somebody by commands, with and without `run`', async () => {
  const [ann] = [await shell.init('ann'), await shell.init('bob')];
  await shell.peer('bob', 'add', ann);
  await shell.peer('ann', 'add', 'agent:bob@localhost');
  await shell.peer('ann', 'send', 'agent:bob@localhost', '--context', '{"buy":"now"}');
  expect(await shell.contexts('bob')).toEqual([{ buy: 'now' }]);
  expect(await shell.tried('bob', 'report', 'agent:ann@localhost', '--reason', 'boredom')).toMatchObject({ code: 2 });
  expect(await shell.peer('bob', 'report', 'agent:ann@localhost', '--reason', 'spam')).toMatchObject({ reason: 'spam' });
  const run = await running(['peer', '--data', 'bob', 'run'], shell.here);
  expect(await shell.peer('bob', 'block', 'agent:ann@localhost')).toMatchObject({ blocked: true, line: null });
  expect(await shell.tried('bob', 'send', 'agent:ann@localhost', '--context', '{}')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/You blocked agent:ann@localhost[^]*peer unblock/),
  });
  await shell.peer('ann', 'send', 'agent:bob@localhost', '--context', '{"buy":"more"}');
  expect(await shell.contexts('bob')).toHaveLength(1);
  await run.stop();
  expect((await shell.tried('bob', 'list')).out).toContain('blocked');
  expect(await shell.peer('bob', 'unblock', 'agent:ann@localhost')).toMatchObject({ blocked: false });
  await shell.peer('bob', 'send', 'agent:ann@localhost', '--context', '{"back":true}');
  expect(await shell.contexts('ann')).toEqual([{ back: true }]);
});

it('[A2C-31] `memory` shows, corrects and forgets what is remembered, and `remove` removes a person', async () => {
  const [, bob] = [await shell.init('ann'), await shell.init('bob')];
  const address = 'agent:bob@localhost';
  await shell.peer('ann', 'add', bob);
  expect(await shell.peer('ann', 'memory')).toEqual({ memories: [] });
  expect((await shell.tried('ann', 'memory')).out).toContain('Nothing is remembered yet.');
  expect(await shell.peer('ann', 'memory', 'set', address, 'dietary', 'vegan')).toMatchObject({
    cache: [{ field: 'dietary', value: 'vegan' }],
  });
  await shell.peer('ann', 'memory', 'set', address, 'dietary', '["none"]');
  expect(await shell.peer('ann', 'memory', address)).toMatchObject({
    memories: [{ address, interactions: 0, cache: [{ field: 'dietary', value: ['none'], before: 'vegan', confidence: 'high' }] }],
  });
  expect((await shell.tried('ann', 'memory', address)).out).toMatch(/dietary +\["none"\].+Before: "vegan"/);
  expect(await shell.tried('ann', 'memory', 'set', address, 'no field', 'x')).toMatchObject({
    code: 2,
    err: expect.stringContaining('no field'),
  });
  expect(await shell.tried('ann', 'memory', 'agent:eve@localhost')).toMatchObject({ code: 3, err: expect.stringContaining('agent:eve') });
  expect(await shell.peer('ann', 'memory', 'forget', address, 'dietary')).toEqual({ address, field: 'dietary' });
  expect(await shell.peer('ann', 'memory', 'forget', address)).toEqual({ address, field: null });
  expect(await shell.peer('ann', 'memory')).toEqual({ memories: [] });
  expect(await shell.peer('ann', 'remove', address)).toEqual({ address });
  expect(await shell.peer('ann', 'list')).toEqual({ peers: [] });
});
