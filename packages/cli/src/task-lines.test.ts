import type { Chain, Task } from '@parley/protocol';
import { expect, test } from 'vitest';
import { chainLines, timeLeft } from './task-lines.ts';

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
  reason: null,
  failure: null,
  addressedBy: 'mention',
  askedIn: null,
  composingUntil: null,
  growing: null,
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

const step = (id: string, title: string | null, more: Partial<Task> = {}) => ({ ...task(id, more), title, invocationId: null });
const chain = (steps: Chain['steps'], more: Partial<Chain> = {}): Chain => ({
  id: 'chn_1',
  requesterId: 'p',
  startedAt: now - 72_000,
  endedAt: null,
  outerAt: now + 86_400_000,
  turns: 2,
  tokens: { input: 0, output: 0 },
  micros: 12_345,
  reservedMicros: 0,
  timer: { running: true, endsAt: now + 1_728_000, leftMs: null, outerAt: now + 86_400_000 },
  steps,
  provoked: [],
  negotiations: [],
  ...more,
});

test('[IAC-18] [PAP-10] what was given on stands under who gave it on, with its state, its time and what the chain cost', () => {
  const lines = chainLines(
    chain([
      step('tsk_1', 'Prepare the Q4 report', { state: 'awaiting_delegation', createdAt: now - 72_000 }),
      step('tsk_2', 'Draft the post', {
        parentId: 'tsk_1',
        agentId: 'b',
        requesterId: 'a',
        state: 'completed',
        cause: 'answered',
        createdAt: now - 60_000,
        endedAt: now - 19_000,
      }),
      step('tsk_3', null, { parentId: 'tsk_2', agentId: null, requesterId: null, createdAt: now - 5_000, state: 'offered' }),
      { hidden: true, id: 'tsk_4', parentId: 'tsk_1', state: 'failed' },
      step('tsk_5', 'Wipe it?', { parentId: 'not listed', agentId: 'gone', state: 'awaiting_approval', createdAt: now }),
    ]),
    names,
    now,
  );
  expect(lines).toEqual([
    '@ann in #general · 1:12 so far · 28:48 left · 2 turns · $0.01',
    'tsk_1: "Prepare the Q4 report" (^ORAC) — waiting for others · for 1:12',
    '├── tsk_2: "Draft the post" (^STEF) — answered ✓ · took 0:41, 0:19 ago',
    '│   └── tsk_3: (^ANY) — offered, not taken yet · for 0:05',
    '└── hidden step — failed ✗',
    'tsk_5: "Wipe it?" (?) — waiting for approval · for 0:00',
  ]);
});

test('[SYS-2] [PRV-9] events and what they started are steps, and a task stands under the invocation that opened it', () => {
  const invocation = { kind: 'invocation', triggerId: 'watch', manifestId: 'watcher', agentId: 'b', createdAt: now - 60_000 } as const;
  const sender = { via: 'api', sourceId: null, by: '@ben' } as const;
  const provoked: Chain['provoked'] = [
    { kind: 'event', id: 'evt_1', parentId: null, type: 'a.price.crossed', source: 'meter', ...sender, at: now - 61_000 },
    { ...invocation, id: 'inv_1', parentId: 'evt_1', state: 'completed', endedAt: now - 30_000 },
    { kind: 'event', id: 'evt_2', parentId: 'inv_1', hidden: true },
    { ...invocation, id: 'inv_2', parentId: 'evt_2', agentId: null, state: 'awaiting_approval', endedAt: null },
    { kind: 'invocation', id: 'inv_3', parentId: 'gone', hidden: true },
  ];
  const opened = { ...step('tsk_1', 'Look at it', { createdAt: now }), invocationId: 'inv_1' };
  expect(chainLines(chain([opened], { provoked }), names, now).slice(1)).toEqual([
    'evt_1: a.price.crossed from @ben, as the source "meter" — 1:01 ago',
    '└── inv_1: watch → watcher (^STEF) — completed ✓ · took 0:30, 0:30 ago',
    '    ├── hidden event',
    '    │   └── inv_2: watch → watcher — awaiting approval · for 1:00',
    '    └── tsk_1: "Look at it" (^ORAC) — working · for 0:00',
    'hidden invocation',
  ]);
});

test('[IAC-18] a chain that waits has its clock standing; one that is over says what it took', () => {
  const standing = { running: false, endsAt: null, leftMs: 1_500_000, outerAt: now };
  expect(chainLines(chain([], { timer: standing }), names, now)[0]).toBe('@ann · 1:12 so far · 25:00 left, paused · 2 turns · $0.01');
  const over = chain([], { timer: null, endedAt: now - 12_000, turns: 1, micros: 0, requesterId: null });
  expect(chainLines(over, names, now)[0]).toBe('nobody any more · took 1:00 · 1 turn · $0.00');
});

test('[IAC-18] what is only set aside is told apart from what was spent', () => {
  expect(chainLines(chain([], { reservedMicros: 370_000 }), names, now)[0]).toBe(
    '@ann · 1:12 so far · 28:48 left · 2 turns · $0.01 (up to $0.37 more reserved)',
  );
});

test('[IAC-18] what others wrote cannot move the cursor or turn the line around', () => {
  const [, line] = chainLines(chain([step('tsk_1', '\u001B[2Jboo\u202E\u0007')]), names, now);
  expect(line).toContain('" [2Jboo "');
});

test('[PAP-8] the time that is left, whether it runs or stands, and since when it is over', () => {
  expect(timeLeft(task('1'), now)).toBe('1:30 left');
  expect(timeLeft(task('1', { timer: { running: false, endsAt: null, leftMs: 1_800_000, outerAt: now } }), now)).toBe('30:00 left, paused');
  expect(timeLeft(task('1', { endedAt: now - 5_000, timer: null }), now)).toBe('0:05 ago');
});
