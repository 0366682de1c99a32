// From an event to what an agent made of it: attempts, ends, the events that tell of them, and where results go.

import { onBothEngines, type Person, waitFor } from '@parley/testkit';
import { expect, test, vi } from 'vitest';
import { Wire } from '../kit/agent-wire.ts';
import { provokeFor } from '../kit/provoke-runs.ts';

onBothEngines('an invocation', (engine) => {
  const world = provokeFor(engine);

  const types = async (id: string) => (await world.facts(id)).map(({ type }) => type);

  test('[PRV-12] runs with the manifest’s model and tools, as the trigger’s owner, and is on record', async () => {
    const woken = await world.wakes([{ calls: [{ name: 'echo', input: { text: 'hi' } }] }, { text: 'All is well.' }], {
      tools: [{ name: 'echo', source: 'mcp://test' }],
    });
    const run = await woken.run({ price: 5 });
    expect(run).toMatchObject({ state: 'completed', attempt: 1, output: 'All is well.', toolCalls: 1, ownerId: world.owner.id });
    expect(run.runs).toMatchObject([{ n: 1, state: 'succeeded', toolCalls: 1 }]);
    expect(woken.asked()[0]!.tools).toEqual(['echo']);
    expect(await types(run.id)).toEqual([
      'invocation.started',
      'invocation.running',
      'invocation.done',
      'invocation.done',
      'invocation.completed',
    ]);
    // An agent of its own acts, made when it was first needed.
    const { members } = await world.owner.call('listMembers', { query: {} });
    expect(members.find(({ id }) => id === run.agentId)).toMatchObject({
      kind: 'agent',
      handle: `m-${woken.name}`,
      ownerId: world.owner.id,
    });
    expect((await woken.run()).agentId).toBe(run.agentId);
  });

  test('[PRV-13] [PRV-14] max_attempts counts the first run, backoff_seconds lie between, then on_failure is told', async () => {
    const output = { type: 'structured', schema: { plan: 'array' } };
    const on_failure = { retry: { max_attempts: 3, backoff_seconds: 5 }, emit_event: 'pap.agent.invocation.failed' };
    const woken = await world.wakes([{ text: 'prose' }], { output, on_failure });
    const after = await world.wakes([{ text: 'I see.' }], {}, { match: { type: 'pap.agent.invocation.failed' } });
    const first = await woken.run();
    expect(first).toMatchObject({ state: 'waiting_retry', attempt: 1, attempts: 3, dueAt: world.clock.now() + 5000 });
    await world.pass(4999);
    expect(await world.invocation(first.id)).toMatchObject({ state: 'waiting_retry', attempt: 1 });
    await world.pass(1);
    expect(await world.invocation(first.id)).toMatchObject({ state: 'waiting_retry', attempt: 2 });
    await world.pass(5000);
    const last = await world.invocation(first.id);
    expect(last).toMatchObject({ state: 'failed', attempt: 3, error: expect.stringContaining('must be JSON') as string });
    expect(last.runs.map(({ state }) => state)).toEqual(['bad_output', 'bad_output', 'bad_output']);
    expect(woken.asked()).toHaveLength(3);
    const { invocations } = await world.owner.call('listInvocations', { query: { trigger: after.name } });
    expect(invocations).toMatchObject([{ state: 'completed', level: 2, chainId: last.chainId }]);
    const { event } = await world.invocation(invocations[0]!.id);
    expect(event).toMatchObject({ id: `${first.id}:failed`, triggered_by: first.id, data: { invocation: first.id, attempts: 3 } });
  });

  test('[PRV-14] a pause of no whole milliseconds is one as well', async () => {
    const on_failure = { retry: { max_attempts: 2, backoff_seconds: 1.0005 } };
    const output = { type: 'structured', schema: { ok: 'boolean' } };
    const woken = await world.wakes([{ text: 'prose' }, { text: '{"ok":true}' }], {
      output,
      on_failure,
      limits: { max_runtime_seconds: 60.0005 },
    });
    const { id, dueAt } = await woken.run();
    expect(dueAt).toBe(world.clock.now() + 1001);
    await world.pass(1001);
    expect(await world.invocation(id)).toMatchObject({ state: 'completed', attempt: 2 });
  });

  test('[PRV-14] [SYS-12] another attempt does not do again what an earlier one has done: it is given what came of it', async () => {
    const write = (input: Record<string, string>) => ({ calls: [{ name: 'write', input }] });
    const [one, two] = ['done once', 'the same, twice'];
    const turned = Object.fromEntries(Object.entries({ text: one, why: 'x' }).toReversed());
    const woken = await world.wakes(
      [
        write({ text: one, why: 'x' }),
        { text: 'prose' },
        write(turned),
        write({ text: two }),
        { text: 'prose' },
        { calls: [write({ text: two }), write({ text: one, why: 'x' }), write({ text: two })].flatMap(({ calls }) => calls) },
        { text: '{"ok":true}' },
      ],
      {
        tools: [{ name: 'write', source: 'mcp://test' }],
        output: { type: 'structured', schema: { ok: 'boolean' } },
        on_failure: { retry: { max_attempts: 3 } },
      },
    );
    const written = () => world.mcp.tools.written.filter((text) => text === one || text === two);
    const run = await woken.run();
    expect(run).toMatchObject({ state: 'completed', attempt: 3, toolCalls: 6 });
    // In the last one the second of two that are the same is another one.
    expect(written()).toEqual([one, two, two]);
    const told = woken.asked().map((asked) => asked.told.at(-1)!.text);
    expect(/written \d+/.exec(told[1]!)![0]).toBe(/written \d+/.exec(told[3]!)![0]);
    // Once it is over nobody needs to know what it was given, or gave.
    const steps = await world.kit.hub.kernel.store.rows('journal', 'where turn_id like ?', [`${run.id}:%`]);
    expect(steps.filter(({ input, result }) => input !== 'null' || result !== null)).toEqual([]);
    expect(steps.filter(({ kind, read_only }) => kind === 'tool' && read_only === 0)).toHaveLength(3);
  });

  test('[PRV-9] [PRV-14] success tells on_complete, which can wake others: three in a chain, and the event of the third is rejected', async () => {
    const emits = (type: string) => ({ on_complete: { emit_event: type } });
    const loop = await world.wakes([{ text: 'again' }], emits('test.loop.again'));
    const again = await world.wakes([{ text: 'again' }], emits('test.loop.again'), { match: { type: 'test.loop.again' } });
    const first = await loop.run();
    const { invocations } = await world.owner.call('listInvocations', { query: { trigger: again.name } });
    // Made in the same moment, they come in any order.
    const inOrder = invocations.toSorted((a, b) => a.level - b.level);
    expect(inOrder.map(({ level, chainId }) => [level, chainId])).toEqual([
      [2, first.chainId],
      [3, first.chainId],
    ]);
    const { events } = await world.owner.call('listEvents', { query: { type: 'test.loop.again' } });
    expect(events).toHaveLength(3);
    expect(events.find(({ triggeredBy }) => triggeredBy === inOrder[1]!.id)).toMatchObject({
      triggers: [{ reason: 'too_deep', outcome: 'rejected', invocationId: null }],
    });
  });

  test('[PAP-1] what it says goes where its manifest names, as its agent’s word, and calls nobody', async () => {
    const output = 'Prices are up. ^ORAC ^ALL do something!';
    const woken = await world.wakes([{ text: output }], { deliver_to: { conversation: '#general' } });
    const run = await woken.run();
    expect(run.state).toBe('completed');
    const { messages } = await world.owner.call('listMessages', { params: { conversationId: world.general }, query: {} });
    expect(messages.at(-1)).toMatchObject({ body: output, authorId: run.agentId });
    expect(
      (await world.owner.call('listTasks', { query: { state: 'all' } })).tasks.filter(({ messageId }) => messageId === messages.at(-1)!.id),
    ).toEqual([]);
    expect(await types(run.id)).toContain('invocation.delivered');
  });

  test('[PAP-1] a value is shown as one', async () => {
    const woken = await world.wakes([{ text: '{"saving": 2}' }], {
      output: { type: 'structured', schema: { saving: 'number' } },
      deliver_to: { conversation: world.general },
    });
    await woken.run();
    expect((await world.bodies()).at(-1)).toBe('```json\n{\n  "saving": 2\n}\n```');
  });

  test('[PAP-1] [SYS-9] not where its owner may not post, as no agent that is not theirs, and never again once it was asked to leave', async () => {
    const ann = await world.kit.person('ann');
    const { id: secret } = await world.owner.call('createChannel', { body: { name: 'secret', visibility: 'private' } });
    const plain = { model: { provider: 'builtin' } };
    const asAnn = async (manifest: object) => (await world.wakes([], { ...plain, ...manifest }, {}, ann)).run();
    expect(await asAnn({ deliver_to: { conversation: secret } })).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('may not post') as string,
    });
    expect(await asAnn({ deliver_to: { conversation: '#nowhere' } })).toMatchObject({ state: 'failed' });
    expect(await asAnn({ handle: 'ORAC' })).toMatchObject({ state: 'failed', error: expect.stringContaining('no agent ORAC') as string });
    expect(await world.bodies(secret)).toEqual([]);
    const orac = await world.wakes([], { ...plain, handle: 'ORAC', deliver_to: { conversation: '#general' } });
    expect(await orac.run()).toMatchObject({ state: 'completed' });
    const { agentId } = await orac.run();
    await world.owner.call('askToLeave', { params: { conversationId: world.general }, body: { memberId: agentId! } });
    expect(await orac.run()).toMatchObject({ state: 'failed', error: 'Its agent was asked to leave there.' });
    const warnings = async () => (await world.owner.call('getProvoke', { params: { kind: 'trigger', id: orac.name } })).warnings;
    expect(await warnings()).toEqual(['Its agent was asked to leave #general: until it is called there by name, it cannot post.']);
    await world.owner.call('postMessage', { params: { conversationId: world.general }, body: { body: '^ORAC come back' } });
    await world.settled();
    expect(await warnings()).toEqual([]);
    expect(await orac.run()).toMatchObject({ state: 'completed' });
    // A trigger names a manifest, and no agent.
    await world.put('trigger', { id: 'to-orac', match: { type: 'a.b.found' }, agent: 'orac' });
    const { warnings: told } = await world.owner.call('getProvoke', { params: { kind: 'trigger', id: 'to-orac' } });
    expect(told).toEqual([
      'There is no manifest orac that its owner may use. ORAC is an agent: a manifest with `handle: ORAC` acts as it, and is what a trigger names.',
    ]);
  });

  const explained = (messageId: string, by = world.owner) => by.call('explainMessage', { params: { messageId }, query: {} });

  test('[C2A-32] what an invocation posted says which one, woken by what; the event only to who may see it', async () => {
    const woken = await world.wakes([{ text: 'The disk fills.' }], { deliver_to: { conversation: '#general' } });
    const id = await woken.emit({}, 'disk-full-1');
    await world.settled();
    const { messages } = await world.owner.call('listMessages', { params: { conversationId: world.general }, query: {} });
    const { id: messageId } = messages.findLast(({ body }) => body === 'The disk fills.')!;
    const sender = { via: 'api', sourceId: null, by: null };
    const event = { id: 'disk-full-1', type: woken.type, source: 'monitoring.test', ...sender };
    expect((await explained(messageId)).provoked).toEqual({ invocationId: id, triggerId: woken.name, event });
    const bea = await world.kit.person('bea');
    expect((await explained(messageId, bea)).provoked).toEqual({ invocationId: id, triggerId: woken.name, event: null });
    // Had an agent said it, it would be judged by its words.
    await (await world.wakes([{ text: '[INFO] build finished in 12 s' }], { deliver_to: { conversation: '#general' } })).run();
    const { messages: more } = await world.owner.call('listMessages', { params: { conversationId: world.general }, query: {} });
    expect((await explained(more.findLast(({ body }) => body === '[INFO] build finished in 12 s')!.id)).wouldNow).toBeNull();
    const said = await world.owner.post(world.general, 'and what do we do?');
    expect((await explained(said.id)).provoked).toBeNull();
  });

  test('[SYS-9] [SYS-13] a task for an agent: its owner asks, in the same chain, one deeper, and tainted', async () => {
    const helper = await world.kit.agent('HELPER');
    const line = await Wire.hello(helper);
    const woken = await world.wakes([{ text: 'Look at the prices.' }], { deliver_to: { agent: 'HELPER' } });
    const run = await woken.run();
    expect(run.state).toBe('completed');
    const { tasks } = await world.owner.call('listTasks', { query: { state: 'all' } });
    const task = tasks.find(({ agentId }) => agentId === helper.id)!;
    expect(task).toMatchObject({ requesterId: world.owner.id, chainId: run.chainId, depth: 1, tainted: true, state: 'active' });
    const dm = await world.bodies(task.conversationId);
    expect(dm).toEqual([`[Provoked by ${woken.name} | ${run.id}]\nLook at the prices.`]);
    expect((await explained(task.messageId)).provoked).toMatchObject({ invocationId: run.id, triggerId: woken.name });
    await world.owner.call('stopTask', { params: { taskId: task.id } });
    await line.close();
    // To itself it gives nothing, and to nobody that is not there.
    const own = await world.wakes([{ text: 'x' }], { handle: 'HELPER', deliver_to: { agent: 'HELPER' } });
    expect(await own.run()).toMatchObject({ state: 'failed', error: expect.stringContaining('circular') as string });
    const nobody = await world.wakes([{ text: 'x' }], { deliver_to: { agent: 'NOBODY' } });
    expect(await nobody.run()).toMatchObject({ state: 'failed' });
  });

  test('[SYS-2] [PRV-9] a chain shows its events and what they started as steps, to whom they are shown anyway', async () => {
    const seer = await world.kit.agent('SEER');
    const line = await Wire.hello(seer);
    const [bob, ada] = [await world.kit.person('bob'), await world.kit.person('ada', 'admin')];
    const first = await world.wakes([{ text: 'crossed' }], { on_complete: { emit_event: 'test.seer.asked' } });
    const then = await world.wakes([{ text: 'Look.' }], { deliver_to: { agent: 'SEER' } }, { match: { type: 'test.seer.asked' } });
    const run = await first.run();
    const chainFor = (who: Person, taskId?: string) =>
      who.ask('getChain', { params: { chainId: run.chainId } }, taskId === undefined ? {} : { 'parley-task': taskId });
    const { body: chain } = await chainFor(world.owner);
    const [event, invocation, told, second] = chain.provoked;
    expect(chain.provoked).toHaveLength(4);
    expect(event).toMatchObject({
      kind: 'event',
      id: run.eventRef,
      parentId: null,
      type: first.type,
      source: 'monitoring.test',
      via: 'api',
      by: null,
    });
    expect(invocation).toMatchObject({ kind: 'invocation', id: run.id, parentId: run.eventRef, triggerId: first.name, state: 'completed' });
    expect(told).toMatchObject({ kind: 'event', parentId: run.id, type: 'test.seer.asked', via: 'invocation', by: null });
    expect(second).toMatchObject({ kind: 'invocation', parentId: told!.id, triggerId: then.name, manifestId: `m-${then.name}` });
    expect(chain.steps).toMatchObject([{ agentId: seer.id, parentId: null, invocationId: second!.id }]);
    // Its agent knows that there is something above its task, and no more; an admin sees that, and no more.
    const { body: below } = await chainFor(seer, chain.steps[0]!.id);
    expect(below.steps).toMatchObject([{ agentId: seer.id }]);
    expect(below.provoked).toEqual(chain.provoked.map(({ kind, id, parentId }) => ({ kind, id, parentId, hidden: true })));
    expect((await chainFor(ada)).body).toMatchObject({ provoked: chain.provoked });
    expect((await chainFor(bob)).status).toBe(404);
    await world.owner.call('stopTask', { params: { taskId: chain.steps[0]!.id } });
    await line.close();
  });

  test('[PRV-14] a provoked agent that is not connected is a failed attempt, and is tried again', async () => {
    const away = await world.kit.agent('AWAY');
    const woken = await world.wakes([{ text: 'Look.' }], {
      deliver_to: { agent: 'AWAY' },
      on_failure: { retry: { max_attempts: 2, backoff_seconds: 60 } },
    });
    const run = await woken.run();
    expect(run).toMatchObject({ state: 'waiting_retry', error: 'AWAY is not connected.', runs: [{ state: 'agent_offline' }] });
    const line = await Wire.hello(away);
    await world.pass(60_000);
    expect(await world.invocation(run.id)).toMatchObject({ state: 'completed', attempt: 2 });
    const { event } = await line.event('task');
    expect(event.content).toContain('Look.');
    await line.close();
  });

  test('[SYS-14] once its agent is deactivated no other is made in its place, and it says so', async () => {
    const woken = await world.wakes([{ text: 'Seen.' }]);
    const { agentId } = await woken.run();
    await world.kit.operator.call('deactivateMember', { params: { memberId: agentId! } });
    const agents = async () => (await world.owner.call('listMembers', { query: {} })).members.filter(({ kind }) => kind === 'agent').length;
    const before = await agents();
    expect(await woken.run({ again: 1 })).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('Its agent was deactivated') as string,
    });
    expect(await agents()).toBe(before);
  });

  test('[SYS-10] each attempt is a turn of the chain, of its agent’s day and of the workspace’s', async () => {
    const woken = await world.wakes([{ text: 'done', usage: { input: 1000, output: 100 } }], {
      model: { provider: 'anthropic', model_id: 'claude-sonnet-4-5', base_url: world.models.baseUrl('anthropic'), key: 'canary' },
    });
    world.models.script('claude-sonnet-4-5', [{ text: 'done', usage: { input: 1000, output: 100 } }]);
    const run = await woken.run();
    expect(run).toMatchObject({ state: 'completed', micros: 4500 });
    const { store } = world.kit.hub.kernel;
    const [chain] = await store.rows('chains', 'where id = ?', [run.chainId]);
    expect(chain).toMatchObject({ turns: 1, micros: 4500, requester_id: world.owner.id });
    const [purse] = await store.rows('purses', 'where id like ?', [`agent:${run.agentId}:%`]);
    expect(purse).toMatchObject({ turns: 1, micros: 4500 });
  });

  test('[PRV-4] what is switched off before it begins is not run', async () => {
    const woken = await world.wakes([{ text: 'never' }]);
    await world.owner.call('halt', {});
    const id = await woken.emit();
    const { version } = await world.owner.call('getProvoke', { params: { kind: 'trigger', id: woken.name } });
    await world.owner.call('enableProvoke', { params: { kind: 'trigger', id: woken.name }, body: { version, enabled: false } });
    await world.owner.call('release', {});
    await world.settled();
    expect(await world.invocation(id)).toMatchObject({ state: 'cancelled', attempt: 0 });
    expect(woken.asked()).toEqual([]);
  });

  test('[SYS-10] everything stopped: what runs is let go and loses no attempt, what waits is not begun', async () => {
    const woken = await world.wakes([{ fault: 'hang' }, { text: 'after all' }]);
    const before = world.models.asked.length;
    const id = await woken.emit();
    await world.models.heard(before + 1);
    await world.owner.call('halt', {});
    await world.settled();
    expect(await world.invocation(id)).toMatchObject({ state: 'queued', attempt: 0 });
    await world.owner.call('release', {});
    await world.settled();
    expect(await world.invocation(id)).toMatchObject({ state: 'completed', attempt: 1, output: 'after all' });
  });

  test('[SYS-10] while everything is stopped, news do not make it try again; all of it runs after the release', async () => {
    const { engine: commands } = world.kit.hub.kernel;
    const woken = await world.wakes(() => ({ text: 'done' }));
    await world.owner.call('halt', {});
    const submit = vi.spyOn(commands, 'submit');
    try {
      const ids: string[] = [];
      for (let n = 0; n < 5; n++) {
        ids.push(await woken.emit());
        await world.settled();
      }
      expect(submit.mock.calls.filter(([command]) => command.type === 'invocation.begin')).toHaveLength(1);
      await world.owner.call('release', {});
      await world.settled();
      for (const id of ids) expect(await world.invocation(id)).toMatchObject({ state: 'completed', attempt: 1 });
    } finally {
      submit.mockRestore();
    }
  });

  test('[PAP-15] its owner stops it, whoever else asks is told of nothing', async () => {
    const eve = await world.kit.person('eve');
    const woken = await world.wakes([{ fault: 'hang' }]);
    const before = world.models.asked.length;
    const id = await woken.emit();
    await world.models.heard(before + 1);
    const params = { invocationId: id };
    expect((await eve.ask('cancelInvocation', { params })).status).toBe(404);
    expect(await world.owner.call('cancelInvocation', { params })).toMatchObject({ state: 'cancelled' });
    await world.settled();
    expect(await world.invocation(id)).toMatchObject({ state: 'cancelled', attempt: 1 });
    expect((await world.owner.call('cancelInvocation', { params })).state).toBe('cancelled');
  });

  test('[SYS-10] what was set aside for a call of the model that was never made is given back', async () => {
    const { kernel } = world.kit.hub;
    const woken = await world.wakes(() => ({ text: 'done' }));
    const slow = vi.spyOn(kernel.keys, 'keyFor').mockImplementation(() => new Promise(() => {}));
    let id: string;
    try {
      id = await woken.emit();
      await waitFor(() => expect(slow).toHaveBeenCalled());
      await world.owner.call('halt', {});
      await world.settled();
    } finally {
      slow.mockRestore();
    }
    const spent = async () => (await kernel.store.rows('chains', 'where id = ?', [(await world.invocation(id)).chainId]))[0]!.micros;
    expect(await world.invocation(id)).toMatchObject({ state: 'queued', micros: 0, runs: [{ state: 'yielded', micros: 0 }] });
    expect([await spent(), woken.asked().length]).toEqual([0, 0]);
    await world.owner.call('release', {});
    await world.settled();
    const { state, micros } = await world.invocation(id);
    expect([state, micros > 0, await spent()]).toEqual(['completed', true, micros]);
  });
});
