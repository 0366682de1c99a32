import type { Reader } from '../port.ts';
import type { Rows, MessageRow } from '../tables.ts';

/** The latest messages of a chain in a conversation before `seq`, the newest first. */
export const messagesOfChain = (
  reader: Reader,
  { conversationId, seq, chainId, limit }: { conversationId: string; seq: number; chainId: string; limit: number },
): Promise<MessageRow[]> =>
  reader.rows(
    'messages',
    `where conversation_id = ? and seq < ? and deleted_at is null
       and id in (select subject_id from facts where conversation_id = ? and type = 'message.posted' and chain_id = ?)
     order by seq desc limit ?`,
    [conversationId, seq, conversationId, chainId, limit],
  );

export async function textBytes(reader: Reader, ids: readonly string[]): Promise<number> {
  const [sum] = await reader.all<{ bytes: number | null }>('select sum(octet_length(body)) as bytes from messages where id in {list}', [
    ids,
  ]);
  return sum?.bytes ?? 0;
}

/** The first reactions to each message. */
export const firstReactions = (reader: Reader, messageIds: readonly string[], most: number): Promise<Rows['reactions'][]> =>
  reader.rows(
    'reactions',
    `where (message_id, member_id, emoji) in (select message_id, member_id, emoji from
       (select message_id, member_id, emoji, row_number() over (partition by message_id order by at, member_id, emoji) as place
        from reactions where message_id in {list}) as counted where place <= ?)`,
    [messageIds, most],
  );

/** Replies are counted up to this many. */
const maxReplies = 1000;

/** The number of replies in each thread, and the time of the last. */
export function threadSums(
  reader: Reader,
  threadIds: readonly string[],
): Promise<{ id: string; replies: number; lastAt: number | null }[]> {
  const newest = (column: string, limit: number): string =>
    `(select ${column} from messages m where m.conversation_id = c.id and m.deleted_at is null order by m.seq desc limit ${limit})`;
  return reader.all(
    `select c.id as id, (select count(*) from ${newest('m.seq', maxReplies)} as newest) as replies, ${newest('m.created_at', 1)} as "lastAt"
     from conversations c where c.id in {list}`,
    [threadIds],
  );
}

/** The seq of the last message there is; 0: none. */
export async function lastMessageSeq(reader: Reader): Promise<number> {
  const [last] = await reader.all<{ seq: number | null }>('select max(seq) as seq from messages');
  return last?.seq ?? 0;
}
