// Asks somebody without an agent (A2C-11): opens a negotiation, whose text the person sends.

import { openNegotiation } from '@parley/core/negotiation';
import { badInput } from '@parley/protocol';
import type { Negotiations } from '../negotiate/negotiations.ts';
import { type MachineRecord, newMachine, putMachine } from '../negotiate/negotiation-records.ts';
import { getRecord, negotiationKey, newId } from '../packets/peer-records.ts';
import { outsideAddress } from './outside-people.ts';

export interface OutsideOpening {
  name: string;
  /** In the person's words. */
  request: string;
  /** The name of the person who asks, as the text gives it. */
  from: string;
  /** Fields that the person lets the text use, beside those that are always shared. */
  share: readonly string[];
  /** A caller who may repeat the call chooses it. */
  threadId?: string | undefined;
}

/** Opens the negotiation. A repeated call with the same thread ID opens nothing. */
export async function openOutside(engine: Negotiations, opening: OutsideOpening): Promise<MachineRecord> {
  const { name, request, from, share, threadId = newId('thr') } = opening;
  const address = outsideAddress(name, threadId);
  const key = negotiationKey(address, threadId);
  await engine.peer.inTurn(async () => {
    engine.peer.mustHoldLine();
    const { store } = engine;
    if (await getRecord(store, 'machine', key)) return;
    const { event, stated, intent } = await engine.readRequest(request, undefined);
    if (event === undefined)
      throw badInput(`The text offers times, and "${request}" names no meeting. Write for example "Dinner on Friday".`);
    const machine = openNegotiation({ threadId, own: engine.peer.address, peer: address, role: 'initiator' }, engine.now);
    const record: MachineRecord = {
      ...newMachine(machine),
      intent,
      stated,
      decisions: Object.fromEntries(share.map((field) => [field, 'share' as const])),
      outside: { name, from, offer: null },
      isEvaluationDue: true,
    };
    await store.commit([putMachine(record)]);
    await engine.begin(record);
  });
  return engine.settled(key);
}
