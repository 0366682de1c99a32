import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Bench } from '../../test/agent/bench.ts';
import { delivery, word } from '../../test/agent/hub-in-memory.ts';
import { until } from '../../test/support.ts';
import { ParleyError } from './index.ts';
import type { AgentTask, DigestEvent, More } from './index.ts';

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.close());
const never = () => new Promise<never>(() => {});

describe('a task', () => {
  test('[PAP-7] the handler’s return value is the answer; the event is acknowledged once it is taken', async () => {
    await bench.connect(async (task) => {
      await task.say('Wait.');
      return `You said: ${task.text}`;
    });
    bench.hub.deliver(delivery(7, 'task'));
    await until(() => bench.hub.shown.length === 2 && bench.hub.acked === 7);
    expect(bench.bodies()).toEqual([
      ['progress', 'Wait.'],
      ['answer', 'You said: hello'],
    ]);
    expect(bench.hub.of('say')).toMatchObject([{ taskId: 'tsk_1', lease: 1 }, { lease: 1 }]);
  });

  test('words sent without waiting are read in the order they were sent', async () => {
    await bench.connect((task) => {
      void task.say('one');
      void task.say('two');
      return 'three';
    });
    bench.hub.deliver(delivery(1, 'task'));
    await until(() => bench.hub.shown.length === 3);
    expect(bench.bodies().map(([, body]) => body)).toEqual(['one', 'two', 'three']);
  });

  test('[PAP-7] a handler need not wait for its last word', async () => {
    await bench.connect((task) => void task.answer('done'));
    bench.hub.deliver(delivery(1, 'task'));
    await until(() => bench.hub.shown.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([bench.hub.of('decline'), bench.errors]).toEqual([[], []]);
  });

  test('[PAP-14] a handler that fails or forgets to answer says so: silence is not an outcome', async () => {
    await bench.connect((task) => {
      if (task.id === 'tsk_1') throw new Error('secret detail');
    });
    bench.hub.deliver(delivery(1, 'task'));
    bench.hub.deliver(delivery(2, 'task', { task: 'tsk_2' }));
    await until(() => bench.hub.of('decline').length === 2);
    expect(bench.hub.of('decline')).toMatchObject([
      { taskId: 'tsk_1', outcome: 'blocked', reason: expect.not.stringContaining('secret') },
      { taskId: 'tsk_2', outcome: 'blocked' },
    ]);
    expect(bench.errors).toEqual([new Error('secret detail')]);
  });

  test('[PAP-15] a task that ends without its handler aborts it with the cause; what it says then is not sent', async () => {
    let task: AgentTask | undefined;
    await bench.connect(async (given) => {
      task = given;
      await given.next();
    });
    bench.hub.deliver(delivery(1, 'task'));
    bench.hub.deliver(delivery(2, 'ended', { cause: 'stopped' }));
    await until(() => task?.signal.aborted === true);
    expect(task!.signal.reason).toMatchObject({ name: 'ParleyError', code: 'task_over', reason: 'stopped' });
    await expect(task!.say('too late')).rejects.toMatchObject({ code: 'task_over' });
    expect([bench.hub.of('say'), bench.hub.of('decline'), bench.errors]).toEqual([[], [], []]);
  });

  test('a refusal is a ParleyError with its code; one that says the task is lost ends the run', async () => {
    let caught: unknown;
    bench.hub.refuse = ({ method, params }) =>
      method === 'say' ? (params['body'] === 'x' ? { code: 'archived', reason: 'why' } : { code: 'stale_lease' }) : undefined;
    let task: AgentTask | undefined;
    await bench.connect(async (given) => {
      task = given;
      await given.say('x').catch((error: unknown) => (caught = error));
      await given.say('y');
    });
    bench.hub.deliver(delivery(1, 'task'));
    await until(() => task?.signal.aborted === true);
    expect(caught).toBeInstanceOf(ParleyError);
    expect(caught).toMatchObject({ code: 'archived', reason: 'why' });
    expect([bench.hub.of('decline'), bench.errors]).toEqual([[], []]);
  });

  test('said after its own last word: the mistake is reported', async () => {
    bench.hub.refuse = ({ params }) => (params['body'] === 'more' ? { code: 'task_over' } : undefined);
    await bench.connect(async (task) => {
      await task.answer('done');
      await task.say('more');
    });
    bench.hub.deliver(delivery(1, 'task'));
    await until(() => bench.errors.length === 1);
    expect(bench.errors).toMatchObject([{ code: 'task_over' }]);
  });
});

describe('while it works', () => {
  test('[PAP-7] ask waits for the answer over a reconnect, and `next` does not bring it as well', async () => {
    const heard: More[] = [];
    await bench.connect(async (task) => {
      const where = await task.ask('Where to?');
      heard.push(await task.next());
      return `To ${where}.`;
    });
    bench.hub.deliver(delivery(1, 'task'));
    await until(() => bench.hub.shown.length === 1);
    await bench.restart();
    const said = [...delivery(0, 'task').event.words, word('msg_0', 'question', 'Where to?', 'mem_me'), word('msg_r', 'follow_up', 'Rome')];
    bench.hub.deliver(delivery(8, 'task', { lease: 2, words: said }));
    bench.hub.deliver(delivery(9, 'follow_up', { messageId: 'msg_r2', content: 'by train' }));
    await until(() => bench.hub.shown.length === 2);
    expect(heard).toMatchObject([{ kind: 'follow_up', text: 'by train' }]);
    expect(bench.bodies()[1]).toEqual(['answer', 'To Rome.']);
    expect(bench.hub.of('say')[1]).toMatchObject({ lease: 2 });
  });

  test('[PAP-9] follow-ups come once, be it in the words, as an event, or both', async () => {
    const heard: string[] = [];
    let task: AgentTask | undefined;
    await bench.connect(async (given) => {
      task = given;
      for (;;) heard.push((await given.next('follow_up', 'flagged')).text);
    });
    const words = [...delivery(0, 'task').event.words, word('msg_f', 'follow_up', 'and this')];
    bench.hub.deliver(delivery(1, 'task', { words }));
    bench.hub.deliver(delivery(2, 'follow_up', { messageId: 'msg_f', content: 'and this' }));
    bench.hub.deliver(delivery(3, 'follow_up', { messageId: 'msg_g', content: 'and that' }));
    bench.hub.deliver(delivery(4, 'flagged', { messageId: 'msg_h', content: '^X', cause: 'cycle' }));
    await until(() => heard.length === 3);
    expect(heard).toEqual(['and this', 'and that', '^X']);
    expect(task!.words.map(({ content }) => content)).toEqual(['hello', 'and this', 'and that']);
  });

  test('[PAP-10] words that made no task come back with the reason and the remedy', async () => {
    const told: unknown[] = [];
    await bench.connect(async (task) => {
      const { cause, topic } = await task.next('flagged');
      told.push([cause, topic]);
      return 'done';
    });
    bench.hub.deliver(delivery(1, 'task'));
    bench.hub.deliver(delivery(2, 'flagged', { content: '^X', cause: 'not_permitted', topic: 'You may not contact X.' }));
    await until(() => bench.hub.shown.length === 1);
    expect(told).toEqual([['not_permitted', 'You may not contact X.']]);
  });

  test('[C2A-4] a request, or an answer, written in fragments is given whole', async () => {
    const heard: string[] = [];
    await bench.connect(async (task) => {
      heard.push(task.text, await task.ask('Where to?'), (await task.next()).text);
      return 'done';
    });
    const asked = [word('msg_p', 'request', 'book me'), word('msg_q', 'request', 'a room')];
    bench.hub.deliver(delivery(1, 'task', { words: asked }));
    await until(() => bench.hub.shown.length === 1);
    const answer = [word('msg_r', 'follow_up', 'Rome'), word('msg_s', 'follow_up', 'by the sea')];
    const words = [...asked, word('msg_0', 'question', 'Where to?', 'mem_me'), ...answer];
    bench.hub.deliver(delivery(2, 'task', { lease: 2, words }));
    bench.hub.deliver(delivery(3, 'follow_up', { messageId: 'msg_t', content: 'and soon' }));
    await until(() => bench.hub.shown.length === 2);
    expect(heard).toEqual(['book me\na room', 'Rome\nby the sea', 'and soon']);
  });

  test('[PAP-10] a handler can pause its turn until a sub-task has ended', async () => {
    await bench.connect(async (task) => {
      await task.say('^STEF go');
      await task.pause();
      return (await task.next('result')).text;
    });
    bench.hub.deliver(delivery(1, 'task'));
    await until(() => bench.hub.of('pause').length === 1);
    bench.hub.deliver(delivery(2, 'result', { content: 'gone' }));
    bench.hub.deliver(delivery(3, 'task', { lease: 2 }));
    await until(() => bench.hub.shown.length === 2);
    expect(bench.hub.of('say')[1]).toMatchObject({ body: 'gone', lease: 2 });
  });

  test('[SYS-10] words refused while everything is stopped are sent again on the release', async () => {
    let halted = true;
    bench.hub.refuse = ({ method }) => (method === 'say' && halted ? { code: 'halted' } : undefined);
    await bench.connect(() => 'at last');
    bench.hub.deliver(delivery(1, 'task'));
    await until(() => bench.hub.of('say').length === 1);
    halted = false;
    bench.hub.notify('halt', { halted: false });
    await until(() => bench.hub.shown.length === 1);
    expect(new Set(bench.keysOf('at last')).size).toBe(1);
  });

  test('too fast for the bench.hub, it waits and tries again', async () => {
    bench.hub.refuse = ({ method }) => (method === 'say' && bench.hub.of('say').length < 3 ? { code: 'rate_limited' } : undefined);
    await bench.connect(() => 'patience');
    bench.hub.deliver(delivery(1, 'task'));
    await until(() => bench.clock.waits.includes(150));
    bench.clock.advance(150);
    await until(() => bench.clock.waits.includes(300));
    bench.clock.advance(300);
    await until(() => bench.hub.shown.length === 1);
  });

  test('of drafts that come faster than they are sent only the latest goes out', async () => {
    await bench.connect((task) => {
      for (const text of ['a', 'ab', 'abc']) task.draft(text);
      return never();
    });
    bench.hub.deliver(delivery(1, 'task'));
    await until(() => bench.hub.of('draft').length === 1 && bench.clock.waits.includes(200));
    bench.clock.advance(200);
    await until(() => bench.hub.of('draft').length === 2);
    expect(bench.hub.of('draft').map(({ text }) => text)).toEqual(['a', 'abc']);
  });

  test('more calls than the hub takes at once wait their turn', async () => {
    await bench.connect(async (task) => {
      await Promise.all(Array.from({ length: 100 }, () => task.message('msg_1')));
      return 'read';
    });
    bench.hub.refuse = ({ method }) => (method === 'read.message' ? 'no answer' : undefined);
    bench.hub.deliver(delivery(1, 'task'));
    await until(() => bench.hub.of('read.message').length > 0);
    expect(bench.hub.of('read.message').length).toBeLessThanOrEqual(32);
    bench.hub.refuse = () => undefined;
    await bench.restart();
    await until(() => bench.hub.shown.length === 1);
  });
});

describe('offers', () => {
  const knock = (messageId: string) => {
    const { cursor, event } = delivery(0, 'offer', { eventId: `e:${messageId}`, messageId, content: null, lease: null });
    return { cursor, event: { ...event, task: null, chain: null } };
  };

  test('[C2A-15] an offer round on an open floor has no task: the agent claims its message, or passes it on', async () => {
    bench.hub.refuse = ({ method, params }) =>
      method === 'claim' && params['messageId'] === 'msg_2' ? { code: 'not_offered' } : undefined;
    await bench.connect(() => 'mine', { onOffer: (offer) => offer.task === null && offer.messageId !== 'msg_3' });
    for (const message of ['msg_1', 'msg_2', 'msg_3', 'msg_1']) bench.hub.notify('deliver', knock(message));
    await until(() => bench.hub.of('pass').length === 1 && bench.hub.of('claim').length === 2);
    expect(bench.hub.of('claim')).toEqual([{ messageId: 'msg_1' }, { messageId: 'msg_2' }]);
    expect(bench.hub.of('pass')).toEqual([{ messageId: 'msg_3' }]);
  });

  test('[C2A-15] an agent that takes no offers does not keep the next one waiting', async () => {
    await bench.connect(() => 'mine');
    bench.hub.notify('deliver', knock('msg_1'));
    bench.hub.notify('deliver', delivery(0, 'offer', { task: 'tsk_1', eventId: 'e:tsk_1', messageId: 'msg_2', lease: null }));
    await until(() => bench.hub.of('pass').length === 2);
    expect([bench.hub.of('pass'), bench.hub.of('claim')]).toEqual([[{ messageId: 'msg_1' }, { messageId: 'msg_2' }], []]);
  });

  test('[PAP-4] an agent claims offers it wants; a lost claim is quiet, and one offer is not asked about twice', async () => {
    const asked: string[] = [];
    bench.hub.refuse = ({ method, params }) =>
      method === 'claim' && params['taskId'] === 'tsk_2' ? { code: 'already_claimed' } : undefined;
    await bench.connect(() => 'mine', {
      onOffer: (offer) => {
        asked.push(offer.task!.id);
        return offer.task?.id !== 'tsk_3';
      },
    });
    for (const [n, task] of ['tsk_1', 'tsk_2', 'tsk_3', 'tsk_1'].entries())
      bench.hub.notify('deliver', delivery(0, 'offer', { task, eventId: `e:${task}`, lease: null, createdAt: n }));
    await until(() => bench.hub.of('claim').length === 2);
    bench.hub.deliver(delivery(4, 'task'));
    await until(() => bench.hub.shown.length === 1);
    expect(asked).toEqual(['tsk_1', 'tsk_2', 'tsk_3']);
    expect(bench.errors).toEqual([]);
    expect(bench.hub.of('ack').map(({ cursor }) => cursor)).toEqual([4]);
  });

  test('[PAP-4] an offer that a busy agent could not take is tried again when it is done', async () => {
    bench.hub.refuse = ({ method }) => (method === 'claim' && bench.hub.of('claim').length === 1 ? { code: 'agent_busy' } : undefined);
    const done = Promise.withResolvers<string>();
    await bench.connect(() => done.promise, { onOffer: () => true });
    bench.hub.deliver(delivery(1, 'task'));
    bench.hub.notify('deliver', delivery(1, 'offer', { task: 'tsk_2', eventId: 'e:o', lease: null }));
    await until(() => bench.hub.of('claim').length === 1);
    done.resolve('done');
    await until(() => bench.hub.of('claim').length === 2);
  });
});

describe('digests', () => {
  test('[C2A-7] each digest comes once and is acknowledged; a handler that fails is reported and holds nothing up', async () => {
    const told: string[] = [];
    await bench.connect(() => 'done', {
      onDigest: ({ eventId, topic }) => {
        told.push(`${eventId} ${topic}`);
        if (told.length === 2) throw new Error('no');
      },
    });
    const digest = (cursor: number) => ({
      cursor,
      event: { eventId: `e:${cursor}`, kind: 'digest', topic: `${cursor} messages`, task: null } as unknown as DigestEvent,
    });
    for (const cursor of [1, 1, 2]) bench.hub.deliver(digest(cursor));
    await until(() => bench.hub.acked === 2);
    expect(told).toEqual(['e:1 1 messages', 'e:2 2 messages']);
    expect(bench.errors).toHaveLength(1);
    expect(bench.hub.shown).toEqual([]);
  });
});
