import type { Task } from '@parley/protocol';
import { expect, test } from 'vitest';
import { span, taskTree, timeLeft } from './task-tree.ts';

const now = 1_000_000_000;
const task = (id: string, more: Partial<Task> = {}): Task => ({
  id,
  seq: 1,
  chainId: 'chn_1',
  parentId: null,
  agentId: 'a',
  requesterId: 'p',
  chainRequesterId: null,
  conversationId: 'c',
  messageId: 'msg_1',
  state: 'active',
  cause: null,
  addressedBy: 'mention',
  askedIn: null,
  composingUntil: null,
  depth: 0,
  agentOnline: true,
  answerId: null,
  tainted: false,
  createdAt: now,
  updatedAt: now,
  endedAt: null,
  timer: { running: true, endsAt: now + 90_000, leftMs: null, outerAt: now + 86_400_000 },
  ...more,
});
const names = { member: (id: string) => ({ a: '^ORAC', b: '^STEF', p: '@ann' })[id], place: () => '#general' };

test('[PAP-10] what was given on stands under who gave it on; a child without its parent by itself', () => {
  const tasks = [
    task('1'),
    task('2', { parentId: '1', agentId: 'b', requesterId: 'a' }),
    task('3', { parentId: '2', agentId: null, requesterId: null }),
    task('4', { parentId: '1', agentId: 'gone' }),
    task('5', { parentId: 'not listed' }),
  ];
  expect(taskTree(tasks, names, now).map(([agent, , , asker, , id]) => [agent, asker, id])).toEqual([
    ['^ORAC', '@ann', '1'],
    ['├ ^STEF', '^ORAC', '2'],
    ['│ └ ^ANY', 'nobody any more', '3'],
    ['└ ?', '@ann', '4'],
    ['^ORAC', '@ann', '5'],
  ]);
});

test.each<[Partial<Task>, string]>([
  [{ state: 'active' }, 'working'],
  [{ state: 'queued' }, 'queued'],
  [{ state: 'queued', agentOnline: false }, 'queued, offline'],
  [{ state: 'queued', agentOnline: false, agentId: null }, 'nobody is there to take it'],
  [{ state: 'queued', composingUntil: now + 2500 }, 'waits for more from @ann'],
  [{ state: 'queued', composingUntil: now + 2500, agentId: null }, 'waits for more from @ann'],
  [{ state: 'completed', cause: 'answered' }, 'answered'],
  [{ state: 'cancelled', cause: 'stopped' }, 'stopped'],
  [{ state: 'failed', cause: 'budget' }, 'failed: the budget is spent'],
])('%j is %s', (more, words) => {
  expect(taskTree([task('1', more)], names, now)[0]![1]).toBe(words);
});

test('[PAP-8] the time that is left, whether it runs or stands, and since when it is over', () => {
  expect(timeLeft(task('1'), now)).toBe('1:30 left');
  expect(timeLeft(task('1', { timer: { running: false, endsAt: null, leftMs: 1_800_000, outerAt: now } }), now)).toBe('30:00 paused');
  expect(timeLeft(task('1', { endedAt: now - 5_000, timer: null }), now)).toBe('0:05 ago');
  expect([span(-1), span(59_001), span(3_600_000), span(86_399_999)]).toEqual(['0:00', '1:00', '1 h 00', '24 h 00']);
});
