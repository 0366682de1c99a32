// For tests: the smallest things of each kind, with what a test is about on top.

import type { Agent, Chain, Member, Message, MyConversation, Notice, Obligation, StreamEvent, Task } from '@parley/protocol';
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
  source: null,
  task: null,
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
  composeMs: null,
  ...extra,
});

export const timeline = (messages: Message[], extra: Partial<Timeline> = {}): Timeline => ({
  ...emptyTimeline,
  loading: null,
  ids: messages.map((item) => item.id),
  messages: keyed(messages),
  ...extra,
});

export const task = (id: string, extra: Partial<Task> = {}): Task => ({
  id,
  seq: 0,
  chainId: `chain of ${id}`,
  parentId: null,
  agentId: 'orac',
  requesterId: 'ada',
  chainRequesterId: 'ada',
  askedIn: null,
  composingUntil: null,
  conversationId: 'con',
  messageId: 'm1',
  state: 'active',
  cause: null,
  addressedBy: 'mention',
  depth: 0,
  agentOnline: true,
  answerId: null,
  tainted: false,
  createdAt: 0,
  updatedAt: 0,
  endedAt: null,
  timer: { running: true, endsAt: 1_800_000, leftMs: null, outerAt: 86_400_000 },
  ...extra,
});

export const chain = (id: string, steps: (Task | Chain['steps'][number])[], extra: Partial<Chain> = {}): Chain => ({
  id,
  requesterId: 'ada',
  startedAt: 0,
  endedAt: null,
  outerAt: 86_400_000,
  turns: 0,
  micros: 0,
  tokens: { input: 0, output: 0 },
  timer: null,
  steps: steps.map((step) => ('hidden' in step || 'title' in step ? step : { ...step, title: null, invocationId: null })),
  provoked: [],
  ...extra,
});

export const notice = (seq: number, extra: Partial<Notice> = {}): Notice => ({
  seq,
  at: seq * 1_000,
  kind: 'unknown_handle',
  conversationId: 'con',
  messageId: null,
  taskId: null,
  agentId: null,
  memberId: null,
  nearest: null,
  reason: null,
  start: null,
  end: null,
  ...extra,
});

export const agent = (id: string, extra: Partial<Agent> = {}): Agent => ({
  id,
  handle: id.toUpperCase(),
  displayName: id,
  about: '',
  ownerId: null,
  manifestId: null,
  relayAddress: null,
  brain: 'builtin',
  status: 'idle',
  maxConcurrent: 1,
  asleepUntil: null,
  mode: 'autonomous',
  ...extra,
});

export const obligation = (id: string, extra: Partial<Obligation> = {}): Obligation => ({
  id,
  authorId: 'ben',
  delegateId: null,
  recipientId: 'ada',
  holderId: 'ada',
  level: 0,
  conversationId: 'con',
  messageId: 'm1',
  taskId: null,
  blocks: 'halted',
  defaultAction: null,
  intervalMs: 900_000,
  returns: 0,
  extended: false,
  reciprocalOf: null,
  open: true,
  nextAt: 900_000,
  createdAt: 0,
  dischargedAt: null,
  dischargedBy: null,
  ...extra,
});

export const stateOf = (extra: Partial<State> = {}): State => ({
  myId: 'ada',
  workspace: 'Test',
  members: keyed([member('ada'), member('ben')]),
  roles: {},
  conversations: keyed([conversation('con')]),
  memberships: {},
  leaves: [],
  timelines: {},
  typing: {},
  pending: [],
  agents: {},
  tasks: {},
  asked: {},
  chains: {},
  notices: {},
  checkpoints: {},
  owed: { owe: [], waiting: [] },
  drafts: [],
  halt: { halted: false, since: null, by: null },
  connection: 'live',
  ...extra,
});

type Fact = Extract<StreamEvent, { data: unknown }>;
export const fact = <T extends Fact['type']>(type: T, data: Extract<Fact, { type: T }>['data']): StreamEvent =>
  ({ type, cursor: 'e:1', at: 0, actorId: null, data }) as StreamEvent;
