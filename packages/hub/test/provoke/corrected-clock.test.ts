// A clock that was ahead and is set right: what was to be tried again soon is, and not in a year.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onBothEngines } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProvokeWorld, startProvoke } from '../kit/provoke-runs.ts';

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
    expect(await world.invocation(waits.id)).toMatchObject({ state: 'waiting_retry', attempt: 1 });
    await world.pass(60_000);
    await world.pass(300_000);
    expect(await world.invocation(waits.id)).toMatchObject({ state: 'completed', attempt: 2 });
    const told = (await world.facts(sent.id)).map(({ type }) => type);
    expect(told).toContain('invocation.delivered');
  });

  test('[PRV-14] a clock that is set back a little shortens no pause', async () => {
    const fails = await world.wakes(() => ({ status: 400 }), { on_failure: { retry: { max_attempts: 5, backoff_seconds: 3600 } } });
    const { id } = await fails.run();
    for (let left = 3; left > 0; left--) {
      world.clock.jump(-120_000);
      await world.pass(1000);
      expect(await world.invocation(id)).toMatchObject({ state: 'waiting_retry', attempt: 1 });
    }
    await world.pass(3_600_000);
    expect(await world.invocation(id)).toMatchObject({ state: 'waiting_retry', attempt: 2 });
    await world.owner.call('cancelInvocation', { params: { invocationId: id } });
  });

  test('[PRV-14] [PAP-14] what is never taken is given up a day after the clock was set right', async () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`;
    const sends = await world.wakes(() => ({ text: 'Sent.' }), { deliver_to: { webhook: { url } } });
    answers = Array.from({ length: 100 }, () => 500);
    world.clock.jump(year);
    await world.pass(1000);
    const { id } = await sends.run();
    world.clock.jump(-year);
    for (let left = 13; left > 0; left--) await world.pass(7_200_000);
    expect((await world.facts(id)).map(({ type }) => type)).toContain('invocation.not_delivered');
    answers = [];
  });
});
