import { describe, expect, test } from 'vitest';
import { applyEvent, recountUnread } from './apply.ts';
import { checkpoint, conversation, fact, member, message, stateOf, timeline } from '../../test/fixtures.ts';
import type { PendingMessage, State } from './model.ts';

const posted = (item: ReturnType<typeof message>, root: string | null = null, parent: string | null = null) =>
  fact('message.posted', { message: item, rootMessageId: root, parentId: parent });
const after = (state: State, ...events: Parameters<typeof applyEvent>[1][]) =>
  events.reduce((now, event) => applyEvent(now, event, 0)[0], state);
const pending = (extra: Partial<PendingMessage> = {}): PendingMessage => ({
  key: 'k',
  conversationId: 'con',
  root: null,
  body: 'hi',
  attachments: [],
  at: 0,
  failed: null,
  asksFor: null,
  confirmAll: null,
  seenAs: null,
  ...extra,
});

test('[C2A-34] a role is there from its fact on, and gone after the last', () => {
  const role = { id: 'r', handle: 'oncall', about: '', holderIds: ['ben'], createdAt: 0 };
  const there = after(stateOf(), fact('role.added', { role }), fact('role.edited', { role: { ...role, holderIds: ['ada'] } }));
  expect(there.roles['r']?.holderIds).toEqual(['ada']);
  expect(after(there, fact('role.removed', { roleId: 'r' })).roles).toEqual({});
});

describe('a message', () => {
  test('is counted as unread once, also when the snapshot had counted it', () => {
    const state = stateOf({ conversations: { con: conversation('con', { lastSeq: 5, unread: 1 }) } });
    expect(after(state, posted(message('m5', 5))).conversations['con']).toMatchObject({ unread: 1, lastSeq: 5 });
    expect(after(state, posted(message('m6', 6))).conversations['con']).toMatchObject({ unread: 2, lastSeq: 6 });
  });

  test('of one’s own is not unread', () => {
    expect(after(stateOf(), posted(message('m1', 1, { authorId: 'ada' }))).conversations['con']).toMatchObject({ unread: 0, lastSeq: 1 });
  });

  test('goes to the end of a timeline that is here, and starts none that is not', () => {
    const state = stateOf({ timelines: { con: timeline([message('m1', 1)]) } });
    expect(after(state, posted(message('m2', 2))).timelines['con']?.ids).toEqual(['m1', 'm2']);
    expect(after(stateOf(), posted(message('m2', 2))).timelines).toEqual({});
  });

  test('in a conversation or by a member not known yet asks for them', () => {
    const [, needs] = applyEvent(stateOf(), posted(message('m1', 1, { conversationId: 'new', authorId: 'eve' })), 0);
    expect(needs).toEqual([{ type: 'members' }, { type: 'conversation', id: 'new' }]);
  });

  test('that was pending stands in for it, and only for one of two equal ones', () => {
    const state = stateOf({ pending: [pending({ key: 'a' }), pending({ key: 'b' })] });
    const next = after(state, posted(message('m1', 1, { authorId: 'ada', body: 'hi' })));
    expect(next.pending.map((item) => item.seenAs)).toEqual(['m1', null]);
  });

  test('ends its author’s typing', () => {
    const typing = after(stateOf(), { type: 'typing', conversationId: 'con', memberId: 'ben' });
    expect(typing.typing).toEqual({ con: { ben: 6_000 } });
    expect(after(typing, posted(message('m1', 1))).typing).toEqual({ con: {} });
  });
});

describe('a thread', () => {
  const root = message('root', 1);
  const reply = message('r1', 2, { conversationId: 'thread' });

  test('a reply is counted on its root, once', () => {
    const state = stateOf({ timelines: { con: timeline([root]) } });
    const next = after(state, posted(reply, 'root', 'con'));
    expect(next.timelines['con']?.messages['root']).toMatchObject({ threadId: 'thread', threadReplies: 1, threadLastAt: 2_000 });
    const counted = stateOf({ timelines: { con: timeline([{ ...root, threadReplies: 1, threadLastAt: 2_000 }]) } });
    expect(after(counted, posted(reply, 'root', 'con')).timelines['con']?.messages['root']?.threadReplies).toBe(1);
  });

  test('a deleted reply makes its root be looked at again', () => {
    const state = stateOf({ timelines: { con: timeline([{ ...root, threadId: 'thread', threadReplies: 1 }]) } });
    const [, needs] = applyEvent(state, fact('message.deleted', { message: { ...reply, deletedAt: 9, body: null } }), 0);
    expect(needs).toEqual([{ type: 'message', id: 'root' }]);
  });

  test('a new one is shown on its root and fetched by nobody', () => {
    const state = stateOf({ timelines: { con: timeline([root]) } });
    const thread = conversation('thread', { kind: 'thread', parentId: 'con', rootMessageId: 'root' });
    const [next, needs] = applyEvent(state, fact('conversation.created', { conversation: thread }), 0);
    expect(next.timelines['con']?.messages['root']?.threadId).toBe('thread');
    expect(needs).toEqual([]);
  });
});

describe('an edit or deletion', () => {
  const state = stateOf({ timelines: { con: timeline([message('m1', 1, { version: 3, body: 'new' })]) } });
  test('of an older version changes nothing', () => {
    expect(after(state, fact('message.edited', { message: message('m1', 1, { version: 2 }) }))).toBe(state);
  });
  test('is final when it deletes', () => {
    const gone = after(state, fact('message.deleted', { message: message('m1', 1, { version: 3, body: null, deletedAt: 9 }) }));
    expect(
      after(gone, fact('message.edited', { message: message('m1', 1, { version: 3 }) })).timelines['con']?.messages['m1']?.body,
    ).toBeNull();
  });
});

describe('membership', () => {
  test('one’s own fetches the conversation, and what was read of it before', () => {
    const mine = fact('membership.added', { membership: { conversationId: 'con', memberId: 'ada', role: 'participant', joinedAt: 0 } });
    expect(applyEvent(stateOf(), mine, 0)[1]).toEqual([{ type: 'conversation', id: 'con' }]);
    const seen = stateOf({ timelines: { con: timeline([message('m1', 1)]) } });
    expect(applyEvent(seen, mine, 0)[1]).toEqual([
      { type: 'conversation', id: 'con' },
      { type: 'timeline', id: 'con' },
    ]);
  });
  test('ends: a public channel stays in sight, a private one and all of it goes', () => {
    const left = fact('membership.removed', { conversationId: 'con', memberId: 'ada' });
    expect(after(stateOf(), left).conversations['con']?.joined).toBe(false);
    const hidden = stateOf({
      conversations: { con: conversation('con', { visibility: 'private' }) },
      timelines: { con: timeline([message('m1', 1)]) },
    });
    expect(after(hidden, left)).toMatchObject({ conversations: {}, timelines: {} });
  });
});

test('a read cursor moved on another device clears the count, and never goes back', () => {
  const state = stateOf({ conversations: { con: conversation('con', { lastSeq: 9, readSeq: 4, unread: 3 }) } });
  const moved = (readSeq: number) => applyEvent(state, fact('read.moved', { conversationId: 'con', readSeq }), 0);
  expect(moved(9)[0].conversations['con']).toMatchObject({ readSeq: 9, unread: 0 });
  expect(moved(3)[0]).toBe(state);
  expect(moved(6)).toMatchObject([{}, [{ type: 'conversation', id: 'con' }]]);
});

describe('a count made by the hub', () => {
  const known = conversation('con', { lastSeq: 9, readSeq: 4, unread: 3 });
  test.each([
    ['of all that is known here is taken', { readSeq: 6, lastSeq: 9, unread: 2 }, { readSeq: 6, lastSeq: 9, unread: 2 }],
    [
      'of more than is known here is taken, so that the facts to come count nothing',
      { readSeq: 4, lastSeq: 11, unread: 5 },
      { readSeq: 4, lastSeq: 11, unread: 5 },
    ],
    ['from before the last fact must be asked for again', { readSeq: 6, lastSeq: 8, unread: 1 }, undefined],
    [
      'from before the last look does not bring back what was seen',
      { readSeq: 3, lastSeq: 9, unread: 4 },
      { readSeq: 4, lastSeq: 9, unread: 3 },
    ],
  ])('SYS-14 %s', (_case, counted, expected) => {
    expect(recountUnread(known, counted)).toEqual(expected);
  });
});

test('a member’s fact does not overwrite who is here, nor one’s own quiet hours', () => {
  const state = stateOf({ members: { ada: member('ada', { online: true, dndUntil: 5 }), ben: member('ben', { online: true }) } });
  expect(after(state, fact('member.edited', { member: member('ben', { displayName: 'Benjamin' }) })).members['ben']).toMatchObject({
    displayName: 'Benjamin',
    online: true,
  });
  const [next, needs] = applyEvent(state, fact('member.edited', { member: member('ada') }), 0);
  expect(next.members['ada']?.dndUntil).toBe(5);
  expect(needs).toEqual([{ type: 'me' }]);
});

test('a reset asks for a snapshot; coming back asks who is here; a fact of a newer hub is passed over', () => {
  const state = stateOf({ connection: 'reconnecting' });
  expect(applyEvent(state, { type: 'reset', cursor: 'f:1', reason: 'epoch' }, 0)[1]).toEqual([{ type: 'snapshot' }]);
  expect(applyEvent(state, { type: 'ready', cursor: 'e:1' }, 0)[1]).toEqual([{ type: 'members' }, { type: 'chains' }]);
  expect(applyEvent(state, { type: 'task.created' } as never, 0)).toEqual([state, []]);
});

test('[C2A-16] who was asked to leave is known until it is back, in that conversation', () => {
  const leave = { conversationId: 'con', parentId: null, memberId: 'orac', askedBy: 'ada', at: 1 };
  const elsewhere = { ...leave, conversationId: 'thread', parentId: 'con' };
  const gone = after(stateOf(), fact('agent.left', { leave }), fact('agent.left', { leave: elsewhere }), fact('agent.left', { leave }));
  expect(gone.leaves).toEqual([elsewhere, leave]);
  expect(after(gone, fact('agent.returned', { conversationId: 'con', memberId: 'orac' })).leaves).toEqual([elsewhere]);
});

describe('[A2C-34] a prompt of one’s own peer', () => {
  const card = {
    kind: 'stranger',
    threadId: 'thr',
    peer: 'agent:eve@hub',
    peerName: 'agent:eve@hub',
    intent: 'Coffee',
    requests: 1,
  } as const;

  test('comes without its words, which are asked for', () => {
    const [next, needs] = applyEvent(stateOf(), fact('checkpoint.opened', { checkpoint: checkpoint('chk', { kind: 'stranger' }) }), 0);
    expect(needs).toEqual([{ type: 'waiting' }]);
    expect(next).toMatchObject({ checkpoints: { chk: { card: null } }, peerMoves: 1 });
  });

  test('keeps the words that are here, whatever a fact leaves out', () => {
    const state = stateOf({ checkpoints: { chk: checkpoint('chk', { kind: 'stranger', card }) } });
    const told = after(state, fact('checkpoint.opened', { checkpoint: checkpoint('chk', { kind: 'stranger' }) }));
    expect(told.checkpoints['chk']?.card).toEqual(card);
  });

  test('that was answered elsewhere goes, and what the peer shows is read again', () => {
    const state = stateOf({ checkpoints: { chk: checkpoint('chk', { kind: 'consent' }) } });
    const [next, needs] = applyEvent(
      state,
      fact('checkpoint.closed', { checkpoint: checkpoint('chk', { kind: 'consent', open: false }) }),
      0,
    );
    expect(needs).toEqual([]);
    expect(next).toMatchObject({ checkpoints: {}, settled: { chk: { open: false } }, peerMoves: 1 });
  });

  test('of another kind moves nothing of the peer', () => {
    expect(after(stateOf(), fact('checkpoint.opened', { checkpoint: checkpoint('chk') })).peerMoves).toBe(0);
  });
});
