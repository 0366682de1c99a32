// The lines of a group at its coordinator. The line with the first member is the lead. It also holds the things of the whole group: its
// state, its actions and the question to the coordinator's person.

import { negotiationKey, getValue } from '../../packets/peer-records.ts';
import type { PeerStore } from '../../store/port.ts';
import type { Negotiation } from '@parley/core/negotiation';
import type { MachineRecord } from '../negotiation-records.ts';

/** Whether the record is a line of a group that this side coordinates. */
const isCoordinated = ({ lead }: MachineRecord): boolean => lead !== undefined;
const isLead = ({ lead, machine }: MachineRecord): boolean => lead === machine.peer;
/** People see a group once, through its lead. */
export const isShown = (record: MachineRecord): boolean => !isCoordinated(record) || isLead(record);

/** All lines of the group, by address. `record` is one of them, and may be newer than the stored one. */
export async function linesOf(store: PeerStore, record: MachineRecord): Promise<Record<string, MachineRecord>> {
  const { threadId, own, group } = record.machine;
  const members = group!.participants.map(({ agent }) => agent).filter((agent) => agent !== own);
  const found = await Promise.all(
    members.map(async (agent) =>
      agent === record.machine.peer ? record : await getValue(store, 'machine', negotiationKey(agent, threadId)),
    ),
  );
  return Object.fromEntries(found.flatMap((one) => (one ? [[one.machine.peer, one]] : [])));
}

/** The negotiations alone, without what the peer stores beside them. */
export const machinesIn = (lines: Readonly<Record<string, MachineRecord>>): Record<string, Negotiation> =>
  Object.fromEntries(Object.entries(lines).map(([address, { machine }]) => [address, machine]));

/** The addresses of everybody else. The coordinator is first. */
export function othersIn({ own, peer, role, group }: Negotiation): string[] {
  const others = group?.participants.map(({ agent }) => agent).filter((agent) => agent !== own) ?? [peer];
  return role === 'initiator' ? others : [peer, ...others.filter((agent) => agent !== peer)];
}

/** The record that holds the group; `record` itself if it belongs to none. */
export async function leadOf(store: PeerStore, record: MachineRecord): Promise<MachineRecord> {
  if (record.lead === undefined || isLead(record)) return record;
  return (await getValue(store, 'machine', negotiationKey(record.lead, record.machine.threadId))) ?? record;
}
