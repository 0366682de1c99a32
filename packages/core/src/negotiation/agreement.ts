// Proposals and confirmations (A2C-26, A2C-28). A word about a proposal counts only under its hash.

import { type Blake2b256, durationMs, type Packet, type PacketContents, proposalHash, type ProposedAction } from '@parley/protocol/relay';
import { type NegotiationDraft, evaluate, moveTo, notify, remember } from './draft.ts';
import { type DecisionTools, groupTermsIn, isSigned, participantsContent, signConfirmation } from './group-line.ts';
import type { CountedConfirmation, InputOf, NegotiationVerdict } from './inputs.ts';
import { forkHead, type ConfirmationTerms, type LineGroup, type Negotiation, negotiationLimits } from './negotiation.ts';
import { isSafe, declineContent, withdraw } from './outcome.ts';
import { lineRoleOf } from './states.ts';
import { markAnswered } from './talk.ts';

/** The responder is bound by its confirmation until the coordinator has spoken. */
export const isBound = ({ role, state, proposal }: Negotiation): boolean =>
  role === 'responder' && state === 'PROPOSED' && proposal?.ownConfirmed === true;

export function propose(draft: NegotiationDraft, { content, of }: InputOf<'propose'>, blake2b256: Blake2b256): NegotiationVerdict {
  const { value } = draft;
  if (value.group) return of ? proposeOnLine(draft, { content, of }, blake2b256) : 'not_for_this_role';
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
    ...forkHead(value),
  };
  sendProposal(draft, resolution, blake2b256);
  return 'accepted';
}

function sendProposal(draft: NegotiationDraft, resolution: OwnResolution, blake2b256: Blake2b256, terms?: ConfirmationTerms): void {
  const { value } = draft;
  const { threadId: thread_id, own: from } = value;
  const hash = proposalHash({ ...resolution, thread_id, from, type: 'resolution' }, blake2b256);
  value.hashes = remember(value.hashes, hash);
  markAnswered(value, 'own', { ...resolution });
  draft.effects.push({ kind: 'send', type: 'resolution', content: resolution });
  openProposal(draft, hash, 'own', resolution, terms);
}

type OwnResolution = InputOf<'propose'>['content'] & Record<string, unknown>;

/** The same words on every line, so that all copies have one hash. Who takes part is among them: people confirm that too. */
export function groupResolution(
  { content, of: { terms, number, after, expiresAt } }: Required<Pick<InputOf<'propose'>, 'content' | 'of'>>,
  group: LineGroup,
): OwnResolution {
  const { confirmers, quorum, order } = terms;
  return {
    ...content,
    ...participantsContent(group),
    proposal_number: number,
    after,
    requires_confirmation_from: confirmers,
    quorum,
    ...(order.length > 0 ? { confirm_order: order } : {}),
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
  };
}

/** A member who has not answered holds nothing up, so needs that wait do not matter here. */
function proposeOnLine(
  draft: NegotiationDraft,
  input: Required<Pick<InputOf<'propose'>, 'content' | 'of'>>,
  blake2b256: Blake2b256,
): NegotiationVerdict {
  draft.value.numbers.own = input.of.number;
  draft.value.asked = [];
  sendProposal(draft, groupResolution(input, draft.value.group!), blake2b256, input.of.terms);
  return 'accepted';
}

export function receiveResolution(
  draft: NegotiationDraft,
  resolution: Packet & PacketContents<'resolution'>,
  hash: string,
  tools: DecisionTools,
): NegotiationVerdict {
  const { value } = draft;
  const confirmers = new Set(resolution.requires_confirmation_from);
  const terms = value.group ? groupTermsIn(value, resolution) : undefined;
  const isForPair = confirmers.size === 2 && confirmers.has(value.own) && confirmers.has(value.peer);
  if (value.group ? !terms : !isForPair) return 'wrong_confirmers';
  if (terms && !isSafe(value, terms, tools)) return 'unsafe_quorum';
  if (isImpossible(resolution, draft.now)) return 'impossible_time';
  if (resolution.proposal_number <= value.numbers.peer) return 'stale';
  // The initiator's proposal wins against one that was written without knowing it; the responder sees the same when it arrives.
  if (value.role === 'initiator' && resolution.after !== (value.proposal?.hash ?? null)) return 'crossed';
  value.numbers.peer = resolution.proposal_number;
  openProposal(draft, hash, 'peer', resolution, terms);
  return 'accepted';
}

const longestEventMs = 31 * 24 * 3_600_000;
/** A calendar file has four digits for a year: with a later one no program can read it. */
const endOfCalendars = Date.UTC(10_000, 0);

/**
 * The event is long over, ends before it starts, lasts for more than a month or is after the year 9999: no calendar should hold it.
 * A member of a group may learn of a proposal only after its time, and needs it for the outcome that follows (A2C-27).
 */
function isImpossible({ proposal: { details = {} } }: PacketContents<'resolution'>, now: number): boolean {
  const [start, end] = [details['start'], details['end']].map((time) => (typeof time === 'string' ? Date.parse(time) : NaN)) as [
    number,
    number,
  ];
  const last = Number.isNaN(end) ? start : end;
  return last <= now - negotiationLimits.silenceMs || last >= endOfCalendars || last < start || last - start > longestEventMs;
}

interface ProposalTerms {
  confirmation_timeout: string;
  expires_at?: string | undefined;
  actions_on_confirm?: ProposedAction[] | undefined;
  on_timeout?: string | undefined;
}

const shortestMs = 60_000;

/** A person who is asked late has less. Only the coordinator's clock ends it: another one that is ahead does not make it look over. */
function timeLeft({ confirmation_timeout: timeout, expires_at: end }: ProposalTerms, now: number): number {
  const whole = durationMs(timeout);
  return end === undefined ? whole : Math.min(whole, Math.max(Date.parse(end) - now, shortestMs));
}

function openProposal(draft: NegotiationDraft, hash: string, by: 'own' | 'peer', terms: ProposalTerms, group?: ConfirmationTerms): void {
  const { value, now, effects } = draft;
  if (value.state === 'PROPOSED') withdraw(draft);
  moveTo(
    draft,
    ...(value.state === 'PROPOSED' || value.state === 'STALLED' ? (['NEGOTIATING', 'PROPOSED'] as const) : (['PROPOSED'] as const)),
  );
  const timeout = value.role === 'initiator' ? durationMs(terms.confirmation_timeout) : timeLeft(terms, now);
  value.proposal = {
    hash,
    by,
    actions: terms.actions_on_confirm ?? [],
    deadline: now + timeout,
    remindAt: terms.on_timeout === 'expire' ? null : now + Math.floor(timeout / 2),
    ownConfirmed: false,
    peerConfirmation: null,
    ...(group ? { terms: group } : {}),
  };
  Object.assign(value, { packets: 0, isEscalated: false, isOverdue: false, quietSince: now });
  // The coordinator's person is asked once, by the group.
  if (!value.isClosing && lineRoleOf(value) !== 'coordinator') effects.push({ kind: 'ask_confirmation', hash });
}

export function confirm(draft: NegotiationDraft, { hash, counted }: InputOf<'confirm'>, tools: DecisionTools): NegotiationVerdict {
  const { value, effects } = draft;
  const proposal = value.proposal!;
  if (proposal.hash !== hash) return 'stale';
  if (proposal.ownConfirmed) return 'repeated';
  if (lineRoleOf(value) === 'coordinator' && !counted) return 'not_for_this_role';
  proposal.ownConfirmed = true;
  if (value.role === 'responder') {
    const signature = value.group ? { signature: signConfirmation(value, hash, tools) } : {};
    effects.push({ kind: 'send', type: 'resolution_response', content: { status: 'confirmed', proposal_hash: hash, ...signature } });
  }
  if (counted) agree(draft, counted);
  else conclude(draft);
  return 'accepted';
}

export function receiveConfirmation(
  draft: NegotiationDraft,
  hash: string | null,
  { packet_id: id, signature }: Packet & PacketContents<'resolution_response'>,
  tools: DecisionTools,
): NegotiationVerdict {
  const { value } = draft;
  const proposal = value.proposal!;
  if (proposal.hash !== hash) return 'stale';
  if (!value.group) {
    proposal.peerConfirmation ??= id;
    conclude(draft);
    return 'accepted';
  }
  // The others would not believe one without it.
  if (!isSigned(value, hash, { agent: value.peer, signature }, tools)) return 'unsigned';
  if (proposal.peerConfirmation === null) Object.assign(proposal, { peerConfirmation: id, peerSignature: signature! });
  proposal.hasPeerConflict = false;
  return 'accepted';
}

/** Both confirmed the same hash: the coordinator says so, and only then does anything run. */
function conclude(draft: NegotiationDraft): void {
  const { value, effects } = draft;
  const { hash, ownConfirmed, peerConfirmation } = value.proposal!;
  if (value.role !== 'initiator' || !ownConfirmed || peerConfirmation === null) return;
  agree(draft, [
    { agent: value.own, packet_id: null },
    { agent: value.peer, packet_id: peerConfirmation },
  ]);
  effects.push({ kind: 'run', hash, scope: 'shared', actions: placesOf(value, 'shared') });
  notify(draft, 'confirmed', { hash });
}

/** The outcome goes out. In a group, also to a member who did not confirm: it executes nothing, and nobody waits for its report. */
function agree(draft: NegotiationDraft, confirmations: CountedConfirmation[]): void {
  const { value, effects } = draft;
  const { hash } = value.proposal!;
  moveTo(draft, 'CONFIRMED');
  value.quietSince = draft.now;
  effects.push({ kind: 'send', type: 'resolution_outcome', content: { status: 'confirmed', proposal_hash: hash, confirmations } });
  const takesPart = confirmations.some(({ agent }) => agent === value.peer);
  const counted = value.group ? { counted: confirmations.map(({ agent }) => agent) } : {};
  value.execution = { shared: 'running', own: 'waiting', peerDone: !takesPart, ...counted };
}

/** An action without a scope is shared: it must not happen twice. */
export const placesOf = (
  { proposal, own }: { proposal: { actions: readonly ProposedAction[] } | null; own: string },
  scope: 'shared' | 'own',
): number[] =>
  proposal!.actions.flatMap((action, place) => {
    const isElsewhere = scope === 'own' && action.by !== undefined && action.by !== own;
    return (action.scope ?? 'shared') === scope && !isElsewhere ? [place] : [];
  });

/** The person wants something different, or an excuse: the real reason stays here. */
export function suggest(draft: NegotiationDraft, { hash, message, isSaid }: InputOf<'suggest'>): NegotiationVerdict {
  const { value, effects } = draft;
  if (value.proposal!.hash !== hash) return 'stale';
  if (isBound(value)) return 'already_confirmed';
  if (!isSaid) effects.push({ kind: 'send', type: 'resolution_response', content: declineContent(hash, 'scheduling_conflict', message) });
  if (lineRoleOf(value) === 'participant') value.proposal!.hasOwnConflict = true;
  backToTalk(draft);
  return 'accepted';
}

export function receiveConflict(draft: NegotiationDraft, hash: string | null, message: string | undefined): NegotiationVerdict {
  const proposal = draft.value.proposal!;
  if (proposal.hash !== hash) return 'stale';
  if (lineRoleOf(draft.value) === 'coordinator') {
    // A member's confirmation binds it until the coordinator has spoken.
    if (proposal.peerConfirmation !== null) return 'already_confirmed';
    proposal.hasPeerConflict = true;
    notify(draft, 'peer_suggested', { hash, message });
    return 'accepted';
  }
  notify(draft, 'peer_suggested', { hash, message });
  backToTalk(draft);
  return 'accepted';
}

/** For good. The group goes on where enough others are left. */
export function receiveMemberDecline(draft: NegotiationDraft, message: string | undefined): NegotiationVerdict {
  draft.value.hasPeerDeclined = true;
  notify(draft, 'declined', { by: draft.value.peer, message });
  return 'accepted';
}

function backToTalk(draft: NegotiationDraft): void {
  withdraw(draft);
  moveTo(draft, 'NEGOTIATING');
  draft.value.quietSince = draft.now;
  evaluate(draft);
}
