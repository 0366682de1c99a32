// Endpoints that lie, stall and flood, and whoever stands between them and the hub.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { onBothEngines, type Person, until } from '@parley/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Wire } from '../kit/agent-wire.ts';
import { type Floor, floorOn } from '../kit/floor.ts';

interface Came {
  header: string;
  body: string;
  kind: string;
  response: ServerResponse;
}

class Endpoint {
  came: Came[] = [];
  answer: (came: Came) => void = ({ response }) => response.end();
  private waiting: (() => void)[] = [];
  private readonly server = createServer((request, response) => void this.take(request, response));

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request as AsyncIterable<Buffer>) body += chunk.toString('utf8');
    const { kind } = (JSON.parse(body) as { event: { kind: string } }).event;
    const one = { header: String(request.headers['parley-signature']), body, kind, response };
    this.came.push(one);
    if (kind === 'task') this.answer(one);
    else response.end();
    for (const wake of this.waiting.splice(0)) wake();
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  /** The deliveries of tasks, once there are so many. */
  async tasks(count: number): Promise<Came[]> {
    const found = () => this.came.filter(({ kind }) => kind === 'task');
    while (found().length < count) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return found();
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

const answers =
  (words: object) =>
  ({ response }: Came): void =>
    void response.end(JSON.stringify(words));

onBothEngines('webhooks under attack', (engine) => {
  let floor: Floor;
  let hooked: Person;
  let other: Person;
  let channel: string;
  const secret = 'whsec-shared';
  const endpoint = new Endpoint();
  /** Where the others would lead. */
  const bait = new Endpoint();
  let baitUrl: string;
  const waits: number[] = [];
  beforeAll(async () => {
    const url = await endpoint.listen();
    baitUrl = await bait.listen();
    floor = await floorOn(engine, {}, { PARLEY_WEBHOOK_PRIVATE: '1', PARLEY_LOG: 'silent' });
    const after = floor.clock.after.bind(floor.clock);
    floor.clock.after = (ms, work) => (waits.push(ms), after(ms, work));
    await floor.kit.owner.call('setSecret', { params: { name: 'hook' }, body: { value: secret } });
    hooked = await floor.agent('HOOKED', { online: false });
    other = await floor.agent('OTHER');
    channel = await floor.channel('hooks', hooked, other);
    await hook(floor, hooked, url);
    await until(() => isHere(floor, hooked));
  });
  afterAll(async () => {
    await floor.kit.stop();
    endpoint.close();
    bait.close();
  });
  beforeEach(() => {
    waits.length = 0;
    [endpoint.came, bait.came] = [[], []];
    endpoint.answer = ({ response }) => response.end();
  });

  async function hook(on: Floor, agent: Person, url: string): Promise<void> {
    const params = { memberId: agent.id };
    const { version, identity } = await on.kit.owner.call('getIdentity', { params });
    const brain = { kind: 'remote', webhook: { url, secret: 'hook' } } as const;
    await on.kit.owner.call('putIdentity', { params, body: { ...identity, brain, version } });
  }
  async function isHere(on: Floor, agent: Person): Promise<boolean> {
    return (await on.ann.call('listAgents', {})).agents.find(({ id }) => id === agent.id)!.status !== 'offline';
  }
  const ask = async (words: string, whom = 'HOOKED') => {
    await floor.ann.post(channel, `^${whom} ${words}`);
    await floor.pass();
    return (await floor.tasks(channel)).at(-1)!;
  };
  const taskNow = async (id: string) => (await floor.tasks(channel)).find((task) => task.id === id)!;
  const ended = (id: string) => until(async () => (await taskNow(id)).endedAt !== null);
  const said = async () => (await floor.bodies(channel)).map(([, body]) => body);
  /** Time passes only once the line waits for it. */
  const waitOut = async (ms: number) => {
    await until(() => waits.includes(ms));
    waits.length = 0;
    floor.clock.advance(ms);
  };
  /** It did not take it: told again after the first pause, and then it behaves. */
  const comesBack = async (id: string, words: string) => {
    await until(() => waits.includes(1500));
    endpoint.answer = answers({ answer: words });
    await waitOut(1500);
    await ended(id);
    expect([(await taskNow(id)).state, (await said()).filter((body) => body === words).length]).toEqual(['completed', 1]);
  };

  test('[SYS-11] what the documents say an endpoint should check lets in what the hub sent, and nothing forged, changed or replayed', async () => {
    const docs = await readFile(new URL('../../../../docs/reference/agent-socket.md', import.meta.url), 'utf8');
    const [, code] = /```ts\n(const \[, time, given\][^`]*(?:`[^`\n]+`[^`]*)*)```/.exec(docs)!;
    // oxlint-disable-next-line typescript/no-implied-eval -- the documents' own words, so that they stay true
    const check = new Function(
      'header',
      'body',
      'secret',
      'Date',
      'createHmac',
      'timingSafeEqual',
      `${stripTypeScriptTypes(code!)}; return genuine;`,
    );
    const genuine = (header: string, body: string, with_ = secret, now = floor.clock.now()): boolean => {
      try {
        return check(header, body, with_, { now: () => now }, createHmac, timingSafeEqual) as boolean;
      } catch {
        return false;
      }
    };
    endpoint.answer = answers({ answer: 'here' });
    await ended((await ask('are you there?')).id);
    const [{ header, body }] = (await endpoint.tasks(1)) as [Came];
    expect(genuine(header, body)).toBe(true);
    const [, time, signature] = /^t=(\d+),v1=(.*)$/.exec(header)!;
    const forged: [string, boolean][] = [
      ['another body', genuine(header, body.replace('are you there?', 'send the money'))],
      ['another task', genuine(header, body.replace(/tsk_\w/, 'tsk_X'))],
      ['another secret', genuine(header, body, 'guessed')],
      ['another time under the same signature', genuine(`t=${Number(time) + 1},v1=${signature}`, body)],
      ['overheard, and sent again later', genuine(header, body, secret, floor.clock.now() + 300_001)],
      ['from a time to come', genuine(header, body, secret, floor.clock.now() - 300_001)],
      ['no signature', genuine(`t=${time},v1=`, body)],
      ['a shorter one', genuine(`t=${time},v1=${signature!.slice(2)}`, body)],
      ['nothing', genuine('', body)],
    ];
    expect(forged.filter(([, let_]) => let_)).toEqual([]);
  });

  test('[SYS-12] an answer that comes after its turn is over is not said, and fails nothing: not for a later turn of its own', async () => {
    endpoint.answer = () => {};
    const { id } = await ask('slowly');
    const [first] = await endpoint.tasks(1);
    // It has answered over HTTP meanwhile, asking; told more, it is at it again, under another lease.
    await floor.say(hooked, await taskNow(id), 'question', 'Which one?');
    await floor.ann.post(channel, '^HOOKED the blue one');
    await floor.pass();
    first!.response.end(JSON.stringify({ answer: 'the red one' }));
    const [, second] = await endpoint.tasks(2);
    expect([(await taskNow(id)).state, await said()]).toEqual(['active', expect.not.arrayContaining(['the red one'])]);
    second!.response.end(JSON.stringify({ answer: 'the blue one it is' }));
    await ended(id);
    expect([(await taskNow(id)).state, (await said()).at(-1)]).toEqual(['completed', 'the blue one it is']);
  });

  test('[SYS-12] nor for another agent that was given the work instead', async () => {
    endpoint.answer = () => {};
    const { id } = await ask('take your time');
    const [held] = await endpoint.tasks(1);
    const given = await floor.ann.call('redirectTask', { params: { taskId: id }, body: { agentId: other.id, instruction: 'you do it' } });
    await floor.pass();
    held!.response.end(JSON.stringify({ answer: 'I did it' }));
    await floor.kit.hub.webhooks.settled();
    expect(await said()).not.toContain('I did it');
    const now = (await floor.tasks(channel)).findLast(({ agentId }) => agentId === other.id)!;
    expect([now.state, (await floor.say(other, now, 'answer', 'I did')).status, given.id === id || now.id !== id]).toEqual([
      'active',
      200,
      true,
    ]);
  });

  test('[PAP-1] an answer names no task but its own: with another’s id it is no answer, and over HTTP it is refused', async () => {
    const foreign = await ask('you, please', 'OTHER');
    endpoint.answer = answers({ answer: 'mine', taskId: foreign.id });
    const { id } = await ask('and you');
    await ended(id);
    expect(await taskNow(id)).toMatchObject({ state: 'failed', cause: 'brain_failed' });
    const inForeign = await floor.say(hooked, foreign, 'answer', 'mine');
    expect([inForeign.status, inForeign.body.error?.code]).toEqual([403, 'task_of_another']);
    endpoint.answer = () => {};
    const own = await ask('once more');
    const stale = await floor.say(hooked, own, 'answer', 'mine', { task: { id: own.id, lease: 99, kind: 'answer' } });
    expect([stale.status, stale.body.error?.code]).toEqual([409, 'stale_lease']);
    expect([(await taskNow(foreign.id)).state, await said()]).toEqual(['active', expect.not.arrayContaining(['mine'])]);
    await floor.ann.call('stopTask', { params: { taskId: own.id } });
    for (const { response } of await endpoint.tasks(2)) response.end();
    await floor.say(other, foreign, 'answer', 'done');
  });

  test('[SYS-11] a redirect leads nowhere: neither the words nor the signature reach where it points', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      endpoint.answer = ({ response }) =>
        void response.writeHead(status, { location: baitUrl }).end(JSON.stringify({ answer: 'redirected' }));
      const { id } = await ask(`go on ${status}`);
      await endpoint.tasks(1);
      await comesBack(id, `here after ${status}`);
      endpoint.came = [];
    }
    expect([bait.came, await said()]).toEqual([[], expect.not.arrayContaining(['redirected'])]);
  });

  test('[SYS-10] an answer without an end, or larger than any, is broken off and not kept', async () => {
    const closed = Promise.withResolvers<void>();
    endpoint.answer = ({ response }) => {
      response.on('close', () => closed.resolve());
      const flood = (): void => {
        while (response.write('x'.repeat(65_536)));
        response.once('drain', flood);
      };
      flood();
    };
    const flooded = await ask('all of it');
    await closed.promise;
    await comesBack(flooded.id, 'less of it');
    endpoint.answer = ({ response }) => void response.end(JSON.stringify({ answer: 'x'.repeat(300_000) }));
    endpoint.came = [];
    const huge = await ask('all of it, again');
    await endpoint.tasks(1);
    await comesBack(huge.id, 'less of it again');
  });

  test('[SYS-10] one that goes on a letter at a time, or says nothing, has its 60 seconds and no more', async () => {
    for (const slow of [({ response }: Came) => void response.write('{"answer": "'), () => {}]) {
      const closed = Promise.withResolvers<void>();
      endpoint.answer = (came) => {
        came.response.on('close', () => closed.resolve());
        slow(came);
      };
      const { id } = await ask('take your time');
      await endpoint.tasks(1);
      waits.length = 0;
      floor.clock.advance(60_000);
      await closed.promise;
      await comesBack(id, `after all ${id}`);
      endpoint.came = [];
    }
  });

  test('[IAC-3] asked by another agent, its answer is the call’s; one that is none, or never comes, is told as such in time', async () => {
    const caller = await floor.agent('CALLER', { online: false });
    const line = await Wire.hello(caller);
    const room = await floor.channel('calls', caller);
    await floor.ann.post(room, '^CALLER find out');
    const { event } = await line.event('task');
    const held = { taskId: event.task.id, lease: event.lease! };
    const ask = (message: string) => line.call('contact', { ...held, action: 'ask', agentId: hooked.id, message });
    endpoint.answer = answers({ answer: 'It is 7.' });
    expect(await ask('What is it?')).toMatchObject({ text: 'Response from HOOKED: It is 7.', status: 'answered' });
    endpoint.answer = ({ response }) => void response.end('<html>');
    expect(await ask('And that?')).toMatchObject({
      text: 'Error: HOOKED failed to respond: The webhook’s answer is not JSON of the form { say | answer | question | decline }',
    });
    endpoint.came = [];
    endpoint.answer = () => {};
    const silent = ask('And the rest?');
    const [stalled] = await endpoint.tasks(1);
    await floor.kit.hub.kernel.scheduler.settled();
    for (let seconds = 0; seconds < 121; seconds += 30) {
      floor.clock.advance(30_000);
      await floor.kit.hub.kernel.timers.tick();
    }
    expect(await silent).toMatchObject({
      text: "Error: HOOKED did not respond within 120 seconds. Consider using 'delegate' for async processing.",
      status: 'timed_out',
    });
    stalled!.response.destroy();
    await floor.ann.call('stopTask', { params: { taskId: held.taskId } });
    await line.close();
  });

  test('[SYS-11] [SYS-6] where private networks are not allowed nothing is sent into one, whatever the address looks like', async () => {
    const strict = await floorOn(engine, {}, { PARLEY_LOG: 'silent' });
    try {
      const { port } = new URL(baitUrl);
      let tried = 0;
      const after = strict.clock.after.bind(strict.clock);
      // The pause after a knock that came to nothing.
      strict.clock.after = (ms, work) => ((tried += ms === 1500 ? 1 : 0), after(ms, work));
      await strict.kit.owner.call('setSecret', { params: { name: 'hook' }, body: { value: secret } });
      const hosts = ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f.1', '2130706433'];
      for (const [n, host] of hosts.entries()) {
        const agent = await strict.agent(`HOOK${n}`, { online: false });
        const room = await strict.channel(`room-${n}`, agent);
        await hook(strict, agent, `http://${host}:${port}/hook`);
        await strict.ann.post(room, `^HOOK${n} hello`);
        await strict.pass();
        await until(() => tried === n + 1);
        expect([host, await isHere(strict, agent), (await strict.tasks(room))[0]!.state]).toEqual([host, false, 'queued']);
      }
      expect(bait.came).toEqual([]);
    } finally {
      await strict.kit.stop();
    }
  });
});
