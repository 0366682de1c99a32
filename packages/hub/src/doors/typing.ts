// A sign of typing, by whichever door: shown to those who are there, and kept nowhere. Only where its author is still
// asking something does anything change (C2A-4), and only then is anything written.

import type { By } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import type { Store } from '../store/port.ts';
import { composingTasks } from '../store/reads/tasks.ts';
import type { ConversationRow, MembershipRow } from '../store/tables.ts';
import { readColumns } from '../store/where.ts';
import type { Live } from './stream/live-streams.ts';

export async function signOfTyping(
  hub: { store: Store; engine: Engine; live: Live },
  by: By,
  memberId: string,
  sight: { conversation: ConversationRow; home: ConversationRow; membership: MembershipRow | undefined },
): Promise<void> {
  const { conversation, home, membership } = sight;
  if (!membership) return;
  hub.live.typing(memberId, conversation.id, home.id);
  const open = await writtenIn(hub.store, memberId, conversation);
  if (open) await hub.engine.submit({ type: 'compose.typing', by, ...open });
}

/** Its author says that what they ask there is complete. */
export async function finishComposing(
  hub: { store: Store; engine: Engine },
  by: By,
  memberId: string,
  conversation: ConversationRow,
): Promise<void> {
  const open = await writtenIn(hub.store, memberId, conversation);
  if (open) await hub.engine.submit({ type: 'compose.done', by, ...open });
}

/** What is still being asked there; undefined: nothing. */
async function writtenIn(
  store: Store,
  memberId: string,
  conversation: ConversationRow,
): Promise<{ taskIds: string[]; roundIds: string[] } | undefined> {
  const open = await composingTasks(store, memberId, conversation);
  const inRounds = { author_id: memberId, open: 1, conversation_id: conversation.id, ready_at: { '<>': null } };
  const rounds = await readColumns(store, 'rounds', ['message_id'], inRounds);
  if (open.length + rounds.length === 0) return undefined;
  return { taskIds: open.map(({ id }) => id), roundIds: rounds.map(({ message_id }) => message_id) };
}
