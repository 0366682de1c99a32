import { closeCodes } from '@parley/protocol';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Bench } from '../../test/agent/bench.ts';
import { delivery, word } from '../../test/agent/hub-in-memory.ts';
import { until } from '../../test/support.ts';
import type { AgentOptions, AgentTask } from './index.ts';

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.close());
const never = () => new Promise<never>(() => {});

describe('over a lost connection', () => {
  test('[SYS-12] a hub that is gone in the middle: what arrived is not shown twice, the rest is said under the new lease', async () => {
    const go = Promise.withResolvers<void>();
    let runs = 0;
    await bench.connect(async (task) => {
      runs++;
      await task.say('one');
      await go.promise;
      return 'two';
    });
    // It was stored; the answer was lost.
    bench.hub.refuse = ({ method, params }) => (method === 'say' && bench.hub.commit(params) && 'no answer') || undefined;
    bench.hub.deliver(delivery(1, 'task'));
    await until(() => bench.hub.of('say').length === 1);
    bench.hub.refuse = ({ method, params }) =>
      method === 'say' && params['body'] === 'two' && params['lease'] === 1 ? { code: 'stale_lease' } : undefined;
    await bench.restart();
    await until(() => bench.hub.of('say').length === 2);
    go.resolve();
    await until(() => bench.hub.of('say').length === 3);
    bench.hub.deliver(delivery(5, 'task', { lease: 2 }));
    await until(() => bench.hub.of('say').length === 4);
    await until(() => bench.hub.acked === 5);
    expect(bench.bodies()).toEqual([
      ['progress', 'one'],
      ['answer', 'two'],
    ]);
    expect(new Set(bench.keysOf('one')).size).toBe(1);
    expect(new Set(bench.keysOf('two')).size).toBe(1);
    expect([runs, bench.errors]).toEqual([1, []]);
  });

  test('[PAP-17] [C2A-30] a repeated delivery is taken once, and acknowledged in order', async () => {
    const taken: string[] = [];
    bench.hub.refuse = ({ method }) => (method === 'ack' ? 'no answer' : undefined);
    await bench.connect((task) => {
      taken.push(task.id);
      return never();
    });
    bench.hub.deliver(delivery(1, 'task'));
    bench.hub.deliver(delivery(2, 'task', { task: 'tsk_2' }));
    await until(() => taken.length === 2);
    bench.hub.refuse = () => undefined;
    bench.hub.remember(delivery(3, 'task', { task: 'tsk_3' }));
    await bench.restart();
    await until(() => bench.hub.acked === 3);
    expect(taken).toEqual(['tsk_1', 'tsk_2', 'tsk_3']);
  });

  test('[PAP-17] a result that comes again on every connection reaches the handler once', async () => {
    const heard: string[] = [];
    await bench.connect(async (task) => {
      for (;;) heard.push((await task.next('result')).text);
    });
    bench.hub.deliver(delivery(1, 'task'));
    bench.hub.deliver(delivery(2, 'result', { content: 'once', messageId: 'msg_s' }));
    await until(() => heard.length === 1 && bench.hub.acked === 1);
    await bench.restart();
    bench.hub.deliver(delivery(3, 'result', { content: 'and another', messageId: 'msg_t' }));
    await until(() => heard.includes('and another'));
    expect(heard).toEqual(['once', 'and another']);
    expect(bench.hub.acked).toBe(1);
  });

  test('[SYS-4] a hub that was restored to an earlier moment is not told to forget what it has yet to say', async () => {
    bench.hub.refuse = ({ method }) => (method === 'ack' ? 'no answer' : undefined);
    await bench.connect(never);
    bench.hub.notify('deliver', delivery(100, 'task', { eventId: 'before:100' }));
    await until(() => bench.hub.of('ack').length === 1);
    bench.hub.refuse = () => undefined;
    bench.hub.remember(delivery(5, 'result', { eventId: 'after:5', task: 'tsk_2' }));
    await bench.restart();
    bench.hub.deliver(delivery(6, 'task', { eventId: 'after:6', task: 'tsk_2', lease: 2 }));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(bench.hub.acked).toBe(0);
  });

  test('words sent without waiting keep their order when the first of them has to be repeated', async () => {
    let refused = false;
    bench.hub.refuse = ({ method, params }) => {
      if (method !== 'say' || params['body'] !== 'one' || refused) return undefined;
      refused = true;
      return { code: 'unavailable' };
    };
    await bench.connect((task) => {
      void task.say('one');
      void task.say('two');
      return 'three';
    });
    bench.hub.deliver(delivery(1, 'task'));
    await until(() => bench.clock.waits.includes(150));
    bench.clock.advance(150);
    await until(() => bench.hub.shown.length === 3);
    expect(bench.bodies().map(([, body]) => body)).toEqual(['one', 'two', 'three']);
  });

  test('a decline whose answer was lost is not an error when it is found to have arrived', async () => {
    await bench.connect((task) => task.decline('no'));
    bench.hub.refuse = ({ method }) => (method === 'decline' ? 'no answer' : undefined);
    bench.hub.deliver(delivery(1, 'task'));
    await until(() => bench.hub.of('decline').length === 1);
    bench.hub.refuse = ({ method }) => (method === 'decline' ? { code: 'task_over' } : undefined);
    await bench.restart();
    await until(() => bench.hub.of('decline').length === 2);
    expect(bench.errors).toEqual([]);
  });

  test('waits grow while the hub is away; silence for longer than two of its signs is a lost line', async () => {
    await bench.connect(never);
    bench.clock.advance(60_000);
    bench.hub.alive();
    bench.clock.advance(60_000);
    expect(bench.hub.connections).toBe(1);
    bench.clock.advance(15_000);
    expect(bench.states.at(-1)).toMatchObject({ status: 'waiting', reason: 'the hub has fallen silent', retryAt: bench.clock.now() + 250 });
    // A hub that hangs up before it has said who it is counts as away.
    bench.hub.refuse = ({ method }) => (method === 'initialize' ? 'no answer' : undefined);
    for (const wait of [250, 500, 1_000]) {
      expect(bench.states.at(-1)).toMatchObject({ status: 'waiting', retryAt: bench.clock.now() + wait });
      const asked = bench.hub.of('initialize').length;
      bench.clock.advance(wait);
      await until(() => bench.hub.of('initialize').length > asked);
      bench.hub.cut();
    }
    bench.hub.refuse = () => undefined;
    bench.clock.advance(2_000);
    await until(() => bench.states.at(-1)?.status === 'live');
    bench.hub.cut();
    expect(bench.states.at(-1)).toMatchObject({ status: 'waiting', retryAt: bench.clock.now() + 250 });
  });

  test.each([
    ['unauthenticated', { code: closeCodes.unauthenticated }],
    ['forbidden', { status: 403 }],
    ['stale_lease', { code: closeCodes.replaced }],
  ])('an agent that is refused does not reconnect: %s', async (code, close) => {
    let task: AgentTask | undefined;
    const agent = await bench.connect((given) => {
      task = given;
      return never();
    });
    bench.hub.deliver(delivery(1, 'task'));
    await until(() => task !== undefined);
    bench.hub.cut(close);
    await expect(agent.closed).rejects.toMatchObject({ code });
    expect(task!.signal.reason).toMatchObject({ code });
    expect([agent.state.status, bench.clock.waits]).toEqual(['stopped', []]);
  });

  test('close() hangs up and aborts the runs', async () => {
    let task: AgentTask | undefined;
    const agent = await bench.connect((given) => {
      task = given;
      return never();
    });
    bench.hub.deliver(delivery(1, 'task'));
    await until(() => task !== undefined);
    agent.close();
    await agent.closed;
    await expect(task!.say('x')).rejects.toMatchObject({ code: 'unavailable' });
  });
});

test('[SYS-12] [SYS-4] cut off at any moment, before or after what it says is stored: everything is said once, in order', async () => {
  const script = ['one', 'two', 'two', 'three', 'four'];
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('fine', 'lost', 'stored', 'cut later'), { maxLength: 12 }), async (fates) => {
      bench = new Bench();
      let lease = 1;
      const answered = () => bench.hub.shown.at(-1)?.kind === 'answer';
      const cut = () => {
        // What is over is not given again.
        if (!answered()) bench.hub.remember(delivery(++lease, 'task', { lease }));
        bench.hub.cut();
      };
      const left = [...fates];
      bench.hub.refuse = ({ method, params }) => {
        if (method !== 'say') return undefined;
        // As the hub does: what has its key is answered, whoever holds the lease.
        if (!bench.hub.shown.some(({ key }) => key === params['key']) && params['lease'] !== lease) return { code: 'stale_lease' };
        const fate = left.shift() ?? 'fine';
        if (fate === 'stored') bench.hub.commit(params);
        if (fate === 'cut later') queueMicrotask(cut);
        if (fate === 'fine' || fate === 'cut later') return undefined;
        cut();
        return 'no answer';
      };
      let runs = 0;
      const agent = await bench.connect(async (task) => {
        runs++;
        for (const text of script) await task.say(text);
        return 'five';
      });
      bench.hub.deliver(delivery(1, 'task'));
      await until(() => {
        if (bench.states.at(-1)?.status === 'waiting') bench.clock.advance(10_000);
        return answered() && bench.hub.acked === lease;
      });
      agent.close();
      expect(bench.bodies().map(([, body]) => body)).toEqual([...script, 'five']);
      expect([runs, bench.errors]).toEqual([1, []]);
    }),
    { numRuns: 60 },
  );
});

describe('a process that was started again', () => {
  test('[SYS-12] says the same again and it is not shown again; something else is', async () => {
    await bench.connect(async (task) => {
      for (const text of ['Looking…', 'Looking…', 'Found A.']) await task.say(text);
      return never();
    });
    bench.hub.deliver(delivery(1, 'task'));
    await until(() => bench.hub.shown.length === 3);
    bench.agents.pop()!.close();
    await bench.connect(async (task) => {
      for (const text of ['Looking…', 'Looking…', 'Found B.']) await task.say(text);
      return 'Done.';
    });
    bench.hub.deliver(delivery(9, 'task', { lease: 2 }));
    await until(() => bench.hub.shown.some(({ kind }) => kind === 'answer'));
    expect(bench.bodies().map(([, body]) => body)).toEqual(['Looking…', 'Looking…', 'Found A.', 'Found B.', 'Done.']);
  });

  test('[PAP-7] asks the same again and gets the answer that was given', async () => {
    const ask: AgentOptions['onTask'] = async (task) => `To ${await task.ask('Where to?')}.`;
    await bench.connect(ask);
    bench.hub.deliver(delivery(1, 'task'));
    await until(() => bench.hub.shown.length === 1);
    bench.agents.pop()!.close();
    await bench.connect(ask);
    const said = [...delivery(0, 'task').event.words, word('msg_0', 'question', 'Where to?', 'mem_me'), word('msg_r', 'follow_up', 'Rome')];
    bench.hub.deliver(delivery(8, 'task', { lease: 2, words: said }));
    await until(() => bench.hub.shown.length === 2);
    expect(bench.bodies()).toEqual([
      ['question', 'Where to?'],
      ['answer', 'To Rome.'],
    ]);
  });

  test('[PAP-10] gets the results of sub-tasks again, because they were not acknowledged while the task was open', async () => {
    const delegate: AgentOptions['onTask'] = async (task) => {
      await task.say('^STEF who is here?');
      const result = await task.next('result');
      if (bench.hub.connections === 1) return never();
      return `Stef: ${result.text}`;
    };
    await bench.connect(delegate);
    bench.hub.deliver(delivery(1, 'task'));
    bench.hub.deliver(delivery(2, 'result', { content: 'You and me.', cause: 'completed', messageId: 'msg_s' }));
    await until(() => bench.hub.acked === 1 && bench.hub.shown.length === 1);
    bench.agents.pop()!.close();
    bench.hub.remember(delivery(3, 'task', { lease: 2 }));
    await bench.connect(delegate);
    await until(() => bench.hub.acked === 3);
    expect(bench.bodies()).toEqual([
      ['progress', '^STEF who is here?'],
      ['answer', 'Stef: You and me.'],
    ]);
  });
});
