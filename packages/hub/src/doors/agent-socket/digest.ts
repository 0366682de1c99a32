// The roll-up of a conversation as it is sent. The fact says from where to where; the messages between are read at that
// moment, so that deleted ones are not counted any more.

import { digestTopic, isQuestion, type UndeliveredMessage, rollUp } from '@parley/core';
import type { DigestEvent } from '@parley/protocol';
import { factData } from '../../store/fact-data.ts';
import type { PlacedFact, Reader } from '../../store/port.ts';
import { countOpenTasks } from '../../store/reads/tasks.ts';
import { joinedAt, type MailboxMessage, mailboxPage } from '../../views/mailbox.ts';
import { plainEvent } from './event-base.ts';

export const digestType = 'mailbox.digest';

/** Of a busy week the latest are counted, and it says that there were more. */
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
