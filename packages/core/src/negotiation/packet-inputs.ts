// Packets of the peer as inputs of a negotiation. A packet waits for another that it refers to: a relay may lose packets and deliver them
// again later.

import type { TypedPacket } from '@parley/protocol/relay';
import type { Negotiation } from './negotiation.ts';
import { type InputName, isExecuting, type NegotiationState } from './states.ts';

/** Undefined for types that change no negotiation. */
export function packetInputOf({ as, packet }: TypedPacket): InputName | undefined {
  switch (as) {
    case 'context':
    case 'context_request':
    case 'context_response':
      return 'context';
    case 'intent_update':
      return 'intent_changed';
    case 'thread_fork':
      return 'forked';
    case 'processing_error':
    case 'resolution':
      return as;
    case 'resolution_response':
      if (packet.status === 'confirmed') return 'confirmed';
      return packet.reason_class === 'scheduling_conflict' ? 'conflict' : 'declined';
    case 'resolution_outcome':
      return `outcome_${packet.status}`;
    case 'execution_report':
      if (packet.status === 'done') return `${packet.scope}_done`;
      return packet.status === 'failed' ? 'peer_failed' : 'peer_undone';
    case 'coordinator_transfer':
    case 'space_update':
    case 'thread_summary':
      return undefined;
  }
}

const mayStillConclude = (state: NegotiationState): boolean => state === 'NEGOTIATING' || state === 'STALLED';

/** The hash of the proposal that a packet refers to. */
export function proposalHashIn({ as, packet }: TypedPacket): string | null {
  const refersToProposal =
    as === 'resolution_response' || as === 'resolution_outcome' || as === 'execution_report' || as === 'intent_update';
  return refersToProposal ? (packet.proposal_hash ?? null) : null;
}

/** Whether the packet must wait for one that has not come. */
export function mustWait(value: Negotiation, typed: TypedPacket): boolean {
  const { state, role, hashes, numbers, proposal, group } = value;
  const isBusy = isExecuting(state) || state === 'ROLLBACK';
  // The open proposal counts as known even if a peer sent so many others that its hash was dropped.
  const isKnown = (hash: string): boolean => hash === proposal?.hash || hashes.includes(hash);
  const { as, packet } = typed;
  if (as === 'resolution') {
    if (isBusy) return packet.proposal_number > numbers.peer;
    return role === 'initiator' && packet.after !== null && !isKnown(packet.after);
  }
  const input = packetInputOf(typed);
  if (input === 'declined' || input === 'outcome_declined') return isBusy;
  if (input === 'intent_changed' && isBusy) return true;
  const hash = proposalHashIn(typed);
  if (hash === null || input === 'peer_undone') return false;
  if (!isKnown(hash)) return true;
  // A report may come before the outcome of its proposal.
  const mayConclude =
    state === 'PROPOSED' || (group !== undefined && role === 'responder' && mayStillConclude(state) && !proposal?.hasFailed);
  return as === 'execution_report' && mayConclude && proposal?.hash === hash;
}
