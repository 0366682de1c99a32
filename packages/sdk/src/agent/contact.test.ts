import { afterEach, beforeEach, expect, test } from 'vitest';
import { Bench } from '../../test/agent/bench.ts';
import { delivery } from '../../test/agent/hub-in-memory.ts';
import { until } from '../../test/support.ts';

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.close());

test('[IAC-3] an ask under way holds up nothing that is said, and no other ask', async () => {
  const asked: unknown[] = [];
  bench.hub.refuse = ({ method }) => (method === 'contact' ? 'no answer' : undefined);
  await bench.connect(async (task) => {
    asked.push(
      task.contact({ action: 'ask', agentId: 'mem_b', message: 'one?' }),
      task.contact({ action: 'ask', agentId: 'mem_b', message: 'two?' }),
    );
    await task.say('while I wait');
    return 'done';
  });
  bench.hub.deliver(delivery(1, 'task'));
  await until(() => bench.bodies().length === 2);
  expect(bench.hub.of('contact').map(({ message }) => message)).toEqual(['one?', 'two?']);
  for (const one of asked) (one as Promise<unknown>).catch(() => {});
});

test('[C2A-30] [IAC-3] cut off in the middle it is asked again under the same key; the same words twice are two', async () => {
  bench.hub.refuse = ({ method }) => (method === 'contact' ? 'no answer' : undefined);
  const ask = { action: 'ask', agentId: 'mem_b', message: 'what is it?' } as const;
  await bench.connect(async (task) => {
    await Promise.all([task.contact(ask), task.contact(ask)]);
    return 'done';
  });
  bench.hub.deliver(delivery(1, 'task'));
  await until(() => bench.hub.of('contact').length === 2);
  bench.hub.refuse = () => undefined;
  await bench.restart();
  await until(() => bench.bodies().some(([, body]) => body === 'done'));
  const keys = bench.hub.of('contact').map(({ key }) => key);
  expect(keys).toHaveLength(4);
  expect(new Set(keys).size).toBe(2);
});
