import { expect, test } from 'vitest';
import { conversation, member, task } from '../../test/fixtures.ts';
import { byId } from '../state/model.ts';
import { askingAny, openTasksHere, roomOf, takingPart } from './room.ts';

const members = byId([member('ada'), member('ben'), member('orac', { kind: 'agent' }), member('gone', { status: 'deactivated' })]);
const inside = (...ids: string[]) =>
  ids.map((memberId) => ({ conversationId: 'con', memberId, role: 'participant' as const, joinedAt: 0 }));

test('a channel’s room is its active members, once they are known; a DM’s is in itself', () => {
  expect(roomOf(conversation('con'), undefined, members)).toBeUndefined();
  expect(roomOf(conversation('con'), inside('ada', 'orac', 'gone', 'hidden'), members)?.members.map(({ id }) => id)).toEqual([
    'ada',
    'orac',
  ]);
  expect(roomOf(conversation('dm', { kind: 'dm', memberIds: ['ada', 'ben'] }), undefined, members)?.members).toHaveLength(2);
});

test('[C2A-34] who is here has the roles they hold', () => {
  const roles = byId([{ id: 'r', handle: 'oncall', about: '', holderIds: ['orac', 'gone'], createdAt: 0 }]);
  const room = roomOf(conversation('con'), inside('ada', 'orac', 'gone'), members, roles);
  expect(room?.members.map((one) => [one.id, one.roles])).toEqual([
    ['ada', undefined],
    ['orac', ['oncall']],
  ]);
});

const continuing = (kind: 'channel' | 'thread' | 'dm', ...tasks: ReturnType<typeof task>[]) =>
  openTasksHere({ id: 'con', kind, rootMessageId: null }, byId(tasks), 'ada').get('orac')?.uncalled?.continuing;

test('[PAP-7] an agent that asked us is answered by the next message, wherever it asked', () => {
  expect(continuing('channel', task('t', { state: 'waiting' }))).toBe('asked');
  expect(continuing('dm', task('t1', { state: 'waiting' }), task('t2', { createdAt: 9 }))).toBe('asked');
});

test('[PAP-9] [C2A-12] [SYS-3] in a thread or DM our open task goes on; in a channel it needs a name', () => {
  expect(continuing('thread', task('t'))).toBe('requester');
  expect(continuing('channel', task('t'))).toBeUndefined();
  // [C2A-12] Begun by a question to nobody by name.
  expect(continuing('thread', task('t', { addressedBy: 'question', unaddressed: true }))).toBe('asker');
});

test('[SYS-3] [C2A-4] what we are still asking goes on in a channel, of one agent or of any', () => {
  const writing = task('t', { state: 'queued', composingUntil: 5000 });
  expect(continuing('channel', writing)).toBe('fragment');
  const any = (...tasks: ReturnType<typeof task>[]) => askingAny({ id: 'con', kind: 'channel', rootMessageId: null }, byId(tasks), 'ada');
  expect([any(writing), any({ ...writing, agentId: null }), any({ ...writing, agentId: null, requesterId: 'ben' })]).toEqual([
    false,
    true,
    false,
  ]);
});

test('[SYS-3] [PAP-9] it asked and works besides, and another asked later: as the hub decides, its work goes on', () => {
  const tasks = byId([
    task('q', { seq: 1, state: 'waiting', updatedAt: 1 }),
    task('t', { seq: 2 }),
    task('r', { seq: 3, agentId: 'stef', state: 'waiting', updatedAt: 2 }),
  ]);
  const going = openTasksHere({ id: 'con', kind: 'thread', rootMessageId: null }, tasks, 'ada');
  expect([...going].map(([agent, { uncalled }]) => [agent, uncalled?.task.id, uncalled?.continuing])).toEqual([
    ['stef', 'r', 'asked'],
    ['orac', 't', 'requester'],
  ]);
});

test('what is another’s, elsewhere, nobody’s or over does not go on', () => {
  expect(continuing('dm', task('t', { requesterId: 'ben' }))).toBeUndefined();
  expect(continuing('dm', task('t', { conversationId: 'other' }))).toBeUndefined();
  expect(continuing('dm', task('t', { agentId: null, state: 'offered' }))).toBeUndefined();
  expect(continuing('dm', task('t', { state: 'completed' }))).toBeUndefined();
});

test('[SYS-3] [C2A-12] who takes part in a thread is who worked in it or on its root, or wrote that, and is still here', () => {
  const here = roomOf(conversation('con'), inside('ada', 'orac', 'stef'), { ...members, stef: member('stef', { kind: 'agent' }) })!;
  const place = { id: 'thread', kind: 'thread', rootMessageId: 'root' } as const;
  const tasks = byId([
    task('t1', { agentId: 'orac', conversationId: 'thread', state: 'completed' }),
    task('t2', { agentId: 'away', messageId: 'root' }),
  ]);
  expect([...takingPart(place, tasks, 'ada', here)]).toEqual(['orac']);
  expect([...takingPart(place, tasks, 'stef', here)]).toEqual(['orac', 'stef']);
  expect([...takingPart({ ...place, id: null, rootMessageId: 'other' }, tasks, null, here)]).toEqual([]);
});
