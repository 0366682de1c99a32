// Which invocation posted a message, and what had woken it (C2A-32): the fact of its posting names it.

import type { WakingEvent } from '@parley/protocol';
import { factData } from '../store/fact-data.ts';
import type { Reader } from '../store/port.ts';
import type { MessageRow } from '../store/tables.ts';
import { recordedSenders } from './recorded-senders.ts';

/** `sees`: whether the waking event of this owner's invocation is shown. A reader of the message may know that there was one. */
export async function provokedBy(reader: Reader, message: MessageRow, sees: (ownerId: string) => boolean): Promise<WakingEvent | null> {
  const [fact] = await reader.rows('facts', { subject_id: message.id, type: 'message.posted' }, { order: 'seq', limit: 1 });
  const invocationId = fact && factData(fact, 'message.posted')?.invocation;
  if (invocationId === undefined) return null;
  const [invocation] = await reader.rows('invocations', { id: invocationId });
  if (!invocation) return { invocationId, triggerId: null, event: null };
  const { trigger_id: triggerId, event_ref, owner_id } = invocation;
  const [event] = sees(owner_id) ? await reader.rows('events', { id: event_ref }) : [];
  if (!event) return { invocationId, triggerId, event: null };
  const sender = (await recordedSenders(reader, [event]))(event);
  return { invocationId, triggerId, event: { id: event.event_id, type: event.type, source: event.source, ...sender } };
}
