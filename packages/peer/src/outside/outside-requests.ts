// Asks somebody without an agent: the person sends the text that this makes (A2C-11).

import { openNegotiation } from '@parley/core/negotiation';
import type { Negotiations } from '../negotiate/negotiations.ts';
import { type MachineRecord, newMachine, putMachine } from '../negotiate/records.ts';
import { PeerError } from '../packets/errors.ts';
import { getRecord, negotiationKey, newId } from '../packets/records.ts';
import { outsideAddress } from './outside-people.ts';

export interface OutsideOpening {
  name: string;
  /** In the person's words. */
  request: string;
  /** How the text calls the person who asks. */
  from: string;
  /** Fields that the person lets the text use, beside those that are always shared. */
  share: readonly string[];
  /** Chosen by a caller who may repeat the call. */
  threadId?: string | undefined;
}

/** A thread ID that is known opens nothing: it was opened before. */
export async function openOutside(engine: Negotiations, opening: OutsideOpening): Promise<MachineRecord> {
  const { name, request, from, share, threadId = newId('thr') } = opening;
  const address = outsideAddress(name, threadId);
  const key = negotiationKey(address, threadId);
  await engine.peer.inTurn(async () => {
    engine.peer.mustHoldLine();
    const { store } = engine.peer.parts;
    if (await getRecord(store, 'machine', key)) return;
    const { event, stated, intent } = await engine.readRequest(request, undefined);
    if (event === undefined)
      throw new PeerError('bad_input', `The text offers times, and "${request}" names no meeting. Write for example "Dinner on Friday".`);
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
