// The negotiator without a model: answers and asks in one packet, then proposes a time that suits both (A2C-15, A2C-18).

import { receiptOf } from '@parley/core/negotiation';
import type { FreeFields, Need } from '@parley/protocol/relay';
import type { BrainMove, BrainView, PeerBrain } from './peer-brain.ts';
import { audienceField, isMeal, offersField, readIntentWords } from './meetings/intent-words.ts';
import { proposeMeeting } from './meetings/meeting-proposal.ts';

const need = (field: string, priority: Need['priority'], reason: string): Need => ({ field, priority, reason });
const timeNeed = need('time_windows', 'required', 'Your free time, to find a common time');
const openingNeeds = [
  need('dietary', 'helpful', 'Dietary preferences, to choose a place to eat'),
  need('location_preference', 'nice_to_have', 'The area that suits you'),
];
const placeNeeds = [
  need('cuisine_preference', 'helpful', 'The cuisine you prefer, to choose a place to eat'),
  need('transport_mode', 'helpful', 'How you get there, to see how far the place can be'),
];
/** What helps to arrange a meeting, where the peer may get it. */
const meetingFields = [
  'time_windows',
  'timezone',
  'location_preference',
  'general_location_area',
  'budget_range',
  'party_size',
  'format_preference',
];
const mealFields = ['dietary', 'cuisine_preference', 'transport_mode'];

export const rulesBrain: PeerBrain = async (view) => {
  const event = eventOf(view);
  if (view.isFirst) return openingOf(view, event);
  const { answers } = view;
  if (view.isGroup) return answers ? { kind: 'send', type: 'context_response', content: { ...answers } } : { kind: 'wait' };
  const isOpen = view.state === 'INITIATED' || view.state === 'NEGOTIATING';
  const gaps = isOpen && event !== undefined && !view.awaitsProposal ? gapsOf(view, event) : [];
  if (gaps.length > 0) return { kind: 'send', type: 'context_request', content: { needs: gaps, ...answers } };
  const mayPropose = isOpen && event !== undefined && !view.awaitsProposal && view.asked.length === 0;
  if (isOpen && event === undefined && !answers && isAnswered(view)) return receipt(view);
  // The initiator answers first, and the responder then proposes: two proposals would cross.
  if (mayPropose && (view.role === 'responder' || !answers)) return withAnswers(proposeMeeting(view, event), view);
  return answers ? { kind: 'send', type: 'context_response', content: { ...answers } } : { kind: 'wait' };
};

/** A plain question has its answers, or declines. */
const isAnswered = ({ role, wanted, asked, received, unavailable }: BrainView): boolean =>
  role === 'initiator' &&
  wanted.length > 0 &&
  asked.length === 0 &&
  wanted.every(({ field }) => Object.hasOwn(received, field) || unavailable.includes(field));

function receipt({ wanted, received }: BrainView): BrainMove {
  const fields = wanted.map(({ field }) => field);
  const isGiven = (field: string): boolean => Object.hasOwn(received, field);
  return {
    kind: 'propose',
    content: receiptOf(
      fields.filter(isGiven),
      fields.filter((field) => !isGiven(field)),
    ),
  };
}

/** A proposal answers the peer's needs too. Its hash takes whole numbers only, so other values go in a packet of their own. */
export const withAnswers = (move: BrainMove, { answers }: BrainView): BrainMove => {
  if (move.kind !== 'propose' || !answers) return move;
  if (hasFraction(answers.context_provided)) return { kind: 'send', type: 'context_response', content: { ...answers } };
  return { ...move, content: { ...move.content, ...answers } };
};

const hasFraction = (value: unknown): boolean =>
  typeof value === 'number'
    ? !Number.isSafeInteger(value)
    : typeof value === 'object' && value !== null && Object.values(value).some(hasFraction);

const eventOf = ({ intent, received, visible, now, zone }: BrainView): string | undefined => {
  const named = visible['event_type'] ?? received['event_type'];
  return readIntentWords(`${typeof named === 'string' ? named : ''} ${intent.summary}`, now, zone).event;
};

function openingOf(view: BrainView, event: string | undefined): BrainMove {
  const { visible, intent, wanted } = view;
  // A group's members need nothing of the coordinator: it looks for the time.
  const isForPair = event !== undefined && !view.isGroup;
  const fields = isForPair ? [...meetingFields, offersField, ...(isMeal(event) ? mealFields : [])] : [];
  const stated = ['event_type', 'proposed_date', 'time_preference', 'flexibility', audienceField];
  const context = { ...view.expected, ...pick(visible, [...stated, ...fields]) };
  const usual = event === undefined ? [] : [timeNeed, ...(isMeal(event) && !view.isGroup ? openingNeeds : [])].filter(isUnknown(view));
  const needs = [...wanted, ...usual.filter(({ field }) => !wanted.some((one) => one.field === field))].slice(0, 5);
  return { kind: 'send', type: 'context', content: { intent, context, ...(needs.length > 0 ? { needs } : {}) } };
}

const pick = (values: FreeFields, names: readonly string[]): FreeFields =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(values, name)).map((name) => [name, values[name]!]));

const isUnknown =
  ({ remembered }: BrainView) =>
  ({ field }: Need): boolean =>
    !(field in remembered);

/** What is missing for a proposal and was neither given, refused nor asked. The initiator has asked in its first packet. */
function gapsOf(view: BrainView, event: string): Need[] {
  const { role, received, unavailable, asked } = view;
  const useful = role === 'responder' && isMeal(event) ? placeNeeds.filter(isUnknown(view)) : [];
  const isOpen = ({ field }: Need): boolean =>
    !(field in received) && !unavailable.includes(field) && !asked.some((one) => one.field === field);
  return [timeNeed, ...useful].filter(isOpen);
}
