import { expect, test } from 'vitest';
import { continuationsFor, type ConversationPlace, type TaskFacts, unclaimedHere } from './continuation.ts';

type Task = TaskFacts & { name: string };
let seq = 0;
const task = (name: string, over: Partial<TaskFacts> = {}): Task => ({
  name,
  agentId: 'a',
  state: 'active',
  askedIn: null,
  conversationId: 'here',
  messageId: `m-${name}`,
  updatedAt: 0,
  seq: ++seq,
  composingUntil: null,
  growing: null,
  ...over,
});
const asked = (name: string, over: Partial<TaskFacts> = {}): Task => task(name, { state: 'waiting', askedIn: 'here', ...over });
const writing = (name: string, over: Partial<TaskFacts> = {}): Task => task(name, { state: 'queued', composingUntil: 5, ...over });
const growing = (name: string, over: Partial<TaskFacts> = {}): Task =>
  task(name, { growing: { conversationId: 'here', until: now + 1 }, ...over });
const now = 100;
const b = { agentId: 'b' };
const channel: ConversationPlace = { id: 'here', kind: 'channel', rootMessageId: null };
const thread: ConversationPlace = { id: 'here', kind: 'thread', rootMessageId: 'root' };
const dm: ConversationPlace = { id: 'here', kind: 'dm', rootMessageId: null };

/** By agent: the task when it is called, and when nobody is. */
type Row = [string, ConversationPlace, Task[], Record<string, [called: string | undefined, uncalled: string | undefined]>];

test.each<Row>([
  ['[PAP-9] a thread’s talk goes on', thread, [task('t')], { a: ['t', 't requester'] }],
  ['[C2A-12] not one that a question to nobody began', thread, [task('t', { unaddressed: true })], { a: ['t', 't asker'] }],
  ['[C2A-12] unless it asked its requester', thread, [asked('q', { unaddressed: true })], { a: ['q', 'q asked'] }],
  ['[C2A-28] or they are still asking', thread, [growing('g', { unaddressed: true })], { a: ['g', 'g fragment'] }],
  [
    '[C2A-12] with one asked by name before one asked of nobody',
    thread,
    [task('named'), task('asked', { unaddressed: true })],
    { a: ['named', 'named requester'] },
  ],
  ['[PAP-9] a DM’s, too', dm, [task('t')], { a: ['t', 't requester'] }],
  ['[PAP-9] a channel’s does not', channel, [task('t')], {}],
  ['[PAP-9] with the newest of several', thread, [task('old'), task('new')], { a: ['new', 'new requester'] }],
  ['[PAP-9] with each agent’s own', thread, [task('t'), task('u', b)], { a: ['t', 't requester'], b: ['u', 'u requester'] }],
  [
    '[PAP-9] the thread on a request is its task’s',
    thread,
    [task('t', { conversationId: 'home', messageId: 'root' })],
    { a: ['t', 't requester'] },
  ],
  [
    '[PAP-9] what is elsewhere, over or nobody’s does not',
    thread,
    [task('x', { conversationId: 'home' }), task('y', { state: 'completed' }), task('z', { agentId: null, state: 'offered' })],
    {},
  ],
  ['[PAP-7] a question is answered by the next words', channel, [asked('q')], { a: ['q', 'q asked'] }],
  ['[PAP-7] where it was put, not where it was asked for', channel, [asked('q', { askedIn: 'there' })], {}],
  ['[PAP-7] in the pair’s DM, about a task of anywhere', dm, [asked('q', { conversationId: 'home' })], { a: ['q', 'q asked'] }],
  [
    '[PAP-7] the latest of two answers; by name, either',
    channel,
    [asked('q', { updatedAt: 1 }), asked('r', { ...b, updatedAt: 2 })],
    { a: ['q', undefined], b: ['r', 'r asked'] },
  ],
  [
    '[PAP-7] the latest question, not the newest task',
    dm,
    [asked('q', { updatedAt: 2 }), asked('r', { updatedAt: 1 })],
    { a: ['q', 'q asked'] },
  ],
  ['[PAP-7] asked at the same moment: the newer task', dm, [asked('q'), asked('r')], { a: ['r', 'r asked'] }],
  ['[PAP-7] a question comes before the talk', thread, [asked('q'), task('t')], { a: ['q', 'q asked'] }],
  [
    '[PAP-7] [PAP-9] it asked, but another asked later: its talk goes on, and by name its question is answered',
    thread,
    [asked('q', { updatedAt: 1 }), task('t'), asked('r', { ...b, updatedAt: 2 })],
    { a: ['q', 't requester'], b: ['r', 'r asked'] },
  ],
  ['[C2A-4] [C2A-28] what is still being asked goes on in a channel, too', channel, [writing('w')], { a: ['w', 'w fragment'] }],
  ['[C2A-4] as a piece, not as talk', dm, [writing('w')], { a: ['w', 'w fragment'] }],
  [
    '[C2A-4] of each agent that was asked',
    channel,
    [writing('w'), writing('v', b), task('t', { agentId: 'c' })],
    { a: ['w', 'w fragment'], b: ['v', 'v fragment'] },
  ],
  ['[C2A-4] not elsewhere', channel, [writing('w', { conversationId: 'home' })], {}],
  ['[C2A-4] before the talk that is newer', thread, [writing('w'), task('t')], { a: ['w', 'w fragment'] }],
  [
    '[C2A-4] an answer in pieces goes on where the question was put',
    dm,
    [writing('w', { conversationId: 'home', askedIn: 'here' }), writing('v', { ...b, askedIn: 'there' })],
    { a: ['w', 'w fragment'] },
  ],
  [
    '[C2A-4] [PAP-7] what is being written to one does not answer another’s earlier question',
    channel,
    [asked('q', { updatedAt: 1 }), writing('w', { ...b, updatedAt: 2 })],
    { a: ['q', undefined], b: ['w', 'w fragment'] },
  ],
  [
    '[C2A-4] [PAP-7] a question that came since is answered, and the piece is kept for both',
    channel,
    [asked('q', { updatedAt: 3 }), writing('w', { ...b, updatedAt: 2 })],
    { a: ['q', 'q asked'], b: ['w', 'w fragment'] },
  ],
  [
    '[C2A-28] what it has not acted on yet grows in a channel; by name it is asked again',
    channel,
    [growing('g')],
    { a: [undefined, 'g fragment'] },
  ],
  ['[C2A-28] in a DM, and by name as well', dm, [growing('g')], { a: ['g', 'g fragment'] }],
  ['[C2A-28] not for ever', channel, [growing('g', { growing: { conversationId: 'here', until: now } })], {}],
  ['[C2A-28] not elsewhere', channel, [growing('g', { growing: { conversationId: 'there', until: now + 1 } })], {}],
  ['[C2A-28] not what waits for others', channel, [growing('g', { state: 'awaiting_delegation' })], {}],
  ['[C2A-28] an answer grows where it is given', dm, [growing('g', { conversationId: 'home' })], { a: ['g', 'g fragment'] }],
])('%s', (_, place, tasks, expected) => {
  const found = [...continuationsFor(tasks, place, now)].map(([agent, { called, uncalled }]) => [
    agent,
    [called?.name, uncalled && `${uncalled.task.name} ${uncalled.continuing}`],
  ]);
  expect(Object.fromEntries(found)).toEqual(expected);
});

test('[C2A-4] [PAP-4] a request to any agent goes on while its author is still asking, and only here', () => {
  const any = (name: string, over: Partial<TaskFacts> = {}) => writing(name, { agentId: null, ...over });
  const tasks = [
    any('w'),
    any('x', { conversationId: 'home' }),
    any('y', { composingUntil: null }),
    any('z', { state: 'cancelled' }),
    writing('v'),
    any('g', { state: 'offered', composingUntil: null, growing: { conversationId: 'here', until: now + 1 } }),
  ];
  expect(unclaimedHere(tasks, channel, now).map(({ name }) => name)).toEqual(['w', 'g']);
});
