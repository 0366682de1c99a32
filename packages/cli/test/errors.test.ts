import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { lockDataDir } from '@parley/hub';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, parley } from './in-process.ts';
import { parley as shell, type Running, up } from './kit.ts';

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'parley-cli-'));
});
afterAll(() => rm(cwd, { recursive: true }));

const plain = (text: string): boolean => !text.includes('\u001B') && !/\n\s+at /.test(text);

describe('what cannot be done', () => {
  it.each([
    [[], 2, /^Usage: parley/],
    [['contacts'], 2, /^Usage: parley contacts/],
    [['memebr', 'list'], 2, /Unknown command 'memebr'.*\n.*Did you mean member\?/],
    [['up', '--prot', '1'], 2, /Unknown option '--prot'.*\n.*Did you mean --port\?/],
    [['member', 'add'], 2, /Missing required argument 'handle'.*\n.*`npx parley member add --help`/],
    [['member', 'add', '-dash-'], 2, /Unknown option/],
    [['member', 'add', 'x', '--role', 'king'], 2, /Allowed choices are owner, admin, member, guest\.\n/],
    [['up', '--port', 'x'], 2, /--port must be a port number/],
    [['up', '--database-url', 'mysql://x'], 2, /--database-url must begin with postgres:/],
    [['send', 'general', 'hi'], 2, /Only members can post.*\n.*\n.*\$\(npx parley token create/],
    [['link', '--url', 'localhost:7440'], 2, /--url localhost:7440 is not an address/],
    [['backup', 'x', '--url', 'http://localhost:1'], 2, /on the machine the hub runs on/],
    [['member', 'list'], 3, /There is no Parley workspace in .*\.parley\.\n.*`npx parley up`.*PARLEY_DATA/],
    [['verify'], 3, /There is no Parley workspace/],
    [['emit', 'a.b.found', '--data', '{"price": 7}'], 3, /Pass the content of an event with --payload/],
    [['backup', 'x'], 3, /There is no Parley workspace/],
    [['restore', 'nowhere'], 3, /There is no file .*nowhere/],
    [['restore', '.'], 74, /is not a file/],
    [['member', 'list', '--url', 'http://localhost:1', '--token', 'x'], 69, /cannot be reached/],
    [['verify', '--data', 'd', '--database-url', 'postgres://x@127.0.0.1:1/x'], 3, /no Parley workspace/],
  ])('parley %j: exit %i', async (args, code, words) => {
    const ended = await parley(args, { cwd });
    expect(ended).toMatchObject({ code, out: '', err: expect.stringMatching(words) });
    expect(plain(ended.err)).toBe(true);
    expect(await readdir(cwd)).toEqual([]);
  });

  it.each([
    [{ PARLEY_URL: 'localhost:7440' }, ['link'], 2, /PARLEY_URL localhost:7440 is not an address/],
    [{ PARLEY_URL: 'http://localhost:1' }, ['backup', 'x'], 2, /not through PARLEY_URL\./],
    [{ PARLEY_DATA: '/dev/null/x/y' }, ['up'], 74, /\/dev\/null\/x\/y cannot be the data folder: \/dev\/null is not a folder\./],
  ])('%j parley %j: exit %i', async (env, args, code, words) => {
    expect(await shell(args, { cwd, env })).toMatchObject({ code, out: '', err: expect.stringMatching(words) });
  });

  it.runIf(existsSync('/proc/self'))('a data folder where no folder can be made is told at once', async () => {
    const ended = await shell(['up'], { cwd, env: { PARLEY_DATA: '/proc/x' } });
    expect(ended).toMatchObject({ code: 74, err: expect.stringMatching(/\/proc\/x cannot be the data folder: .* in \/proc/) });
  });

  it.each(['999.1.1.1', '192.0.2.1'])('PARLEY_HOST=%s is named as what is wrong, not the database', async (host) => {
    const data = await mkdtemp(join(tmpdir(), 'parley-cli-'));
    const ended = await shell(['up', '--port', '0'], { cwd, env: { PARLEY_DATA: data, PARLEY_HOST: host } });
    expect(ended).toMatchObject({ code: 2, out: '', err: expect.stringContaining(`PARLEY_HOST is ${host}`) });
    await rm(data, { recursive: true });
  });

  it('is one JSON document on stderr with --json, and nothing on stdout', async () => {
    for (const [args, error] of [
      [['nope'], { code: 'usage', exit: 2 }],
      [['contacts'], { code: 'usage', exit: 2 }],
      [['member', 'list'], { code: 'no_workspace', exit: 3, hint: expect.any(String) }],
      [['send', 'general', 'hi'], { code: 'no_token', exit: 2, hint: expect.any(String) }],
      [['inbox'], { code: 'no_token', exit: 2, hint: expect.stringContaining('token create') }],
      [['owed'], { code: 'no_token', exit: 2, hint: expect.stringContaining('token create') }],
    ] as const) {
      const { code, out, err } = await parley([...args, '--json'], { cwd });
      expect({ code, out }).toEqual({ code: error.exit, out: '' });
      expect(JSON.parse(err)).toMatchObject({ error });
    }
  });

  it('--help and --version are no failure', async () => {
    expect(await shell(['--version'], { cwd })).toMatchObject({ code: 0, out: '0.1.0\n', err: '' });
    for (const [name, folder] of [
      ['peer', 'PARLEY_PEER_DATA; .parley-peer'],
      ['relay', 'PARLEY_RELAY_DATA; .parley-relay'],
    ] as const) {
      const { out } = await parley([name, '--help'], { cwd });
      expect(out.match(/--data[^(]*\(([^)]*)\)/g)).toHaveLength(1);
      expect(out.replaceAll(/\s+/g, ' ')).toContain(`(${folder})`);
      expect(out).not.toContain('--database-url');
    }
    expect(await parley(['member', 'add', '--help'], { cwd })).toMatchObject({
      code: 0,
      out: expect.stringContaining('--owner <handle>'),
      err: '',
    });
  });
});

describe('beside a running hub', () => {
  let folder: string;
  let hub: Running;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-cli-'));
    hub = await up([], { cwd: folder });
    await ask(['member', 'add', 'ada', '--role', 'owner'], { cwd: folder });
  });
  afterAll(async () => {
    await hub.stop();
    await rm(folder, { recursive: true });
  });

  it.each([
    [['member', 'add', 'ada'], 1, /handle/],
    [['member', 'add', 'everyone'], 2, /<handle> is reserved/],
    [['member', 'add', 'sp ace'], 2, /<handle> must be 1 to 32/],
    [['member', 'deactivate', 'adda'], 3, /no member @adda.*\n.*Did you mean @ada\?/],
    [['member', 'deactivate', 'ada'], 1, /at least one active owner/],
    [['member', 'reactivate', 'adda'], 3, /no member @adda.*\n.*Did you mean @ada\?/],
    [['token', 'create', '--label', 'x'], 2, /--member/],
    [['token', 'create', '--member', 'ada', '--kind', 'agent', '--label', 'x'], 2, /--kind agent is for agents only/],
    [['token', 'create', '--member', 'ada', '--label', 'x', '--expires-in', 'soon'], 2, /is not a time/],
    [['token', 'revoke', 'pp_secret'], 2, /by its id/],
    [['token', 'revoke', `tok_${'0'.repeat(26)}`], 3, /no such token/],
    [['send', 'general', 'x', '--token', 'pp_wrong'], 1, /does not know this token/],
    [
      ['up', '--port', '0'],
      69,
      /Another Parley hub is using.*\n  It runs at http:\/\/localhost:\d+; `npx parley link` prints a sign-in link, and `kill \d+` stops it\./,
    ],
    [['restore', 'x'], 3, /no file/],
  ])('parley %j: exit %i', async (args, code, words) => {
    const ended = await (args[0] === 'up' ? shell : parley)(args, { cwd: folder });
    expect(ended).toMatchObject({ code, out: '', err: expect.stringMatching(words) });
    expect(plain(ended.err)).toBe(true);
  });

  it('names each field that is wrong', async () => {
    const { code, err } = await shell(['member', 'add', 'sp ace', '--name', ' ', '--json'], { cwd: folder });
    expect(code).toBe(2);
    expect(JSON.parse(err).error.problems.map((problem: { field: string }) => problem.field)).toEqual(['handle', 'displayName']);
  });

  it('a port that is taken is named', async () => {
    const { port } = new URL(hub.url);
    const ended = await shell(['up', '--data', 'second', '--port', port], { cwd: folder });
    expect(ended).toMatchObject({ code: 69, err: expect.stringContaining(`Port ${port} is taken`) });
  });

  it('output into a closed pipe is no failure, and the exit code is still told', async () => {
    const launcher = fileURLToPath(new URL('../bin/parley.mjs', import.meta.url));
    const child = spawn(process.execPath, [launcher, 'member', 'list'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    let err = '';
    child.stderr.on('data', (data) => (err += String(data)));
    const [code] = await once(child, 'close');
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });

  it('a backup is not written over a file without --force', { timeout: 180_000 }, async () => {
    await writeFile(join(folder, 'precious'), 'mine');
    expect(await parley(['backup', 'precious'], { cwd: folder })).toMatchObject({ code: 1, err: expect.stringContaining('--force') });
    expect(await readFile(join(folder, 'precious'), 'utf8')).toBe('mine');
    expect(await parley(['backup', 'precious', '--force'], { cwd: folder })).toMatchObject({ code: 0 });
    expect(await parley(['backup', 'no/such/folder'], { cwd: folder })).toMatchObject({ code: 3 });
  });
});

describe('a workspace that is held or damaged', () => {
  it('one that is held by somebody who does not answer is unavailable', { timeout: 180_000 }, async () => {
    const data = join(cwd, 'held');
    const hub = await up(['--data', data], { cwd });
    await hub.stop('SIGKILL');
    // The note a killed hub leaves behind misleads nobody: the lock is free, so the workspace is opened directly.
    expect(await readdir(data)).toContain('hub.json');
    expect(await parley(['member', 'list', '--data', data], { cwd })).toMatchObject({ code: 0 });
    const unlock = lockDataDir(data);
    expect(await shell(['member', 'list', '--data', data], { cwd })).toMatchObject({
      code: 69,
      err: expect.stringContaining('does not answer'),
    });
    unlock();
  });

  it(
    '[SYS-15] a byte flipped in a stored row is found by verify, and so is a backup that this folder did not sign, with exit 74',
    { timeout: 180_000 },
    async () => {
      const data = join(cwd, 'flipped');
      const hub = await up(['--data', data], { cwd });
      await ask(['member', 'add', 'ada', '--role', 'owner', '--data', data], { cwd });
      expect(await parley(['backup', 'good', '--data', data], { cwd })).toMatchObject({ code: 0 });
      await hub.stop();
      expect(await parley(['verify', '--data', data], { cwd })).toMatchObject({ code: 0, out: expect.stringMatching(/^All is well/) });
      await rm(join(data, 'heads.log'));
      expect(await parley(['verify', '--data', data], { cwd })).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^Not checked: the end of the chain/),
      });
      await writeFile(join(data, 'heads.log'), `{"seq":100000,"sum":"0","at":0}\n`);
      const gone = expect.stringContaining('facts 100000 is the last one of heads.log and is not there') as string;
      expect(await parley(['backup', 'cut', '--data', data], { cwd })).toMatchObject({ code: 74, err: gone });
      expect(await parley(['verify', 'cut', '--data', data], { cwd })).toMatchObject({
        code: 74,
        out: expect.stringMatching(/^Not everything is in it/),
        err: gone,
      });
      expect(await parley(['restore', 'cut', '--data', 'restored'], { cwd })).toMatchObject({ code: 0, err: gone });
      await rm(join(data, 'heads.log'));
      const db = new DatabaseSync(join(data, 'parley.db'));
      db.exec("update members set display_name = 'Eve' where handle = 'ada'");
      db.close();
      expect(await parley(['verify', '--data', data], { cwd })).toMatchObject({
        code: 74,
        out: expect.stringMatching(/^members \S+: does not match its checksum\n1 problem found/),
      });
      const json = await parley(['verify', '--data', data, '--json'], { cwd });
      expect(json).toMatchObject({ code: 74, err: '' });
      expect(JSON.parse(json.out)).toMatchObject({ ok: false, problems: [{ where: expect.stringMatching(/^members /) }] });
      expect(await parley(['backup', 'bad', '--data', data], { cwd })).toMatchObject({
        code: 74,
        err: expect.stringContaining('No backup was made'),
      });
      expect(await parley(['member', 'list', '--data', data], { cwd })).toMatchObject({
        code: 74,
        err: expect.stringContaining('does not match its checksum'),
      });

      const whole = await readFile(join(cwd, 'good'));
      // Each part of the file is a gzip member, and the signature is the last.
      await writeFile(join(cwd, 'forged'), whole.subarray(0, whole.lastIndexOf(Buffer.from([0x1f, 0x8b, 8]))));
      for (const [file, folder, code, words] of [
        ['good', data, 0, /^All is well: [^]*signature was checked/],
        ['good', 'elsewhere', 0, /^Not checked: the signature; the key is not here/],
        ['forged', data, 74, /forged is not signed with the backup\.key/],
        ['forged', 'elsewhere', 0, /^Not checked: the signature; there is none/],
      ] as const) {
        const ended = await parley(['verify', file, '--data', folder], { cwd });
        expect({ file, folder, code: ended.code, words: ended.out + ended.err }).toMatchObject({
          code,
          words: expect.stringMatching(words),
        });
      }
      expect(await readdir(cwd)).not.toContain('elsewhere');

      const bytes = await readFile(join(cwd, 'good'));
      bytes[1000]! ^= 4;
      await writeFile(join(cwd, 'good'), bytes);
      expect(await parley(['verify', 'good'], { cwd })).toMatchObject({ code: 74, err: expect.stringContaining('is damaged') });
      expect(await parley(['restore', 'good', '--data', 'never'], { cwd })).toMatchObject({
        code: 74,
        err: expect.stringContaining('Nothing was restored'),
      });
      expect(await readdir(cwd)).not.toContain('never');
    },
  );
});
