// Proposals and confirmations (A2C-26, A2C-28). A word about a proposal counts only under its hash.

import { type Blake2b256, durationMs, type PacketContents, proposalHash, type ProposedAction } from '@parley/protocol/relay';
import { type NegotiationDraft, evaluate, moveTo, notify, remember } from './draft.ts';
import type { InputOf, NegotiationVerdict } from './inputs.ts';
import type { Negotiation } from './negotiation.ts';
import { declineContent, withdraw } from './outcome.ts';
import { markAnswered } from './talk.ts';

/** The responder is bound by its confirmation until the coordinator has spoken. */
const isBound = ({ role, state, proposal }: Negotiation): boolean =>
  role === 'responder' && state === 'PROPOSED' && proposal?.ownConfirmed === true;

export function propose(draft: NegotiationDraft, { content }: InputOf<'propose'>, blake2b256: Blake2b256): NegotiationVerdict {
  const { value } = draft;
  if (value.paused === 'own') return 'paused';
  if (isBound(value)) return 'already_confirmed';
  // A required need waits until it is given or declined (A2C-16).
  if (value.asked.some(({ priority }) => priority === 'required')) return 'required_need_open';
  value.numbers.own += 1;
  const resolution = {
    ...content,
    proposal_number: value.numbers.own,
    after: value.proposal?.hash ?? null,
    requires_confirmation_from: [value.own, value.peer].toSorted(),
  };
  const { threadId: thread_id, own: from } = value;
  const hash = proposalHash({ ...resolution, thread_id, from, type: 'resolution' }, blake2b256);
  value.hashes = remember(value.hashes, hash);
  markAnswered(value, 'own', { ...content });
  draft.effects.push({ kind: 'send', type: 'resolution', content: resolution });
  openProposal(draft, hash, 'own', content);
  return 'accepted';
}

export function receiveResolution(draft: NegotiationDraft, resolution: PacketContents<'resolution'>, hash: string): NegotiationVerdict {
  const { value } = draft;
  const confirmers = new Set(resolution.requires_confirmation_from);
  if (confirmers.size !== 2 || !confirmers.has(value.own) || !confirmers.has(value.peer)) return 'wrong_confirmers';
  if (resolution.proposal_number <= value.numbers.peer) return 'stale';
  // The initiator's proposal wins against one that was written without knowing it; the responder sees the same when it arrives.
  if (value.role === 'initiator' && resolution.after !== (value.proposal?.hash ?? null)) return 'crossed';
  value.numbers.peer = resolution.proposal_number;
  openProposal(draft, hash, 'peer', resolution);
  return 'accepted';
}

function openProposal(
  draft: NegotiationDraft,
  hash: string,
  by: 'own' | 'peer',
  terms: { confirmation_timeout: string; actions_on_confirm?: ProposedAction[] | undefined; on_timeout?: string | undefined },
): void {
  const { value, now, effects } = draft;
  if (value.state === 'PROPOSED') withdraw(draft);
  moveTo(
    draft,
    ...(value.state === 'PROPOSED' || value.state === 'STALLED' ? (['NEGOTIATING', 'PROPOSED'] as const) : (['PROPOSED'] as const)),
  );
  const timeout = durationMs(terms.confirmation_timeout);
  value.proposal = {
    hash,
    by,
    actions: terms.actions_on_confirm ?? [],
    deadline: now + timeout,
    remindAt: terms.on_timeout === 'expire' ? null : now + Math.floor(timeout / 2),
    ownConfirmed: false,
    peerConfirmation: null,
  };
  Object.assign(value, { packets: 0, isEscalated: false, isOverdue: false, quietSince: now });
  if (!value.isClosing) effects.push({ kind: 'ask_confirmation', hash });
}

export function confirm(draft: NegotiationDraft, { hash }: InputOf<'confirm'>): NegotiationVerdict {
  const { value, effects } = draft;
  const proposal = value.proposal!;
  if (proposal.hash !== hash) return 'stale';
  if (proposal.ownConfirmed) return 'repeated';
  proposal.ownConfirmed = true;
  if (value.role === 'responder')
    effects.push({ kind: 'send', type: 'resolution_response', content: { status: 'confirmed', proposal_hash: hash } });
  conclude(draft);
  return 'accepted';
}

export function receiveConfirmation(draft: NegotiationDraft, hash: string | null, packetId: string): NegotiationVerdict {
  const proposal = draft.value.proposal!;
  if (proposal.hash !== hash) return 'stale';
  proposal.peerConfirmation ??= packetId;
  conclude(draft);
  return 'accepted';
}

/** Both confirmed the same hash: the coordinator says so, and only then does anything run. */
function conclude(draft: NegotiationDraft): void {
  const { value, effects } = draft;
  const { hash, ownConfirmed, peerConfirmation } = value.proposal!;
  if (value.role !== 'initiator' || !ownConfirmed || peerConfirmation === null) return;
  moveTo(draft, 'CONFIRMED');
  value.quietSince = draft.now;
  const confirmations = [
    { agent: value.own, packet_id: null },
    { agent: value.peer, packet_id: peerConfirmation },
  ];
  effects.push({ kind: 'send', type: 'resolution_outcome', content: { status: 'confirmed', proposal_hash: hash, confirmations } });
  value.execution = { shared: 'running', own: 'waiting', peerDone: false };
  effects.push({ kind: 'run', hash, scope: 'shared', actions: placesOf(value, 'shared') });
  notify(draft, 'confirmed', { hash });
}

/** An action without a scope is shared: it must not happen twice. */
export const placesOf = ({ proposal, own }: Negotiation, scope: 'shared' | 'own'): number[] =>
  proposal!.actions.flatMap((action, place) => {
    const isElsewhere = scope === 'own' && action.by !== undefined && action.by !== own;
    return (action.scope ?? 'shared') === scope && !isElsewhere ? [place] : [];
  });

/** The person wants something different, or an excuse: the real reason stays here. */
export function suggest(draft: NegotiationDraft, { hash, message }: InputOf<'suggest'>): NegotiationVerdict {
  const { value, effects } = draft;
  if (value.proposal!.hash !== hash) return 'stale';
  if (isBound(value)) return 'already_confirmed';
  effects.push({ kind: 'send', type: 'resolution_response', content: declineContent(hash, 'scheduling_conflict', message) });
  backToTalk(draft);
  return 'accepted';
}

export function receiveConflict(draft: NegotiationDraft, hash: string | null, message: string | undefined): NegotiationVerdict {
  if (draft.value.proposal!.hash !== hash) return 'stale';
  notify(draft, 'peer_suggested', { hash, message });
  backToTalk(draft);
  return 'accepted';
}

function backToTalk(draft: NegotiationDraft): void {
  withdraw(draft);
  moveTo(draft, 'NEGOTIATING');
  draft.value.quietSince = draft.now;
  evaluate(draft);
}
