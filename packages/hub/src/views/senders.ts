// Who brought an event, by what is on record of how it came in.

import type { EventSender } from '@parley/protocol';
import { inList } from '../engine/look.ts';
import type { Reader } from '../store/port.ts';
import type { EventRow } from '../store/provoke-tables.ts';

export async function sendersOf(reader: Reader, events: readonly EventRow[]): Promise<(event: EventRow) => EventSender> {
  const ids = [...new Set(events.flatMap(({ by_id }) => by_id ?? []))];
  const list = inList(ids);
  const found = ids.length === 0 ? [] : await reader.rows('members', `where id in ${list.sql}`, list.params);
  const names = new Map(found.map(({ id, kind, handle }) => [id, `${kind === 'agent' ? '^' : '@'}${handle}`]));
  return ({ via, source_id: sourceId, by_id }) => ({
    via,
    sourceId,
    by: by_id === null ? null : (names.get(by_id) ?? 'somebody who is gone'),
  });
}
