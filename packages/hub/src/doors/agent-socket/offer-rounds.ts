// The event of a message that is offered to this agent on an open floor: a knock, without a task.

import { roundTopic } from '@parley/core';
import type { RoundOffer } from '@parley/protocol';
import { factData } from '../../store/fact-data.ts';
import type { PlacedFact, Store } from '../../store/port.ts';
import { messagesById } from '../../turns/words-in-task.ts';
import { settingOf } from '../../views/settings.ts';
import { authorView, plainEvent } from './event-base.ts';

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
  const said = [...messages.values()].filter(({ body }) => body !== null).toSorted((a, b) => a.seq - b.seq);
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
      ? said.map((message) => ({ messageId: message.id, authorId: message.author_id, kind: 'request' as const, content: message.body! }))
      : [],
    createdAt: messages.get(messageId)?.created_at ?? fact.at,
    // Kept in running time; agents read wall time.
    until: offer.until! + (await settingOf(store, 'clock.shift', 0)),
  };
}
