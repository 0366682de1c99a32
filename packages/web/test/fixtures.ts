// For tests: the smallest things of each kind, with what a test is about on top.

import type { Member, Message, MyConversation, StreamEvent } from '@parley/protocol';
import type { State, Timeline } from '../src/state/model.ts';
import { emptyTimeline, keyed } from '../src/state/model.ts';

export const member = (id: string, extra: Partial<Member> = {}): Member => ({
  id,
  kind: 'human',
  handle: id,
  displayName: id,
  about: '',
  role: 'member',
  ownerId: null,
  managerId: null,
  status: 'active',
  online: false,
  dndUntil: null,
  createdAt: 0,
  ...extra,
});

export const message = (id: string, seq: number, extra: Partial<Message> = {}): Message => ({
  id,
  conversationId: 'con',
  seq,
  authorId: 'ben',
  body: id,
  version: 1,
  replyTo: null,
  attachments: [],
  reactions: [],
  threadId: null,
  threadReplies: 0,
  threadLastAt: null,
  createdAt: seq * 1_000,
  editedAt: null,
  deletedAt: null,
  ...extra,
});

export const conversation = (id: string, extra: Partial<MyConversation> = {}): MyConversation => ({
  id,
  kind: 'channel',
  name: id,
  topic: '',
  visibility: 'public',
  floor: 'polite',
  history: 'all',
  parentId: null,
  rootMessageId: null,
  memberIds: [],
  createdBy: null,
  createdAt: 0,
  archivedAt: null,
  joined: true,
  myRole: 'participant',
  notify: 'all',
  readSeq: 0,
  lastSeq: 0,
  unread: 0,
  ...extra,
});

export const timeline = (messages: Message[], extra: Partial<Timeline> = {}): Timeline => ({
  ...emptyTimeline,
  loading: null,
  ids: messages.map((item) => item.id),
  messages: keyed(messages),
  ...extra,
});

export const stateOf = (extra: Partial<State> = {}): State => ({
  myId: 'ada',
  workspace: 'Test',
  members: keyed([member('ada'), member('ben')]),
  conversations: keyed([conversation('con')]),
  memberships: {},
  timelines: {},
  typing: {},
  pending: [],
  connection: 'live',
  ...extra,
});

type Fact = Extract<StreamEvent, { data: unknown }>;
export const fact = <T extends Fact['type']>(type: T, data: Extract<Fact, { type: T }>['data']): StreamEvent =>
  ({ type, cursor: 'e:1', at: 0, actorId: null, data }) as StreamEvent;
