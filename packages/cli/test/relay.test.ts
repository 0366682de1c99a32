import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openRelayFolder } from '@parley/relay';
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

it('[A2C-10] the operator sees which relay shows another key, and accepts the one that was compared', async () => {
  const data = join(here.cwd, 'met');
  const { store } = openRelayFolder(data);
  await store.meetRelay('a.example', 'key-of-a', 0);
  await store.meetRelay('b.example', 'first', 0);
  await store.meetRelay('b.example', 'second', 86_400_000);
  await store.close();
  const at = ['--data', data];
  const listed = await parley(['relay', 'others', ...at], here);
  expect(listed.out).toBe(
    'a.example  trusted since 1970-01-01  key-of-a\n' +
      'b.example  stopped since 1970-01-02: it shows the key second instead of first. Compare it with its operator, then: npx parley relay accept b.example second\n',
  );
  const wrong = await parley(['relay', 'accept', 'b.example', 'third', ...at], here);
  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('The key that it shows is second.') });
  const unknown = await parley(['relay', 'accept', 'c.example', 'third', ...at], here);
  expect(unknown).toMatchObject({ code: 3, err: expect.stringContaining('This relay has not met c.example.') });
  const accepted = await parley(['relay', 'accept', 'b.example', 'second', ...at], here);
  expect(accepted.out).toBe('b.example is trusted with the key second. Its line opens within a minute.\n');
  expect((await parley(['relay', 'others', ...at], here)).out).toContain('b.example  trusted since 1970-01-01  second');
});
