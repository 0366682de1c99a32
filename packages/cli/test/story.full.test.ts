import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CalledRole, CreatedLink, CreatedToken, Member, Message } from '@parley/protocol';
import { createClient } from '@parley/sdk';
import { freshGround, soaking } from '@parley/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, parley, type RunOptions, up } from './kit.ts';

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'parley-cli-'));
});
afterAll(() => rm(cwd, { recursive: true }));

// Each saves from one engine and restores into the other; in a hurry, one direction has to do.
describe.each(soaking ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const))(
  'a workspace run from the command line (%s)',
  (engine) => {
    it('[SYS-15] is begun, used, saved while it runs, restored elsewhere, and goes on', { timeout: 180_000 }, async () => {
      const [ground, other] = [await freshGround(engine), await freshGround(engine === 'sqlite' ? 'postgres' : 'sqlite')];
      const here: RunOptions = { cwd, env: { PARLEY_DATA: ground.dataDir, PARLEY_DATABASE_URL: ground.databaseUrl } };
      const there: RunOptions = { cwd, env: { PARLEY_DATA: join(other.dataDir, 'data'), PARLEY_DATABASE_URL: other.databaseUrl } };
      const file = join(cwd, `${engine}.parley`);

      const hub = await up([], here);
      expect(hub).toMatchObject({ engine, dataDir: ground.dataDir, link: expect.stringContaining(`${hub.url}/join#pl_`) });
      const ada = await ask<Member>(['member', 'add', 'ada', '--name', 'Ada Lovelace', '--role', 'owner'], here);
      expect(ada).toMatchObject({ handle: 'ada', displayName: 'Ada Lovelace', role: 'owner', kind: 'human' });
      expect(await ask(['member', 'add', 'bot', '--agent', '--owner', '@ada'], here)).toMatchObject({ kind: 'agent', ownerId: ada.id });

      const made = await parley(['token', 'create', '--member', 'ada', '--label', 'test'], here);
      expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^pp_\S+\n$/), err: expect.stringMatching(/shown only now/) });
      const speaking: RunOptions = { cwd, env: { ...here.env, PARLEY_TOKEN: made.out.trim() } };
      expect(await ask<Message>(['send', 'general', 'hello', 'world'], speaking)).toMatchObject({ body: 'hello world', authorId: ada.id });
      expect(await ask<Message>(['send', '#General', '-'], { ...speaking, input: 'two\nlines\n' })).toMatchObject({ body: 'two\nlines' });
      expect(await ask<Message>(['send', '@bot', 'psst'], speaking)).toMatchObject({ body: 'psst' });
      const { url } = await ask<CreatedLink>(['link', 'ada'], here);
      expect(url).toMatch(`${hub.url}/join#pl_`);

      // From elsewhere: the address and a token, no data folder.
      const remote = { cwd, env: { PARLEY_TOKEN: made.out.trim() } };
      expect(await ask<Message>(['send', '--url', hub.url, 'general', 'from afar'], remote)).toMatchObject({ authorId: ada.id });

      expect(await ask(['backup', file], here)).toMatchObject({ complete: true, rows: { members: 4, messages: 4 } });
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(await ask(['verify'], here)).toMatchObject({ ok: true, problems: [], rows: { messages: 4 } });
      expect(await ask(['verify', file], here)).toMatchObject({ ok: true, engine, rows: { messages: 4 } });
      const end = await hub.stop('SIGTERM');
      expect(end).toMatchObject({ code: 0, signal: null });

      // Without a hub the same commands work on the workspace itself.
      const { token } = await ask<CreatedToken>(['token', 'create', '--member', 'bot', '--label', 'offline'], here);
      expect(token).toMatchObject({ kind: 'agent', label: 'offline' });
      expect(await ask(['token', 'revoke', token.id], here)).toEqual({ id: token.id, revoked: true });
      expect(await ask<Message>(['send', 'general', 'offline'], speaking)).toMatchObject({ authorId: ada.id });
      expect((await ask<{ members: Member[] }>(['member', 'list'], here)).members.map((m) => m.handle)).toEqual([
        'ORAC',
        'STEF',
        'ada',
        'bot',
      ]);
      expect(await ask(['role', 'add', '^oncall', '--holder', '^bot', '--about', 'whoever is awake'], here)).toMatchObject({
        handle: 'oncall',
      });
      expect((await ask<CalledRole>(['role', 'add', 'OnCall', '--holder', 'ada', '--holder', 'bot'], here)).holderIds).toHaveLength(2);
      expect((await parley(['role', 'list'], here)).out).toMatch(/\^oncall +@ada \^bot +whoever is awake/);
      expect((await ask<CalledRole>(['role', 'remove', 'oncall', '--holder', 'bot'], here)).holderIds).toEqual([ada.id]);
      expect((await parley(['role', 'remove', 'oncal'], here)).err).toContain('^oncall');
      expect(await ask(['role', 'remove', 'oncall'], here)).toEqual({});
      expect(await ask(['role', 'list'], here)).toEqual({ roles: [] });
      expect(await ask<Member>(['member', 'deactivate', 'bot'], here)).toMatchObject({ status: 'deactivated' });

      expect(await ask(['restore', file], there)).toMatchObject({ rows: { messages: 4 }, lost: [] });
      expect(await ask(['verify'], there)).toMatchObject({ ok: true });
      const again = await up([], there);
      expect(again.engine).not.toBe(engine);
      // The restore has revoked the token of before.
      const anew = await parley(['token', 'create', '--member', 'ada', '--label', 'after'], there);
      const client = createClient({ baseUrl: again.url, token: anew.out.trim() });
      const { conversations } = await client.call('listConversations', { query: {} });
      const general = conversations.find(({ name }) => name === 'general')!;
      const { messages } = await client.call('listMessages', { params: { conversationId: general.id }, query: {} });
      expect(messages.map(({ body }) => body)).toEqual(['hello world', 'two\nlines', 'from afar']);
      expect(await again.stop('SIGINT')).toMatchObject({ code: 0, signal: null });
      await ground.clear();
      await other.clear();
    });
  },
);

describe('the link of the first owner', () => {
  it('is printed until there is one, and then signs that one in', { timeout: 60_000 }, async () => {
    const options = { cwd, env: { PARLEY_DATA: 'fresh' } };
    const hub = await up([], options);
    expect(await parley(['member', 'add', 'bot', '--agent'], options)).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no owner yet: open the link from `npx parley up` first.'),
    });
    const { out } = await parley(['link'], options);
    const secret = out.trim().split('#')[1]!;
    const client = createClient({ baseUrl: hub.url });
    expect(await client.call('inspectLink', { body: { secret } })).toMatchObject({ purpose: 'invite', role: 'owner' });
    const { me } = await client.call('openSession', { body: { secret, handle: 'grace', displayName: 'Grace' } });
    expect(me).toMatchObject({ role: 'owner', handle: 'grace' });
    const next = (await parley(['link'], options)).out.trim().split('#')[1]!;
    expect(await client.call('inspectLink', { body: { secret: next } })).toMatchObject({ purpose: 'sign_in', signedInAs: null });
    expect(hub.ownerIsIn).toBe(false);
    await hub.stop();
    const again = await up([], options);
    expect(again.ownerIsIn).toBe(true);
    await again.stop();
    const assumed = 'assuming port 7440; set PARLEY_PORT if the hub runs on another';
    expect(await parley(['link'], options)).toMatchObject({ code: 0, err: expect.stringContaining(assumed) });
    const told = await parley(['link'], { cwd, env: { ...options.env, PARLEY_PORT: '7441' } });
    expect(told).toMatchObject({ code: 0, out: expect.stringContaining(':7441/'), err: expect.not.stringContaining('assuming') });
  });
});
