import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ask, parley, type RunOptions, running, type Stoppable } from '../kit.ts';

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

  const run = await running<{ connected: boolean }>(['peer', '--data', 'bob', 'run'], here);
  expect(run).toMatchObject({ connected: true });
  await peer('bob', 'send', 'agent:ann@localhost', '--context', '{"day":"Saturday"}');
  await peer('ann', 'send', 'agent:bob@localhost', '--context', '{"time":"19:00"}');
  expect(await contexts('bob')).toEqual([{ day: 'Friday' }, { time: '19:00' }]);
  expect(await contexts('ann')).toEqual([{ day: 'Saturday' }]);
  const [one, other] = [
    await peer<{ safetyNumber: string }>('ann', 'verify', 'agent:bob@localhost'),
    await peer<{ safetyNumber: string }>('bob', 'verify', 'agent:ann@localhost', '--accept'),
  ];
  expect(one.safetyNumber).toBe(other.safetyNumber);
  expect(await peer('bob', 'list')).toMatchObject({ peers: [{ trust: 'verified', alarm: null }] });
  expect(await fails('bob', 'run')).toMatchObject({ code: 69, err: expect.stringContaining('runs in bob already') });
  expect(await run.stop()).toMatchObject({ code: 0, err: '' });
  expect(await contexts('bob')).toHaveLength(2);
});

it('[A2C-8] a backup moves an identity; the device that had it becomes read-only and says so', async () => {
  const [, bob] = [await init('ann'), await init('bob')];
  await peer('ann', 'add', bob);
  await peer('ann', 'send', 'agent:bob@localhost', '--context', '{"n":1}');
  await contexts('bob');
  const { code } = await peer<{ code: string }>('bob', 'backup', 'bob.backup');
  expect(await readFile(join(here.cwd, 'bob.backup'), 'utf8')).not.toContain('agent:');
  expect(await fails('bob', 'backup', 'bob.backup')).toMatchObject({ code: 1, err: expect.stringContaining('There is a file') });
  expect(await fails('new', 'restore', 'bob.backup', '--code', 'wrong')).toMatchObject({ code: 2 });
  expect(await fails('ann', 'restore', 'bob.backup', '--code', code)).toMatchObject({ code: 1 });
  await peer('new', 'restore', 'bob.backup', '--code', code);
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

it('[A2C-7] without a relay a packet waits in the outbox, and the next command sends it', async () => {
  const [ann, bob] = [await init('ann'), await init('bob')];
  await peer('ann', 'add', bob);
  await peer('bob', 'add', ann);
  await relay.stop();
  const sent = await fails('ann', 'send', 'agent:bob@localhost', '--context', '{"kept":true}');
  expect(sent).toMatchObject({ code: 69, err: expect.stringContaining('cannot be reached') });
  relay = await running<{ url: string }>(['relay', '--port', new URL(relay.url).port], here);
  await contexts('ann');
  expect(await contexts('bob')).toEqual([{ kept: true }]);
});
