// Everything that a peer holds of its person, decrypted, for the person's own export. Keys and sessions are not part of it.

import { allRecords } from '../peer/records.ts';
import type { RecordKind } from '../store/port.ts';
import type { Resident } from './resident.ts';

const kinds: readonly RecordKind[] = ['profile', 'peer', 'machine', 'packet', 'prompt', 'journal', 'memory', 'calendar'];

export async function exportOf(resident: Resident): Promise<Record<string, unknown>> {
  const content: Record<string, unknown> = { address: resident.peer.address };
  for (const kind of kinds) {
    const values: unknown[] = [];
    for await (const { key, value } of allRecords(resident.store, kind)) values.push({ key, value });
    content[kind] = values;
  }
  return content;
}
