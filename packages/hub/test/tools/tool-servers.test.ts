// Tool servers by name: who may set them, over the API and in tools.yaml, and that it is known how they stand.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type OwnTool, startOwnTools } from '@parley/testkit/mcp-tools';
import { type McpHttp, mcpStdio, onBothEngines, type Person, startMcpHttp, waitFor } from '@parley/testkit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Floor, floorOn } from '../kit/floor.ts';

onBothEngines('tool servers', (engine) => {
  let floor: Floor;
  let http: McpHttp;
  let admin: Person;
  beforeAll(async () => {
    floor = await floorOn(engine);
    http = await startMcpHttp();
    admin = await floor.kit.person('adam', 'admin');
  });
  afterAll(async () => {
    await floor.kit.stop();
    await http.stop();
  });

  const set = (who: Person, name: string, body: object) => who.ask('setToolServer', { params: { name }, body });
  const facts = async (name: string) => {
    const rows = await floor.kit.hub.kernel.store.rows('facts', "where type = 'tool_server.changed' and subject_id = ? order by seq", [
      name,
    ]);
    return rows.map(({ data }) => JSON.parse(data) as object);
  };
  const tools = () => floor.kit.hub.kernel.tools;
  const yaml = async (text: string): Promise<void> => {
    await writeFile(join(floor.kit.hub.dataDir.path, 'tools.yaml'), text);
    await tools().reload();
  };

  test('[SYS-11] a program on the hub’s machine is the owner’s to run; a server elsewhere an admin’s, too; nobody else’s', async () => {
    const [agent, { owner, operator }] = [await floor.agent('T1'), floor.kit];
    for (const who of [floor.ann, agent]) expect((await set(who, 'x', { url: http.url })).body.error!.code).toBe('forbidden');
    expect((await set(admin, 'x', mcpStdio())).body.error!.reason).toBe('tool.run_program:role_may_not');
    expect((await set(admin, 'x', { url: http.url })).status).toBe(200);
    for (const who of [owner, operator]) expect((await set(who, 'y', mcpStdio())).status).toBe(200);
    const asMember = (await floor.ann.call('listToolServers', {})).servers;
    expect(asMember.map(({ name, kind, config }) => [name, kind, config])).toEqual([
      ['x', 'http', null],
      ['y', 'stdio', null],
    ]);
    expect((await agent.ask('listToolServers', {})).status).toBe(403);
    expect((await floor.ann.ask('testToolServer', { params: { name: 'x' } })).status).toBe(403);
    for (const name of ['x', 'y']) await operator.call('removeToolServer', { params: { name } });
    expect((await operator.ask('removeToolServer', { params: { name: 'x' } })).status).toBe(404);
    expect(await facts('x')).toEqual([{ change: 'set' }, { change: 'removed' }]);
  });

  test('what is wrong is named: both ways to reach it, neither, a secret in clear', async () => {
    const wrong = async (body: object) => (await set(floor.kit.owner, 'x', body)).body.error!.problems!.map(({ field }) => field);
    expect(await wrong({})).toEqual(['command']);
    expect(await wrong({ command: 'a', url: http.url })).toEqual(['command']);
    expect(await wrong({ url: http.url, args: ['a'] })).toEqual(['args']);
    expect(await wrong({ url: 'file:///etc/passwd' })).toEqual(['url']);
    expect(await wrong({ command: 'a', env: { API_KEY: 'in clear' } })).toEqual(['env.API_KEY']);
    expect(await wrong({ url: http.url, headers: { Authorization: 'Bearer 123' } })).toEqual(['headers.Authorization']);
    expect((await set(floor.kit.owner, 'No_Name', { url: http.url })).body.error!.problems![0]!.field).toBe('name');
  });

  test('[SYS-13] what a tool was at its first listing counts until an admin accepts another word of its server', async () => {
    const own: Record<string, OwnTool> = {
      look: { about: 'looks', does: () => 'seen' },
      pay: { about: 'pays', changes: true, does: () => 'paid' },
    };
    const door = await startOwnTools('bank', own);
    const params = { name: 'bank' };
    await floor.kit.owner.call('setToolServer', { params, body: { url: door.url } });
    const access = async () => {
      const server = await floor.kit.owner.call('testToolServer', { params });
      return Object.fromEntries(server.tools.map((tool) => [tool.name, [tool.access, tool.says]]));
    };
    expect(await access()).toEqual({ look: ['read', 'read'], pay: ['write', 'write'] });
    delete own['pay']!.changes;
    own['transfer'] = { about: 'is new', does: () => 'sent' };
    expect(await access()).toEqual({ look: ['read', 'read'], pay: ['write', 'read'], transfer: ['write', 'read'] });
    // As an agent has them, too.
    expect((await tools().tools(['mcp://bank'])).map(({ calledAs, access: held }) => [calledAs, held])).toEqual([
      ['bank__look', 'read'],
      ['bank__pay', 'write'],
      ['bank__transfer', 'write'],
    ]);
    expect((await floor.ann.ask('acceptTools', { params, body: { tool: 'pay' } })).status).toBe(403);
    expect((await admin.ask('acceptTools', { params, body: { tool: 'none' } })).status).toBe(404);
    await admin.call('acceptTools', { params, body: { tool: 'pay' } });
    expect(await access()).toEqual({ look: ['read', 'read'], pay: ['read', 'read'], transfer: ['write', 'read'] });
    // A word that narrows it counts at once.
    own['look']!.changes = true;
    expect((await access())['look']).toEqual(['write', 'write']);
    await floor.kit.owner.call('removeToolServer', { params });
    await door.stop();
  });

  test('[SYS-13] it is tested on demand; what whoever configured it says of a tool wins over what its server says', async () => {
    await floor.kit.owner.call('setToolServer', {
      params: { name: 'files' },
      body: { url: http.url, tools: { liar: 'write', write: 'read' } },
    });
    const server = await floor.kit.owner.call('testToolServer', { params: { name: 'files' } });
    expect([server.state, server.problem]).toEqual(['up', expect.stringContaining('unusable')]);
    const of = (name: string) => server.tools.find((tool) => tool.name === name);
    expect(of('echo')).toEqual({ name: 'echo', calledAs: 'files__echo', access: 'read', says: 'read' });
    expect([of('liar')!.access, of('write')!.access]).toEqual(['write', 'read']);
    expect(of('slow.and/odd')!.calledAs).toMatch(/^files__slow_and_odd_[0-9a-f]{6}$/);
    await floor.kit.owner.call('setToolServer', { params: { name: 'files' }, body: { url: 'http://127.0.0.1:59998/' } });
    const gone = await floor.kit.owner.call('testToolServer', { params: { name: 'files' } });
    expect([gone.state, gone.tools, gone.problem]).toEqual(['down', [], expect.stringContaining('ECONNREFUSED')]);
    const pinned = { pinned: expect.any(Object) as object };
    await waitFor(async () => expect(await facts('files')).toEqual([{ change: 'set' }, pinned, { change: 'set' }, { state: 'down' }]));
    await floor.kit.owner.call('removeToolServer', { params: { name: 'files' } });
  });

  test('tools.yaml holds the same, wins, and is changed only there', async () => {
    await floor.kit.owner.call('setToolServer', { params: { name: 'both' }, body: { url: 'http://127.0.0.1:59998/' } });
    await yaml(`servers:\n  both:\n    url: ${http.url}\n    tools: { liar: write }\n`);
    const { servers, file } = await floor.kit.owner.call('listToolServers', {});
    expect([servers.map(({ name, source }) => [name, source]), file]).toEqual([[['both', 'file']], { problems: [] }]);
    expect((await floor.kit.owner.call('testToolServer', { params: { name: 'both' } })).state).toBe('up');
    expect((await set(floor.kit.operator, 'both', { url: http.url })).body.error!.reason).toBe('tool.manage:in_file');
    expect((await floor.kit.operator.ask('removeToolServer', { params: { name: 'both' } })).status).toBe(403);
    await yaml('servers:\n');
    const after = (await floor.kit.owner.call('listToolServers', {})).servers;
    expect(after.map(({ source, state }) => [source, state])).toEqual([['api', 'idle']]);
    await floor.kit.owner.call('removeToolServer', { params: { name: 'both' } });
  });

  test('a mistake in tools.yaml is told with its line and field, and what it said before still counts', async () => {
    const seen: unknown[] = [];
    vi.spyOn(tools()['parts'], 'onError').mockImplementation((error) => seen.push(error));
    await yaml(`servers:\n  good:\n    url: ${http.url}\n`);
    await yaml(
      `# mine\nservers:\n  good:\n    url: ${http.url}\n  bad:\n    command: x\n    args:\n      - a\n      - 7\n    timeoutMs: soon\n    sped: 1\n`,
    );
    const { servers, file } = await floor.kit.owner.call('listToolServers', {});
    expect(servers.map(({ name }) => name)).toEqual(['good']);
    expect(file!.problems.map(({ line, field }) => [line, field])).toEqual([
      [9, 'servers.bad.args.1'],
      [10, 'servers.bad.timeoutMs'],
      [11, 'servers.bad.sped'],
    ]);
    await yaml('servers:\n  good: [unclosed\n');
    expect((await floor.kit.owner.call('listToolServers', {})).file!.problems[0]).toMatchObject({ field: '(file)' });
    expect((await floor.ann.call('listToolServers', {})).file!.problems).toEqual([]);
    expect(seen.map(String).join()).toContain('line 9: servers.bad.args.1');
    vi.restoreAllMocks();
    await yaml('servers: {}');
  });

  test('tools.yaml is read again by itself when it was changed', async () => {
    await writeFile(join(floor.kit.hub.dataDir.path, 'tools.yaml'), `servers:\n  seen:\n    url: ${http.url}\n`);
    const names = async () => (await floor.kit.owner.call('listToolServers', {})).servers.map(({ name }) => name);
    await waitFor(async () => expect(await names()).toEqual(['seen']));
    await yaml('servers: {}');
  });

  test('there is an end to how many there are', async () => {
    const { kernel } = floor.kit.hub;
    const config = { url: http.url };
    const names = Array.from({ length: 50 }, (_, n) => `s${n}`);
    await Promise.all(names.map((name) => kernel.engine.submit({ type: 'tool_server.set', by: { operator: true }, name, config })));
    expect((await set(floor.kit.owner, 'one-more', config)).body.error!.problems).toEqual([
      { field: 'name', message: 'there are 50 tool servers already' },
    ]);
    expect((await set(floor.kit.owner, 's0', config)).status).toBe(200);
    await Promise.all(names.map((name) => kernel.engine.submit({ type: 'tool_server.remove', by: { operator: true }, name })));
  });

  test('after a restart they are there, and none runs until it is needed', async () => {
    await floor.kit.owner.call('setToolServer', { params: { name: 'kept' }, body: { url: http.url } });
    await yaml(`servers:\n  filed:\n    url: ${http.url}\n`);
    await floor.kit.restart();
    const { servers } = await floor.kit.owner.call('listToolServers', {});
    expect(servers.map(({ name, source, state }) => [name, source, state])).toEqual([
      ['filed', 'file', 'idle'],
      ['kept', 'api', 'idle'],
    ]);
  });
});
