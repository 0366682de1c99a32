// The lines of a group at its coordinator. The line with the first member, the lead, also holds what there is once for the whole group:
// its state, its actions and the question to the coordinator's person.

import { negotiationKey, getRecord } from '../peer/records.ts';
import type { PeerStore } from '../store/port.ts';
import type { MachineRecord } from './records.ts';

/** Whether the record is a line of a group that this side coordinates. */
const isCoordinated = ({ lead }: MachineRecord): boolean => lead !== undefined;
const isLead = ({ lead, machine }: MachineRecord): boolean => lead === machine.peer;
/** People see a group once: by its lead. */
export const isShown = (record: MachineRecord): boolean => !isCoordinated(record) || isLead(record);

/** All lines of the group, by address. `record` is one of them, perhaps newer than what is stored. */
export async function linesOf(store: PeerStore, record: MachineRecord): Promise<Record<string, MachineRecord>> {
  const { threadId, own, group } = record.machine;
  const members = group!.participants.map(({ agent }) => agent).filter((agent) => agent !== own);
  const found = await Promise.all(
    members.map(async (agent) =>
      agent === record.machine.peer ? record : (await getRecord(store, 'machine', negotiationKey(agent, threadId)))?.value,
    ),
  );
  return Object.fromEntries(found.flatMap((one) => (one ? [[one.machine.peer, one]] : [])));
}

/** The record that holds the group: itself, where it belongs to none. */
export async function leadOf(store: PeerStore, record: MachineRecord): Promise<MachineRecord> {
  if (record.lead === undefined || isLead(record)) return record;
  return (await getRecord(store, 'machine', negotiationKey(record.lead, record.machine.threadId)))?.value ?? record;
}
