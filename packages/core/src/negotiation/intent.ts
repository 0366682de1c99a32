// What a negotiation is about, and how that changes while it runs (A2C-19). A change counters the open proposal that its sender knew.

import { type Intent, mostNeeds, type Need, type Packet, type PacketContents } from '@parley/protocol/relay';
import { isBound } from './agreement.ts';
import { evaluate, moveTo, type NegotiationDraft, notify, talkOn, withNeeds } from './draft.ts';
import type { InputOf, NegotiationVerdict } from './inputs.ts';
import { forkHead, negotiationLimits } from './negotiation.ts';
import { withdraw } from './outcome.ts';
import { countPacket, markAnswered, urgencyOf, withoutAnswered } from './talk.ts';

/** Words that connect others make no request wider. */
const joins = new Set('a an and at by for from in of on or our the then to we with'.split(' '));
const hour = String.raw`(?:[01]?\d|2[0-4])`;
const half = String.raw`\s?(?:am|pm|h)`;
const clock = String.raw`${hour}(?:[:.][0-5]\d)?(?:${half})?`;
/** Such as `19:30`, `7pm`, `at 7` and `from 18 to 20`. A number alone may say how many come, or what it costs. */
const timesOfDay = new RegExp(
  String.raw`(?<![\p{L}\d])(?:(?:at|by|from)\s+${clock}(?:\s?(?:-|–|to|until)\s?${clock})?|${hour}[:.][0-5]\d(?:${half})?|${hour}${half})(?![\p{L}\d])`,
  'giu',
);

/** In one form: `games` and `game` are one word. */
const wordsOf = (summary: string): string[] =>
  summary
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !joins.has(word))
    .map((word) => (word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word));

/**
 * Whether a person has to look before consents count for the new words. A peer's own word that it asks for less counts only where the new
 * summary has no word that the earlier one had not, and where nothing more is needed.
 */
export function isExpansion(before: Intent | null, after: Intent, needs: readonly Need[] = []): boolean {
  if (!before || needs.length > 0 || after['scope_change'] === 'expanded' || (after.category ?? before.category) !== before.category)
    return true;
  const known = wordsOf(before.summary);
  return wordsOf(after.summary.replaceAll(timesOfDay, ' ')).some((word) => !known.includes(word));
}

const isSame = (one: Intent | undefined, other: Intent | undefined): boolean => one?.summary === other?.summary;

export function changeIntent(
  draft: NegotiationDraft,
  { intent, reason, needs = [], context, by }: InputOf<'change_intent'>,
): NegotiationVerdict {
  const { value } = draft;
  const before = value.about ?? null;
  if (by === 'agent' && value.paused === 'own') return 'paused';
  if (by === 'agent' && value.packets >= negotiationLimits.packets) return 'exchange_limit';
  if (isBound(value)) return 'already_confirmed';
  if (isSame(before ?? undefined, intent)) return 'nothing_changes';
  const isExpanded = isExpansion(before, intent, needs);
  if (by === 'agent' && isExpanded) return 'widens_scope';
  const sent = withoutAnswered({ additional_context_needed: needs, ...(context ? { context } : {}) }, value.answered.peer);
  const asked = sent.additional_context_needed!;
  if (asked.length > mostNeeds) return 'too_many_needs';
  const updated = { ...intent, scope_change: isExpanded ? 'expanded' : 'narrowed' };
  const content = {
    ...(before ? { previous_intent: before } : {}),
    updated_intent: updated,
    ...(reason === undefined ? {} : { reason }),
    ...(asked.length > 0 ? { additional_context_needed: asked } : {}),
    // The proposal that no longer fits: one that crosses this packet stays open, on both sides.
    proposal_hash: value.state === 'PROPOSED' ? value.proposal!.hash : null,
    ...forkHead(value),
    ...(context ? { context, permissions: { shared_fields: Object.keys(context) } } : {}),
  };
  if (value.state === 'PROPOSED') withdraw(draft);
  if (value.state !== 'INITIATED' || value.role === 'responder') moveTo(draft, 'NEGOTIATING');
  value.asked = withNeeds(value.asked, asked);
  markAnswered(value, 'own', sent);
  take(draft, 'own', updated, { isExpanded, reason });
  draft.effects.push({ kind: 'send', type: 'intent_update', content });
  // The person lets the agents go on, with other words.
  if (by === 'person' && value.isEscalated) Object.assign(value, { isEscalated: false, packets: 0 });
  if (by === 'person') value.paused = null;
  countPacket(draft);
  return 'accepted';
}

function take(
  draft: NegotiationDraft,
  by: 'own' | 'peer',
  intent: Intent,
  { isExpanded, reason = null }: { isExpanded: boolean; reason?: string | null | undefined },
): void {
  const { value } = draft;
  const before = value.about ?? null;
  value.about = intent;
  value.isUrgent = urgencyOf(intent) ?? value.isUrgent;
  draft.effects.push({ kind: 'change_intent', by, before, intent, isExpanded, reason });
  notify(draft, 'intent_changed', { by, before: before?.summary ?? null, after: intent.summary, expanded: isExpanded });
}

export function receiveIntentUpdate(draft: NegotiationDraft, packet: Packet & PacketContents<'intent_update'>): NegotiationVerdict {
  const { value } = draft;
  const { previous_intent: previous, updated_intent: intent, additional_context_needed: needs = [] } = packet;
  // As with proposals: of two that cross, the initiator's counts.
  const isCrossed = value.role === 'initiator' && previous !== undefined && value.about !== undefined && !isSame(previous, value.about);
  if (isCrossed) return 'crossed';
  const { proposal_hash: countered } = packet;
  const isCountered = value.state === 'PROPOSED' && (countered === undefined || countered === value.proposal!.hash);
  if (isCountered) withdraw(draft);
  if (isCountered) moveTo(draft, 'NEGOTIATING');
  else talkOn(draft, 'peer');
  const isExpanded = isExpansion(value.about ?? null, intent, needs);
  take(draft, 'peer', intent, { isExpanded, reason: packet.reason });
  countPacket(draft);
  if (value.state !== 'PROPOSED') evaluate(draft);
  return 'accepted';
}
