import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parley, type RunOptions, running } from './kit.ts';

let here: RunOptions;
beforeAll(async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'parley-cli-relay-'));
  here = { cwd, env: { PARLEY_RELAY_PORT: '0', PARLEY_RELAY_NAME: 'relay.example' } };
});
afterAll(() => rm(here.cwd, { recursive: true }));

it('[A2C-1] a relay runs by one command, keeps its folder to itself, and invites while it runs', async () => {
  const early = await parley(['relay', 'invite'], here);
  expect(early).toMatchObject({ code: 3, err: expect.stringContaining('No relay was started') });
  const relay = await running<{ url: string; relay: string; key: string }>(['relay'], here);
  expect(relay).toMatchObject({ relay: 'relay.example', url: expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+$/) });
  const health = (await (await fetch(`${relay.url.replace('ws', 'http')}/health`)).json()) as object;
  expect(health).toMatchObject({ status: 'ok', relay: 'relay.example', key: relay.key });
  for (const file of ['relay.key', 'relay.db']) expect((await stat(join(here.cwd, '.parley-relay', file))).mode & 0o777).toBe(0o600);

  const invited = await parley(['relay', 'invite'], here);
  expect(invited.out.trim().split(' ').at(-1)).toMatch(/^[a-z0-9]{24}$/);
  const second = await parley(['relay'], here);
  expect(second).toMatchObject({ code: 69, err: expect.stringContaining('Another relay uses') });
  const taken = await parley(['relay', '--data', 'other', '--port', new URL(relay.url).port], here);
  expect(taken).toMatchObject({ code: 69, err: expect.stringContaining('PARLEY_RELAY_PORT') });
  expect(await parley(['relay', '--name', 'Not A Domain'], here)).toMatchObject({
    code: 2,
    err: expect.stringContaining('--name must be a domain'),
  });
  expect(await relay.stop()).toMatchObject({ code: 0 });
  const unread = await parley(['relay'], {
    ...here,
    env: { ...here.env, PARLEY_RELAY_TLS_CERT: 'no.pem', PARLEY_RELAY_TLS_KEY: 'no.pem' },
  });
  expect(unread).toMatchObject({ code: 2, err: expect.stringContaining('no.pem') });
});
