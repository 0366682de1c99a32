// An agent that runs in the hub asks another, and the hub is restarted in the middle of it.

import { onEveryEngine, type Person } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Brain } from '../../../src/brains/brain.ts';
import { contactAgent } from '../../../src/tools/contact-calls.ts';
import { type Contacts, contactsOn, eventually } from '../../kit/contacts.ts';

onEveryEngine('an ask over a restart', (engine) => {
  let on: Contacts;
  let target: Person;
  let asker: Person;
  const kernel = () => on.floor.kit.hub.kernel;
  /** The new hub takes the turn up before the test has it in hand. */
  let up = Promise.resolve();
  /** Answers with what the call returned. */
  const brain: Brain = {
    turn: async (turn) => {
      await up;
      const input = { action: 'ask', agentId: target.id, message: turn.words[0]!.text };
      const text = await turn.step({ kind: 'tool', name: 'contact_agent', readOnly: false, keyed: true, input }, (key) =>
        contactAgent(
          kernel(),
          {
            by: { operator: true },
            taskId: turn.task.id,
            lease: turn.task.lease,
            agentId: turn.me.id,
            key,
            action: 'ask',
            targetId: target.id,
            message: input.message,
          },
          turn.signal,
        ),
      );
      return { kind: 'answer', text };
    },
  };
  beforeAll(async () => {
    on = await contactsOn(engine, { brain });
    target = await on.floor.agent('TARGET');
    asker = await on.floor.agent('ASKER', { online: false });
    await on.floor.ann.call('editAgent', { params: { memberId: asker.id }, body: { brain: 'builtin' } });
  });
  afterAll(() => on.floor.kit.stop());

  const active = () =>
    eventually(async () => (await kernel().store.rows('tasks', "where agent_id = ? and state = 'active'", [target.id]))[0]);
  // Whoever waits for all turns to end would wait for the one that asks.
  async function restart(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    up = promise;
    await on.floor.kit.restart({ brain });
    resolve();
    await kernel().engine.submit({ type: 'agent.connect', by: (await kernel().auth.principal(target.token))!.by });
  }
  async function tick(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 30_000) {
      on.floor.clock.advance(Math.min(left, 30_000));
      await kernel().timers.tick();
    }
  }
  async function asked(name: string): Promise<string> {
    const here = await on.floor.channel(name, asker);
    await on.floor.ann.post(here, `^ASKER about ${name}`);
    await active();
    return here;
  }
  const answered = (here: string) =>
    eventually(async () => (await on.floor.bodies(here)).map(([, body]) => body).find((body) => !body.startsWith('^')));

  test('[IAC-3] [SYS-12] the call waits on for the same sub-task, and gets its answer', async () => {
    const here = await asked('one');
    const before = await active();
    await restart();
    const task = await active();
    expect(task.id).toBe(before.id);
    const { by } = (await kernel().auth.principal(target.token))!;
    await kernel().engine.submit({ type: 'task.say', by, taskId: task.id, lease: task.lease, kind: 'answer', body: 'it is 1' });
    expect(await answered(here)).toBe('Response from TARGET: it is 1');
    expect(await on.count('contacts')).toBe(1);
  });

  test('[IAC-3] the 120 seconds of a call go on as well', async () => {
    const here = await asked('two');
    await tick(60_000);
    await restart();
    await tick(30_000);
    expect((await on.floor.bodies(here)).length).toBe(1);
    await tick(40_000);
    expect(await answered(here)).toBe("Error: TARGET did not respond within 120 seconds. Consider using 'delegate' for async processing.");
  });
});
