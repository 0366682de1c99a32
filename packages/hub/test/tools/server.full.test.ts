// One tool server, and every way it can fail whoever calls it: each has one outcome.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ToolServerConfig } from '@parley/protocol';
import { type McpHttp, mcpStdio, SimClock, startMcpHttp, waitFor } from '@parley/testkit';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Shares } from '../../src/concurrency-shares.ts';
import { McpClient } from '../../src/tools/mcp-client.ts';

const never = (): AbortSignal => new AbortController().signal;
const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // One that has ended and that nobody has asked about yet is not alive.
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)])
      .toString()
      .startsWith('Z');
  } catch {
    return false;
  }
};

describe.each(['stdio', 'http'] as const)('a tool server (%s)', (kind) => {
  const clock = new SimClock();
  const running: { stop(): Promise<unknown> }[] = [];
  const changes: string[] = [];
  let http: McpHttp | undefined;

  const secrets = new Map<string, string>();
  beforeEach(() => void secrets.set('KNOWN', 'open sesame'));

  async function start(over: Partial<ToolServerConfig> = {}): Promise<McpClient> {
    changes.length = 0;
    if (kind === 'http') running.push((http = await startMcpHttp()));
    const where = kind === 'http' ? { url: http!.url } : mcpStdio();
    const server = new McpClient({
      name: 'test',
      config: { ...where, timeoutMs: 10_000, ...over },
      clock,
      callSlots: new Shares({ own: 8, most: 64 }),
      readSecret: (name) => Promise.resolve(secrets.get(name)),
      outbound: fetch,
      onChange: (state) => changes.push(state),
    });
    running.push(server);
    return server;
  }
  afterEach(async () => {
    await Promise.all(running.splice(0).map((one) => one.stop()));
  });

  test('[SYS-13] it is connected on first use; only a clear word that a tool reads makes it one that reads', async () => {
    const server = await start();
    expect(server.state).toBe('idle');
    const { tools, problems } = await server.tools();
    expect(server.state).toBe('up');
    expect(tools.get('echo')).toMatchObject({ says: 'read', description: 'Says it again.' });
    expect(tools.get('write')!.says).toBe('write');
    expect([tools.has('unusable'), problems.join()]).toEqual([false, expect.stringContaining('unusable')]);
    expect(await server.call('echo', { text: 'hello' }, never())).toEqual({ text: 'hello', foreign: true });
    expect(await server.call('fail', {}, never())).toEqual({ text: 'it did not work', isError: true, foreign: true });
  });

  test('one that is down stays down, with its reason, while the hub tries it again', async () => {
    const server = await start(kind === 'http' ? { url: 'http://127.0.0.1:9/mcp' } : { args: ['/nowhere.mjs'] });
    await expect(server.tools()).rejects.toThrow();
    const why = server.problem;
    expect([server.shownState, why]).toEqual(['down', expect.stringMatching(/./)]);
    const again = server.test();
    expect([server.state, server.shownState, server.problem]).toEqual(['connecting', 'down', why]);
    await expect(again).rejects.toThrow();
    expect(server.shownState).toBe('down');
  });

  test('[SYS-13] arguments that do not fit are not sent', async () => {
    const server = await start();
    const answer = await server.call('write', { text: 7 }, never());
    expect(answer).toMatchObject({ isError: true, foreign: false, text: expect.stringContaining('does not take these arguments') });
    expect(await server.call('write', { text: 'first' }, never())).toMatchObject({ text: 'written 1' });
    expect(await server.call('nothing', {}, never())).toMatchObject({ isError: true, text: 'Error: test has no tool nothing any more.' });
  });

  test('one that hangs is left at its time limit, and others go on meanwhile', async () => {
    const server = await start({ timeoutMs: 700 });
    await server.tools();
    const [hung, slow] = await Promise.all([server.call('hang', {}, never()), server.call('slow', {}, never())]);
    expect(hung).toMatchObject({ isError: true, foreign: false, text: expect.stringContaining('did not answer within 0.7 seconds') });
    expect(slow.text).toBe('at last');
    expect((await server.call('echo', { text: 'still here' }, never())).text).toBe('still here');
  });

  test('a call ends with its turn', async () => {
    const server = await start();
    await server.tools();
    const turn = new AbortController();
    const call = server.call('hang', {}, turn.signal);
    turn.abort(new Error('the turn was taken away'));
    await expect(call).rejects.toThrow('the turn was taken away');
    expect((await server.call('echo', { text: 'next' }, never())).text).toBe('next');
  });

  test('a long result is cut, and says so; one without end is an error, and its server begins again', async () => {
    const server = await start({ maxOutput: 1000, timeoutMs: 60_000 });
    const long = await server.call('flood', {}, never());
    expect(long.text).toBe(`${'x'.repeat(1000)}\n[Cut off: 1000 of 1000000 characters.]`);
    const endless = await server.call('endless', {}, never());
    expect(endless).toMatchObject({ isError: true, foreign: false });
    expect([server.state, server.problem]).toEqual(['down', expect.stringContaining('it sent more than')]);
  });

  test('one that dies ends its calls, is reported, and is started again after a pause', async () => {
    const server = await start();
    await server.tools();
    const [other, dead] = await Promise.all([
      server.call(kind === 'stdio' ? 'hang' : 'slow', {}, never()),
      server.call('die', {}, never()),
    ]);
    expect(dead).toMatchObject({ isError: true, foreign: false, text: expect.stringContaining('lost in the middle of the call') });
    if (kind === 'stdio') expect(other.isError).toBe(true);
    expect([server.state, changes]).toEqual(['down', ['down']]);
    expect((await server.call('echo', { text: 'x' }, never())).text).toBe('Error: The tool server test cannot be reached: it is down.');
    clock.advance(1000);
    await waitFor(() => expect(server.state).toBe('up'));
    expect([server.restarts, server.ran, changes]).toEqual([1, true, ['down', 'up']]);
    expect((await server.call('echo', { text: 'again' }, never())).text).toBe('again');
  });

  test('one whose schema changed: refused arguments bring the new one', async () => {
    const server = await start();
    expect((await server.call('changing', { n: 'a' }, never())).text).toBe('fits');
    await server.call('change', {}, never());
    const refused = await server.call('changing', { n: 'a' }, never());
    expect(refused).toMatchObject({ isError: true, foreign: true, text: expect.stringContaining('takes other arguments now') });
    expect((await server.call('changing', { n: 1 }, never())).text).toBe('fits');
    expect(await server.call('changing', { n: 'a' }, never())).toMatchObject({ isError: true, foreign: false });
  });

  test('a result that is not what its schema says is dropped', async () => {
    const server = await start();
    const answer = await server.call('wrong_output', {}, never());
    expect(answer).toMatchObject({ isError: true, foreign: false, text: expect.stringContaining('something else than its schema says') });
  });

  test('secrets are put in when it is reached; one that is missing is named', async () => {
    const given = kind === 'http' ? { headers: { authorization: 'Bearer secret:KNOWN' } } : { env: { API_KEY: 'secret:KNOWN' } };
    const server = await start(given);
    await server.tools();
    if (kind === 'http') expect(http!.headers.at(-1)!.authorization).toBe('Bearer open sesame');
    else expect(JSON.parse((await server.call('environment', {}, never())).text)).toMatchObject({ API_KEY: 'open sesame' });
    const without = await start(kind === 'http' ? { headers: { authorization: 'secret:NONE' } } : { env: { API_KEY: 'secret:NONE' } });
    await expect(without.tools()).rejects.toThrow('there is no secret NONE');
    const howTo = 'there is no secret NONE; set it under Keys, or with npx parley secrets set none';
    expect([without.state, without.problem]).toEqual(['down', howTo]);
  });

  test('a secret that was changed, or taken away, counts from the next use; what is under way ends as it began', async () => {
    const given = kind === 'http' ? { headers: { authorization: 'Bearer secret:KNOWN' } } : { env: { API_KEY: 'secret:KNOWN' } };
    const server = await start(given);
    const used = async () => {
      const { text } = await server.call('environment', {}, never());
      return kind === 'http' ? http!.headers.at(-1)!.authorization : (JSON.parse(text) as Record<string, string>)['API_KEY'];
    };
    expect(await used()).toContain('open sesame');
    const slow = server.call('slow', {}, never());
    // In the middle of it.
    if (kind === 'http') await waitFor(() => expect(http!.headers.length).toBeGreaterThan(3));
    secrets.set('KNOWN', 'open poppy');
    expect(await used()).toContain('open poppy');
    expect((await slow).text).toBe('at last');
    secrets.delete('KNOWN');
    expect(await server.call('echo', { text: 'x' }, never())).toMatchObject({ isError: true, foreign: false });
    expect([server.state, server.problem]).toEqual(['down', expect.stringContaining('there is no secret KNOWN')]);
  });

  test.runIf(kind === 'stdio')('a program is given PATH, HOME and what it was configured with, and nothing else', async () => {
    vi.stubEnv('PARLEY_SECRET_OF_THE_HUB', 'x');
    const server = await start({ env: { LANG: 'C' } });
    const names = Object.keys(JSON.parse((await server.call('environment', {}, never())).text) as object);
    vi.unstubAllEnvs();
    // The shell adds where it is.
    expect(names.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name)).toSorted()).toEqual(['HOME', 'LANG', 'PATH']);
  });

  test.runIf(kind === 'stdio')('a program that does not want to end is ended with its server', async () => {
    const server = await start(mcpStdio('stubborn'));
    const pid = Number((await server.call('pid', {}, never())).text);
    expect(alive(pid)).toBe(true);
    await server.stop();
    // It was killed; the system takes a moment to clear it away.
    await waitFor(() => expect(alive(pid)).toBe(false));
  });

  test.runIf(kind === 'stdio')('a program never outlives its hub, however that ends', async () => {
    const hub = spawn(process.execPath, [fileURLToPath(new URL('../kit/orphan-child.ts', import.meta.url))], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = (await once(hub.stdout, 'data')) as [Buffer];
    const pid = Number(said.toString());
    expect(alive(pid)).toBe(true);
    hub.kill('SIGKILL');
    await waitFor(() => expect(alive(pid)).toBe(false));
  });

  test.runIf(kind === 'stdio')('lines that are no messages are passed over', async () => {
    const server = await start();
    expect((await server.call('garbage', {}, never())).text).toBe('after all');
  });

  test.runIf(kind === 'stdio')('one that cannot be started says why, and is tried ever more slowly', async () => {
    const broken = await start(mcpStdio('broken'));
    await expect(broken.tools()).rejects.toThrow('it ended with 3: cannot find my files');
    expect(broken.problem).toBe('it ended with 3: cannot find my files');
    for (const pause of [1000, 2000, 4000]) {
      clock.advance(pause - 1);
      expect(broken.state).toBe('down');
      clock.advance(1);
      await waitFor(() => expect(broken.state).toBe('down'));
    }
    expect([broken.restarts, broken.ran]).toEqual([3, false]);
    const nowhere = await start({ command: 'no-such-program-anywhere', args: [] });
    await expect(nowhere.tools()).rejects.toThrow('not found');
  });

  test.runIf(kind === 'stdio')('one that nobody needs is not tried for ever; it is when it is needed again', async () => {
    const broken = await start({ command: 'no-such-program-anywhere', args: [] });
    await expect(broken.tools()).rejects.toThrow('not found');
    const tries = async (ms: number) => {
      const before = broken.restarts;
      for (let passed = 0; passed < ms; passed += 1000) {
        clock.advance(1000);
        await waitFor(() => expect(broken.state).toBe('down'));
      }
      return broken.restarts - before;
    };
    // 1, 2, 4, 8, 16, 32 and every 60 seconds, until nobody has asked for five minutes.
    expect(await tries(400_000)).toBeGreaterThan(5);
    expect(await tries(400_000)).toBe(0);
    expect(broken.problem).toContain('not found');
    // Needed again, it is started at once, and tried again from the beginning.
    await expect(broken.tools()).rejects.toThrow('not found');
    expect(await tries(7000)).toBe(3);
  });

  test('not more than so many calls at once', async () => {
    const server = await start({ timeoutMs: 1500 });
    await server.tools();
    const all = await Promise.all([...Array<string>(8).fill('hang'), 'slow'].map((name) => server.call(name, { text: 'x' }, never())));
    expect(all.map(({ isError }) => isError)).toEqual(Array(9).fill(true));
  });
});
