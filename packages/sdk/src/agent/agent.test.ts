import { closeCodes } from '@parley/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { delivery, FakeHub, word } from '../../test/agent-hub.ts';
import { ManualClock, until } from '../../test/support.ts';
import { connectAgent, ParleyError } from './index.ts';
import type { AgentOptions, AgentState, AgentTask, ConnectedAgent, More } from './index.ts';

let hub: FakeHub;
let clock: ManualClock;
let agents: ConnectedAgent[];
let states: AgentState[];
let errors: unknown[];

beforeEach(() => {
  [hub, clock, agents, states, errors] = [new FakeHub(), new ManualClock(), [], [], []];
});
afterEach(() => {
  for (const agent of agents) agent.close();
});

async function connect(onTask: AgentOptions['onTask'], more: Partial<AgentOptions> = {}): Promise<ConnectedAgent> {
  const agent = connectAgent({
    url: 'http://hub.test',
    token: 'pa_t',
    connect: hub.connect,
    clock,
    random: () => 0,
    onState: (state) => void states.push(state),
    onError: (error) => void errors.push(error),
    onTask,
    ...more,
  });
  agents.push(agent);
  await until(() => agent.state.status === 'live', 'live');
  return agent;
}

/** The hub goes away and comes back; what it has to say then has been remembered before. */
async function restart(): Promise<void> {
  hub.cut();
  clock.advance(10_000);
  await until(() => states.at(-1)?.status === 'live', 'live again');
}

const bodies = () => hub.shown.map(({ kind, body }) => [kind, body]);
const keysOf = (body: string) => hub.of('say').flatMap((say) => (say['body'] === body ? [say['key']] : []));
const never = () => new Promise<never>(() => {});

describe('a task', () => {
  test('[PAP-7] what the handler returns is the answer; the event is acknowledged once it is taken', async () => {
    await connect(async (task) => {
      await task.say('Wait.');
      return `You said: ${task.text}`;
    });
    hub.deliver(delivery(7, 'task'));
    await until(() => hub.shown.length === 2 && hub.acked === 7);
    expect(bodies()).toEqual([
      ['progress', 'Wait.'],
      ['answer', 'You said: hello'],
    ]);
    expect(hub.of('say')).toMatchObject([{ taskId: 'tsk_1', lease: 1 }, { lease: 1 }]);
  });

  test('what is said without waiting is read in the order it was said', async () => {
    await connect((task) => {
      void task.say('one');
      void task.say('two');
      return 'three';
    });
    hub.deliver(delivery(1, 'task'));
    await until(() => hub.shown.length === 3);
    expect(bodies().map(([, body]) => body)).toEqual(['one', 'two', 'three']);
  });

  test('[PAP-14] a handler that fails or forgets to answer says so: silence is not an outcome', async () => {
    await connect((task) => {
      if (task.id === 'tsk_1') throw new Error('secret detail');
    });
    hub.deliver(delivery(1, 'task'));
    hub.deliver(delivery(2, 'task', { task: 'tsk_2' }));
    await until(() => hub.of('decline').length === 2);
    expect(hub.of('decline')).toMatchObject([
      { taskId: 'tsk_1', outcome: 'blocked', reason: expect.not.stringContaining('secret') },
      { taskId: 'tsk_2', outcome: 'blocked' },
    ]);
    expect(errors).toEqual([new Error('secret detail')]);
  });

  test('[PAP-15] a task that ends without its handler aborts it with the cause; what it says then is not sent', async () => {
    let task: AgentTask | undefined;
    await connect(async (given) => {
      task = given;
      await given.next();
    });
    hub.deliver(delivery(1, 'task'));
    hub.deliver(delivery(2, 'ended', { cause: 'stopped' }));
    await until(() => task?.signal.aborted === true);
    expect(task!.signal.reason).toMatchObject({ name: 'ParleyError', code: 'task_over', reason: 'stopped' });
    await expect(task!.say('too late')).rejects.toMatchObject({ code: 'task_over' });
    expect([hub.of('say'), hub.of('decline'), errors]).toEqual([[], [], []]);
  });

  test('a refusal is a ParleyError with its code; one that says the task is lost ends the run', async () => {
    let caught: unknown;
    hub.refuse = ({ method, params }) =>
      method === 'say' ? (params['body'] === 'x' ? { code: 'archived', reason: 'why' } : { code: 'stale_lease' }) : undefined;
    let task: AgentTask | undefined;
    await connect(async (given) => {
      task = given;
      await given.say('x').catch((error: unknown) => (caught = error));
      await given.say('y');
    });
    hub.deliver(delivery(1, 'task'));
    await until(() => task?.signal.aborted === true);
    expect(caught).toBeInstanceOf(ParleyError);
    expect(caught).toMatchObject({ code: 'archived', reason: 'why' });
    expect([hub.of('decline'), errors]).toEqual([[], []]);
  });

  test('said after its own last word: the mistake is reported', async () => {
    hub.refuse = ({ params }) => (params['body'] === 'more' ? { code: 'task_over' } : undefined);
    await connect(async (task) => {
      await task.answer('done');
      await task.say('more');
    });
    hub.deliver(delivery(1, 'task'));
    await until(() => errors.length === 1);
    expect(errors).toMatchObject([{ code: 'task_over' }]);
  });
});

describe('over a lost connection', () => {
  test('[SYS-12] a hub that is gone in the middle: what arrived is not shown twice, the rest is said under the new lease', async () => {
    const go = Promise.withResolvers<void>();
    let runs = 0;
    await connect(async (task) => {
      runs++;
      await task.say('one');
      await go.promise;
      return 'two';
    });
    // It was stored; the answer was lost.
    hub.refuse = ({ method, params }) => (method === 'say' && hub.commit(params) && 'no answer') || undefined;
    hub.deliver(delivery(1, 'task'));
    await until(() => hub.of('say').length === 1);
    hub.refuse = ({ method, params }) =>
      method === 'say' && params['body'] === 'two' && params['lease'] === 1 ? { code: 'stale_lease' } : undefined;
    await restart();
    await until(() => hub.of('say').length === 2);
    go.resolve();
    await until(() => hub.of('say').length === 3);
    hub.deliver(delivery(5, 'task', { lease: 2 }));
    await until(() => hub.of('say').length === 4);
    await until(() => hub.acked === 5);
    expect(bodies()).toEqual([
      ['progress', 'one'],
      ['answer', 'two'],
    ]);
    expect(new Set(keysOf('one')).size).toBe(1);
    expect(new Set(keysOf('two')).size).toBe(1);
    expect([runs, errors]).toEqual([1, []]);
  });

  test('[PAP-17] what comes again is taken once, and acknowledged in order', async () => {
    const taken: string[] = [];
    hub.refuse = ({ method }) => (method === 'ack' ? 'no answer' : undefined);
    await connect((task) => {
      taken.push(task.id);
      return never();
    });
    hub.deliver(delivery(1, 'task'));
    hub.deliver(delivery(2, 'task', { task: 'tsk_2' }));
    await until(() => taken.length === 2);
    hub.refuse = () => undefined;
    hub.remember(delivery(3, 'task', { task: 'tsk_3' }));
    await restart();
    await until(() => hub.acked === 3);
    expect(taken).toEqual(['tsk_1', 'tsk_2', 'tsk_3']);
  });

  test('a decline whose answer was lost is not an error when it is found to have arrived', async () => {
    await connect((task) => task.decline('no'));
    hub.refuse = ({ method }) => (method === 'decline' ? 'no answer' : undefined);
    hub.deliver(delivery(1, 'task'));
    await until(() => hub.of('decline').length === 1);
    hub.refuse = ({ method }) => (method === 'decline' ? { code: 'task_over' } : undefined);
    await restart();
    await until(() => hub.of('decline').length === 2);
    expect(errors).toEqual([]);
  });

  test('waits grow while the hub is away; silence for longer than two of its signs is a lost line', async () => {
    await connect(never);
    clock.advance(60_000);
    hub.alive();
    clock.advance(60_000);
    expect(hub.connections).toBe(1);
    clock.advance(15_000);
    expect(states.at(-1)).toMatchObject({ status: 'waiting', reason: 'the hub has fallen silent', retryAt: clock.now() + 250 });
    // A hub that hangs up before it has said who it is counts as away.
    hub.refuse = ({ method }) => (method === 'initialize' ? 'no answer' : undefined);
    for (const wait of [250, 500, 1_000]) {
      expect(states.at(-1)).toMatchObject({ status: 'waiting', retryAt: clock.now() + wait });
      const asked = hub.of('initialize').length;
      clock.advance(wait);
      await until(() => hub.of('initialize').length > asked);
      hub.cut();
    }
    hub.refuse = () => undefined;
    clock.advance(2_000);
    await until(() => states.at(-1)?.status === 'live');
    hub.cut();
    expect(states.at(-1)).toMatchObject({ status: 'waiting', retryAt: clock.now() + 250 });
  });

  test.each([
    ['unauthenticated', { code: closeCodes.unauthenticated }],
    ['forbidden', { status: 403 }],
    ['stale_lease', { code: closeCodes.replaced }],
  ])('it does not come back when it is not wanted: %s', async (code, close) => {
    let task: AgentTask | undefined;
    const agent = await connect((given) => {
      task = given;
      return never();
    });
    hub.deliver(delivery(1, 'task'));
    await until(() => task !== undefined);
    hub.cut(close);
    await expect(agent.closed).rejects.toMatchObject({ code });
    expect(task!.signal.reason).toMatchObject({ code });
    expect([agent.state.status, clock.waits]).toEqual(['stopped', []]);
  });

  test('closed from here, it hangs up and the runs are told', async () => {
    let task: AgentTask | undefined;
    const agent = await connect((given) => {
      task = given;
      return never();
    });
    hub.deliver(delivery(1, 'task'));
    await until(() => task !== undefined);
    agent.close();
    await agent.closed;
    await expect(task!.say('x')).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('a process that was started again', () => {
  test('[SYS-12] says the same again and it is not shown again; something else is', async () => {
    await connect(async (task) => {
      for (const text of ['Looking…', 'Looking…', 'Found A.']) await task.say(text);
      return never();
    });
    hub.deliver(delivery(1, 'task'));
    await until(() => hub.shown.length === 3);
    agents.pop()!.close();
    await connect(async (task) => {
      for (const text of ['Looking…', 'Looking…', 'Found B.']) await task.say(text);
      return 'Done.';
    });
    hub.deliver(delivery(9, 'task', { lease: 2 }));
    await until(() => hub.shown.some(({ kind }) => kind === 'answer'));
    expect(bodies().map(([, body]) => body)).toEqual(['Looking…', 'Looking…', 'Found A.', 'Found B.', 'Done.']);
  });

  test('[PAP-7] asks the same again and gets the answer that was given', async () => {
    const ask: AgentOptions['onTask'] = async (task) => `To ${await task.ask('Where to?')}.`;
    await connect(ask);
    hub.deliver(delivery(1, 'task'));
    await until(() => hub.shown.length === 1);
    agents.pop()!.close();
    await connect(ask);
    const said = [...delivery(0, 'task').event.words, word('msg_0', 'question', 'Where to?', 'mem_me'), word('msg_r', 'follow_up', 'Rome')];
    hub.deliver(delivery(8, 'task', { lease: 2, words: said }));
    await until(() => hub.shown.length === 2);
    expect(bodies()).toEqual([
      ['question', 'Where to?'],
      ['answer', 'To Rome.'],
    ]);
  });

  test('[PAP-10] gets the results of sub-tasks again, because they were not acknowledged while the task was open', async () => {
    const delegate: AgentOptions['onTask'] = async (task) => {
      await task.say('^STEF who is here?');
      const result = await task.next('result');
      if (hub.connections === 1) return never();
      return `Stef: ${result.text}`;
    };
    await connect(delegate);
    hub.deliver(delivery(1, 'task'));
    hub.deliver(delivery(2, 'result', { content: 'You and me.', cause: 'completed', messageId: 'msg_s' }));
    await until(() => hub.acked === 1 && hub.shown.length === 1);
    agents.pop()!.close();
    hub.remember(delivery(3, 'task', { lease: 2 }));
    await connect(delegate);
    await until(() => hub.acked === 3);
    expect(bodies()).toEqual([
      ['progress', '^STEF who is here?'],
      ['answer', 'Stef: You and me.'],
    ]);
  });
});

describe('while it works', () => {
  test('[PAP-7] ask waits for the answer over a reconnect, and `next` does not bring it as well', async () => {
    const heard: More[] = [];
    await connect(async (task) => {
      const where = await task.ask('Where to?');
      heard.push(await task.next());
      return `To ${where}.`;
    });
    hub.deliver(delivery(1, 'task'));
    await until(() => hub.shown.length === 1);
    await restart();
    const said = [...delivery(0, 'task').event.words, word('msg_0', 'question', 'Where to?', 'mem_me'), word('msg_r', 'follow_up', 'Rome')];
    hub.deliver(delivery(8, 'task', { lease: 2, words: said }));
    hub.deliver(delivery(9, 'follow_up', { messageId: 'msg_r2', content: 'by train' }));
    await until(() => hub.shown.length === 2);
    expect(heard).toMatchObject([{ kind: 'follow_up', text: 'by train' }]);
    expect(bodies()[1]).toEqual(['answer', 'To Rome.']);
    expect(hub.of('say')[1]).toMatchObject({ lease: 2 });
  });

  test('[PAP-9] follow-ups come once, be it in the words, as an event, or both', async () => {
    const heard: string[] = [];
    let task: AgentTask | undefined;
    await connect(async (given) => {
      task = given;
      for (;;) heard.push((await given.next()).text);
    });
    const words = [...delivery(0, 'task').event.words, word('msg_f', 'follow_up', 'and this')];
    hub.deliver(delivery(1, 'task', { words }));
    hub.deliver(delivery(2, 'follow_up', { messageId: 'msg_f', content: 'and this' }));
    hub.deliver(delivery(3, 'follow_up', { messageId: 'msg_g', content: 'and that' }));
    hub.deliver(delivery(4, 'flagged', { messageId: 'msg_h', content: '^X', cause: 'cycle' }));
    await until(() => heard.length === 3);
    expect(heard).toEqual(['and this', 'and that', '^X']);
    expect(task!.words.map(({ content }) => content)).toEqual(['hello', 'and this', 'and that']);
  });

  test('[PAP-10] it can let go of its turn until a sub-task has ended', async () => {
    await connect(async (task) => {
      await task.say('^STEF go');
      await task.pause();
      return (await task.next('result')).text;
    });
    hub.deliver(delivery(1, 'task'));
    await until(() => hub.of('pause').length === 1);
    hub.deliver(delivery(2, 'result', { content: 'gone' }));
    hub.deliver(delivery(3, 'task', { lease: 2 }));
    await until(() => hub.shown.length === 2);
    expect(hub.of('say')[1]).toMatchObject({ body: 'gone', lease: 2 });
  });

  test('[SYS-10] what is refused while everything is stopped is said when it is released', async () => {
    let halted = true;
    hub.refuse = ({ method }) => (method === 'say' && halted ? { code: 'halted' } : undefined);
    await connect(() => 'at last');
    hub.deliver(delivery(1, 'task'));
    await until(() => hub.of('say').length === 1);
    halted = false;
    hub.notify('halt', { halted: false });
    await until(() => hub.shown.length === 1);
    expect(new Set(keysOf('at last')).size).toBe(1);
  });

  test('too fast for the hub, it waits and tries again', async () => {
    hub.refuse = ({ method }) => (method === 'say' && hub.of('say').length < 3 ? { code: 'rate_limited' } : undefined);
    await connect(() => 'patience');
    hub.deliver(delivery(1, 'task'));
    await until(() => clock.waits.includes(150));
    clock.advance(150);
    await until(() => clock.waits.includes(300));
    clock.advance(300);
    await until(() => hub.shown.length === 1);
  });

  test('of drafts that come faster than they are sent only the latest goes out', async () => {
    await connect((task) => {
      for (const text of ['a', 'ab', 'abc']) task.draft(text);
      return never();
    });
    hub.deliver(delivery(1, 'task'));
    await until(() => hub.of('draft').length === 1 && clock.waits.includes(200));
    clock.advance(200);
    await until(() => hub.of('draft').length === 2);
    expect(hub.of('draft').map(({ text }) => text)).toEqual(['a', 'abc']);
  });

  test('more calls than the hub takes at once wait their turn', async () => {
    await connect(async (task) => {
      await Promise.all(Array.from({ length: 100 }, () => task.message('msg_1')));
      return 'read';
    });
    hub.refuse = ({ method }) => (method === 'read.message' ? 'no answer' : undefined);
    hub.deliver(delivery(1, 'task'));
    await until(() => hub.of('read.message').length > 0);
    expect(hub.of('read.message').length).toBeLessThanOrEqual(32);
    hub.refuse = () => undefined;
    await restart();
    await until(() => hub.shown.length === 1);
  });
});

describe('offers', () => {
  test('[PAP-4] it claims what it wants; losing is quiet, and the same offer is not asked about twice', async () => {
    const asked: string[] = [];
    hub.refuse = ({ method, params }) => (method === 'claim' && params['taskId'] === 'tsk_2' ? { code: 'already_claimed' } : undefined);
    await connect(() => 'mine', {
      onOffer: (offer) => {
        asked.push(offer.task.id);
        return offer.task.id !== 'tsk_3';
      },
    });
    for (const [n, task] of ['tsk_1', 'tsk_2', 'tsk_3', 'tsk_1'].entries())
      hub.notify('deliver', delivery(0, 'offer', { task, eventId: `e:${task}`, lease: null, createdAt: n }));
    await until(() => hub.of('claim').length === 2);
    hub.deliver(delivery(4, 'task'));
    await until(() => hub.shown.length === 1);
    expect(asked).toEqual(['tsk_1', 'tsk_2', 'tsk_3']);
    expect(errors).toEqual([]);
    expect(hub.of('ack').map(({ cursor }) => cursor)).toEqual([4]);
  });

  test('[PAP-4] what it could not take because it was busy it tries again when it is done', async () => {
    hub.refuse = ({ method }) => (method === 'claim' && hub.of('claim').length === 1 ? { code: 'agent_busy' } : undefined);
    const done = Promise.withResolvers<string>();
    await connect(() => done.promise, { onOffer: () => true });
    hub.deliver(delivery(1, 'task'));
    hub.notify('deliver', delivery(1, 'offer', { task: 'tsk_2', eventId: 'e:o', lease: null }));
    await until(() => hub.of('claim').length === 1);
    done.resolve('done');
    await until(() => hub.of('claim').length === 2);
  });
});
