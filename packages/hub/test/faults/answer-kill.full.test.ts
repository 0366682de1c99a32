// The hub is killed (SIGKILL) while an agent's answer is on its way, at the socket and at the webhook: afterwards the answer is
// there once, or its agent was never acked and gives it again (C2A-13).

import type { ServerResponse } from 'node:http';
import type { Message } from '@parley/protocol';
import { Ear, onBothEngines, type Person } from '@parley/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Endpoint, type Posted } from '../kit/webhook-endpoint.ts';
import type { Wire } from '../kit/agent-wire.ts';
import { KilledHub } from '../kit/children/killed-hub.ts';

onBothEngines('a hub that is killed while an agent answers', (engine) => {
  let hub: KilledHub;
  let url: string;
  const endpoint = new Endpoint();
  let n = 0;

  beforeAll(async () => {
    url = await endpoint.listen();
    hub = await KilledHub.on(engine, { PARLEY_SECRET_HOOK: endpoint.secret, PARLEY_WEBHOOK_PRIVATE: '1' });
  });
  afterAll(async () => {
    await hub.end();
    endpoint.close();
  });
  beforeEach(() => {
    endpoint.came = [];
    endpoint.answer = (_delivery, response) => response.end();
  });

  async function scene() {
    n++;
    const ann = await hub.child.person(`ann${n}`, 'owner');
    const [a, b] = [await hub.agent(ann, `A${n}`), await hub.agent(ann, `B${n}`)];
    const { id: here } = await ann.call('createChannel', { body: { name: `answers-${n}` } });
    await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: a.id } });
    return { ann, a, b, here };
  }
  type Scene = Awaited<ReturnType<typeof scene>>;

  /** Resolves when something is so on the hub that runs now. */
  async function until(who: Person, holds: (person: Person) => Promise<boolean>): Promise<void> {
    const person = await hub.now(who);
    const ear = new Ear(person);
    try {
      await ear.ready();
      for (let heard = 0; !(await holds(person));) heard = await ear.until((events) => (events.length > heard ? events.length : undefined));
    } finally {
      ear.close();
    }
  }
  const words = async ({ ann, a, here }: Scene): Promise<[string | undefined, Message['body']][]> => {
    const { messages } = await (await hub.now(ann)).call('listMessages', { params: { conversationId: here }, query: {} });
    return messages.filter(({ authorId }) => authorId === a.id).map(({ task, body }) => [task?.kind, body]);
  };
  const only = async (ann: Person, here: string) =>
    (await (await hub.now(ann)).call('listTasks', { query: { conversationId: here, state: 'all' } })).tasks.map(({ state }) => state);
  const inState = (s: Scene, state: string) => until(s.ann, async () => (await only(s.ann, s.here)).includes(state as never));
  const held = async (line: Wire, least = 0) => {
    const { event } = await line.event('task', ({ lease }) => lease !== null && lease > least);
    return { taskId: event.task.id, lease: event.lease! };
  };
  const answer = { kind: 'answer', body: 'It is 7.', key: 'the-answer' } as const;

  /** A contact that a person has to approve is open: an answer is not the last word. */
  const askApproval = async (s: Scene) => {
    await (
      await hub.now(s.ann)
    ).call('setContactRule', {
      params: { memberId: s.a.id, target: s.b.id },
      body: { permission: 'allow', requiresApproval: true },
    });
    return { action: 'ask', agentId: s.b.id, message: 'What is it?', key: 'the-ask' } as const;
  };
  const approve = async ({ ann }: Scene, choice: 'approve' | 'deny') => {
    const person = await hub.now(ann);
    const { checkpoints } = await person.call('listCheckpoints', { query: {} });
    const open = checkpoints.filter((one) => one.open);
    expect(open).toMatchObject([{ kind: 'approval' }]);
    await person.call('closeCheckpoint', { params: { checkpointId: open[0]!.id }, body: { choice } });
  };
  const composes = (s: Scene) => s.ann.call('editConversation', { params: { conversationId: s.here }, body: { composeMs: 5000 } });

  test.each(['before', 'after'] as const)('[C2A-13] socket: %s its commit; the agent was not acked and says it again', async (when) => {
    const s = await scene();
    let line = await hub.connect(s.a);
    await s.ann.post(s.here, `^${s.a.handle} what is it?`);
    let at = await held(line);
    let acked: unknown;
    await hub.killAt(when, 'answer', async () => (acked = await line.tried('say', { ...at, ...answer })));
    expect(acked).toMatchObject({ ok: false, code: 'closed' });
    expect(await words(s)).toEqual(when === 'before' ? [] : [['answer', 'It is 7.']]);
    line = await hub.connect(s.a);
    // Written down, it is over: the repeat finds the message under the same key and the same lease.
    if (when === 'before') at = await held(line, at.lease);
    const said = await line.call('say', { ...at, ...answer });
    expect(said).toMatchObject({ body: 'It is 7.', task: { kind: 'answer' } });
    expect([await words(s), await only(s.ann, s.here)]).toEqual([[['answer', 'It is 7.']], ['completed']]);
    await line.close();
  });

  test.each(['before', 'after'] as const)(
    '[C2A-13] socket: %s its commit; one that still holds its lease goes on under it',
    async (when) => {
      const s = await scene();
      const first = await hub.connect(s.a);
      await s.ann.post(s.here, `^${s.a.handle} what is it?`);
      const at = await held(first);
      await hub.killAt(when, 'answer', () => first.tried('say', { ...at, ...answer }));
      const line = await hub.connect(s.a, { holds: [at] });
      await line.call('say', { ...at, ...answer });
      expect([await words(s), await only(s.ann, s.here)]).toEqual([[['answer', 'It is 7.']], ['completed']]);
      await line.close();
    },
  );

  test.each(['before', 'after'] as const)(
    '[C2A-13] [IAC-14] socket: %s its commit while an approval is open; it is shown once, and the task goes on',
    async (when) => {
      const s = await scene();
      const ask = await askApproval(s);
      const other = await hub.connect(s.b);
      let line = await hub.connect(s.a);
      await s.ann.post(s.here, `^${s.a.handle} find out`);
      let at = await held(line);
      expect(await line.call('contact', { ...at, ...ask })).toMatchObject({ status: 'awaiting_approval' });
      const early = { kind: 'answer', body: 'I have asked.', key: 'early' } as const;
      await hub.killAt(when, 'answer', () => line.tried('say', { ...at, ...early }));
      line = await hub.connect(s.a);
      if (when === 'before') at = await held(line, at.lease);
      expect(await line.call('say', { ...at, ...early })).toMatchObject({ task: { kind: 'progress' } });
      expect([await words(s), await only(s.ann, s.here)]).toEqual([[['progress', 'I have asked.']], ['awaiting_approval']]);
      await hub.killAt('after', 'checkpoint.close', () => approve(s, 'deny'));
      line = await hub.connect(s.a);
      await line.call('say', { ...(await held(line, at.lease)), ...answer });
      expect([await words(s), await only(s.ann, s.here)]).toEqual([
        [
          ['progress', 'I have asked.'],
          ['answer', 'It is 7.'],
        ],
        ['completed'],
      ]);
      await Promise.all([line.close(), other.close().catch(() => {})]);
    },
  );

  test.each(['before', 'after'] as const)(
    '[C2A-13] [C2A-4] socket: %s its commit after more was said; it is shown once, and the rest is answered too',
    async (when) => {
      const s = await scene();
      let line = await hub.connect(s.a);
      await s.ann.post(s.here, `^${s.a.handle} what is it?`);
      let at = await held(line);
      const { id: replyTo } = await line.call('say', { ...at, kind: 'progress', body: 'Looking.' });
      await s.ann.call('postMessage', { params: { conversationId: s.here }, body: { body: 'and where is it?', replyTo } });
      await hub.killAt(when, 'answer', () => line.tried('say', { ...at, ...answer }));
      line = await hub.connect(s.a);
      const next = await held(line, at.lease);
      if (when === 'before') at = next;
      await line.call('say', { ...at, ...answer });
      if (when === 'after') await line.call('say', { ...next, kind: 'answer', body: 'Here.', key: 'the-rest' });
      const kinds = when === 'before' ? [['answer', 'It is 7.']] : [['progress', 'It is 7.'], ['answer', 'Here.']]; // prettier-ignore
      expect([await words(s), await only(s.ann, s.here)]).toEqual([[['progress', 'Looking.'], ...kinds], ['completed']]);
      await line.close();
    },
  );

  test.each(['before', 'during', 'after'] as const)(
    '[C2A-13] [C2A-4] [PAP-7] socket: %s a composing window ends; the requester’s answer is given once, with all its pieces',
    async (when) => {
      const s = await scene();
      let line = await hub.connect(s.a);
      await s.ann.post(s.here, `^${s.a.handle} what is it?`);
      const at = await held(line);
      await line.call('say', { ...at, kind: 'question', body: 'Which one?' });
      await composes(s);
      await s.ann.post(s.here, `^${s.a.handle} the blue`);
      await s.ann.post(s.here, 'or the red one.');
      expect(await only(s.ann, s.here)).toEqual(['queued']);
      await hub.killAt(when, 'task.compose', () => hub.skip(40_000));
      line = await hub.connect(s.a);
      const next = await held(line, at.lease);
      const { event } = await line.event('task', ({ lease }) => lease === next.lease);
      expect(event.words.filter(({ kind }) => kind === 'follow_up').map(({ content }) => content)).toEqual([
        `^${s.a.handle} the blue`,
        'or the red one.',
      ]);
      await line.call('say', { ...next, ...answer });
      expect([await words(s), await only(s.ann, s.here)]).toEqual([
        [
          ['question', 'Which one?'],
          ['answer', 'It is 7.'],
        ],
        ['completed'],
      ]);
      await line.close();
    },
  );

  /** Its agent is behind a webhook, and gives each delivery of a task the same words. */
  async function hooked(reply: (lease: number) => object | undefined) {
    const s = await scene();
    endpoint.answer = ({ event }, response) => {
      const own = event.kind === 'task' && event.task?.agentId === s.a.id ? reply(event.lease!) : undefined;
      response.end(own ? JSON.stringify(own) : '');
    };
    const params = { memberId: s.a.id };
    const { version, identity } = await s.ann.call('getIdentity', { params });
    const brain = { kind: 'remote', webhook: { url, secret: 'hook' } } as const;
    await s.ann.call('putIdentity', { params, body: { ...identity, brain, version } });
    await until(s.ann, async (ann) => (await ann.call('listAgents', {})).agents.find(({ id }) => id === s.a.id)!.status !== 'offline');
    return s;
  }
  const leases = (s: Scene) => endpoint.events('task').flatMap(({ event }) => (event.task?.agentId === s.a.id ? [event.lease] : []));

  test.each([
    ['before', 'answer', 2],
    ['after', 'answer', 1],
    ['before', 'ack', 1],
    ['after', 'ack', 1],
  ] as const)('[C2A-13] webhook: %s the %s is committed; it is POSTed again only where nothing was written', async (when, what, posts) => {
    const s = await hooked(() => ({ answer: 'It is 7.' }));
    await hub.killAt(when, what === 'ack' ? `ack:${s.a.id}` : what, () => s.ann.post(s.here, `^${s.a.handle} what is it?`));
    await inState(s, 'completed');
    expect([await words(s), leases(s).length]).toEqual([[['answer', 'It is 7.']], posts]);
  });

  test.each(['before', 'after'] as const)(
    '[C2A-13] webhook: %s the commit of words on the way; they are shown once, and the last word is given',
    async (when) => {
      const s = await hooked((lease) => (lease === 1 ? { say: 'Looking.' } : { answer: 'It is 7.' }));
      await hub.killAt(when, 'progress', () => s.ann.post(s.here, `^${s.a.handle} what is it?`));
      await inState(s, 'completed');
      expect(await words(s)).toEqual([...(when === 'before' ? [] : [['progress', 'Looking.']]), ['answer', 'It is 7.']]);
    },
  );

  test.each(['before', 'during'] as const)(
    '[C2A-13] [C2A-28] webhook: the request grows, and the hub is killed %s it looks at an answer to half of it; all is answered, once',
    async (when) => {
      const late = Promise.withResolvers<ServerResponse>();
      const s = await hooked((lease) => ({ answer: lease === 1 ? 'What is what?' : 'It is 7.' }));
      const reply = endpoint.answer;
      endpoint.answer = (delivery, response) =>
        delivery.event.kind === 'task' && delivery.event.lease === 1 ? late.resolve(response) : reply(delivery, response);
      await composes(s);
      await s.ann.call('postMessage', { params: { conversationId: s.here }, body: { body: `^${s.a.handle} what is`, done: true } });
      const response = await late.promise;
      await s.ann.post(s.here, 'the seventh?');
      await hub.killAt(when, 'answer', () => void response.end(JSON.stringify({ answer: 'What is what?' })));
      hub.skip(40_000);
      await inState(s, 'completed');
      expect(await words(s)).toEqual([['answer', 'It is 7.']]);
      const last = endpoint.events('task').at(-1)!.event;
      expect(last.words.map(({ content }) => content)).toEqual([`^${s.a.handle} what is`, 'the seventh?']);
    },
  );

  test.each(['before', 'after'] as const)(
    '[C2A-13] [SYS-1] webhook: %s the commit of an answer while an approval is open; it is shown once, and the task goes on',
    async (when) => {
      let reads = 0;
      const s = await hooked(() => ({ answer: reads > 1 ? 'It is 7.' : 'I have asked.' }));
      await s.ann.call('editAgent', { params: { memberId: s.a.id }, body: { mode: 'strict' } });
      const reply = endpoint.answer;
      endpoint.answer = (delivery, response) => void read(delivery).then(() => reply(delivery, response));
      const read = async ({ event }: Posted) => {
        if (event.kind !== 'task') return;
        const asked = { params: { conversationId: s.here }, query: {} };
        const { status } = await (await hub.now(s.a)).ask('listMessages', asked, { 'parley-task': event.task.id });
        if (status === 200) reads = 2;
      };
      await hub.killAt(when, 'answer', () => s.ann.post(s.here, `^${s.a.handle} find out`));
      await inState(s, 'awaiting_approval');
      expect(await words(s)).toEqual([['progress', 'I have asked.']]);
      await approve(s, 'approve');
      await inState(s, 'completed');
      expect(await words(s)).toEqual([
        ['progress', 'I have asked.'],
        ['answer', 'It is 7.'],
      ]);
    },
  );
});
