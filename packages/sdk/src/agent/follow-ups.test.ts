// More was said than an answer could know of: the hub keeps it as progress and gives the task again.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { Bench } from '../../test/agent/bench.ts';
import { delivery, word } from '../../test/agent/hub-in-memory.ts';
import { until } from '../../test/support.ts';

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
  bench.hub.unheard = ({ params }) => params['lease'] === 1;
});
afterEach(() => bench.close());

const request = delivery(0, 'task').event.words;
const said = [...request, word('msg_f', 'follow_up', 'and this')];
const again = (messageId: string, body: string) =>
  delivery(8, 'task', { lease: 2, words: [...said, word(messageId, 'progress', body, 'mem_me')] });

test('[PAP-9] the handler is called again with all of it, and its answer counts, be it in the same words', async () => {
  const seen: string[][] = [];
  await bench.connect((task) => {
    seen.push(task.words.map(({ content }) => content));
    return 'done';
  });
  bench.hub.deliver(delivery(1, 'task'));
  await until(() => bench.hub.shown.length === 1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  bench.hub.deliver(again('msg_0', 'done'));
  await until(() => bench.hub.shown.length === 2);
  expect(bench.bodies()).toEqual([
    ['progress', 'done'],
    ['answer', 'done'],
  ]);
  expect(seen).toEqual([['hello'], ['hello', 'and this', 'done']]);
  expect([bench.hub.of('say')[1], bench.hub.of('decline'), bench.errors]).toMatchObject([{ lease: 2 }, [], []]);
});

test('[PAP-9] so it is when the task comes before the hub has answered', async () => {
  let calls = 0;
  bench.hub.refuse = ({ method, params }) => {
    if (method === 'say' && params['lease'] === 1) bench.hub.deliver(again('msg_0', 'answer 1'));
    return undefined;
  };
  await bench.connect(() => `answer ${++calls}`);
  bench.hub.deliver(delivery(1, 'task'));
  await until(() => bench.hub.shown.length === 2);
  expect(bench.bodies()).toEqual([
    ['progress', 'answer 1'],
    ['answer', 'answer 2'],
  ]);
});

test('[PAP-9] and when the line broke before the hub could answer', async () => {
  let calls = 0;
  bench.hub.refuse = ({ method, params }) => {
    if (method !== 'say' || params['lease'] !== 1) return undefined;
    bench.hub.commit(params);
    return 'no answer';
  };
  await bench.connect(() => `answer ${++calls}`);
  bench.hub.deliver(delivery(1, 'task'));
  await until(() => bench.hub.shown.length === 1);
  bench.hub.remember(again('msg_0', 'answer 1'));
  await bench.restart();
  await until(() => bench.hub.shown.length === 2);
  expect(bench.bodies()).toEqual([
    ['progress', 'answer 1'],
    ['answer', 'answer 2'],
  ]);
});

test('[PAP-10] results of sub-tasks come again, too', async () => {
  await bench.connect(async (task) => {
    await task.say('^STEF go');
    return `STEF: ${(await task.next('result')).text}`;
  });
  bench.hub.deliver(delivery(1, 'task'));
  bench.hub.deliver(delivery(2, 'result', { content: 'gone' }));
  await until(() => bench.hub.shown.length === 2);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(bench.hub.acked).toBe(1);
  bench.hub.deliver(again('msg_1', 'STEF: gone'));
  await until(() => bench.hub.shown.length === 3 && bench.hub.acked === 8);
  expect(bench.bodies()).toEqual([
    ['progress', '^STEF go'],
    ['progress', 'STEF: gone'],
    ['answer', 'STEF: gone'],
  ]);
});
