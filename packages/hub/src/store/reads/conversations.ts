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

export interface Viewer {
  memberId: string;
  /** Whether the member sees public channels without being in them. */
  browses: boolean;
}

/**
 * The condition that a conversation is one the viewer reads: asked of each row that is come by, so that what it costs does not
 * grow with how many conversations there are. Written as `exists`, PostgreSQL would read all conversations once instead. `column` names the conversation, `more` what else of it and of its home `h` counts.
 */
export function isReadable(column: string, { memberId, browses }: Viewer, more: { or?: Sql; and?: string } = {}): Sql {
  const { or, and = '' } = more;
  return {
    sql: `(select 1 from conversations c join conversations h on h.id = coalesce(c.parent_id, c.id)
       left join memberships own on own.conversation_id = h.id and own.member_id = ?
       where c.id = ${column} and (own.member_id is not null${browses ? " or (h.kind = 'channel' and h.visibility = 'public')" : ''}
         ${or ? `or (${or.sql})` : ''}) ${and} limit 1) is not null`,
    params: [memberId, ...(or?.params ?? [])],
  };
}

/** The condition that a message `m` is one of those that are searched. */
export function searchedIn(where: { conversationIds: string[] } | Viewer): Sql {
  if ('conversationIds' in where) return { sql: 'm.conversation_id in {list}', params: [where.conversationIds] };
  return isReadable('m.conversation_id', where, { and: "and (h.history = 'all' or m.seq >= own.joined_seq)" });
}

export interface ConversationPage {
  rows: ConversationRow[];
  more: boolean;
}

/** The member's conversations, and the public channels for those who may browse, in the order in which they were made. */
export async function conversationPage(
  reader: Reader,
  { memberId, browses }: Viewer,
  { after = '', limit }: { after?: string | undefined; limit: number },
): Promise<ConversationPage> {
  const joined =
    'select conversation_id as id from memberships where member_id = ? and conversation_id > ? order by conversation_id limit ?';
  const open = `select id from conversations where ${isPublicChannel} and archived_at is null and id > ? order by id limit ?`;
  const rows = await reader.rows(
    'conversations',
    `where id in (select id from (${joined}) as joined ${browses ? `union select id from (${open}) as public` : ''}) order by id limit ?`,
    [memberId, after, limit + 1, ...(browses ? [after, limit + 1] : []), limit + 1],
  );
  return { rows: rows.slice(0, limit), more: rows.length > limit };
}

export interface Standing {
  id: string;
  last_seq: number;
  read_seq: number;
  unread: number;
}

/** Unread messages are counted among this many of the newest, in an index that names the author. */
const lookedAt = 200;

/** A member's state in conversations: the last message, the last one read, and how many of the newest 200 are unread. */
export function standingsIn(reader: Reader, memberId: string, ids: readonly string[]): Promise<Standing[]> {
  // A new member is not behind on earlier messages.
  const since = 'coalesce(r.seq, ms.joined_seq, 0)';
  return reader.all(
    `select c.id as id, ${since} as read_seq,
       coalesce((select max(m.seq) from messages m where m.conversation_id = c.id), 0) as last_seq,
       (select count(*) from (select m.author_id as author_id, m.deleted_at as deleted_at from messages m
          where m.conversation_id = c.id and m.seq > ${since} order by m.seq desc limit ${lookedAt}) as newest
        where deleted_at is null and (author_id is null or author_id <> ?)) as unread
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
  const joined = 'from memberships o join members p on p.id = o.member_id where';
  const among = `${alias}.kind = 'dm' and (select 1 ${joined} o.conversation_id = ${alias}.id and p.kind = 'human' limit 1) is null`;
  if (overseerId === undefined) return { sql: among, params: [] };
  const ownersQuery = `select o.conversation_id ${joined} (p.owner_id = ? or p.manager_id = ?)`;
  return { sql: `${among} and ${alias}.id in (${ownersQuery})`, params: [overseerId, overseerId] };
}

export function overseenDms(reader: Reader, overseerId: string | undefined): Promise<ConversationRow[]> {
  const { sql, params } = isOverseenDm('conversations', overseerId);
  return reader.rows('conversations', `where ${sql} order by created_at desc, id limit 500`, params);
}

/** Private channels that keep a name from others, or whose name is not kept yet. */
export const namesToKeep = (reader: Reader): Promise<{ id: string }[]> =>
  reader.all(
    `select id from conversations where kind = 'channel' and visibility = 'private' and (name_fold is not null
       or (archived_at is null and id not in (select conversation_id from private_names)))`,
  );

/** The conversation, its home and its threads, as far as they have a leave request. */
export const withLeaveRequests = (
  reader: Reader,
  { id, parent_id }: Pick<ConversationRow, 'id' | 'parent_id'>,
): Promise<Pick<ConversationRow, 'id' | 'parent_id'>[]> =>
  reader.all(
    'select id, parent_id from conversations where id in (select conversation_id from leaves) and (id in (?, ?) or parent_id = ?)',
    [id, parent_id ?? id, id],
  );
