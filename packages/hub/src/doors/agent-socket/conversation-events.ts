// The roll-up of a conversation as it is sent. The fact says from where to where; the messages between are read at that
// moment, so that deleted ones are not counted any more.

import { digestTopic, isQuestion, type UndeliveredMessage, rollUp, roundTopic } from '@parley/core';
import type { DigestEvent, AgentEvent, RoundOffer } from '@parley/protocol';
import { factData } from '../../store/fact-data.ts';
import type { PlacedFact, Reader, Store } from '../../store/port.ts';
import { countOpenTasks } from '../../store/reads/tasks.ts';
import { joinedAt, type MailboxMessage, mailboxPage } from '../../views/mailbox.ts';
import type { ConversationRow, MemberRow } from '../../store/tables.ts';
import { messagesById } from '../../turns/words-in-task.ts';
import { settingOf } from '../../views/row-views.ts';

export const digestType = 'mailbox.digest';

/** Only the latest of a busy week are counted; the event states that there were more. */
const mostCounted = 2000;

/** Undefined: nothing was said, or it is not there any more. */
export async function digestOf(store: Reader, agentId: string, fact: PlacedFact): Promise<DigestEvent | undefined> {
  const homeId = fact.conversation_id!;
  const { after } = factData(fact, digestType)!;
  const joined = await joinedAt(store, agentId, homeId);
  if (joined === undefined) return undefined;
  const span = { homeId, after: Math.max(after, joined), upTo: fact.seq };
  const { stored, more } = await mailboxPage(store, agentId, span, { from: 'latest', limit: mostCounted });
  const digest = rollUp(stored.map(noted), { openTasks: stored.length === 0 ? 0 : await countOpenTasks(store, homeId), more });
  if (!digest) return undefined;
  const [conversation] = await store.rows('conversations', { id: homeId });
  const handles = await handlesOf(
    store,
    digest.authors.map(({ memberId }) => memberId),
  );
  return {
    ...plainEvent(fact, conversation!),
    kind: 'digest',
    author: null,
    addressedToMe: false,
    policy: 'must_not_respond',
    mode: 'digest',
    reason: 'digest',
    messageId: null,
    topic: digestTopic(digest, (id) => handles.get(id) ?? 'someone'),
    digest,
  };
}

function noted({ message, verdicts: { words, to } }: MailboxMessage): UndeliveredMessage {
  return {
    messageId: message.id,
    authorId: message.author_id,
    at: message.created_at,
    status: words.status === true,
    // Recorded only where somebody's verdict hung on it. Nothing is decided by asking now: it is counted.
    question: words.question ?? (words.status !== true && words.filler !== true && isQuestion(message.body ?? '')),
    addressed: to !== undefined,
  };
}

async function handlesOf(store: Reader, ids: string[]): Promise<Map<string, string>> {
  const rows = await store.rows('members', { id: ids });
  return new Map(rows.map(({ id, kind, handle }) => [id, `${kind === 'agent' ? '^' : '@'}${handle}`]));
}

// Parts that all events to agents share.

/** An event about a conversation: without a task, and without anyone's words. */
export const plainEvent = (fact: PlacedFact, { id, kind }: ConversationRow) => ({
  eventId: `${fact.epoch}:${fact.seq}`,
  conversation: { id, kind },
  content: null,
  topic: null,
  recipients: [],
  words: [],
  createdAt: fact.at,
  chain: null,
  task: null,
  lease: null,
  cause: null,
});

export const authorView = ({ id, kind, handle, display_name: displayName }: MemberRow): NonNullable<AgentEvent['author']> => ({
  id,
  kind,
  handle,
  displayName,
});

// The event of a message that is offered to this agent on an open floor: a knock, without a task.

/** Undefined: the offer has moved on. `asked`: with its words, for an agent that asks for them. */
export async function roundOffer(store: Store, agentId: string, fact: PlacedFact, asked = false): Promise<RoundOffer | undefined> {
  const messageId = fact.subject_id!;
  const [offer] = await store.rows('offers', { message_id: messageId, agent_id: agentId, state: 'open' });
  const pieces = offer ? await store.rows('rounds', { first_id: messageId }) : [];
  const first = pieces.find((piece) => piece.message_id === messageId);
  if (!offer || first?.open !== 1) return undefined;
  const messages = await messagesById(
    store,
    pieces.map((piece) => piece.message_id),
  );
  const visibleMessages = [...messages.values()].filter(({ body }) => body !== null).toSorted((a, b) => a.seq - b.seq);
  const [author] = await store.rows('members', { id: first.author_id });
  const [conversation] = await store.rows('conversations', { id: first.conversation_id });
  const { reason } = factData(fact, 'round.asked')!;
  return {
    ...plainEvent(fact, conversation!),
    kind: 'offer',
    author: author ? { ...authorView(author), ...(asked ? {} : { displayName: author.handle }) } : null,
    addressedToMe: false,
    policy: 'may_respond',
    mode: asked ? 'buffered' : 'notify',
    reason,
    messageId,
    content: asked ? (messages.get(messageId)?.body ?? null) : null,
    topic: asked
      ? null
      : roundTopic(
          pieces.some(({ asks }) => asks === 1),
          conversation!.kind,
        ),
    words: asked
      ? visibleMessages.map((message) => ({
          messageId: message.id,
          authorId: message.author_id,
          kind: 'request' as const,
          content: message.body!,
        }))
      : [],
    createdAt: messages.get(messageId)?.created_at ?? fact.at,
    // The deadline is stored in running time; agents read wall time.
    until: offer.until! + (await settingOf(store, 'clock.shift', 0)),
  };
}
