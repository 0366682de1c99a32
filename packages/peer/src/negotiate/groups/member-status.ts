// How far a negotiation, and each member of its group, is for the person who looks.

import { isTalking, type NegotiationGroup } from '@parley/core/group';
import { type Negotiation, type NegotiationState, talkingStates } from '@parley/core/negotiation';
import type { GroupStatusName } from '@parley/protocol';
import type { MachineRecord } from '../negotiation-records.ts';

/**
 * Whether this member left the group. A member who declines has left at once, whatever the others do; only a confirmation that it sent
 * before binds it until the coordinator answers.
 */
const hasLeft = ({ isClosing, group, state, proposal }: Negotiation): boolean =>
  group !== undefined && isClosing && !(state === 'PROPOSED' && proposal?.ownConfirmed === true);

/** The state that the page and the terminal show. */
export const stateOf = ({ machine, group }: MachineRecord): NegotiationState =>
  group ? group.state : hasLeft(machine) ? 'DECLINED' : machine.state;

/** How far a participant is; null if this side cannot know it, because only the coordinator knows it of others. */
export function memberStatus(record: MachineRecord, lines: readonly MachineRecord[], agent: string): GroupStatusName | null {
  const { machine, group } = record;
  const isProposed = !talkingStates.has((group ?? machine).state);
  if (agent === machine.own) return group ? coordinatorStatus(group, lines, isProposed) : ownStatus(record, isProposed);
  // The outcome names the members whose confirmations counted, and nothing about the others.
  if (!group && machine.execution?.counted?.includes(agent)) return 'confirmed';
  const line = group ? lines.find((one) => one.machine.peer === agent)?.machine : undefined;
  if (!line) return null;
  if (line.hasPeerDeclined) return 'declined';
  // A group may end before anything is proposed.
  const openProposal = isProposed && line.proposal?.hash === group!.proposal?.hash ? line.proposal : null;
  if (openProposal?.hasPeerConflict) return 'conflict';
  if (openProposal) return openProposal.peerConfirmation === null ? 'asked' : 'confirmed';
  return hasNotAnswered(line) ? 'waiting' : 'answered';
}

/** Until when the coordinator waits for answers; null if it waits no longer. */
export const answerDeadline = ({ state, isPatienceOver, answersBy }: NegotiationGroup): number | null =>
  isTalking(state) && !isPatienceOver ? answersBy : null;

const isAsking = ({ openPrompt }: MachineRecord): boolean => openPrompt !== null;

function coordinatorStatus({ state, proposal }: NegotiationGroup, lines: readonly MachineRecord[], isProposed: boolean): GroupStatusName {
  // Nobody else declined, so the coordinator did; else a member's decline left too few.
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
