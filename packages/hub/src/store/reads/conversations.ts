// Reads about conversations. The home of a thread is the conversation that holds it; every other conversation is its own.

import type { Reader } from '../port.ts';
import type { ConversationRow } from '../tables.ts';

export const channelsOf = (reader: Reader, memberId: string): Promise<ConversationRow[]> =>
  reader.rows(
    'conversations',
    `where kind = 'channel' and archived_at is null and id in (select conversation_id from memberships where member_id = ?)
     order by name, id limit 500`,
    [memberId],
  );

/** These conversations and their threads, each with its home. */
export const withThreads = (reader: Reader, homeIds: readonly string[]): Promise<{ id: string; home: string }[]> =>
  reader.all('select id, coalesce(parent_id, id) as home from conversations where id in {list} or parent_id in {list}', [homeIds, homeIds]);
