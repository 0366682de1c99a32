import { randomUUID } from 'node:crypto';
import type { HubSharing, Task } from '@parley/protocol';
import { type ModelServer, onBothEngines, type Person, startModels } from '@parley/testkit';
import { encodings } from '@parley/testkit/encodings';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Handlers } from '../../../src/engine/command.ts';
import { handlers } from '../../../src/engine/handlers.ts';
import { Wire } from '../../kit/agent-wire.ts';
import { type Floor, floorOn } from '../../kit/floor.ts';

const secret = 'The cellar key is under the blue pot';

/** Written again in the moment between the beginning of a turn and its first look at the notes. */
let noteMeanwhile: string | undefined;
const intend = handlers['turn.intend'];
const meddling: Handlers = {
  ...handlers,
  'turn.intend': {
    ...intend,
    decide: (c, tx) => {
      const row = tx.get('identities', c.agentId);
      if (noteMeanwhile !== undefined && c.name === 'context' && row)
        tx.update('identities', row, { data: JSON.stringify({ ...(JSON.parse(row.data) as object), memory: noteMeanwhile }) });
      return intend.decide(c, tx);
    },
  },
};

onBothEngines('what leaves', (engine) => {
  let floor: Floor;
  let models: ModelServer;
  let hers: Person;
  let alone: string;
  let shared: string;
  beforeAll(async () => {
    models = await startModels();
    // It is begun by the hub, and its model says nothing: what it would say is said here.
    models.script('m', [{ fault: 'hang' }]);
    floor = await floorOn(engine, { handlers: meddling }, { PARLEY_LOG: 'silent' });
    await floor.kit.owner.call('setSecret', { params: { name: 'anthropic' }, body: { value: 'sk-x', hosts: ['127.0.0.1'] } });
    hers = await floor.agent('HERS', { online: false });
    await floor.kit.owner.call('putIdentity', {
      params: { memberId: hers.id },
      body: {
        version: 0,
        profile: { handle: 'HERS', displayName: 'Hers', about: 'keeps an eye on things' },
        instructions: 'Keep house.',
        memory: `# What I know\n- ${secret}\n- tea\n- [workspace] Bins go out on Fridays\n`,
        tools: [],
        brain: { kind: 'model', provider: 'anthropic', model: 'm', baseUrl: models.baseUrl('anthropic') },
        mode: 'autonomous',
        manager: null,
      },
    });
    alone = (await floor.ann.call('openDm', { body: { memberIds: [hers.id] } })).id;
    shared = await floor.channel('house', hers, floor.bob);
  });
  afterAll(async () => {
    await floor.kit.stop();
    await models.stop();
  });

  const engineOf = () => floor.kit.hub.kernel.engine;
  const operator = { operator: true } as const;

  const begin = async (where: string, words: string, from = floor.ann) => {
    const heard = models.heard(models.asked.length + 1);
    await from.post(where, words);
    await heard;
    const task = (await floor.tasks(where)).find(({ state }) => state === 'active') as Task;
    const [row] = await floor.kit.hub.kernel.store.rows('tasks', 'where id = ?', [task.id]);
    return { by: operator, taskId: task.id, lease: row!.lease, agentId: hers.id, chainId: task.chainId };
  };
  const say = ({ chainId: _chain, ...at }: Awaited<ReturnType<typeof begin>>, kind: 'progress' | 'answer', body: string) =>
    engineOf().submit({ type: 'task.say', ...at, kind, body });
  const tags = () => floor.kit.hub.kernel.store.rows('tags', '');

  test('[SYS-6] to its owner alone a model may say what it has noted of hers', async () => {
    const held = await begin(alone, 'where is the key?');
    expect(await tags()).toMatchObject([
      { field: 'memory', owner_id: floor.ann.id, chain_id: held.chainId, held: JSON.stringify([secret]) },
    ]);
    expect(models.asked.at(-1)!.system).toContain(secret);
    expect(models.asked.at(-1)!.system).not.toContain('withheld');
    await say(held, 'answer', secret);
    expect((await floor.bodies(alone)).at(-1)![1]).toBe(secret);
    // With the chain, what was read in it is forgotten.
    expect(await tags()).toEqual([]);
  });

  test('[SYS-6] where others hear it, it is withheld: the field is named, the value is kept nowhere', async () => {
    const held = await begin(shared, '^HERS where is the key?');
    const { system } = models.asked.at(-1)!;
    expect(system).not.toContain('blue pot');
    expect(system).not.toContain('What I know');
    expect(system).toContain('Bins go out on Fridays');
    expect(system).toContain('2 private notes of your owner are withheld from this turn');
    const words = `Well, THE  cellar key\nis under the blue pot.`;
    await expect(say(held, 'answer', words)).rejects.toMatchObject({ code: 'not_shared', reason: 'memory' });
    await expect(engineOf().submit({ type: 'task.decline', ...held, outcome: 'declined', reason: words })).rejects.toMatchObject({
      code: 'not_shared',
    });
    const obligation = { blocks: 'halted', defaultAction: words } as const;
    const { chainId: _chain, ...at } = held;
    await expect(engineOf().submit({ type: 'task.say', ...at, kind: 'question', body: 'Shall I?', obligation })).rejects.toMatchObject({
      code: 'not_shared',
    });
    await expect(floor.kit.hub.kernel.drafts.show(held, words)).rejects.toMatchObject({ code: 'not_shared' });
    // It grows letter by letter, and is held back before the last one.
    for (const length of [8, 20, words.length - 2])
      await expect(floor.kit.hub.kernel.drafts.show(held, words.slice(0, 'Well, '.length + length))).rejects.toMatchObject({
        code: 'not_shared',
      });
    await floor.kit.hub.kernel.drafts.show(held, 'Well, THE  cellar is dry');
    expect((await floor.bodies(shared)).map(([, body]) => body)).toEqual(['^HERS where is the key?']);
    const facts = await floor.kit.hub.kernel.store.rows('facts', "where type = 'egress.withheld' order by seq");
    expect(facts.map(({ subject_id, data }) => [subject_id, JSON.parse(data) as object])).toEqual(
      Array.from({ length: 3 }, () => [held.taskId, { field: 'memory', owner: floor.ann.id }]),
    );
    // Nor a half of it, in whatever form it is put.
    for (const half of ['I hear the CELLAR key\n> is under the…', String.raw`{"note":"cellar\nkey is\u0020under the"}`])
      await expect(say(held, 'progress', half)).rejects.toMatchObject({ code: 'not_shared', reason: 'memory' });
    // Its task goes on: it can say something else, and what only sounds alike is its own.
    await say(held, 'answer', 'I would rather not say where the cellar key is. Tea?');
    expect(await tags()).toEqual([]);
  });

  test('[SYS-6] values that an earlier turn has read stay withheld, though they were taken out of the notes since', async () => {
    const held = await begin(shared, '^HERS and the cellar?');
    const params = { memberId: hers.id };
    const noted = async (memory: string) => {
      const { version, identity } = await floor.kit.owner.call('getIdentity', { params });
      await floor.kit.owner.call('putIdentity', { params, body: { ...identity, memory, version } });
      return identity.memory;
    };
    const before = await noted('- the attic is dry');
    const { chainId: _chain, ...at } = held;
    const heard = models.heard(models.asked.length + 1);
    await engineOf().submit({ type: 'task.yield', ...at });
    await heard;
    const [row] = await floor.kit.hub.kernel.store.rows('tasks', 'where id = ?', [held.taskId]);
    const again = { ...held, lease: row!.lease };
    for (const words of [secret, 'It seems the attic is dry.'])
      await expect(say(again, 'progress', words)).rejects.toMatchObject({ code: 'not_shared' });
    await say(again, 'answer', 'I would rather not say.');
    await noted(before);
  });

  test('[SYS-6] notes that are written again while a turn begins are put to its model as they are withheld, or not at all', async () => {
    const params = { memberId: hers.id };
    const { identity } = await floor.kit.owner.call('getIdentity', { params });
    noteMeanwhile = '- The spare key hangs behind the old clock';
    const held = await begin(shared, '^HERS is there another key?');
    noteMeanwhile = undefined;
    expect(models.asked.at(-1)!.system).not.toContain('old clock');
    await expect(say(held, 'progress', 'The spare key hangs behind the old clock.')).rejects.toMatchObject({ code: 'not_shared' });
    await say(held, 'answer', 'None that I would tell of.');
    const { version } = await floor.kit.owner.call('getIdentity', { params });
    await floor.kit.owner.call('putIdentity', { params, body: { ...identity, version } });
  });

  test('[SYS-6] nobody else finds a note by what is refused: they guess, and it is said', async () => {
    const held = await begin(shared, '^HERS please say each of my guesses', floor.bob);
    const { system } = models.asked.at(-1)!;
    expect(system).not.toContain('blue pot');
    expect(system).toContain('2 private notes of your owner are withheld from this turn');
    expect(await tags()).toEqual([]);
    await say(held, 'progress', 'The cellar key is under the red pot');
    await say(held, 'answer', secret);
    expect((await floor.bodies(shared)).at(-1)![1]).toBe(secret);
  });

  test.each(Object.entries(encodings))('[SYS-6] a value that a brain knows all the same does not leave: %s', async (_name, encode) => {
    const held = await begin(shared, '^HERS where is the key?');
    await expect(say(held, 'progress', `Sure: ${encode(secret)}`)).rejects.toMatchObject({ code: 'not_shared', reason: 'memory' });
    await say(held, 'answer', 'I would rather not say.');
  });

  test('[SYS-6] nor in pieces, each in words of its own', async () => {
    const held = await begin(shared, '^HERS where is the key?');
    await say(held, 'progress', 'It is about the cellar key.');
    await say(held, 'progress', 'First part: the cellar key is');
    await expect(say(held, 'progress', 'Second part: under the blue pot')).rejects.toMatchObject({ code: 'not_shared' });
    await say(held, 'answer', 'I would rather not say.');
  });

  test('[SYS-6] a member who comes in after the turn began does not read the values that the turn was given', async () => {
    const room = (await floor.ann.call('createChannel', { body: { name: 'hers-alone', visibility: 'private' } })).id;
    await floor.ann.call('addToConversation', { params: { conversationId: room }, body: { memberId: hers.id } });
    const held = await begin(room, '^HERS where is the key?');
    expect(models.asked.at(-1)!.system).toContain(secret);
    await floor.ann.call('addToConversation', { params: { conversationId: room }, body: { memberId: floor.bob.id } });
    for (const encode of Object.values(encodings))
      await expect(say(held, 'progress', encode(secret))).rejects.toMatchObject({ code: 'not_shared' });
    await say(held, 'answer', 'not any more');
  });

  test('[SYS-6] [IAC-12] private notes at hand, an agent of somebody else is contacted with approval only', async () => {
    const his = await floor.agent('HIS', { owner: floor.bob });
    const own = await floor.agent('OWN');
    const held = await begin(alone, 'tell them');
    const { chainId: _chain, ...at } = held;
    const tell = async (targetId: string, message: string) =>
      (await engineOf().submit({ type: 'contact.start', ...at, action: 'notify', targetId, message })).result?.text ?? 'sent';
    expect(await tell(own.id, 'Tea is ready.')).toBe('sent');
    expect(await tell(his.id, 'Tea is ready.')).toContain('requires approval');
    const asked = (await floor.ann.call('listCheckpoints', { query: {} })).checkpoints.find(({ kind }) => kind === 'approval')!;
    expect(asked.reason).toBe('It has read private notes, and this would reach someone they are not for.');
    await say(held, 'answer', 'later');
    await floor.ann.call('stopTask', { params: { taskId: held.taskId } });
  });

  test('[SYS-6] [SYS-13] a note that one agent told another of the same owner is withheld in later chains, too', async () => {
    const theirs = await floor.agent('THEIRS', { owner: floor.bob });
    const second = await floor.agent('SECOND');
    const held = await begin(alone, 'tell SECOND');
    const { chainId: _chain, ...at } = held;
    await engineOf().submit({ type: 'contact.start', ...at, action: 'notify', targetId: second.id, message: secret });
    await say(held, 'answer', 'told');
    expect(await tags()).toEqual([]);

    const { id: dm } = await floor.ann.call('openDm', { body: { memberIds: [second.id] } });
    await floor.ann.post(dm, 'what did HERS tell you?');
    await floor.pass();
    const [task] = await floor.tasks(dm);
    const line = await Wire.hello(second);
    const { event } = await line.event('task', ({ task: { id } }) => id === task!.id);
    const lease = { taskId: task!.id, lease: event.lease! };
    const { conversations } = await floor.ann.call('listAgentDms', {});
    const pair = conversations.find(({ memberIds }) => memberIds?.includes(second.id))!.id;
    const { messages } = await line.call('read.history', { taskId: task!.id, conversationId: pair, limit: 10 });
    expect(messages.at(-1)!.body).toContain(secret);
    expect(await tags()).toMatchObject([{ chain_id: task!.chainId, field: 'memory', owner_id: floor.ann.id }]);
    const tell = (message: string) => line.tried('contact', { ...lease, action: 'notify', agentId: theirs.id, message });
    expect(await tell(secret)).toMatchObject({ result: { status: 'refused', text: expect.stringContaining('has not agreed to share') } });
    // Another agent's words taint the task: whatever would reach others waits for a person.
    expect(await tell('Tea is ready.')).toMatchObject({ result: { status: 'awaiting_approval' } });
    await expect(line.call('say', { ...lease, kind: 'progress', body: 'x', conversationId: shared })).rejects.toThrow('task_elsewhere');
    // To its owner it may be said.
    await line.call('say', { ...lease, kind: 'progress', body: secret });
    await floor.ann.call('stopTask', { params: { taskId: task!.id } });
    await line.close();
  });

  test('[SYS-6] any member can read a public channel, though only its owner is in it', async () => {
    const open = await floor.channel('empty', hers);
    const held = await begin(open, '^HERS where is the key?');
    await expect(say(held, 'progress', secret)).rejects.toMatchObject({ code: 'not_shared' });
    await say(held, 'answer', 'not here');
  });

  test('[SYS-6] [IAC-14] the approver reads what it is for: what is not theirs to hear is not put before them', async () => {
    const other = await floor.agent('HERSTOO');
    const manage = (managerId: string | null, mode: 'autonomous' | 'supervised') =>
      Promise.all([
        floor.ann.call('editMember', { params: { memberId: hers.id }, body: { managerId } }),
        floor.ann.call('editAgent', { params: { memberId: hers.id }, body: { mode } }),
      ]);
    await manage(floor.bob.id, 'supervised');
    const held = await begin(alone, 'tell the other');
    const { chainId: _chain, ...at } = held;
    const [turn] = await floor.kit.hub.kernel.store.rows('turns', "where task_id = ? and state = 'running'", [held.taskId]);
    const asked = async () => (await floor.bob.call('listCheckpoints', { query: {} })).checkpoints.map(({ detail }) => detail);
    const tell = async (message: string) =>
      (await engineOf().submit({ type: 'contact.start', ...at, action: 'notify', targetId: other.id, message })).result!.text;
    const mail = (text: string, n: number) => {
      const step = { turnId: turn!.id, n, kind: 'tool', name: 'send_mail', readOnly: false, stepKey: null } as const;
      return engineOf().submit({ type: 'turn.intend', ...at, ...step, input: JSON.stringify({ text }) });
    };
    expect(await tell(secret)).toBe(
      'Error: This holds what its owner has not agreed to share with bob (memory). Leave it out and try again.',
    );
    await expect(mail(secret, 90)).rejects.toMatchObject({ code: 'not_shared' });
    expect(await asked()).toEqual([]);
    expect(await tell('Tea is ready.')).toContain('requires approval');
    expect(await mail('Tea is ready.', 90)).toEqual({ verdict: 'pending' });
    expect(await asked()).toHaveLength(2);
    // ModelCall herself, she reads nothing that is not hers.
    await manage(null, 'supervised');
    expect(await tell(secret)).toContain('requires approval');
    await say(held, 'answer', 'later');
    await floor.ann.call('stopTask', { params: { taskId: held.taskId } });
    await manage(null, 'autonomous');
  });

  const share = (rules: HubSharing) => engineOf().submit({ type: 'sharing.set', by: { platform: true }, memberId: floor.ann.id, rules });

  test('[SYS-6] the owner’s tiers decide where a note goes: into the prompt, and out', async () => {
    const room = (await floor.ann.call('createChannel', { body: { name: 'with-bob', visibility: 'private' } })).id;
    for (const memberId of [hers.id, floor.bob.id])
      await floor.ann.call('addToConversation', { params: { conversationId: room }, body: { memberId } });
    const forBob = (tier: HubSharing['base'][string]) => ({ [floor.bob.id]: { memory: tier } });
    const cases: [rules: HubSharing, alone: boolean, room: boolean, open: boolean][] = [
      [{ base: {}, overrides: {} }, true, false, false],
      [{ base: {}, overrides: forBob('always_share') }, true, true, false],
      [{ base: { Memory: 'always_share' }, overrides: {} }, true, true, true],
      [{ base: { memory: 'always_share' }, overrides: forBob('ask_first') }, true, false, false],
      [{ base: { memory: 'never_share' }, overrides: {} }, false, false, false],
    ];
    for (const [rules, ...expected] of cases) {
      await share(rules);
      for (const [at, where] of [alone, room, shared].entries()) {
        const held = await begin(where, '^HERS where is the key?');
        expect([rules, models.asked.at(-1)!.system.includes(secret)]).toEqual([rules, expected[at]]);
        const said = await say(held, 'answer', encodings['base64']!(secret)).then(
          () => true,
          (error: { code: string; reason: string }) => [error.code, error.reason],
        );
        expect([rules, said]).toEqual([rules, expected[at] === true ? true : ['not_shared', 'memory']]);
        if (expected[at] !== true) await say(held, 'answer', 'I would rather not say.');
      }
    }
  });

  test('[SYS-6] [A2C-34] an agent’s words in a negotiation go to the other person only as the tier allows', async () => {
    await share({ base: {}, overrides: {} });
    const held = await begin(alone, 'arrange it');
    expect(models.asked.at(-1)!.system).toContain(secret);
    const { chainId: _chain, by, taskId: id, ...at } = held;
    const task = { id, ...at };
    const [turn] = await floor.kit.hub.kernel.store.rows('turns', "where task_id = ? and state = 'running'", [id]);
    const open = (other: { memberId: string } | { address: string }, intent: string, reason = 'to plan') =>
      engineOf().submit({
        type: 'negotiation.open',
        by,
        threadId: 'thr_1',
        others: [other],
        intent,
        needs: [{ field: 'area', reason, priority: 'helpful' }],
        task,
      });
    for (const other of [{ memberId: floor.bob.id }, { address: 'agent:bob@relay.example' }]) {
      await expect(open(other, encodings['base64']!(secret))).rejects.toMatchObject({ code: 'not_shared', reason: 'memory' });
      await expect(open(other, 'dinner', secret)).rejects.toMatchObject({ code: 'not_shared', reason: 'memory' });
    }
    // With private notes at hand, a person is asked before anything goes out.
    const step = { turnId: turn!.id, n: 90, kind: 'tool', name: 'negotiate', readOnly: false, stepKey: null } as const;
    const input = JSON.stringify({ with: '@bob', intent: 'dinner', needs: [] });
    expect(await engineOf().submit({ type: 'turn.intend', by, taskId: id, ...at, ...step, input })).toEqual({ verdict: 'pending' });
    await share({ base: {}, overrides: { [floor.bob.id]: { memory: 'always_share' } } });
    await expect(open({ address: 'agent:bob@relay.example' }, secret)).rejects.toMatchObject({ code: 'not_shared' });
    expect(await open({ memberId: floor.bob.id }, secret)).toMatchObject({ negotiation: { task_id: id } });
    await floor.ann.call('stopTask', { params: { taskId: id } });
    await share({ base: {}, overrides: {} });
  });

  test('[SYS-6] tiers that a person changes hold at once, also for a turn under way', async () => {
    await share({ base: { memory: 'always_share' }, overrides: {} });
    const held = await begin(shared, '^HERS where is the key?');
    expect(models.asked.at(-1)!.system).toContain(secret);
    await share({ base: {}, overrides: {} });
    await expect(say(held, 'progress', secret)).rejects.toMatchObject({ code: 'not_shared', reason: 'memory' });
    await say(held, 'answer', 'I would rather not say.');
  });

  test('[SYS-6] tiers come from the platform only; a repeated report changes nothing', async () => {
    const rules: HubSharing = { base: { timezone: 'never_share' }, overrides: {} };
    const principal = await floor.kit.hub.kernel.auth.principal(floor.bob.token);
    const bySomebody = engineOf().submit({ type: 'sharing.set', by: principal!.by, memberId: floor.ann.id, rules });
    await expect(bySomebody).rejects.toMatchObject({ code: 'forbidden' });
    await share(rules);
    const known = () => floor.kit.hub.kernel.store.rows('facts', "where type = 'sharing.changed' order by seq");
    const facts = (await known()).length;
    await share(rules);
    expect(await known()).toHaveLength(facts);
    await engineOf().submit({ type: 'sharing.set', by: { platform: true }, memberId: hers.id, rules });
    await engineOf().submit({ type: 'sharing.set', by: { platform: true }, memberId: randomUUID(), rules });
    expect((await floor.kit.hub.kernel.store.rows('sharing_rules', '')).map(({ member_id }) => member_id)).toEqual([floor.ann.id]);
    const { sharing } = await floor.ann.call('exportMember', { params: { memberId: floor.ann.id } });
    expect(sharing).toMatchObject([rules]);
    await share({ base: {}, overrides: {} });
  });

  test('[SYS-6] [SYS-14] the owner erased, nothing of theirs that was read stays', async () => {
    const held = await begin(alone, 'and now?');
    expect(await tags()).toHaveLength(1);
    await floor.kit.owner.call('eraseMember', { params: { memberId: floor.ann.id } });
    expect(await tags()).toEqual([]);
    const [task] = await floor.kit.hub.kernel.store.rows('tasks', 'where id = ?', [held.taskId]);
    expect(task!.open).toBe(0);
    expect(await floor.kit.hub.kernel.store.rows('sharing_rules', '')).toEqual([]);
    await share({ base: {}, overrides: {} });
    expect(await floor.kit.hub.kernel.store.rows('sharing_rules', '')).toEqual([]);
  });
});
