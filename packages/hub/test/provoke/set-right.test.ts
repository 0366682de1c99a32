// A clock that was ahead and is set right: what was to be tried again soon is, and not in a year.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onBothEngines } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProvokeWorld, startProvoke } from './run-kit.ts';

const year = 365 * 24 * 3_600_000;

onBothEngines('a clock that was a year ahead', (engine) => {
  let world: ProvokeWorld;
  let server: Server;
  let answers: number[] = [];
  beforeAll(async () => {
    world = await startProvoke(engine, { env: { PARLEY_WEBHOOK_PRIVATE: '1' } });
    server = createServer((_request, response) => response.writeHead(answers.shift() ?? 200).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    await world.stop();
    await new Promise((resolve) => server.close(resolve));
  });

  test.each(['at work', 'restarted'])('[PRV-15] [SYS-4] what failed meanwhile is tried again: %s', async (how) => {
    const { clock, kit } = world;
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`;
    let failing = true;
    const fails = await world.wakes(() => (failing ? { status: 400 } : { text: 'Seen.' }), {
      on_failure: { retry: { max_attempts: 2, backoff_seconds: 60 } },
    });
    const sends = await world.wakes(() => ({ text: 'Sent.' }), { deliver_to: { webhook: { url } } });
    clock.jump(year);
    await world.pass(1000);
    answers = [500];
    const [waits, sent] = [await fails.run(), await sends.run()];
    expect([waits.state, answers]).toEqual(['waiting_retry', []]);
    failing = false;
    clock.jump(-year);
    if (how === 'restarted') await kit.restart();
    await world.pass(1000);
    await world.pass(1000);
    expect(await world.invocation(waits.id)).toMatchObject({ state: 'completed' });
    const told = (await world.facts(sent.id)).map(({ type }) => type);
    expect(told).toContain('invocation.delivered');
  });
});
