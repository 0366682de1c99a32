// A call of a tool takes as long as it takes: the agent's line is free for everything else meanwhile.

import { describe, expect, test } from 'vitest';
import { Wire } from '../../kit/agent-wire.ts';
import { floorFor } from '../../kit/floor.ts';
import { until } from '@parley/testkit';

/** Twice as many are more than a line may have sent and not had answered. */
const each = 33;

// Of the door alone: what it stores is proven on both engines elsewhere.
describe('calls of tools beside each other', () => {
  const { floor } = floorFor('sqlite');

  test('[IAC-5] more calls may wait for an answer than an agent may send at once: its line is not cut', async () => {
    const agent = await floor.agent('ASKER', { online: false });
    const asked = await floor.agent('ASKED');
    const line = await Wire.hello(agent);
    const calls: Promise<unknown>[] = [];
    for (const name of ['one', 'two']) {
      const here = await floor.channel(name, agent);
      const { id } = await floor.ann.post(here, '^ASKER go');
      await floor.pass();
      const { event } = await line.event('task', ({ messageId }) => messageId === id);
      for (let n = 0; n < each; n++)
        calls.push(
          line
            .call('tool', {
              taskId: event.task.id,
              lease: event.lease!,
              name: 'contact_agent',
              input: { action: 'ask', agentId: asked.id, message: `what about ${name} ${n}?` },
            })
            // Nobody waits for it.
            .catch(() => {}),
        );
      // Nobody answers yet: as many tasks wait for it as were asked.
      const waiting = async () => (await floor.kit.hub.kernel.store.rows('contacts', "where state = 'pending'")).length;
      await until(async () => line.closeCode !== undefined || (await waiting()) >= calls.length);
    }
    expect(line.closeCode).toBeUndefined();
    expect((await line.call('read.tasks', {})).tasks).toHaveLength(2);
    await Promise.all([line.close(), Promise.all(calls)]);
  });
});
