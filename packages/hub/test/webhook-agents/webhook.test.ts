import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { AgentEvent, type BrainConfig, isPublicAddress } from '@parley/protocol';
import { onBothEngines, type Person, until } from '@parley/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '@parley/hub';
import { PrivateTarget } from '../../src/outbound/guarded-fetch.ts';
import { post } from '../../src/outbound/signed-post.ts';
import { postsAtOnceEach as atOnceEach } from '../../src/webhook-agents/webhook-agents.ts';
import { returnMs } from '../../src/engine/reconnecting-agents.ts';
import { type Floor, floorOn } from '../kit/floor.ts';
import { Endpoint, say } from '../kit/webhook-endpoint.ts';

onBothEngines('agents told by webhook', (engine) => {
  let floor: Floor;
  let hooked: Person;
  let channel: string;
  let url: string;
  const endpoint = new Endpoint();
  /** What anything in the hub has asked the clock to wait for. */
  const waits: number[] = [];
  beforeAll(async () => {
    url = await endpoint.listen();
    floor = await floorOn(engine, {}, { PARLEY_WEBHOOK_PRIVATE: '1', PARLEY_LOG: 'silent' });
    const after = floor.clock.after.bind(floor.clock);
    floor.clock.after = (ms, work) => (waits.push(ms), after(ms, work));
    await floor.kit.owner.call('setSecret', { params: { name: 'hook' }, body: { value: endpoint.secret } });
    hooked = await floor.agent('HOOKED', { online: false });
    channel = await floor.channel('hooks', hooked);
    await give({ kind: 'remote', webhook: { url, secret: 'hook' } });
    await until(isHere);
  });
  afterAll(async () => {
    await floor.kit.stop();
    endpoint.close();
  });
  beforeEach(() => {
    waits.length = 0;
    endpoint.came = [];
    endpoint.answer = (_delivery, response) => response.end();
  });

  const give = async (brain: BrainConfig, to = hooked) => {
    const params = { memberId: to.id };
    const { version, identity } = await floor.kit.owner.call('getIdentity', { params });
    await floor.kit.owner.call('putIdentity', { params, body: { ...identity, brain, version } });
  };
  const isHere = async () => {
    const { agents } = await floor.ann.call('listAgents', {});
    return agents.find(({ id }) => id === hooked.id)!.status !== 'offline';
  };
  const problem = async () => (await floor.kit.owner.call('listAgents', {})).agents.find(({ id }) => id === hooked.id)!.problem;
  /** Time passes only once the line waits for it: else a delivery under way would run out of it. */
  const isWaiting = (ms: number) => until(() => waits.includes(ms));
  const waitOut = async (ms: number) => {
    await isWaiting(ms);
    waits.length = 0;
    floor.clock.advance(ms);
  };
  const ask = async (words: string) => {
    await floor.ann.post(channel, `^HOOKED ${words}`);
    await floor.pass();
    return (await floor.tasks(channel)).at(-1)!;
  };
  const taskNow = async (id: string) => (await floor.tasks(channel)).find((task) => task.id === id)!;
  const ended = (id: string) => until(async () => (await taskNow(id)).endedAt !== null);

  test('[SYS-8] a task is POSTed, signed over time and body; what comes back is its answer', async () => {
    endpoint.answer = say({ answer: 'forty-two' });
    const { id } = await ask('what is it?');
    await ended(id);
    expect((await floor.bodies(channel)).at(-1)).toEqual(['HOOKED', 'forty-two']);
    const [{ headers, body, delivery }] = endpoint.came as [(typeof endpoint.came)[number]];
    AgentEvent.parse(delivery.event);
    expect(delivery).toMatchObject({ deliveryId: headers['parley-delivery'], event: { kind: 'task', content: '^HOOKED what is it?' } });
    const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['parley-signature']))!;
    expect(signature).toBe(createHmac('sha256', endpoint.secret).update(`${time}.${body}`).digest('hex'));
    expect(Number(time)).toBe(floor.clock.now());
  });

  test('[C2A-13] words in a form nobody can read end in a failure that says so', async () => {
    endpoint.answer = (delivery, response) => response.end(delivery.event.kind === 'task' ? 'It is forty-two.' : '');
    const { id } = await ask('what is it?');
    await ended(id);
    expect(await taskNow(id)).toMatchObject({ state: 'failed', cause: 'brain_failed' });
    expect((await floor.notices(floor.ann)).at(-1)).toMatchObject({
      kind: 'task_failed',
      taskId: id,
      reason: 'The webhook’s answer is not JSON of the form { say | answer | question | decline }',
    });
  });

  test('[C2A-13] an answer that comes while an approval is open is shown once, over a restart, and the task goes on', async () => {
    let asked = false;
    endpoint.answer = (delivery, response) => {
      const read = { params: { conversationId: channel }, query: {} };
      const { event } = delivery;
      if (event.kind !== 'task') return void response.end();
      void hooked
        .ask('listMessages', read, { 'parley-task': event.task.id })
        .then(({ status }) => say({ answer: status === 200 ? 'It is 7.' : 'I have asked.' })(delivery, response));
      asked = true;
    };
    const mode = (to: 'strict' | 'autonomous') => floor.ann.call('editAgent', { params: { memberId: hooked.id }, body: { mode: to } });
    const said = async () => (await floor.bodies(channel)).map(([, body]) => body).slice(before);
    const before = (await floor.bodies(channel)).length + 1;
    await mode('strict');
    const { id } = await ask('find out');
    await until(async () => (await taskNow(id)).state === 'awaiting_approval');
    await floor.kit.restart();
    await until(isHere);
    expect([asked, await said(), (await taskNow(id)).state]).toEqual([true, ['I have asked.'], 'awaiting_approval']);
    const { checkpoints } = await floor.ann.call('listCheckpoints', { query: {} });
    await floor.ann.call('closeCheckpoint', { params: { checkpointId: checkpoints.at(-1)!.id }, body: { choice: 'approve' } });
    await ended(id);
    expect([await said(), (await taskNow(id)).state]).toEqual([['I have asked.', 'It is 7.'], 'completed']);
    await mode('autonomous');
  });

  test('[C2A-18] an end is told to it and is nothing to answer: what it returns is not shown', async () => {
    endpoint.answer = (delivery, response) => response.end(delivery.event.kind === 'task' ? '' : JSON.stringify({ answer: 'too late' }));
    const { id } = await ask('do it');
    await endpoint.until(() => endpoint.events('task').length > 0);
    await floor.ann.call('stopTask', { params: { taskId: id } });
    await endpoint.until(() => endpoint.events('ended').length > 0);
    endpoint.answer = say({ answer: 'now' });
    const next = await ask('and this?');
    await ended(next.id);
    expect(endpoint.events('ended')[0]!.event.policy).toBe('must_not_respond');
    expect((await floor.bodies(channel)).map(([, body]) => body)).not.toContain('too late');
  });

  test('it may ask, decline, or say something on the way and answer later over HTTP', async () => {
    endpoint.answer = say({ question: 'Which one?' });
    const asked = await ask('do it');
    await until(async () => (await taskNow(asked.id)).state === 'waiting');
    endpoint.answer = say({ decline: 'No.' });
    await floor.ann.post(channel, '^HOOKED the blue one');
    await floor.pass();
    await ended(asked.id);
    expect((await taskNow(asked.id)).state).toBe('declined');
    endpoint.answer = say({ say: 'Looking…' });
    const { id } = await ask('and this?');
    await until(async () => (await floor.bodies(channel)).at(-1)![1] === 'Looking…');
    const { status } = await floor.say(hooked, await taskNow(id), 'answer', 'Found.');
    expect([status, (await taskNow(id)).state]).toEqual([200, 'completed']);
  });

  test('[SYS-4] a delivery that fails is repeated under its id until it is taken, and said once', async () => {
    let tries = 0;
    endpoint.answer = (delivery, response) => {
      if (delivery.event.kind !== 'task') return void response.end();
      if (++tries === 1) return void response.writeHead(500).end();
      // Redirects lead anywhere: not followed, and no answer.
      if (tries === 2) return void response.writeHead(302, { location: '/elsewhere' }).end();
      // Taken, and lost on the way back.
      if (tries === 3) return void response.destroy();
      response.end(JSON.stringify({ answer: 'at last' }));
    };
    const { id } = await ask('try');
    for (const ms of [1500, 3000, 6000]) await waitOut(ms);
    await ended(id);
    expect(new Set(endpoint.events('task').map(({ deliveryId }) => deliveryId)).size).toBe(1);
    expect((await floor.bodies(channel)).filter(([, body]) => body === 'at last')).toHaveLength(1);
    expect(await isHere()).toBe(true);
  });

  test('[SYS-8] after five failures in a row it is offline; when its endpoint answers again it is given its work again', async () => {
    // What was told before is not among what fails, nor the end of the last task, of which the line may not have heard yet:
    // the times between count every failure.
    await floor.pass();
    await floor.kit.hub.webhooks.settled();
    endpoint.answer = (_delivery, response) => void response.writeHead(503).end();
    const { id } = await ask('patience');
    for (const ms of [1500, 3000, 6000, 12_000]) await waitOut(ms);
    await until(async () => !(await isHere()));
    expect((await taskNow(id)).state).toBe('queued');
    expect(await problem()).toBe('Its webhook gets nothing: The webhook answered 503');
    // The line pings once before it waits: answered well, that ping would be the last.
    await isWaiting(1500);
    endpoint.answer = say({ answer: 'back' });
    await waitOut(1500);
    await ended(id);
    expect((await taskNow(id)).state).toBe('completed');
    expect(await isHere()).toBe(true);
    expect(await problem()).toBeNull();
  });

  test('an answer that is none fails the task, and whoever asked is told', async () => {
    endpoint.answer = say({ answer: 'a', decline: 'b' });
    const { id } = await ask('garble');
    await ended(id);
    expect(await taskNow(id)).toMatchObject({ state: 'failed', cause: 'brain_failed' });
  });

  test('what comes back for a task that has ended is not said', async () => {
    let late: ServerResponse | undefined;
    endpoint.answer = (delivery, response) => {
      if (delivery.event.kind === 'task') late = response;
      else response.end();
    };
    const { id } = await ask('slow');
    await endpoint.until(() => late !== undefined);
    await floor.ann.call('stopTask', { params: { taskId: id } });
    late!.end(JSON.stringify({ answer: 'too late' }));
    await floor.kit.hub.webhooks.settled();
    expect((await floor.bodies(channel)).map(([, body]) => body)).not.toContain('too late');
    expect(endpoint.events('ended').length + endpoint.events('task').length).toBeGreaterThan(0);
  });

  test('[SYS-10] answered while everything is stopped, it is said once that is over, and not asked for again', async () => {
    let held: ServerResponse | undefined;
    endpoint.answer = (delivery, response) => {
      if (delivery.event.kind === 'task') held = response;
      else response.end();
    };
    const { id } = await ask('wait for it');
    await endpoint.until(() => held !== undefined);
    await floor.kit.owner.call('halt', {});
    held!.end(JSON.stringify({ answer: 'now' }));
    await isWaiting(1500);
    await floor.kit.owner.call('release', {});
    await waitOut(1500);
    await ended(id);
    expect([(await taskNow(id)).state, endpoint.events('task').length]).toEqual(['completed', 1]);
  });

  test('[SYS-4] a restart loses nothing: what was not taken is POSTed again by the next hub', async () => {
    let silent = true;
    endpoint.answer = (delivery, response) => {
      if (delivery.event.kind === 'task' && silent) return;
      say({ answer: 'after all' })(delivery, response);
    };
    const { id } = await ask('hold on');
    await endpoint.until(() => endpoint.events('task').length > 0);
    silent = false;
    await floor.kit.restart();
    await ended(id);
    expect((await floor.bodies(channel)).filter(([, body]) => body === 'after all')).toHaveLength(1);
    // It has answered this hub, and is not one of those that are still waited for.
    await floor.pass(returnMs);
    const [agent] = await floor.kit.hub.kernel.store.rows('agents', 'where member_id = ?', [hooked.id]);
    expect(agent!.online).toBe(1);
  });

  test('[SYS-8] so many are under way to one endpoint and no more, the oldest first; a slow one holds up no other', async () => {
    const held: ServerResponse[] = [];
    endpoint.answer = (delivery, response) => {
      if (delivery.event.kind !== 'task') return void response.end();
      if (delivery.event.content?.includes('HOOKED')) held.push(response);
      else say({ answer: 'I am quick' })(delivery, response);
    };
    await floor.ann.call('editAgent', { params: { memberId: hooked.id }, body: { maxConcurrent: 16 } });
    const slow = [await floor.channel('slow-a', hooked), await floor.channel('slow-b', hooked)] as const;
    const tasks = async () => (await Promise.all(slow.map((room) => floor.tasks(room)))).flat();
    const begun = 20;
    for (let i = 0; i < begun; i++) {
      await floor.ann.post(slow[i % 2]!, `^HOOKED number ${i}`);
      await floor.pass();
    }
    await until(async () => (await tasks()).filter(({ state }) => state === 'active').length === begun);
    await endpoint.until(() => held.length >= atOnceEach);
    // Another's is sent, taken and answered meanwhile.
    const quick = await floor.agent('QUICK', { online: false });
    const room = await floor.channel('quick', quick);
    await give({ kind: 'remote', webhook: { url, secret: 'hook' } }, quick);
    await until(async () => (await floor.ann.call('listAgents', {})).agents.find(({ id }) => id === quick.id)!.status !== 'offline');
    await floor.ann.post(room, '^QUICK are you?');
    await floor.pass();
    await until(async () => (await floor.bodies(room)).at(-1)![1] === 'I am quick');
    expect(held).toHaveLength(atOnceEach);
    const taken = () => held.shift()!.end(JSON.stringify({ answer: 'taken' }));
    for (let more = 1; more <= begun - atOnceEach; more++) {
      taken();
      await endpoint.until(() => held.length === atOnceEach);
    }
    while (held.length > 0) taken();
    await until(async () => (await tasks()).every(({ endedAt }) => endedAt !== null));
    const numbers = endpoint.events('task').flatMap(({ event }) => /number (\d+)/.exec(event.content ?? '')?.[1] ?? []);
    expect(numbers.slice(atOnceEach).map(Number)).toEqual([16, 17, 18, 19]);
    expect(new Set(numbers).size).toBe(begun);
  });

  test('without its secret, or given another brain, nothing is sent', async () => {
    await floor.kit.owner.call('removeSecret', { params: { name: 'hook' } });
    await give({ kind: 'remote', webhook: { url, secret: 'hook' } });
    await give({ kind: 'remote' });
    await floor.kit.hub.webhooks.settled();
    const { state } = await ask('anybody?');
    expect([state, endpoint.events('task'), await isHere()]).toEqual(['queued', [], false]);
  });
});

describe('[SYS-11] where a webhook may not lead', () => {
  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    // The older clothes of IPv4, and those of translators.
    '::127.0.0.1',
    '::a9fe:a9fe',
    '::ffff:0:127.0.0.1',
    '192.88.99.1',
    '3fff::1',
    '5f00::1',
    '64:ff9b::7f00:1',
    'not an address',
  ])('%s', (address) => expect(isPublicAddress(address)).toBe(false));
  test.each(['8.8.8.8', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])('but %s', (address) =>
    expect(isPublicAddress(address)).toBe(true),
  );
});

describe('[SYS-11] a webhook into the hub’s own network', () => {
  const endpoint = new Endpoint();
  let port: string;
  beforeAll(async () => ({ port } = new URL(await endpoint.listen())));
  afterAll(() => endpoint.close());
  const to = (url: string, allowPrivate: boolean) =>
    post({ url, secret: 's', deliveryId: 'd', body: '{"event":{}}', now: 0, signal: new AbortController().signal, allowPrivate });

  test.each([
    'http://127.0.0.1:PORT/',
    'http://localhost:PORT/',
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://0x7f.1:PORT/',
  ])('%s gets nobody in', async (where) => {
    await expect(to(where.replace('PORT', port), false)).rejects.toThrow(PrivateTarget);
    expect(endpoint.came).toEqual([]);
  });

  test('unless whoever runs the hub says so', async () => {
    await to(`http://localhost:${port}/`, true);
    expect(endpoint.came).toHaveLength(1);
    expect([readConfig({}).privateWebhooks, readConfig({ PARLEY_WEBHOOK_PRIVATE: '1' }).privateWebhooks]).toEqual([false, true]);
  });
});
