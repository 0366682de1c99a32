// What a negotiation introduces to its person, in a terminal (A2C-39). A person with many negotiations has met everything.

import { isEnded, type NegotiationState } from '@parley/core/negotiation';
import { experienced, type Introduction, introductionsFor, type KnownNegotiation } from '@parley/core/space';
import type { NegotiationView } from '../negotiate/views.ts';
import { isShown } from '../negotiate/groups/group-lines.ts';
import { allRecords } from '../packets/records.ts';
import type { PeerStore } from '../store/port.ts';

export async function introductionsOf(store: PeerStore, { id, state }: NegotiationView): Promise<Introduction[]> {
  if (isEnded(state as NegotiationState)) return [];
  const known: KnownNegotiation[] = [];
  for await (const { value } of allRecords(store, 'machine')) {
    const { machine, group, outside, intent } = value;
    const kind = outside ? 'outside' : group ? 'group' : 'pair';
    if (isShown(value)) known.push({ id: machine.threadId, peer: machine.peer, kind, intent: intent?.summary ?? '' });
    if (known.length > experienced) break;
  }
  return introductionsFor(id, known);
}
