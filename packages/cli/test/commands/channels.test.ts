import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CreatedToken, MyConversation } from '@parley/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, parley } from '../in-process.ts';
import { type RunOptions, type Running, up } from '../kit.ts';

let cwd: string;
let hub: Running;
let here: RunOptions;
let ada: RunOptions;
let bob: RunOptions;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'parley-cli-'));
  here = { cwd };
  hub = await up([], here);
  const as = async (handle: string): Promise<RunOptions> => {
    const { secret } = await ask<CreatedToken>(['token', 'create', '--member', handle, '--label', 'test'], here);
    return { cwd, env: { PARLEY_TOKEN: secret } };
  };
  await ask(['member', 'add', 'ada', '--role', 'owner'], here);
  await ask(['member', 'add', 'bob'], here);
  [ada, bob] = [await as('ada'), await as('bob')];
});
afterAll(async () => {
  await hub.stop();
  await rm(cwd, { recursive: true });
});

const channels = async (who: RunOptions, ...more: string[]): Promise<MyConversation[]> =>
  (await ask<{ channels: MyConversation[] }>(['channel', 'list', ...more], who)).channels;

it('[SYS-15] a channel is made, changed, archived and opened again', async () => {
  expect(await ask(['channel', 'add', '#ops', '--visibility', 'private', '--topic', 'runs', '--floor', 'open'], ada)).toMatchObject({
    name: 'ops',
    visibility: 'private',
    floor: 'open',
    history: 'all',
  });
  expect((await channels(bob)).map(({ name }) => name)).not.toContain('ops');
  const change = ['channel', 'edit', 'ops', '--name', 'operations', '--topic', 'what runs', '--floor', 'polite', '--history', 'joined'];
  expect(await parley(change, ada)).toMatchObject({ code: 0, out: 'Changed #operations.\n' });
  expect((await parley(['channel'], ada)).out).toMatch(/#operations +private +polite +joined +con_\w+ +what runs/);
  expect((await parley(['channel', 'show', 'operations'], ada)).out).toMatch(
    /^#operations \(private, polite, joined, history: joined, con_\w+\)\nwhat runs\n\nHANDLE .*\n@ada +ada +moderator\n$/,
  );
  expect(await parley(['channel', 'archive', 'operations'], ada)).toMatchObject({ code: 0, out: 'Archived #operations.\n' });
  expect((await channels(ada)).map(({ name }) => name)).not.toContain('operations');
  expect((await channels(ada, '--all')).find(({ name }) => name === 'operations')).toMatchObject({ archivedAt: expect.any(Number) });
  expect(await parley(['channel', 'reopen', 'operations'], ada)).toMatchObject({ code: 0, out: 'Reopened #operations.\n' });
});

it('[SYS-15] members are brought in and taken out; a public channel is joined and left', async () => {
  await ask(['channel', 'add', 'lobby'], ada);
  for (const [who, words] of [
    [ada, /There is a channel #lobby already, and you are in it\.\n.*npx parley channel show lobby/],
    [bob, /There is a channel #lobby already\.\n.*npx parley channel join lobby/],
  ] as const)
    expect(await parley(['channel', 'add', '#lobby'], who)).toMatchObject({ code: 1, err: expect.stringMatching(words) });
  expect(await parley(['channel', 'invite', 'lobby', '^ORAC', '@bob'], ada)).toMatchObject({
    code: 0,
    out: '^ORAC, @bob are in #lobby.\n',
  });
  expect(await parley(['channel', 'remove', 'lobby', 'bob'], ada)).toMatchObject({ code: 0, out: '@bob is no longer in #lobby.\n' });
  expect(await parley(['send', 'lobby', 'hi'], bob)).toMatchObject({ code: 1, err: expect.stringContaining('channel join lobby') });
  expect(await parley(['channel', 'join', 'lobby'], bob)).toMatchObject({ code: 0, out: 'Joined #lobby.\n' });
  expect((await parley(['send', 'lobby', 'hi'], bob)).code).toBe(0);
  expect(await parley(['channel', 'leave', 'lobby'], bob)).toMatchObject({ code: 0, out: 'Left #lobby.\n' });
});

it.each([
  [['list'], undefined, 2, 'the operator of the hub is not one'],
  [['edit', 'general'], 'ada', 2, 'nothing to change'],
  [['show', 'genral'], 'ada', 3, 'general'],
  [['add', 'two words'], 'ada', 2, 'name'],
  [['invite', 'general', '@nobody'], 'ada', 3, '@nobody'],
  [['archive', 'general'], 'bob', 1, 'not'],
] as const)('[SYS-15] channel %j as %s is refused', async (args, who, code, why) => {
  const refused = await parley(['channel', ...args], who === undefined ? here : who === 'ada' ? ada : bob);
  expect(refused).toMatchObject({ code, out: '', err: expect.stringContaining(why) });
});
