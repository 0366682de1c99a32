// What this side gave and withheld in one negotiation, by its own packets.

import { allRecords } from '../packets/records.ts';
import type { PeerStore } from '../store/port.ts';
import type { MachineRecord } from './records.ts';

export interface ExchangedFields {
  shared: string[];
  /** Asked for and not given. */
  withheld: string[];
}

interface Answers {
  context?: object;
  context_provided?: object;
  context_unavailable?: { field: string }[];
}

/** Words about a conflict are no fields of the person. */
const platformFields = ['conflict', 'proposed_alternatives'];

export async function exchangedFields(store: PeerStore, { machine }: MachineRecord): Promise<ExchangedFields> {
  const shared = new Set<string>();
  const withheld = new Set<string>();
  for await (const { value } of allRecords(store, 'packet')) {
    const { packet, direction } = value;
    if (direction !== 'out' || packet.thread_id !== machine.threadId) continue;
    const { context = {}, context_provided: provided = {}, context_unavailable: refused = [] } = packet as Answers;
    for (const field of [...Object.keys(context), ...Object.keys(provided)]) shared.add(field);
    for (const { field } of refused) withheld.add(field);
  }
  return { shared: [...shared].filter((field) => !platformFields.includes(field)), withheld: [...withheld] };
}
