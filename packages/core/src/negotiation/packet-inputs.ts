// What a packet of the peer says, and whether it has to wait for another one: a relay may lose packets and bring them again later.

import type { TypedPacket } from '@parley/protocol/relay';
import type { Negotiation } from './negotiation.ts';
import { type InputName, isExecuting, type NegotiationState } from './states.ts';

/** Undefined for types that two peers have no use for. */
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

const isTalking = (state: NegotiationState): boolean => state === 'NEGOTIATING' || state === 'STALLED';

/** The proposal that a packet speaks about. */
export function proposalOf({ as, packet }: TypedPacket): string | null {
  const speaks = as === 'resolution_response' || as === 'resolution_outcome' || as === 'execution_report' || as === 'intent_update';
  return speaks ? (packet.proposal_hash ?? null) : null;
}

export function waits(value: Negotiation, typed: TypedPacket): boolean {
  const { state, role, hashes, numbers, proposal, group } = value;
  const isBusy = isExecuting(state) || state === 'ROLLBACK';
  // The open proposal stays known, however many others a peer sends.
  const isKnown = (hash: string): boolean => hash === proposal?.hash || hashes.includes(hash);
  const { as, packet } = typed;
  if (as === 'resolution') {
    if (isBusy) return packet.proposal_number > numbers.peer;
    return role === 'initiator' && packet.after !== null && !isKnown(packet.after);
  }
  const input = packetInputOf(typed);
  if (['declined', 'outcome_declined'].includes(input!) || (input === 'intent_changed' && isBusy)) return isBusy;
  const hash = proposalOf(typed);
  if (hash === null || input === 'peer_undone') return false;
  if (!isKnown(hash)) return true;
  // Reports about a proposal whose outcome has not come.
  const mayConclude = state === 'PROPOSED' || (group !== undefined && role === 'responder' && isTalking(state) && !proposal?.hasFailed);
  return as === 'execution_report' && mayConclude && proposal?.hash === hash;
}
