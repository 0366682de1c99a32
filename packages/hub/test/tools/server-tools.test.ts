// Tools of tool servers in an agent's hands: given by name, held to what they are, and everything they say is from outside.

import { contactResults } from '@parley/core';
import { type McpHttp, onBothEngines, startMcpHttp } from '@parley/testkit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Brain, BrainTurn, Tool } from '../../src/brains/brain.ts';
import { blankIdentity } from '../../src/engine/steps/membership/agent-identities.ts';
import { type Floor, floorOn } from '../kit/floor.ts';
import { atWork } from '../kit/tools.ts';

onBothEngines('tools of tool servers', (engine) => {
  let floor: Floor;
  let http: McpHttp;
  let turn: ((turn: BrainTurn, tools: Tool[]) => Promise<string>) | undefined;
  const brain: Brain = {
    turn: async (one) => {
      const tools = await floor.kit.hub.kernel.toolsFor(one);
      return { kind: 'answer', text: (await turn?.(one, tools)) ?? 'nothing to do' };
    },
  };
  beforeAll(async () => {
    http = await startMcpHttp();
    floor = await floorOn(engine, { brain });
    await floor.kit.owner.call('setToolServer', {
      params: { name: 'files' },
      body: { url: http.url, tools: { liar: 'write' }, timeoutMs: 20_000 },
    });
  });
  afterAll(async () => {
    await floor.kit.stop();
    await http.stop();
  });

  /** As it stands in the rows: what no door takes may have been taken once. */
  const give = async (agentId: string, tools: string[], brain: 'remote' | 'builtin' = 'remote') => {
    const data = JSON.stringify({ ...blankIdentity(brain), tools });
    const row = { agent_id: agentId, version: 1, mode: 'autonomous', data, source: 'api', at: 0 };
    const { transaction } = await floor.kit.hub.kernel.store.begin([], []);
    await transaction.commit({ inserts: [{ table: 'identities', row }], updates: [], deletes: [], facts: [] });
  };
  let made = 0;
  const working = async (...tools: string[]) => {
    const agent = await floor.agent(`S${made++}`, { online: false });
    await give(agent.id, tools);
    return atWork(floor, { agent, here: await floor.channel(`served-${made}`, agent) });
  };
  const facts = (type: string, subject: string) =>
    floor.kit.hub.kernel.store.rows('facts', 'where type = ? and subject_id = ? order by seq', [type, subject]);

  test('an agent has the tools it was given: all of a server, or single ones; nothing of one that is not there', async () => {
    const named = async (...tools: string[]) => {
      const { line, task } = await working(...tools);
      const all = (await line.call('tools', { taskId: task.id, lease: task.lease })).tools;
      await line.close();
      return all.filter(({ name }) => name.includes('__')).map(({ name, readOnly }) => [name, readOnly]);
    };
    expect(await named()).toEqual([]);
    expect(await named('mcp://files/echo', 'mcp://files/liar', 'mcp://files/nothing', 'mcp://gone', 'files', '')).toEqual([
      ['files__echo', true],
      ['files__liar', false],
    ]);
    expect((await named('mcp://files', 'mcp://files/echo')).length).toBeGreaterThan(10);
    const { call, line } = await working('mcp://files/echo');
    expect((await call('files__write', { text: 'x' })).isError).toBe(true);
    await line.close();
  });

  test('[SYS-13] what a tool answered taints the task, on disk before it is handed over; what the hub says of it does not', async () => {
    const { call, line, task, tainted } = await working('mcp://files');
    expect((await call('files__echo', { text: 7 })).text).toContain('does not take these arguments');
    expect((await call('files__wrong_output')).isError).toBe(true);
    expect(await tainted()).toEqual([]);
    const { engine: hub } = floor.kit.hub.kernel;
    const submit = hub.submit.bind(hub);
    const failing = vi
      .spyOn(hub, 'submit')
      .mockImplementation((command: { type: string }) =>
        command.type === 'task.taint' ? Promise.reject(new Error('not written')) : submit(command as never),
      );
    const { error, result } = await line.ask('tool', {
      taskId: task.id,
      lease: task.lease,
      name: 'files__echo',
      input: { text: 'read me' },
    });
    failing.mockRestore();
    expect([error!.data!.code, result, JSON.stringify(error)]).toEqual(['internal', undefined, expect.not.stringContaining('read me')]);
    expect(await call('files__echo', { text: 'read me' })).toEqual({ text: 'read me' });
    expect(await tainted()).toEqual(['tool']);
    await call('files__fail');
    expect((await facts('task.tainted', task.id)).map(({ data }) => JSON.parse(data) as object)).toEqual([{ by: 'tool' }]);
    await line.close();
  });

  test('[SYS-13] in a tainted turn a tool that writes waits for approval, whatever its server says of it; one that reads does not', async () => {
    const { call, line, task } = await working('mcp://files');
    const before = http.tools.written.length;
    expect((await call('files__write', { text: 'untainted' })).text).toMatch(/^written/);
    // Its answer was from outside.
    for (const name of ['files__write', 'files__liar'])
      expect(await call(name, { text: 'tainted' })).toEqual({ text: contactResults.waiting(), isError: true });
    expect((await call('files__echo', { text: 'x' })).text).toBe('x');
    expect(http.tools.written.slice(before)).toEqual(['untainted']);
    expect((await facts('turn.refused', task.id)).length).toBe(2);
    // A word where the task was given leave is no such thing.
    expect((await call('query_workspace', { action: 'list_channels' })).isError).toBeUndefined();
    await line.close();
  });

  test('[SYS-12] a call under the same key is made once; under another, or with other arguments, it is another', async () => {
    const { call, line, task } = await working('mcp://files');
    const before = http.tools.written.length;
    const [one, two] = await Promise.all([call('files__write', { text: 'k' }, 'key-1'), call('files__write', { text: 'k' }, 'key-1')]);
    expect(one).toEqual(two);
    expect(await call('files__write', { text: 'k' }, 'key-1')).toEqual(one);
    expect(http.tools.written.slice(before)).toEqual(['k']);
    const other = { taskId: task.id, lease: task.lease, name: 'files__write', input: { text: 'other' }, key: 'key-1' };
    expect(await line.refusal('tool', other)).toBe('key_reused');
    await Promise.all(Array.from({ length: 5 }, (_, n) => call('files__echo', { text: String(n) })));
    const steps = await floor.kit.hub.kernel.store.all<{ n: number }>(
      'select j.n as n from journal j join turns t on t.id = j.turn_id where t.task_id = ? order by j.n',
      [task.id],
    );
    expect(steps.map(({ n }) => n)).toEqual([0, 1, 2, 3, 4, 5]);
    await line.close();
  });

  test('[SYS-12] lost in the middle: what reads is done again, of what writes nobody claims to know', async () => {
    const { call, line, task } = await working('mcp://files');
    const { engine: hub, store } = floor.kit.hub.kernel;
    const [row] = await store.rows('turns', "where task_id = ? and state = 'running'", [task.id]);
    const held = { by: { operator: true } as const, taskId: task.id, lease: task.lease, agentId: row!.agent_id, turnId: row!.id };
    const intend = (n: number, name: string, readOnly: boolean) =>
      hub.submit({ type: 'turn.intend', ...held, n, kind: 'tool', name, readOnly, stepKey: `agent:k${n}`, input: '{"text":"x"}' });
    await intend(0, 'files__echo', true);
    await intend(1, 'files__write', false);
    const before = http.tools.written.length;
    expect(await call('files__echo', { text: 'x' }, 'k0')).toEqual({ text: 'x' });
    for (let i = 0; i < 2; i++)
      expect(await call('files__write', { text: 'x' }, 'k1')).toMatchObject({
        isError: true,
        text: expect.stringContaining('Nobody knows whether'),
      });
    expect(http.tools.written.length).toBe(before);
    await line.close();
  });

  test('[SYS-13] a brain in the hub has the same tools, and its turn is tainted by them', async () => {
    const { kernel } = floor.kit.hub;
    const { id } = await floor.kit.operator.call('addMember', {
      body: { kind: 'agent', handle: 'INSIDE', displayName: 'i', ownerId: floor.ann.id },
    });
    await floor.kit.operator.call('editAgent', { params: { memberId: id }, body: { brain: 'builtin' } });
    await give(id, ['mcp://files'], 'builtin');
    const here = await floor.channel('inside', { id } as never);
    turn = async (one, tools) => {
      const call = (name: string, input: object) => {
        const tool = tools.find((each) => each.name === name)!;
        const { readOnly, keyed } = tool;
        return one.step({ kind: 'tool', name, readOnly, keyed, input }, (key) => tool.run(input, { key, signal: one.signal }));
      };
      const said = await call('send_channel_message', { channelId: here, content: 'on it' });
      await call('react', { messageId: one.task.message_id, signal: 'working' });
      const read = await call('files__echo', { text: 'from outside' });
      await call('send_channel_message', { channelId: here, content: 'still on it' });
      const wrote = await call('files__write', { text: 'inside' }).then(
        ({ text }) => text,
        (error: { code?: string }) => error.code ?? '',
      );
      return `${said.text.slice(0, 4)} ${read.text} ${wrote}`;
    };
    await floor.ann.post(here, '^INSIDE go');
    await floor.pass();
    expect((await floor.bodies(here)).map(([, body]) => body)).toEqual([
      '^INSIDE go',
      'on it',
      'still on it',
      'Sent from outside needs_approval',
    ]);
    const [message] = (await floor.ann.call('listMessages', { params: { conversationId: here }, query: {} })).messages;
    expect(message!.reactions.map(({ signal }) => signal)).toEqual(['working']);
    const [task] = await floor.tasks(here);
    expect((await kernel.store.rows('taints', 'where task_id = ?', [task!.id])).map(({ kind }) => kind)).toEqual(['tool']);
    turn = undefined;
  });

  test('[IAC-1] contact_agent is offered where agents can contact each other, and hands on what it was given', async () => {
    const { contactAgent } = await import('../../src/tools/workspace/acting-tools.ts');
    const { toolAt } = await import('../../src/tools/workspace/tool.ts');
    const calls: object[] = [];
    const contact = (call: object): Promise<string> => Promise.resolve(String(calls.push(call)));
    const held = { by: { operator: true } as const, agentId: 'me', taskId: 'tsk', lease: 3 };
    const tool = toolAt(contactAgent(contact), {
      ...held,
      hub: { ...floor.kit.hub.kernel, contact, negotiate: () => Promise.resolve('') },
    });
    expect(Object.keys(tool.input['properties'] as object)).toEqual(['action', 'agentId', 'message', 'context', 'priority']);
    // A model is told what it has to say; what it leaves out all the same is answered by the command.
    expect(tool.input).toMatchObject({
      required: ['action', 'agentId', 'message'],
      properties: { action: { enum: ['ask', 'delegate', 'notify'] }, priority: { enum: ['low', 'normal', 'high', 'urgent'] } },
    });
    // Each turn has a tool of its own, and none leaves anything behind.
    expect(
      toolAt(contactAgent(contact), { ...held, hub: { ...floor.kit.hub.kernel, contact, negotiate: () => Promise.resolve('') } }).input,
    ).toBe(tool.input);
    const call = { key: 'k', signal: new AbortController().signal };
    expect(await tool.run({ action: 'ask', agentId: 'them', message: 'hello', priority: 'high' }, call)).toEqual({ text: '1' });
    expect(await tool.run({ action: 'shout' }, call)).toEqual({ text: '2' });
    expect(calls).toEqual([
      { ...held, key: 'k', action: 'ask', targetId: 'them', message: 'hello', priority: 'high' },
      { ...held, key: 'k', action: 'shout', targetId: '', message: '' },
    ]);
  });
});
