// Packets that this peer's relay had stored, and that did not reach the relay of their recipient (A2C-10).

import { type FailureNotice, type RelayRefusal, relayRefusals } from '@parley/protocol/relay';
import type { PeerStore } from '../store/port.ts';
import { withdrawPackets } from './numbers.ts';
import { allRecords } from './records.ts';

export interface Undelivered {
  kind: 'undelivered';
  to: string;
  message: string;
  /** Whether the packet is given up. Otherwise a summary shows that it is missing, and it is sent again. */
  isFinal: boolean;
}

/** Marks the packet as failed, where sending it again would not help. */
export async function noteUndelivered(store: PeerStore, { packet_id: sentAs, to, code, message }: FailureNotice): Promise<Undelivered> {
  // The relay has tried for days.
  const isFinal = code === 'relay_unreachable' || !(relayRefusals[code as RelayRefusal]?.retry ?? false);
  if (isFinal) {
    const keys: string[] = [];
    for await (const { key, value } of allRecords(store, 'packet'))
      if (value.direction === 'out' && value.peer === to && value.sentAs === sentAs && value.state === 'sent') keys.push(key);
    if (keys.length > 0) await store.commit(await withdrawPackets(store, keys, message));
  }
  return { kind: 'undelivered', to, message, isFinal };
}
