// Who brought events, in one read however many there are.

import type { EventSender } from '@parley/protocol';
import { recordedSender } from '../engine/steps/triggers/recorded-sender.ts';
import type { Reader } from '../store/port.ts';
import type { EventRow } from '../store/tables.ts';

export async function recordedSenders(reader: Reader, events: readonly EventRow[]): Promise<(event: EventRow) => EventSender> {
  const ids = [...new Set(events.flatMap(({ by_id }) => by_id ?? []))];
  const found = ids.length === 0 ? [] : await reader.rows('members', { id: ids });
  const members = new Map(found.map((row) => [row.id, row]));
  return (event) => recordedSender(event, members.get(event.by_id ?? ''));
}
