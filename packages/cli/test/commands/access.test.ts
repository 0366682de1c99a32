// Who may what, in the terminal: a higher access role by a link, and one's own sessions.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CreatedLink } from '@parley/protocol';
import { onBothEngines, openLink, type Person, startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parley } from '../in-process.ts';

onBothEngines('access, in the terminal', (engine) => {
  let kit: TestHub;
  let cwd: string;
  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'parley-cli-'));
    kit = await startTestHub(engine, { agents: [] }, { PARLEY_LOG: 'silent' });
  });
  afterAll(async () => {
    await kit.stop();
    await rm(cwd, { recursive: true });
  });
  const as = (who: Person, args: string[]) => parley(args, { cwd, env: { PARLEY_URL: kit.url, PARLEY_TOKEN: who.token } });

  test('[SYS-11] a link raises an access role once the person opens it', async () => {
    const ben = await kit.person('ben');
    const made = await as(kit.owner, ['link', '@ben', '--role', 'admin', '--json']);
    expect(await as(kit.owner, ['link', '@ben', '--role', 'member'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('must be higher than member') as string,
    });
    expect(await as(kit.owner, ['link', '--role', 'admin'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('needs a person') as string,
    });
    const said = await as(kit.owner, ['link', '@ben', '--role', 'admin']);
    expect(said.err).toContain('They become admin when they open it');
    // The newer link replaces the first.
    await expect(openLink(kit.url, (JSON.parse(made.out) as CreatedLink).secret, {}, ben)).rejects.toThrow('410');
    await openLink(kit.url, said.out.trim().split('#')[1]!, {}, ben);
    const { out } = await as(kit.owner, ['audit', '--kind', 'access', '--member', '@ben']);
    const lines = out.split('\n').map((line) => line.replace(/^\S+ {2}(?=Access)/, ''));
    expect(lines).toContain('Access: @matt changed the access of @ben  (done)');
    expect(lines).toContain('  {"role":{"from":"member","to":"admin"}}');
    expect(lines).toContain('Access: @ben came in with a link  (done)');
    expect((await as(kit.owner, ['member', 'list'])).out).toMatch(/@ben\s+ben\s+admin/);
    expect((await as(ben, ['token', 'list'])).code).not.toBe(0);
  });

  test('[SYS-11] a person ends their other sessions', async () => {
    const zoe = await kit.person('zoe');
    const phone = await openLink(kit.url, (await zoe.call('createSignInLink', { body: {} })).secret);
    expect(await as(zoe, ['token', 'revoke', '--others'])).toMatchObject({ code: 0, out: 'Ended 1 other session or token of yours.\n' });
    expect((await phone.ask('getSession', {})).status).toBe(401);
    expect((await zoe.ask('getSession', {})).status).toBe(200);
    expect((await as(zoe, ['token', 'revoke'])).err).toContain('Say which token, or --others.');
  });
});
