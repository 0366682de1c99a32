import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { readConfig, startHub } from '@parley/hub';
import { SimClock, startMcpHttp, startTestHub, type TestHub, waitFor } from '@parley/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { raw } from '../kit/bystander.ts';

const day = 24 * 3_600_000;
let kit: TestHub | undefined;
afterEach(async () => {
  await kit?.stop();
  kit = undefined;
});

test('[SYS-11] nobody else on the machine reads or locks a file, in a folder that was there before as well', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-modes-'));
  await chmod(folder, 0o755);
  const before = process.umask(0o022);
  try {
    const start = () => startHub(readConfig({ PARLEY_PORT: '0', PARLEY_DATA: folder, PARLEY_LOG: 'silent' }));
    const open = async () => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
      const modes = await Promise.all(files.map(async (name) => [name, ((await stat(join(folder, name))).mode & 0o777).toString(8)]));
      return modes.filter(([, mode]) => mode !== '600');
    };
    let hub = await start();
    expect(await open()).toEqual([]);
    await hub.stop();
    // As an earlier version left it.
    await chmod(join(folder, 'parley.db'), 0o644);
    hub = await start();
    expect(await open()).toEqual([]);
    await hub.stop();
  } finally {
    process.umask(before);
    await rm(folder, { recursive: true });
  }
});

describe('[SYS-11] with an https address', () => {
  const https = { PARLEY_PUBLIC_URL: 'https://chat.example.org' };
  const headersOf = () => ({ host: 'chat.example.org', origin: 'https://chat.example.org' });
  const signIn = async (hub: TestHub, memberId: string) => {
    const { secret } = await hub.operator.call('createSignInLink', { body: { memberId } });
    const answer = await raw(hub.url, {
      method: 'POST',
      path: '/api/v1/session',
      headers: { ...headersOf(), 'content-type': 'application/json' },
      body: JSON.stringify({ secret }),
    });
    return String(answer.headers['set-cookie']);
  };

  test('browsers keep to it, and the cookie belongs to that host alone', async () => {
    kit = await startTestHub('sqlite', {}, https);
    const ann = await kit.person('ann');
    for (const path of ['/', '/api/v1/health', '/api/v1/nowhere', '/api/v1/conversations/%'])
      expect((await raw(kit.url, { path, headers: headersOf() })).headers['strict-transport-security'], path).toMatch(/^max-age=\d{8}/);
    const cookie = await signIn(kit, ann.id);
    expect(cookie).toMatch(/^__Host-parley_[a-z0-9_.-]+=/);
    expect(cookie.toLowerCase()).toMatch(/; path=\/;.*secure/);
    expect(cookie.toLowerCase()).not.toContain('domain');
  });

  test('a session that nobody uses for a week ends; one in use lasts, for 90 days at most', async () => {
    const clock = new SimClock();
    kit = await startTestHub('sqlite', { clock }, https);
    const { url } = kit;
    const ann = await kit.person('ann');
    const [idle, used] = [await signIn(kit, ann.id), await signIn(kit, ann.id)].map((cookie) => cookie.split(';')[0]!);
    const status = async (cookie: string) => (await raw(url, { path: '/api/v1/session', headers: { ...headersOf(), cookie } })).status;
    const { store } = kit.hub.kernel;
    const began = clock.now();
    const lastsUntil = async () => Math.max(...(await store.rows('tokens', "where purpose = 'session'")).map((row) => row.expires_at!));
    const seen: number[] = [];
    for (let days = 6; days <= 96; days += 6) {
      clock.advance(6 * day);
      // Its renewal is written after the answer.
      seen.push(await status(used!));
      const expected = Math.min(began + 90 * day, clock.now() + 7 * day);
      if (days < 90) await waitFor(async () => expect(await lastsUntil()).toBe(expected));
      if (days === 12) expect(await status(idle!)).toBe(401);
    }
    expect(seen).toEqual([...Array.from({ length: 14 }, () => 200), 401, 401]);
  });

  test('its proxy says who asks, unless it is said otherwise', () => {
    expect(readConfig(https).trustProxy).toBe(1);
    expect(readConfig({ ...https, PARLEY_TRUST_PROXY: '0' }).trustProxy).toBe(0);
    expect(readConfig({}).trustProxy).toBe(0);
  });
});

describe('[SYS-6] a secret is sent to its hosts only', () => {
  test('an admin who names a server of their own gets no key of a provider; an owner may allow it', async () => {
    kit = await startTestHub('sqlite', { env: { ANTHROPIC_API_KEY: 'sk-of-the-hub', PARLEY_SECRET_MINE: 'first-come' } });
    const [owner, admin] = [await kit.person('owner', 'owner'), await kit.person('mallory', 'admin')];
    const [theirs, other] = [await startMcpHttp(), await startMcpHttp()];
    try {
      const setUp = async (url: string, secret: string) => {
        const headers = { authorization: `Bearer secret:${secret}` };
        await admin.call('setToolServer', { params: { name: 'evil' }, body: { url, headers } });
        return (await admin.ask('testToolServer', { params: { name: 'evil' } })).body as { state?: string; problem?: string | null };
      };
      const refused = await setUp(theirs.url, 'ANTHROPIC');
      expect(refused.state).toBe('down');
      expect(refused.problem).toContain('may be sent to api.anthropic.com only');
      expect(JSON.stringify(theirs.headers)).not.toContain('sk-of-the-hub');

      // Of any other secret the first host it is used with becomes its own.
      expect((await setUp(other.url, 'MINE')).state).toBe('up');
      expect((await setUp(theirs.url, 'MINE')).problem).toContain(`may be sent to ${new URL(other.url).host} only`);
      expect((await admin.ask('bindSecret', { params: { name: 'mine' }, body: { hosts: [new URL(theirs.url).host] } })).status).toBe(403);
      await owner.call('bindSecret', { params: { name: 'mine' }, body: { hosts: [new URL(theirs.url).host] } });
      expect((await setUp(theirs.url, 'MINE')).state).toBe('up');
    } finally {
      await Promise.all([theirs.stop(), other.stop()]);
    }
  });

  test('whoever sets a secret again says where it goes', async () => {
    kit = await startTestHub('sqlite', { env: {} });
    const admin = await kit.person('admin', 'admin');
    const put = (body: { value: string; hosts?: string[] }) => admin.call('setSecret', { params: { name: 'mine' }, body });
    const { keys } = kit.hub.kernel;
    expect((await put({ value: 'a', hosts: ['a.example'] })).hosts).toEqual(['a.example']);
    await expect(keys.keyFor('mine', 'b.example')).rejects.toThrow('may be sent to a.example only');
    expect((await put({ value: 'b' })).hosts).toEqual([]);
    expect(await keys.keyFor('mine', 'b.example')).toBe('b');
    await expect(keys.keyFor('mine', 'a.example')).rejects.toThrow('may be sent to b.example only');
  });
});

test('[SYS-11] a hub that others reach calls no server of its own network that nobody allowed', async () => {
  const mcp = await startMcpHttp();
  try {
    const tried = async (env: Record<string, string>): Promise<string> => {
      kit = await startTestHub('sqlite', {}, { PARLEY_PUBLIC_URL: 'https://chat.example.org', ...env });
      const admin = await kit.person('admin', 'admin');
      await admin.call('setToolServer', { params: { name: 'near' }, body: { url: mcp.url } });
      const { body } = await admin.ask('testToolServer', { params: { name: 'near' } });
      await kit.stop();
      kit = undefined;
      const { state, problem } = body as { state: string; problem: string | null };
      return state === 'up' ? state : String(problem);
    };
    const { host } = new URL(mcp.url);
    expect(await tried({})).toContain('private, loopback or link-local');
    expect(await tried({ PARLEY_PRIVATE_HOSTS: `ollama.lan, ${host}` })).toBe('up');
    expect(await tried({ PARLEY_PRIVATE_HOSTS: 'ollama.lan' })).toContain('private, loopback or link-local');
  } finally {
    await mcp.stop();
  }
});
