// The rest of an erasure: whatever somebody left anywhere, piece by piece, so that ten years of messages do not hold up a single
// new one.

import type { Store } from '../store/port.ts';
import { readColumns } from '../store/where.ts';
import { type CommandOf, operator } from './command.ts';
import type { Engine } from './engine.ts';
import { stretches } from './look.ts';

type Piece = Pick<CommandOf<'member.erase_more'>, 'messageIds' | 'attachmentIds' | 'reactions' | 'requestKeys' | 'eventIds'>;
const nothing: Piece = { messageIds: [], attachmentIds: [], reactions: [], requestKeys: [], eventIds: [] };
const page = 200;

export async function eraseAll(memberId: string, store: Store, engine: Engine): Promise<void> {
  const erase = (piece: Partial<Piece>) => engine.submit({ type: 'member.erase_more', by: operator, memberId, ...nothing, ...piece });
  for await (const stretch of stretches(store)) {
    const messages = await store.all<{ id: string }>(
      'select id from messages where seq > ? and seq <= ? and author_id = ? and deleted_at is null order by seq',
      [...stretch, memberId],
    );
    const ids = messages.map(({ id }) => id);
    while (ids.length > 0) await erase({ messageIds: ids.splice(0, page) });
  }
  for (;;) {
    const [attachments, reactions, requests, events] = await Promise.all([
      readColumns(store, 'attachments', ['id'], { uploaded_by: memberId, erased_at: null }, { limit: page }),
      store.all<{ messageId: string; emoji: string }>(
        `select message_id as "messageId", emoji from reactions where member_id = ? limit ${page}`,
        [memberId],
      ),
      readColumns(store, 'requests', ['key'], { actor_id: memberId }, { limit: page }),
      readColumns(store, 'events', ['id'], { by_id: memberId }, { limit: page }),
    ]);
    if (attachments.length + reactions.length + requests.length + events.length === 0) return;
    await erase({
      attachmentIds: attachments.map(({ id }) => id),
      reactions,
      requestKeys: requests.map(({ key }) => key),
      eventIds: events.map(({ id }) => id),
    });
  }
}
