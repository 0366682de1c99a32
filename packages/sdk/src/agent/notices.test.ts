// What the platform tells an agent of its own acts (a refusal, an end, a failure) is nothing to answer (C2A-18).

import type { AgentEvent, DigestEvent, LeaveEvent } from '@parley/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Bench } from '../../test/agent/bench.ts';
import { delivery } from '../../test/agent/hub-in-memory.ts';
import { until } from '../../test/support.ts';

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.close());

const notices = (from: number, task: string) => {
  const kinds = [
    ['flagged', { cause: 'unknown_handle', topic: 'Nobody here is called X.', content: '^X' }],
    ['ended', { cause: 'timed_out', lease: null, content: null }],
    ['ended', { cause: 'brain_failed', lease: null, content: null }],
    ['approval', { approvals: [] }],
    ['signal', { signal: { signal: 'agree', meaning: 'heard' } }],
  ] as const;
  return kinds.map(([kind, more], i) =>
    delivery(from + i, kind, { task, policy: 'must_not_respond', eventId: `e:${task}:${i}`, ...more } as Partial<AgentEvent> & {
      task: string;
    }),
  );
};
const other = (cursor: number, kind: 'digest' | 'leave') => ({
  cursor,
  event: { eventId: `e:${cursor}`, kind, policy: 'must_not_respond', conversation: { id: 'con_1' }, task: null } as unknown as
    | DigestEvent
    | LeaveEvent,
});

test('[C2A-18] a notice calls no handler: of a task it never had, has finished, or is asked to leave', async () => {
  const begun: string[] = [];
  const left: string[] = [];
  await bench.connect(
    (task) => {
      begun.push(task.id);
      return 'done';
    },
    { onOffer: () => true, onDigest: () => {}, onLeave: ({ eventId }) => void left.push(eventId) },
  );
  bench.hub.deliver(delivery(1, 'task'));
  await until(() => bench.hub.shown.length === 1);
  const all = [...notices(10, 'tsk_1'), ...notices(20, 'tsk_unknown'), other(30, 'digest'), other(31, 'leave')];
  for (const one of all) bench.hub.deliver(one);
  await until(() => bench.hub.acked === 31);
  // Told again after a reconnect, by a hub that does not know of the acknowledgement, they are still nothing to answer.
  bench.hub.acked = 1;
  await bench.restart();
  await until(() => bench.hub.acked === 31);
  expect([begun, left, bench.bodies(), bench.errors]).toEqual([['tsk_1'], [], [['answer', 'done']], []]);
  for (const method of ['claim', 'decline', 'signal', 'goodbye']) expect(bench.hub.of(method)).toEqual([]);
});

test('[C2A-18] a notice resumes no handler that waits for the next thing: it comes to one that asks for it by name', async () => {
  const heard: string[] = [];
  await bench.connect(async (task) => {
    // One that answers whatever comes would answer its own refusals for ever.
    while (heard.length < 2) {
      const { kind, text } = await task.next();
      heard.push(`${kind} ${text}`);
      await task.say(`^X ${heard.length}`);
    }
    const { kind, topic } = await task.next('flagged');
    return `${kind}: ${topic}`;
  });
  bench.hub.deliver(delivery(1, 'task'));
  bench.hub.deliver(notices(2, 'tsk_1')[0]!);
  bench.hub.deliver(delivery(3, 'follow_up', { messageId: 'msg_f', content: 'and this' }));
  await until(() => heard.length === 1 && bench.hub.shown.length === 1);
  bench.hub.deliver(delivery(4, 'flagged', { policy: 'must_not_respond', eventId: 'e:4', content: '^X 1', cause: 'unknown_handle' }));
  bench.hub.deliver(delivery(5, 'follow_up', { messageId: 'msg_g', content: 'and that' }));
  await until(() => bench.bodies().some(([kind]) => kind === 'answer'));
  expect(heard).toEqual(['follow_up and this', 'follow_up and that']);
  expect(bench.bodies().at(-1)).toEqual(['answer', 'flagged: Nobody here is called X.']);
});
