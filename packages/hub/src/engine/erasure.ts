// The rest of an erasure: whatever somebody left anywhere, piece by piece, so that ten years of messages do not hold up a single
// new one.

import type { Store } from '../store/port.ts';
import { readColumns } from '../store/where.ts';
import { type CommandOf, platform } from './command.ts';
import type { Engine } from './engine.ts';
import { factRanges } from './decision-reads.ts';

type Piece = Pick<CommandOf<'member.erase_more'>, 'messageIds' | 'attachmentIds' | 'reactions' | 'requestKeys' | 'eventIds'>;
const nothing: Piece = { messageIds: [], attachmentIds: [], reactions: [], requestKeys: [], eventIds: [] };
const page = 200;

export async function eraseAll(memberId: string, store: Store, engine: Engine): Promise<void> {
  const erase = (piece: Partial<Piece>) => engine.submit({ type: 'member.erase_more', by: platform, memberId, ...nothing, ...piece });
  for await (const [after, upTo] of factRanges(store)) {
    const written = { seq: { '>': after, '<=': upTo }, author_id: memberId, deleted_at: null };
    const messages = await readColumns(store, 'messages', ['id'], written, { order: 'seq' });
    const ids = messages.map(({ id }) => id);
    while (ids.length > 0) await erase({ messageIds: ids.splice(0, page) });
  }
  for (;;) {
    const [attachments, reactions, requests, events] = await Promise.all([
      readColumns(store, 'attachments', ['id'], { uploaded_by: memberId, erased_at: null }, { limit: page }),
      readColumns(store, 'reactions', ['message_id', 'emoji'], { member_id: memberId }, { limit: page }),
      readColumns(store, 'requests', ['key'], { actor_id: memberId }, { limit: page }),
      readColumns(store, 'events', ['id'], { by_id: memberId }, { limit: page }),
    ]);
    if (attachments.length + reactions.length + requests.length + events.length === 0) return;
    await erase({
      attachmentIds: attachments.map(({ id }) => id),
      reactions: reactions.map(({ message_id: messageId, emoji }) => ({ messageId, emoji })),
      requestKeys: requests.map(({ key }) => key),
      eventIds: events.map(({ id }) => id),
    });
  }
}
