// Results of a tool server that is one person's own (SYS-6): who gets them, and on which ways they do not leave.

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HubSharing } from '@parley/protocol';
import { onBothEngines, type Person } from '@parley/testkit';
import { encodings } from '@parley/testkit/encodings';
import { startOwnTools } from '@parley/testkit/mcp-tools';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { platform } from '../../src/engine/command.ts';
import { blankIdentity } from '../../src/engine/steps/membership/agent-identities.ts';
import { type Floor, floorOn } from '../kit/floor.ts';
import { type AtWork, atWork } from '../kit/tools.ts';

const secret = 'Surgery at the Heron clinic, gate code BLUE-HERON-77';
const withheld =
  'The results of cal are private data of their owner and are withheld from this turn, because your answer reaches others. If the request needs them, say that cal is not available here.';

onBothEngines('connected data', (engine) => {
  let floor: Floor;
  let servers: Awaited<ReturnType<typeof startOwnTools>>[];
  let hers: Person;
  let his: Person;
  let gate: Promise<void> | undefined;
  const called: unknown[] = [];
  const lines: AtWork['line'][] = [];

  beforeAll(async () => {
    const calendar = { about: 'what is planned', takes: { day: 'string' } };
    const does = async (given: Record<string, unknown>) => {
      called.push(given);
      await gate;
      return { events: [{ title: secret }] };
    };
    servers = [
      await startOwnTools('cal', { events: { ...calendar, does } }),
      await startOwnTools('web', { fetch: { about: 'a page', takes: { q: 'string' }, does: () => 'nothing new' } }),
    ];
    floor = await floorOn(engine, {}, { PARLEY_LOG: 'silent' });
    const [cal, web] = servers;
    await floor.kit.owner.call('setToolServer', { params: { name: 'cal' }, body: { url: cal!.url, owner: '@Ann' } });
    await floor.kit.owner.call('setToolServer', { params: { name: 'web' }, body: { url: web!.url } });
    hers = await equipped('HERS', floor.ann);
    his = await equipped('HIS', floor.bob);
  });
  afterAll(async () => {
    for (const line of lines) await line.close();
    await floor.kit.stop();
    for (const server of servers) await server.stop();
  });
  beforeEach(async () => {
    gate = undefined;
    called.length = 0;
    await share({ base: {}, overrides: {} });
  });

  const equipped = async (handle: string, owner: Person): Promise<Person> => {
    const agent = await floor.agent(handle, { online: false, owner });
    const data = JSON.stringify({ ...blankIdentity('remote'), tools: ['mcp://cal', 'mcp://web'] });
    const row = { agent_id: agent.id, version: 1, mode: 'autonomous', data, source: 'api', at: 0 };
    const { transaction } = await floor.kit.hub.kernel.store.begin([], []);
    await transaction.commit({ inserts: [{ table: 'identities', row }], updates: [], deletes: [], facts: [] });
    return agent;
  };
  const store = () => floor.kit.hub.kernel.store;
  const share = (rules: HubSharing) =>
    floor.kit.hub.kernel.engine.submit({ type: 'sharing.set', by: platform, memberId: floor.ann.id, rules });
  const dm = async (who: Person, agent: Person) => (await who.call('openDm', { body: { memberIds: [agent.id] } })).id;
  const room = async (name: string, ...members: Person[]) => {
    const { id } = await floor.ann.call('createChannel', { body: { name, visibility: 'private' } });
    for (const { id: memberId } of members)
      await floor.ann.call('addToConversation', { params: { conversationId: id }, body: { memberId } });
    return id;
  };
  const begin = async (over: Parameters<typeof atWork>[1]): Promise<AtWork> => {
    const working = await atWork(floor, { agent: hers, ...over });
    lines.push(working.line);
    return working;
  };
  const end = async ({ line, task }: AtWork) => {
    await line.call('say', { taskId: task.id, lease: task.lease, kind: 'answer', body: 'Done.' });
    await line.close();
  };
  const events = ({ call }: AtWork, day = 'friday') => call('cal__events', { day });
  const withheldIn = async ({ task }: AtWork) =>
    (await store().rows('facts', "where type = 'egress.withheld' and subject_id = ? order by seq", [task.id])).map(
      ({ data }) => JSON.parse(data) as object,
    );
  const describedIn = async ({ line, task }: AtWork) =>
    (await line.call('tools', { taskId: task.id, lease: task.lease })).tools.find(({ name }) => name === 'cal__events')?.description;
  const named = () => ({ field: 'tool.cal', owner: floor.ann.id });

  test('[SYS-6] where others hear the answer the server is not even asked, and the tool says so', async () => {
    const working = await begin({ here: await floor.channel('open-house', hers, floor.bob) });
    expect(await describedIn(working)).toBe(withheld);
    expect(await events(working)).toEqual({ text: `Error: ${withheld}`, isError: true });
    expect(called).toEqual([]);
    expect(await withheldIn(working)).toEqual([named()]);
    expect(await store().rows('tags', '')).toEqual([]);
    await end(working);
  });

  test.each<[string, HubSharing['base'], 'bob' | null, alone: boolean, withBob: boolean]>([
    ['by default', {}, null, true, false],
    ['always', { 'tool.cal': 'always_share' }, null, true, true],
    ['never', { 'tool.cal': 'never_share' }, null, false, false],
    ['always for bob', {}, 'bob', true, true],
  ])('[SYS-6] the owner’s tier decides who gets them: %s', async (name, base, forBob, ...expected) => {
    await share({ base, overrides: forBob === null ? {} : { [floor.bob.id]: { tool_cal: 'always_share' } } });
    const places = [await dm(floor.ann, hers), await room(`tier-${name.replaceAll(' ', '-')}`, hers, floor.bob)];
    for (const [at, here] of places.entries()) {
      const working = await begin({ here });
      const { text } = await events(working);
      expect([text.includes('BLUE-HERON-77'), await describedIn(working)]).toEqual(
        expected[at] === true ? [true, 'what is planned'] : [false, withheld],
      );
      const { task, line } = working;
      const said = await line.ask('say', { taskId: task.id, lease: task.lease, kind: 'progress', body: text });
      expect(said.error).toBeUndefined();
      await end(working);
    }
  });

  test('[SYS-6] another person’s agent gets nothing, no matter who gave it the tool; nor does anybody where the owner is not known', async () => {
    const working = await begin({ agent: his, here: await dm(floor.bob, his), by: floor.bob });
    expect((await events(working)).text).toContain('withheld');
    await end(working);
    const unknown = await floor.kit.owner.ask('setToolServer', {
      params: { name: 'cal' },
      body: { url: servers[0]!.url, owner: 'nobody-here' },
    });
    expect(unknown.body.error?.problems).toEqual([{ field: 'owner', message: 'is not a person here' }]);
    const file = join(floor.kit.ground.dataDir, 'tools.yaml');
    await writeFile(file, `servers:\n  cal: { url: "${servers[0]!.url}", owner: nobody-here }\n`);
    await floor.kit.hub.kernel.tools.reload();
    const mine = await begin({ here: await dm(floor.ann, hers) });
    expect((await events(mine)).text).toContain('withheld');
    expect(called).toEqual([]);
    await end(mine);
    await rm(file);
    await floor.kit.hub.kernel.tools.reload();
  });

  test('[SYS-6] the list of agents and of tool servers name such a server', async () => {
    const { agents } = await floor.bob.call('listAgents', {});
    expect(agents.find(({ id }) => id === hers.id)?.privateTools).toEqual(['cal']);
    const { servers: listed } = await floor.bob.call('listToolServers', {});
    expect(listed.map(({ name, owner }) => [name, owner])).toEqual([
      ['cal', '@ann'],
      ['web', null],
    ]);
  });

  test('[SYS-6] somebody who joins while the server works does not hear its result', async () => {
    const here = await room('quiet', hers);
    const working = await begin({ here });
    const opened = Promise.withResolvers<void>();
    gate = opened.promise;
    const answer = events(working);
    await expect.poll(() => called.length).toBe(1);
    await floor.ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: floor.bob.id } });
    opened.resolve();
    expect(await answer).toEqual({ text: `Error: ${withheld}`, isError: true });
    expect(await store().rows('tags', '')).toEqual([]);
    await end(working);
  });

  test('[SYS-6] [SYS-13] read once, it leaves on no way to others, in no disguise', async () => {
    const [here, second] = [await room('hers-and-ann', hers), await room('board', hers)];
    const working = await begin({ here, outputs: [second] });
    expect((await events(working)).text).toContain(secret);
    expect(await store().rows('tags', '')).toMatchObject([{ field: 'tool.cal', owner_id: floor.ann.id, held: JSON.stringify([secret]) }]);
    for (const conversationId of [here, second])
      await floor.ann.call('addToConversation', { params: { conversationId }, body: { memberId: floor.bob.id } });
    const { task, line, call } = working;
    const at = { taskId: task.id, lease: task.lease };
    const codeOf = async (asked: Promise<{ error?: { data?: { code?: string } } }>) => (await asked).error?.data?.code;
    const contact = async (action: string, message: string, context?: string) =>
      (await call('contact_agent', { action, agentId: his.id, message, ...(context === undefined ? {} : { context }) })).text;
    const refusal = 'has not agreed to share with HIS (tool.cal)';
    const ways: Record<string, (value: string) => Promise<unknown>> = {
      post: (value) => codeOf(line.ask('say', { ...at, kind: 'progress', body: value })),
      question: (value) => codeOf(line.ask('say', { ...at, kind: 'question', body: value })),
      decline: (value) => codeOf(line.ask('decline', { ...at, outcome: 'declined', reason: value })),
      draft: (value) => codeOf(line.ask('draft', { ...at, text: value })),
      send_channel_message: async (value) =>
        /not_shared/.exec((await call('send_channel_message', { channelId: second, content: value })).text)?.[0],
      ask: async (value) => ((await contact('ask', value)).includes(refusal) ? 'not_shared' : 'sent'),
      delegate: async (value) => ((await contact('delegate', 'keep this', value)).includes(refusal) ? 'not_shared' : 'sent'),
      notify: async (value) => ((await contact('notify', value)).includes(refusal) ? 'not_shared' : 'sent'),
      'another server': (value) => codeOf(line.ask('tool', { ...at, name: 'web__fetch', input: { q: value } })),
    };
    // Each disguise on one way.
    const disguises = Object.entries(encodings);
    for (const [index, [name, way]] of Object.entries(ways).entries())
      for (const [disguise, encode] of disguises.filter((_, n) => n % Object.keys(ways).length === index))
        expect([name, disguise, await way(encode(secret))]).toEqual([name, disguise, 'not_shared']);
    const facts = await withheldIn(working);
    expect(new Set(facts.map((data) => JSON.stringify(data)))).toEqual(new Set([JSON.stringify(named())]));
    expect(facts.length).toBeGreaterThan(5);
    const kept = JSON.stringify([await store().rows('facts', ''), await store().rows('audit_entries', '')]);
    expect(kept).not.toContain('BLUE-HERON');
    // Words without it reach others with approval; the same server is its owner's, and needs none.
    expect((await contact('notify', 'Tea is ready.')).includes('requires approval')).toBe(true);
    expect((await call('web__fetch', { q: 'weather' })).text).toContain('requires approval');
    await line.close();
    await floor.ann.call('stopTask', { params: { taskId: task.id } });
    expect(await store().rows('tags', '')).toEqual([]);
  });

  test('[SYS-6] the owner’s own server takes its values back without approval, and the next turn has what the last one read', async () => {
    const here = await dm(floor.ann, hers);
    const working = await begin({ here });
    await events(working);
    expect((await events(working, secret)).text).toContain(secret);
    const prompt = async () => (await working.line.call('read.prompt', { taskId: working.task.id })).user;
    const { line, task } = working;
    await line.call('say', { taskId: task.id, lease: task.lease, kind: 'question', body: 'Which day?' });
    await floor.ann.post(here, 'Friday');
    await floor.pass();
    expect(await prompt()).toContain(secret);
    await share({ base: { 'tool.cal': 'never_share' }, overrides: {} });
    expect(await prompt()).not.toContain('BLUE-HERON');
    await line.close();
    await floor.ann.call('stopTask', { params: { taskId: task.id } });
  });
});
