// Scans what a brain wrote before it leaves: values of this person that the peer may not get, and everything of other relationships.

import { withheldIn, type WithheldValue } from '@parley/core';
import { consentFor, type SharingScope } from '@parley/core/consent';
import type { FreeFields } from '@parley/protocol/relay';
import { allRecords } from '../packets/peer-records.ts';
import type { PeerStore } from '../store/port.ts';
import type { BrainMove } from './peer-brain.ts';
import type { MachineRecord, ProfileRecord } from './negotiation-records.ts';

export interface LeakScope {
  profile: ProfileRecord;
  record: MachineRecord;
  scope: SharingScope;
  /** Values that the peer may get. */
  visible: FreeFields;
}

/** Words that every proposal has: a value that is just one of them tells nothing. */
const ordinary =
  'Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September October November December breakfast lunch dinner drinks coffee meeting call';

/** Of other relationships, so that a scan takes less than half a second; their values never reached the brain anyway. */
const mostOthers = 300;

/** The fields that the move must not carry. Those of another relationship are named by its address. */
export async function leaksOf(store: PeerStore, { profile, record, scope, visible }: LeakScope, move: BrainMove): Promise<string[]> {
  if (move.kind === 'wait') return [];
  const own = Object.entries(profile.fields).filter(([field]) => consentFor(field, scope) !== 'share');
  const others: WithheldValue[] = [];
  const theirs: unknown[] = [];
  for await (const { key, value } of allRecords(store, 'memory'))
    for (const one of Object.values(value.cache))
      if (key === record.machine.peer) theirs.push(one.value);
      else others.push({ field: key, value: one.value });
  for await (const { key } of allRecords(store, 'peer')) if (key !== record.machine.peer) others.push({ field: key, value: key });
  const withheld = [...own.map(([field, value]) => ({ field, value })), ...others.slice(-mostOthers)];
  const { intent, received, peerWish, ownWish } = record;
  const content = move.kind === 'change_intent' ? { intent: move.intent, reason: move.reason } : move.content;
  return withheldIn(content, withheld, [ordinary, intent, received, peerWish, ownWish, theirs, visible]);
}
