// What was asked is edited while the handler works.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { Bench } from '../../test/agent/bench.ts';
import { delivery, word } from '../../test/agent/hub-in-memory.ts';
import { until } from '../../test/support.ts';

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.close());

const edited = (content: string, lease = 3) => delivery(8, 'task', { lease, content, words: [word('msg_request', 'request', content)] });

test('[C2A-25] an edit before any words calls the handler again with the new text, and aborts the old one with the reason', async () => {
  const seen: string[] = [];
  const reasons: unknown[] = [];
  await bench.connect(async (task) => {
    seen.push(task.text);
    task.signal.addEventListener('abort', () => reasons.push((task.signal.reason as { reason?: string }).reason));
    if (task.text === 'hello') await task.next();
    return `about ${task.text}`;
  });
  bench.hub.deliver(delivery(1, 'task'));
  await until(() => seen.length === 1);
  bench.hub.deliver(edited('goodbye'));
  await until(() => bench.hub.shown.length === 1);
  expect([seen, reasons, bench.bodies()]).toEqual([['hello', 'goodbye'], ['edited'], [['answer', 'about goodbye']]]);
  expect([bench.hub.of('say')[0], bench.hub.of('decline'), bench.errors]).toMatchObject([{ lease: 3 }, [], []]);
});

test('[C2A-25] an answer that crosses the edit is not given under the new lease', async () => {
  const answered = Promise.withResolvers<void>();
  bench.hub.refuse = ({ method, params }) => {
    if (method !== 'say' || params['lease'] !== 1) return undefined;
    answered.resolve();
    return { code: 'stale_lease' };
  };
  await bench.connect((task) => `about ${task.text}`);
  bench.hub.deliver(delivery(1, 'task'));
  await answered.promise;
  bench.hub.deliver(edited('goodbye'));
  await until(() => bench.hub.shown.length === 1);
  expect(bench.bodies()).toEqual([['answer', 'about goodbye']]);
  expect([bench.hub.of('decline'), bench.errors]).toEqual([[], []]);
});

test('[C2A-28] after it has, the edit is brought as a correction and stands among the words', async () => {
  await bench.connect(async (task) => {
    await task.say('on it');
    const { text, messageId } = await task.next('correction');
    return `${messageId}: ${text}, ${task.words[0]!.content}`;
  });
  bench.hub.deliver(delivery(1, 'task'));
  await until(() => bench.hub.shown.length === 1);
  bench.hub.deliver(delivery(2, 'correction', { content: 'goodbye' }));
  await until(() => bench.hub.shown.length === 2);
  expect(bench.bodies()[1]).toEqual(['answer', 'msg_request: goodbye, goodbye']);
});

test('[C2A-28] so is one that was missed while the line was broken', async () => {
  await bench.connect(async (task) => {
    await task.say('on it');
    return (await task.next('correction')).text;
  });
  bench.hub.deliver(delivery(1, 'task'));
  await until(() => bench.hub.shown.length === 1);
  bench.hub.remember(edited('goodbye', 2));
  await bench.restart();
  await until(() => bench.hub.shown.length === 2);
  expect(bench.bodies()[1]).toEqual(['answer', 'goodbye']);
});

test('[C2A-26] a request that was edited after its answer is a task like any other', async () => {
  await bench.connect((task) => `${task.event.kind}: ${task.text}`);
  bench.hub.deliver(delivery(1, 'edit', { content: 'goodbye' }));
  await until(() => bench.hub.shown.length === 1);
  expect(bench.bodies()).toEqual([['answer', 'edit: goodbye']]);
});

test('[C2A-23] a thumb on its own words is no edit of them', async () => {
  const heard: string[] = [];
  await bench.connect(async (task) => {
    heard.push(await task.ask('Shall I?'), (await task.next()).kind, task.words[1]!.content);
    return 'done';
  });
  bench.hub.deliver(delivery(1, 'task'));
  await until(() => bench.hub.shown.length === 1);
  const words = [
    ...delivery(0, 'task').event.words,
    word('msg_0', 'question', 'Shall I?', 'mem_me'),
    { ...word('msg_0', 'signal', ''), signal: 'agree' as const },
  ];
  bench.hub.deliver(delivery(2, 'task', { lease: 2, words }));
  bench.hub.deliver(delivery(3, 'follow_up', { messageId: 'msg_t', content: 'and soon' }));
  await until(() => bench.hub.shown.length === 2);
  expect(heard).toEqual(['yes', 'follow_up', 'Shall I?']);
});
