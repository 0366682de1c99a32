import type { Reader } from '../port.ts';
import type { MessageRow } from '../tables.ts';

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
