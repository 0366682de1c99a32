// Something urgent is said while the handler works.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { Bench } from '../../test/agent/bench.ts';
import { delivery, word } from '../../test/agent/hub-in-memory.ts';
import { until } from '../../test/support.ts';

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.close());

const words = [word('msg_request', 'request', 'hello'), word('msg_u', 'follow_up', 'stop')];
const urgent = (lease: number) =>
  delivery(9, 'follow_up', { mode: 'immediate', messageId: 'msg_u', content: 'stop', lease, words: [...words] });

test.each([false, true])(
  '[C2A-9] an urgent message calls the handler again with all words, and aborts the old one with the reason (it had spoken: %s)',
  async (speaks) => {
    const seen: string[][] = [];
    const reasons: unknown[] = [];
    await bench.connect(async (task) => {
      seen.push([task.text, ...task.words.map(({ content }) => content)]);
      task.signal.addEventListener('abort', () => reasons.push((task.signal.reason as { reason?: string }).reason));
      if (speaks) await task.say('on it');
      if (seen.length === 1) await task.next('result');
      return `${(await task.next('follow_up')).text} it is`;
    });
    bench.hub.deliver(delivery(1, 'task'));
    await until(() => seen.length === 1 && bench.hub.shown.length === Number(speaks));
    bench.hub.deliver(urgent(2));
    await until(() => bench.bodies().some(([kind]) => kind === 'answer'));
    expect([seen, reasons]).toEqual([
      [
        ['hello', 'hello'],
        ['hello', 'hello', 'stop'],
      ],
      ['urgent'],
    ]);
    expect(bench.bodies()).toEqual([...(speaks ? [['progress', 'on it']] : []), ['answer', 'stop it is']]);
    expect([bench.hub.of('say').at(-1), bench.hub.of('decline'), bench.errors]).toMatchObject([{ lease: 2 }, [], []]);
  },
);

test('[C2A-9] an urgent message that the run has already, by a lease as new, interrupts nobody', async () => {
  let runs = 0;
  await bench.connect(async (task) => {
    runs++;
    await task.next('result');
    return 'done';
  });
  bench.hub.deliver(delivery(1, 'task', { lease: 3, words: [...words] }));
  await until(() => runs === 1);
  bench.hub.deliver(urgent(3));
  bench.hub.deliver(delivery(10, 'result', { cause: 'completed' }));
  await until(() => bench.hub.shown.length === 1);
  expect([runs, bench.bodies()]).toEqual([1, [['answer', 'done']]]);
});
