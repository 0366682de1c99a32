// What a fact or a sign does to the page's state: pure, so that it can be tested row by row. What must be fetched
// because a fact does not carry it is returned as a need, and met by the workspace.

import type { Checkpoint, Conversation, Leave, Message, MyConversation, StreamEvent, Task } from '@parley/protocol';
import { omitKey } from './model.ts';
import type { PendingMessage, State } from './model.ts';
import { appendMessage, upsertMessage } from './timeline.ts';
import { draftSaid, draftWritten, toolsUsed, withAgent, isPrompt, withCheckpoint, withNotice, withTask } from './work.ts';

export type MissingData =
  | { type: 'conversation'; id: string }
  /** A timeline that was not followed for a while. */
  | { type: 'timeline'; id: string }
  /** A message whose count of replies a fact changed without saying to what. */
  | { type: 'message'; id: string }
  | { type: 'me' }
  | { type: 'members' }
  | { type: 'owed' }
  /** A prompt of one's own peer, whose words no fact carries. */
  | { type: 'waiting' }
  /** A chain of which some step has moved. */
  | { type: 'chain'; id: string }
  /** Signs that a chain moved may have been missed. */
  | { type: 'chains' }
  | { type: 'snapshot' };

/** No fact says which agents lack a key, so a failure for want of one makes the page ask. */
const keyNeeds = ({ agents }: State, { agentId, failure }: Task): MissingData[] =>
  failure === 'no_key' && !agents[agentId ?? '']?.needsKey ? [{ type: 'members' }] : [];

const typingShownMs = 6_000;

export function applyEvent(state: State, event: StreamEvent, now: number): [State, MissingData[]] {
  switch (event.type) {
    case 'message.posted':
      return posted(state, event.data.message, event.data.rootMessageId, event.data.parentId);
    case 'message.edited':
    case 'message.reacted':
      return [withMessage(state, event.data.message), []];
    case 'message.deleted': {
      const root = rootOfThread(state, event.data.message.conversationId);
      return [withMessage(state, event.data.message), root ? [{ type: 'message', id: root.id }] : []];
    }
    case 'conversation.created':
    case 'conversation.edited': {
      const { conversation } = event.data;
      const known = state.conversations[conversation.id];
      if (known) return [withConversation(state, { ...known, ...conversation }), []];
      return conversation.kind === 'thread'
        ? [threadOpened(state, conversation), []]
        : [state, [{ type: 'conversation', id: conversation.id }]];
    }
    case 'conversation.hidden': {
      const { [event.data.conversationId]: _gone, ...conversations } = state.conversations;
      return [{ ...state, conversations }, []];
    }
    case 'membership.added': {
      const { membership } = event.data;
      const list = state.memberships[membership.conversationId];
      const others = list?.filter((item) => item.memberId !== membership.memberId);
      const next = others
        ? { ...state, memberships: { ...state.memberships, [membership.conversationId]: [...others, membership] } }
        : state;
      if (membership.memberId !== state.myId) return [next, []];
      const { conversationId: id } = membership;
      // Until now its facts were not told to us: what was read of it may be old.
      return [
        next,
        state.timelines[id]
          ? [
              { type: 'conversation', id },
              { type: 'timeline', id },
            ]
          : [{ type: 'conversation', id }],
      ];
    }
    case 'membership.removed':
      return [memberLeft(state, event.data.conversationId, event.data.memberId), []];
    case 'member.added':
    case 'member.edited': {
      const { member } = event.data;
      const known = state.members[member.id];
      // A fact is written once for all who hear it: what only the member itself may know, and who is here, is not in it.
      const kept = known ? { ...member, online: known.online, dndUntil: known.dndUntil } : member;
      const next = { ...state, members: { ...state.members, [member.id]: kept } };
      if (member.id === state.myId) return [next, [{ type: 'me' }]];
      // How a new agent runs is not in the fact.
      return [next, member.kind === 'agent' && !state.agents[member.id] ? [{ type: 'members' }] : []];
    }
    case 'role.added':
    case 'role.edited': {
      const { role } = event.data;
      return [{ ...state, roles: { ...state.roles, [role.id]: role } }, []];
    }
    case 'role.removed':
      return [{ ...state, roles: omitKey(state.roles, event.data.roleId) }, []];
    case 'task.opened':
    case 'task.changed':
      return [withTask(state, event.data.task), [{ type: 'chain', id: event.data.task.chainId }, ...keyNeeds(state, event.data.task)]];
    case 'chain':
      return [state, [{ type: 'chain', id: event.chainId }]];
    case 'notice':
      // A reminder says that there is something, should its own fact not have come.
      return [withNotice(state, event.data.notice), event.data.notice.kind === 'obligation_due' ? [{ type: 'owed' }] : []];
    case 'checkpoint.opened':
    case 'checkpoint.closed':
      return checkpointMoved(state, event.data.checkpoint);
    case 'negotiation.changed':
    case 'space.changed':
      return [{ ...state, peerMoves: state.peerMoves + 1 }, []];
    case 'obligation.changed':
      return [state, [{ type: 'owed' }]];
    case 'agent.changed':
      return [withAgent(state, event.data.agent), []];
    case 'woken': {
      const agent = state.agents[event.agentId];
      // The list of agents may be on its way, read before this.
      return agent ? [withAgent(state, { ...agent, woken: event.woken }), []] : [state, [{ type: 'members' }]];
    }
    case 'agent.left':
      return [{ ...state, leaves: [...others(state.leaves, event.data.leave), event.data.leave] }, []];
    case 'agent.returned':
      return [{ ...state, leaves: others(state.leaves, event.data) }, []];
    case 'workspace.halted':
      return [{ ...state, halt: event.data.halt }, []];
    case 'read.moved':
      return readMoved(state, event.data.conversationId, event.data.readSeq);
    case 'notify.set': {
      const known = state.conversations[event.data.conversationId];
      return [known ? withConversation(state, { ...known, notify: event.data.level }) : state, []];
    }
    case 'ready':
      // Signs are not kept, so presence changes while we were away have to be asked for; drafts cannot be, and the hub sends
      // tools again.
      return state.connection === 'reconnecting'
        ? [{ ...state, drafts: [], tools: {} }, [{ type: 'members' }, { type: 'chains' }]]
        : [state, []];
    case 'reset':
      return [state, [{ type: 'snapshot' }]];
    case 'typing': {
      if (event.memberId === state.myId) return [state, []];
      const here = { ...state.typing[event.conversationId], [event.memberId]: now + typingShownMs };
      return [{ ...state, typing: { ...state.typing, [event.conversationId]: here } }, []];
    }
    case 'draft':
      return [draftWritten(state, event), []];
    case 'tool':
      return [toolsUsed(state, event), []];
    case 'presence': {
      const member = state.members[event.memberId];
      if (!member || member.online === event.online) return [state, []];
      return [{ ...state, members: { ...state.members, [member.id]: { ...member, online: event.online } } }, []];
    }
    default:
      // A fact of a newer hub: nothing this page shows.
      return [state, []];
  }
}

function checkpointMoved(state: State, checkpoint: Checkpoint): [State, MissingData[]] {
  const next = withCheckpoint(state, checkpoint);
  if (checkpoint.kind === 'obligation') return [next, [{ type: 'owed' }]];
  if (!isPrompt(checkpoint.kind)) return [next, []];
  return [{ ...next, peerMoves: state.peerMoves + 1 }, checkpoint.open ? [{ type: 'waiting' }] : []];
}

const others = (leaves: State['leaves'], one: Pick<Leave, 'conversationId' | 'memberId'>): State['leaves'] =>
  leaves.filter((leave) => leave.conversationId !== one.conversationId || leave.memberId !== one.memberId);

function posted(state: State, message: Message, root: string | null, parentId: string | null): [State, MissingData[]] {
  const { conversationId } = message;
  const timeline = state.timelines[conversationId];
  let next = timeline ? { ...state, timelines: { ...state.timelines, [conversationId]: appendMessage(timeline, message) } } : state;
  if (root && parentId) next = repliedTo(next, parentId, root, message);
  next = {
    ...next,
    latest: { message, home: parentId ?? conversationId },
    typing: stoppedTyping(next, message),
    tasks: grownBefore(next.tasks, message),
    drafts: draftSaid(next.drafts, message),
    pending: recognise(next.pending, message, state.myId),
  };
  const needs: MissingData[] = message.authorId !== null && !state.members[message.authorId] ? [{ type: 'members' }] : [];
  const known = next.conversations[conversationId];
  if (known) return [withConversation(next, countUnread(known, message, state.myId)), needs];
  return [next, root ? needs : [...needs, { type: 'conversation', id: conversationId }]];
}

/** Somebody posts: the requests of others there grow no more (C2A-28). */
function grownBefore(tasks: State['tasks'], { conversationId, authorId }: Message): State['tasks'] {
  const grown = Object.values(tasks).filter(
    ({ growing, requesterId }) => growing?.conversationId === conversationId && requesterId !== authorId,
  );
  return grown.length === 0 ? tasks : { ...tasks, ...Object.fromEntries(grown.map((task) => [task.id, { ...task, growing: null }])) };
}

type Counted = Pick<MyConversation, 'readSeq' | 'lastSeq' | 'unread'>;

/** A snapshot may already have counted a message whose fact comes after it; `lastSeq` tells. */
function countUnread(conversation: MyConversation, message: Message, myId: string): MyConversation {
  if (message.seq <= conversation.lastSeq) return conversation;
  const mine = message.authorId === myId;
  const unread = mine || message.seq <= conversation.readSeq ? conversation.unread : Math.min(100, conversation.unread + 1);
  return { ...conversation, lastSeq: message.seq, unread };
}

/**
 * A count that the hub made, beside the facts that came meanwhile: it may have been made before the last of them, and then it
 * must be asked for again; nothing is given back for it. Messages seen here since stay seen.
 */
export function recountUnread(known: MyConversation, counted: Counted): Counted | undefined {
  if (counted.lastSeq < known.lastSeq) return undefined;
  if (counted.readSeq < known.readSeq) return { readSeq: known.readSeq, lastSeq: known.lastSeq, unread: known.unread };
  return { readSeq: counted.readSeq, lastSeq: counted.lastSeq, unread: counted.unread };
}

/** The reply's fact is all that tells the root's row that it has one more. */
function repliedTo(state: State, parentId: string, rootId: string, reply: Message): State {
  const timeline = state.timelines[parentId];
  const root = timeline?.messages[rootId];
  if (!timeline || !root || (root.threadLastAt ?? 0) >= reply.createdAt) return state;
  const bumped = { ...root, threadId: reply.conversationId, threadReplies: root.threadReplies + 1, threadLastAt: reply.createdAt };
  return { ...state, timelines: { ...state.timelines, [parentId]: upsertMessage(timeline, bumped) } };
}

function rootOfThread(state: State, threadId: string): Message | undefined {
  const thread = state.conversations[threadId];
  if (thread && thread.kind !== 'thread') return undefined;
  for (const timeline of Object.values(state.timelines)) {
    for (const message of Object.values(timeline.messages)) if (message.threadId === threadId) return message;
  }
  return undefined;
}

/** The root's row leads to the thread from now on. */
export function threadOpened(state: State, thread: Conversation): State {
  const parent = state.timelines[thread.parentId ?? ''];
  const root = parent?.messages[thread.rootMessageId ?? ''];
  if (!parent || !root || root.threadId !== null) return state;
  const messages = { ...parent.messages, [root.id]: { ...root, threadId: thread.id } };
  return { ...state, timelines: { ...state.timelines, [thread.parentId!]: { ...parent, messages } } };
}

function stoppedTyping(state: State, message: Message): State['typing'] {
  const here = state.typing[message.conversationId];
  if (!here || message.authorId === null) return state.typing;
  return { ...state.typing, [message.conversationId]: omitKey(here, message.authorId) };
}

/** Our own message may come back by the stream before the answer to the post does; it must not be seen twice. */
function recognise(pending: readonly PendingMessage[], message: Message, myId: string): readonly PendingMessage[] {
  if (message.authorId !== myId || pending.length === 0) return pending;
  const files = message.attachments.map((file) => file.id).join();
  const match = pending.find(
    (item) =>
      item.seenAs === null &&
      item.conversationId === message.conversationId &&
      item.body === message.body &&
      item.attachments.map((file) => file.id).join() === files,
  );
  return match ? pending.map((item) => (item === match ? { ...item, seenAs: message.id } : item)) : pending;
}

export function withMessage(state: State, message: Message): State {
  const timeline = state.timelines[message.conversationId];
  if (!timeline) return state;
  const next = upsertMessage(timeline, message);
  return next === timeline ? state : { ...state, timelines: { ...state.timelines, [message.conversationId]: next } };
}

export function withConversation(state: State, conversation: MyConversation): State {
  if (state.conversations[conversation.id] === conversation) return state;
  return { ...state, conversations: { ...state.conversations, [conversation.id]: conversation } };
}

function memberLeft(state: State, conversationId: string, memberId: string): State {
  const list = state.memberships[conversationId];
  const memberships = list
    ? { ...state.memberships, [conversationId]: list.filter((item) => item.memberId !== memberId) }
    : state.memberships;
  const known = state.conversations[conversationId];
  if (memberId !== state.myId || !known) return { ...state, memberships };
  if (known.visibility === 'public') return withConversation({ ...state, memberships }, { ...known, joined: false, unread: 0 });
  // What one may no longer see leaves the page as well.
  return {
    ...state,
    memberships: omitKey(memberships, conversationId),
    conversations: omitKey(state.conversations, conversationId),
    timelines: omitKey(state.timelines, conversationId),
  };
}

function readMoved(state: State, conversationId: string, readSeq: number): [State, MissingData[]] {
  const known = state.conversations[conversationId];
  if (!known || readSeq <= known.readSeq) return [state, []];
  const caughtUp = readSeq >= known.lastSeq;
  const next = withConversation(state, { ...known, readSeq, unread: caughtUp ? 0 : known.unread });
  return [next, caughtUp || known.unread === 0 ? [] : [{ type: 'conversation', id: conversationId }]];
}
