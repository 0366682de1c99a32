// The lines of a group at its coordinator. The line with the first member, the lead, also holds what there is once for the whole group:
// its state, its actions and the question to the coordinator's person.

import { negotiationKey, getValue } from '../../packets/peer-records.ts';
import type { PeerStore } from '../../store/port.ts';
import type { NegotiationGroup } from '@parley/core/group';
import type { Negotiation, NegotiationState } from '@parley/core/negotiation';
import type { GroupStatusName } from '@parley/protocol';
import type { MachineRecord } from '../negotiation-records.ts';

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
      agent === record.machine.peer ? record : await getValue(store, 'machine', negotiationKey(agent, threadId)),
    ),
  );
  return Object.fromEntries(found.flatMap((one) => (one ? [[one.machine.peer, one]] : [])));
}

/** As core decides about them. */
export const machinesIn = (lines: Readonly<Record<string, MachineRecord>>): Record<string, Negotiation> =>
  Object.fromEntries(Object.entries(lines).map(([address, { machine }]) => [address, machine]));

/** The addresses of everybody else: the coordinator first. */
export function othersIn({ own, peer, role, group }: Negotiation): string[] {
  const others = group?.participants.map(({ agent }) => agent).filter((agent) => agent !== own) ?? [peer];
  return role === 'initiator' ? others : [peer, ...others.filter((agent) => agent !== peer)];
}

/**
 * A member who declined is out at once, whatever the others do. A confirmation that went out before binds it until the coordinator has
 * spoken.
 */
const isOut = ({ isClosing, group, state, proposal }: Negotiation): boolean =>
  group !== undefined && isClosing && !(state === 'PROPOSED' && proposal?.ownConfirmed === true);

/** The state as its person reads it. */
export const stateOf = ({ machine, group }: MachineRecord): NegotiationState =>
  group ? group.state : isOut(machine) ? 'DECLINED' : machine.state;

/** How far each participant is; null where this side cannot know it. Only the coordinator knows it of others. */
export function memberStatus(record: MachineRecord, lines: readonly MachineRecord[], agent: string): GroupStatusName | null {
  const { machine, group } = record;
  const isProposed = !['INITIATED', 'NEGOTIATING', 'STALLED'].includes((group ?? machine).state);
  if (agent === machine.own) return group ? coordinatorStatus(group, lines, isProposed) : ownStatus(record, isProposed);
  // The outcome proves to a member who confirmed, and nothing of the others.
  if (!group && machine.execution?.counted?.includes(agent)) return 'confirmed';
  const line = group ? lines.find((one) => one.machine.peer === agent)?.machine : undefined;
  if (!line) return null;
  if (line.hasPeerDeclined) return 'declined';
  // A group may end before anything is proposed.
  const asked = isProposed && line.proposal?.hash === group!.proposal?.hash ? line.proposal : null;
  if (asked?.hasPeerConflict) return 'conflict';
  if (asked) return asked.peerConfirmation === null ? 'asked' : 'confirmed';
  return hasNotAnswered(line) ? 'waiting' : 'answered';
}

/** Until when the coordinator waits for answers; null where it does not. */
export const answersBy = ({ state, isPatienceOver, answersBy: until }: NegotiationGroup): number | null =>
  ['INITIATED', 'NEGOTIATING'].includes(state) && !isPatienceOver ? until : null;

const isAsking = ({ openPrompt }: MachineRecord): boolean => openPrompt !== null;

function coordinatorStatus({ state, proposal }: NegotiationGroup, lines: readonly MachineRecord[], isProposed: boolean): GroupStatusName {
  // Otherwise a member's decline left too few.
  if (state === 'DECLINED' && !lines.some(({ machine }) => machine.hasPeerDeclined)) return 'declined';
  if (!isProposed || !proposal) return lines.some(isAsking) ? 'waiting' : 'answered';
  return proposal.ownSignature !== null ? 'confirmed' : proposal.isOwnAsked ? 'asked' : 'answered';
}

function ownStatus(record: MachineRecord, isProposed: boolean): GroupStatusName {
  const { isClosing, state, proposal, execution, answered } = record.machine;
  if (isClosing) return 'declined';
  const isSilent = state !== 'NEGOTIATING' && answered.own.length === 0;
  if (!isProposed || !proposal) return isAsking(record) || isSilent ? 'waiting' : 'answered';
  if (proposal.hasOwnConflict) return 'conflict';
  return execution?.takesPart === false ? 'missed' : proposal.ownConfirmed ? 'confirmed' : 'asked';
}

const hasNotAnswered = ({ state, asked, seen }: Negotiation): boolean => asked.length > 0 || state === 'INITIATED' || seen.length === 0;

/** The record that holds the group: itself, where it belongs to none. */
export async function leadOf(store: PeerStore, record: MachineRecord): Promise<MachineRecord> {
  if (record.lead === undefined || isLead(record)) return record;
  return (await getValue(store, 'machine', negotiationKey(record.lead, record.machine.threadId))) ?? record;
}
