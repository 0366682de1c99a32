// The hub is killed (SIGKILL) in the middle of what agents ask of each other and give to each other, and started again on the
// same data: nothing is lost, nothing is done twice, and each result is given once.

import type { Message } from '@parley/protocol';
import { type ModelCall, Ear, type ModelServer, onBothEngines, type Person, type Reply, startModels } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Wire } from '../kit/agent-wire.ts';
import { KilledHub } from '../kit/children/killed-hub.ts';

onBothEngines('a hub that is killed while agents work for each other', (kind) => {
  let hub: KilledHub;
  let models: ModelServer;
  let n = 0;

  beforeAll(async () => {
    models = await startModels();
    hub = await KilledHub.on(kind, { PARLEY_SECRET_MODELS: 'a key' });
  });
  afterAll(async () => {
    await hub.end();
    await models.stop();
  });

  /** Ann, three agents, and a room of the first one's. */
  async function scene() {
    n++;
    const ann = await hub.child.person(`ann${n}`, 'owner');
    const [a, b, c] = [await hub.agent(ann, `A${n}`), await hub.agent(ann, `B${n}`), await hub.agent(ann, `C${n}`)];
    const { id: here } = await ann.call('createChannel', { body: { name: `kill-${n}` } });
    await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: a.id } });
    return { ann, a, b, c, here };
  }
  /** What stands between two agents. */
  const between = (a: Person, b: Person): Promise<(string | null)[]> =>
    hub.inStore(async (store) => {
      const key = [a.id, b.id].sort().join(',');
      const rows = await store.rows('messages', 'where conversation_id in (select id from conversations where dm_key = ?) order by seq', [
        key,
      ]);
      return rows.map(({ body }) => body);
    });
  /** Everything that a task gave to others, and how it stands. */
  const given = (taskId: string): Promise<string[]> =>
    hub.inStore(async (store) =>
      (await store.rows('contacts', 'where parent_id = ?', [taskId])).map(({ action, state }) => `${action} ${state}`),
    );
  const saidIn = async (ann: Person, here: string): Promise<Message[]> =>
    (await (await hub.now(ann)).call('listMessages', { params: { conversationId: here }, query: {} })).messages;
  const results = async (ann: Person, here: string): Promise<(string | undefined)[]> =>
    (await saidIn(ann, here)).filter(({ source }) => source === 'delegation_result').map(({ body }) => body!.split('\n')[1]);
  /** Its task, told to it with a lease; of a later hub with a later one. */
  const taskOf = async (line: Wire, taskId?: string) => {
    const { event } = await line.event('task', ({ task, lease }) => lease !== null && (taskId === undefined || task.id === taskId));
    return { taskId: event.task.id, lease: event.lease! };
  };

  test.each(['before', 'after'] as const)(
    '[IAC-3] [SYS-12] %s an ask and then its answer are written down: made again under their keys, one request, one answer, one result',
    async (when) => {
      const { ann, a, b, here } = await scene();
      let [caller, target] = [await Wire.hello(a), await Wire.hello(b)];
      await ann.post(here, `^${a.handle} find out`);
      let root = await taskOf(caller);
      const ask = { action: 'ask', agentId: b.id, message: 'What is it?', key: 'the-ask' } as const;
      await hub.killAt(when, 'ask', () => caller.tried('contact', { ...root, ...ask }));
      [caller, target] = [await hub.connect(a), await hub.connect(b)];
      root = await taskOf(caller, root.taskId);
      let outcome = caller.tried('contact', { ...root, ...ask });
      let sub = await taskOf(target);
      const answer = { kind: 'answer', body: 'It is 7.', key: 'the-answer' } as const;
      await hub.killAt(when, 'answer', () => target.tried('say', { ...sub, ...answer }));
      const told = {
        ok: true,
        result: { text: `Response from ${b.handle}: It is 7.`, status: 'answered', taskId: sub.taskId },
      };
      const cut = await outcome;
      // Once it is written down it may be told before the kill falls: then it is the answer, and nothing else.
      expect(cut).toMatchObject(when === 'after' && cut.ok ? told : { ok: false, code: 'closed' });
      [caller, target] = [await hub.connect(a), await hub.connect(b)];
      root = await taskOf(caller, root.taskId);
      outcome = caller.tried('contact', { ...root, ...ask });
      if (when === 'before') sub = await taskOf(target, sub.taskId);
      await target.tried('say', { ...sub, ...answer });
      expect(await outcome).toMatchObject(told);
      await caller.call('say', { ...root, kind: 'answer', body: 'It is 7, they say.' });
      expect(await between(a, b)).toEqual([`[Agent Request from ${a.handle} | Pattern: ask]\n\nWhat is it?`, 'It is 7.']);
      expect(await given(root.taskId)).toEqual(['ask given']);
      expect((await saidIn(ann, here)).map(({ body }) => body)).toEqual([`^${a.handle} find out`, 'It is 7, they say.']);
      await Promise.all([caller.close(), target.close()]);
    },
  );

  test('[IAC-6] [SYS-12] while work is given to two, while both are at it, and while one answers: each result is told once, as it comes', async () => {
    const { ann, a, b, c, here } = await scene();
    let [caller, first, second] = [await Wire.hello(a), await Wire.hello(b), await Wire.hello(c)];
    await ann.post(here, `^${a.handle} prepare it`);
    let root = await taskOf(caller);
    const give = (to: Person) => ({ action: 'delegate', agentId: to.id, message: 'do your part', key: `give-${to.handle}` }) as const;
    const delegated = await caller.call('contact', { ...root, ...give(b) });
    await hub.killAt('after', 'delegate', () => caller.tried('contact', { ...root, ...give(c) }));
    [caller, first, second] = [await hub.connect(a), await hub.connect(b), await hub.connect(c)];
    root = await taskOf(caller, root.taskId);
    // Made again, both are what they were.
    expect(await caller.call('contact', { ...root, ...give(b) })).toEqual(delegated);
    expect(await caller.call('contact', { ...root, ...give(c) })).toMatchObject({ status: 'delegated' });
    await caller.call('say', { ...root, kind: 'answer', body: 'I wait.' });
    const [one, two] = [await taskOf(first), await taskOf(second)];
    await hub.killAt('after', 'answer', () => first.tried('say', { ...one, kind: 'answer', body: 'part one', key: 'one' }));
    [caller, first, second] = [await hub.connect(a), await hub.connect(b), await hub.connect(c)];
    // Not heard by the one who said it, it says it again; the other has its own to go on with.
    expect((await first.call('say', { ...one, kind: 'answer', body: 'part one', key: 'one' })).body).toBe('part one');
    root = await taskOf(caller, root.taskId);
    expect(await results(ann, here)).toEqual(['part one']);
    await caller.call('say', { ...root, kind: 'answer', body: 'One is here.' });
    const again = await taskOf(second, two.taskId);
    await hub.killAt('before', 'answer', () => second.tried('say', { ...again, kind: 'answer', body: 'part two', key: 'two' }));
    [caller, second] = [await hub.connect(a), await hub.connect(c)];
    await second.call('say', { ...(await taskOf(second, two.taskId)), kind: 'answer', body: 'part two', key: 'two' });
    root = await taskOf(caller, root.taskId);
    await caller.call('say', { ...root, kind: 'answer', body: 'Both are here.' });
    expect(await results(ann, here)).toEqual(['part one', 'part two']);
    expect(await given(root.taskId)).toEqual(['delegate given', 'delegate given']);
    const words = (await saidIn(ann, here)).filter(({ authorId }) => authorId === a.id);
    expect(words.map(({ body, task }) => [task?.kind, body])).toEqual([
      ['progress', 'I wait.'],
      ['progress', 'One is here.'],
      ['answer', 'Both are here.'],
    ]);
    for (const other of [b, c]) expect(await between(a, other)).toHaveLength(2);
    await Promise.all([caller, first, second].map((line) => line.close().catch(() => {})));
  });

  test('[IAC-3] [IAC-6] [SYS-12] of models in the hub itself: asked and delegating when it is killed, they go on, and nothing is thought or said twice', async () => {
    const { ann, a, b, c, here } = await scene();
    for (const { id, handle } of [a, b, c]) {
      const params = { memberId: id };
      const { version, identity } = await ann.call('getIdentity', { params });
      const brain = { kind: 'model', provider: 'anthropic', model: handle, baseUrl: models.baseUrl('anthropic'), key: 'models' } as const;
      await ann.call('putIdentity', { params, body: { ...identity, brain, version } });
    }
    const call = (to: Person, action: string, message: string) => ({ name: 'contact_agent', input: { action, agentId: to.id, message } });
    // First it gives work to one and asks the other, both at once; told what came of each, it says so.
    models.script(a.handle, ({ told: all, called }: ModelCall): Reply => {
      const text = all.map((one) => one.text).join('\n');
      if (/part of C/.test(text)) return { text: 'All of it is here.' };
      if (called === 0) return { calls: [call(c, 'delegate', 'do your part'), call(b, 'ask', 'What is it?')] };
      return { text: `So far: ${/Response from .*/.exec(text)?.[0]}` };
    });
    const answers: Record<string, string> = { [b.handle]: 'It is 7.', [c.handle]: 'part of C' };
    let up = false;
    for (const [model, text] of Object.entries(answers)) models.script(model, () => (up ? { text } : { fault: 'hang' }));
    const before = models.asked.length;
    const { id } = await ann.post(here, `^${a.handle} prepare it`);
    await models.heard(before + 3);
    await hub.child.kill();
    up = true;
    await hub.child.start();
    const person = await hub.now(ann);
    const ear = new Ear(person);
    await ear.ready();
    const { tasks } = await person.call('listTasks', { query: { conversationId: here, state: 'all' } });
    const taskId = tasks.find(({ messageId }) => messageId === id)!.id;
    for (let heard = 0; (await person.call('getTask', { params: { taskId } })).endedAt === null;)
      heard = await ear.until((events) => (events.length > heard ? events.length : undefined));
    ear.close();
    const said = (await saidIn(ann, here)).map(({ body }) => body);
    expect(said.filter((body) => body!.startsWith('[Delegation Result')).map((body) => body!.split('\n')[1])).toEqual(['part of C']);
    expect(said.filter((body) => body === 'All of it is here.')).toHaveLength(1);
    expect(await given(taskId)).toHaveLength(2);
    expect(await between(a, b)).toEqual([`[Agent Request from ${a.handle} | Pattern: ask]\n\nWhat is it?`, 'It is 7.']);
    expect((await between(a, c)).slice(1)).toEqual(['part of C']);
    // Each of those that were broken off was asked once more; the caller's calls were not thought of again.
    const times = (who: Person) => models.asked.filter(({ model }) => model === who.handle).length;
    expect([times(b), times(c)]).toEqual([2, 2]);
    expect(models.asked.filter(({ model, called }) => model === a.handle && called === 0)).toHaveLength(2);
  });
});
