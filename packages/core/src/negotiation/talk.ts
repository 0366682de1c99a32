// Context packets both ways, within the bounds of A2C-17: needs, exchanges, and fields that are answered.

import { type Intent, mostNeeds, type Need, type Packet, type TypedPacket } from '@parley/protocol/relay';
import { type NegotiationDraft, evaluate, moveTo, notify, talkOn, withNeeds } from './draft.ts';
import type { ContextContent, InputOf, NegotiationVerdict } from './inputs.ts';
import { participantsContent } from './group-line.ts';
import { forkHead, type Negotiation, negotiationLimits } from './negotiation.ts';
import { isExecuting } from './states.ts';

export function send(draft: NegotiationDraft, { type, content, by }: InputOf<'send'>): NegotiationVerdict {
  const { value } = draft;
  if (by === 'agent' && value.paused === 'own') return 'paused';
  if (by === 'agent' && value.packets >= negotiationLimits.packets) return 'exchange_limit';
  const sent = withoutAnswered(content, value.answered.peer);
  const needs = needsOf(sent);
  if (needs.length > mostNeeds) return 'too_many_needs';
  if (type === 'context_request' && needs.length === 0) return 'nothing_to_ask';
  talkOn(draft, 'own');
  value.asked = withNeeds(value.asked, needs);
  markAnswered(value, 'own', sent);
  learnIntent(value, sent['intent'] as Intent | undefined);
  const context = sent['context'] as object | undefined;
  const others = value.group && value.packets === 0 ? participantsContent(value.group) : {};
  const permissions = context ? { permissions: { shared_fields: Object.keys(context) } } : {};
  draft.effects.push({ kind: 'send', type, content: { ...sent, ...forkHead(value), ...others, ...permissions } });
  countPacket(draft);
  escalate(draft, 'own', sent);
  return 'accepted';
}

export function receiveContext(draft: NegotiationDraft, { packet }: TypedPacket): NegotiationVerdict {
  const { value } = draft;
  talkOn(draft, 'peer');
  countPacket(draft);
  escalate(draft, 'peer', packet);
  if (['INITIATED', 'NEGOTIATING', 'PROPOSED'].includes(value.state)) evaluate(draft);
  return 'accepted';
}

/** Every packet of the peer may answer, decline and ask. */
export function absorb(draft: NegotiationDraft, packet: Packet): void {
  const { value, now } = draft;
  value.quietSince = now;
  if (isExecuting(value.state)) value.isOverdue = false;
  if (value.paused === 'peer' && packet.type !== 'processing_error') value.paused = null;
  markAnswered(value, 'peer', packet);
  learnIntent(value, packet.intent);
  const needs = needsOf(packet).filter(({ field }) => !value.answered.own.includes(field));
  value.openNeeds = withNeeds(value.openNeeds, needs).slice(-20);
}

export function markAnswered(
  value: Negotiation,
  side: 'own' | 'peer',
  { context, context_provided, context_unavailable }: ContextContent,
): void {
  const declined = (context_unavailable ?? []) as { field: string }[];
  const fields = [...Object.keys(context ?? {}), ...Object.keys(context_provided ?? {}), ...declined.map(({ field }) => field)];
  value.answered[side] = [...new Set([...value.answered[side], ...fields])];
  const isOpen = ({ field }: Need): boolean => !value.answered[side].includes(field);
  if (side === 'own') value.openNeeds = value.openNeeds.filter(isOpen);
  else value.asked = value.asked.filter(isOpen);
}

const needsOf = ({ needs = [], additional_context_needed: further = [] }: ContextContent): Need[] => [...needs, ...further];

/** A field once answered or declined is dropped here, whatever the brain wants (A2C-17). */
export function withoutAnswered(content: ContextContent, answered: readonly string[]): ContextContent {
  const asked = new Set(answered);
  const fresh = (needs: readonly Need[]): Need[] => needs.filter(({ field }) => !asked.has(field) && asked.add(field));
  const { needs, additional_context_needed: further, ...others } = content;
  return {
    ...others,
    ...(needs ? { needs: fresh(needs) } : {}),
    ...(further ? { additional_context_needed: fresh(further) } : {}),
  };
}

/** The first one counts, with its urgency. Only an intent update changes it later (A2C-19). */
function learnIntent(value: Negotiation, intent: Intent | undefined): void {
  if (!intent || value.about) return;
  value.about = intent;
  value.isUrgent = urgencyOf(intent) ?? value.isUrgent;
}

export const urgencyOf = ({ urgency }: Intent): boolean | undefined => (urgency === undefined ? undefined : urgency === 'urgent');

export function countPacket(draft: NegotiationDraft): void {
  const { value, now } = draft;
  value.packets += 1;
  value.quietSince = now;
  if (value.packets < negotiationLimits.packets || value.isEscalated) return;
  value.isEscalated = true;
  const { asked, answered, constraints, packets } = value;
  notify(draft, 'escalated', { packets, unanswered: asked.map(({ field }) => field), answered: answered.peer, constraints });
}

/** Agents that found no way ask both people, who let them go on or decline (A2C-18). Nobody's agent asks twice before a person has answered. */
function escalate(draft: NegotiationDraft, by: 'own' | 'peer', { escalation, context }: ContextContent): void {
  const { value } = draft;
  const { recommend, reason, suggested_prompt: prompt } = (escalation ?? {}) as NonNullable<Partial<Packet['escalation']>>;
  if (recommend !== 'surface_to_users' || value.isEscalated) return;
  value.isEscalated = true;
  const { proposed_alternatives: alternatives = [] } = (context ?? {}) as { proposed_alternatives?: unknown };
  notify(draft, 'escalated', { by, reason, suggested_prompt: prompt, alternatives });
}

export function giveUp(draft: NegotiationDraft, { reason }: InputOf<'give_up'>): NegotiationVerdict {
  draft.value.paused = 'own';
  draft.effects.push({ kind: 'send', type: 'processing_error', content: { reason } });
  notify(draft, 'paused', { by: 'own', reason });
  return 'accepted';
}

export function receiveError(draft: NegotiationDraft): NegotiationVerdict {
  draft.value.paused ??= 'peer';
  notify(draft, 'paused', { by: 'peer' });
  return 'accepted';
}

/** The person lets the agents go on, for as many exchanges again, and for as long a silence. */
export function goOn(draft: NegotiationDraft): NegotiationVerdict {
  if (draft.value.state === 'STALLED') moveTo(draft, 'NEGOTIATING');
  Object.assign(draft.value, { paused: null, isEscalated: false, packets: 0, quietSince: draft.now });
  evaluate(draft);
  return 'accepted';
}
