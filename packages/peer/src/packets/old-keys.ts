// Erases the keys that have waited for late packets too long, also in sessions that nobody uses (A2C-5).

import { hasExpiredKeys, withoutExpiredKeys } from '../seal/session.ts';
import type { PeerStore, RecordChange } from '../store/port.ts';
import { allRecords, packBytes, sessionOf } from './records.ts';

export async function eraseOldKeys(store: PeerStore, now: number): Promise<void> {
  const changes: RecordChange[] = [];
  for await (const { key, value, version } of allRecords(store, 'session')) {
    const session = sessionOf(value);
    if (!hasExpiredKeys(session, now)) continue;
    const state = packBytes(withoutExpiredKeys(session, now));
    changes.push({ put: 'session', key, value: { ...value, state }, ifVersion: version });
  }
  if (changes.length > 0) await store.commit(changes);
}
