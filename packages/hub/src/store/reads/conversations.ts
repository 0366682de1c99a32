// Reads about conversations. The home of a thread is the conversation that holds it; every other conversation is its own.

import type { Reader } from '../port.ts';
import type { ConversationRow } from '../tables.ts';
import type { Sql } from '../where.ts';

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

const isPublicChannel = "kind = 'channel' and visibility = 'public'";

/** Of these conversations and their threads, and of public channels for those who may browse: whether all history is shown. */
export const historiesOf = (
  reader: Reader,
  homeIds: readonly string[],
  browses: boolean,
): Promise<Pick<ConversationRow, 'id' | 'parent_id' | 'history'>[]> =>
  reader.all(
    `select c.id, c.parent_id, h.history from conversations c join conversations h on h.id = coalesce(c.parent_id, c.id)
     where h.id in (select id from conversations where id in {list} ${browses ? `or (${isPublicChannel})` : ''})`,
    [homeIds],
  );

/** These conversations, and the public channels for those who may browse. */
export const listedConversations = (reader: Reader, ids: readonly string[], browses: boolean): Promise<ConversationRow[]> =>
  reader.rows(
    'conversations',
    `where kind <> 'thread' and (id in {list}${browses ? ` or (${isPublicChannel} and archived_at is null)` : ''}) order by created_at, id`,
    [ids],
  );

export interface Standing {
  id: string;
  last_seq: number;
  read_seq: number;
  unread: number;
}

/** As many of the newest messages are looked at for what is unread; a count never goes through all that is stored. */
const lookedAt = 200;

/** Where a member stands in conversations: the last message, the last one read, and how many of the newest 200 are unread. */
export function standingsIn(reader: Reader, memberId: string, ids: readonly string[]): Promise<Standing[]> {
  // A new member is not behind on earlier messages.
  const since = 'coalesce(r.seq, ms.joined_seq, 0)';
  return reader.all(
    `select c.id as id, ${since} as read_seq,
       coalesce((select max(m.seq) from messages m where m.conversation_id = c.id), 0) as last_seq,
       (select count(*) from (select m.author_id as author_id, octet_length(m.body) as size from messages m
          where m.conversation_id = c.id and m.seq > ${since} order by m.seq desc limit ${lookedAt}) as newest
        where size is not null and (author_id is null or author_id <> ?)) as unread
     from conversations c
       left join memberships ms on ms.conversation_id = coalesce(c.parent_id, c.id) and ms.member_id = ?
       left join reads r on r.conversation_id = c.id and r.member_id = ?
     where c.id in {list}`,
    [memberId, memberId, memberId, ids],
  );
}

/**
 * DMs between agents that a person may look into: all of them, or those of agents they own or manage. `may` decides each
 * (`conversation.read`); this only spares reading everybody else's conversations to find them.
 */
export function isOverseenDm(alias: string, overseerId: string | undefined): Sql {
  const agents = `select 1 from memberships o join members p on p.id = o.member_id where o.conversation_id = ${alias}.id`;
  const among = `${alias}.kind = 'dm' and not exists (${agents} and p.kind = 'human')`;
  return overseerId === undefined
    ? { sql: among, params: [] }
    : { sql: `${among} and exists (${agents} and (p.owner_id = ? or p.manager_id = ?))`, params: [overseerId, overseerId] };
}

export function overseenDms(reader: Reader, overseerId: string | undefined): Promise<ConversationRow[]> {
  const { sql, params } = isOverseenDm('conversations', overseerId);
  return reader.rows('conversations', `where ${sql} order by created_at desc, id limit 500`, params);
}

/** Of a conversation, its home and its threads those with a leave request. */
export const withLeaveRequests = (
  reader: Reader,
  { id, parent_id }: Pick<ConversationRow, 'id' | 'parent_id'>,
): Promise<Pick<ConversationRow, 'id' | 'parent_id'>[]> =>
  reader.all(
    'select id, parent_id from conversations where id in (select conversation_id from leaves) and (id in (?, ?) or parent_id = ?)',
    [id, parent_id ?? id, id],
  );
