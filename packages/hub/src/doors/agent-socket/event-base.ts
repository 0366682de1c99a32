// Parts that all events to agents share.

import type { AgentEvent } from '@parley/protocol';
import type { PlacedFact } from '../../store/port.ts';
import type { ConversationRow, MemberRow } from '../../store/tables.ts';

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
