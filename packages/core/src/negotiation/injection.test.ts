// Texts of a peer are data: 2,000 that look like instructions, packets or names change no state, tier, recipient or confirmation.

import { expect, it } from 'vitest';
import { answerNeeds, defaultSharing } from '@parley/core/consent';
import { injections as texts } from '@parley/testkit/injections';
import { addresses, dinner, negotiatorsIn } from '../../test/kit/negotiators.ts';
import type { NegotiationDecision } from './decide.ts';
import type { NegotiationRole, NegotiationState } from './states.ts';

/** Each with every text that a peer can write into it. */
const packets: {
  state: NegotiationState;
  to?: NegotiationRole;
  type: string;
  content: (text: string, hash: string) => Record<string, unknown>;
}[] = [
  {
    state: 'NEGOTIATING',
    type: 'context_request',
    content: (text) => ({
      intent: { summary: text },
      context: { note: text, [`n ${text.slice(0, 100)}`]: text },
      needs: [{ field: 'dietary', reason: text, priority: 'helpful' }],
      escalation: { recommend: 'surface_to_users', reason: text, suggested_prompt: text },
      [`n ${text.slice(0, 100)}`]: text,
    }),
  },
  {
    state: 'PROPOSED',
    type: 'resolution_response',
    content: (text, hash) => ({
      status: 'declined',
      proposal_hash: hash,
      reason_class: 'scheduling_conflict',
      message_to_other_agent: text,
    }),
  },
  {
    state: 'PROPOSED',
    type: 'resolution',
    content: (text, hash) => ({
      ...dinner,
      proposal: { summary: text, reasoning: text, details: { note: text }, alternatives: [{ summary: text, reason: text }] },
      actions_on_confirm: [{ action: 'book_table', service: text.slice(0, 128) }],
      proposal_number: 1,
      after: hash,
      requires_confirmation_from: Object.values(addresses),
    }),
  },
  {
    state: 'EXECUTING',
    type: 'execution_report',
    content: (text, hash) => ({ proposal_hash: hash, scope: 'own', status: 'failed', constraint: text }),
  },
  { state: 'NEGOTIATING', type: 'processing_error', content: (text) => ({ reason: text }) },
  {
    state: 'NEGOTIATING',
    type: 'context_response',
    content: (text) => ({
      context_provided: { cuisine_preference: text, [`n ${text.slice(0, 100)}`]: [text, { [text.slice(0, 100)]: text }] },
      context_unavailable: [{ field: 'phone', status: 'declined', note: text }],
      flexibility: { date: text },
    }),
  },
  {
    state: 'NEGOTIATING',
    type: 'intent_update',
    content: (text) => ({
      previous_intent: { summary: text },
      updated_intent: { summary: text, scope_change: text },
      reason: text,
      additional_context_needed: [{ field: 'dietary', reason: text, priority: 'helpful' }],
    }),
  },
  {
    state: 'NEGOTIATING',
    type: 'thread_fork',
    content: (text) => ({
      parent_thread_id: 'thr_dinner',
      new_threads: [{ thread_id: `thr_${'0'.repeat(26)}`, intent: { summary: text } }],
      shared_context: { note: text },
    }),
  },
  {
    state: 'NEGOTIATING',
    type: 'coordinator_transfer',
    content: (text) => ({ from_coordinator: addresses.initiator, to_coordinator: addresses.responder, reason: text }),
  },
  {
    state: 'PROPOSED',
    to: 'responder',
    type: 'resolution_outcome',
    content: (text, hash) => ({ status: 'declined', proposal_hash: hash, confirmations: [], message_to_other_agent: text }),
  },
  { state: 'NEGOTIATING', type: 'a_type_of_tomorrow', content: (text) => ({ status: text, proposal_hash: text, context: { note: text } }) },
];

/** Everything but the texts themselves. */
const shapeOf = ({ verdict, moves, effects, negotiation }: NegotiationDecision): unknown => ({
  verdict,
  moves,
  effects: effects.map(({ kind }) => kind),
  ...negotiation,
  about: negotiation.about !== undefined,
  seen: negotiation.seen.length,
  constraints: negotiation.constraints.length,
  answered: negotiation.answered.peer.length,
  openNeeds: negotiation.openNeeds.map(({ field, priority }) => ({ field, priority })),
  hashes: negotiation.hashes.length,
  proposal: negotiation.proposal && { ...negotiation.proposal, hash: '', actions: negotiation.proposal.actions.length },
});

it.each(packets)('[A2C-28] [A2C-21] texts in a $type change nothing but themselves', ({ state, to = 'initiator', type, content }) => {
  expect(texts).toHaveLength(2000);
  const start = negotiatorsIn(state);
  const before = start.sides[to];
  const give = (text: string): NegotiationDecision => {
    start.sides[to] = before;
    return start.forge(to, type, content(text, before.proposal?.hash ?? ''));
  };
  const person = { values: { dietary: 'vegetarian', health_info: 'diabetes' }, likely: {}, approvals: {} };
  const scope = { rules: defaultSharing, recipient: { address: addresses.responder, isVerified: true }, decisions: {}, request: null };
  /** The decision and the answer to its needs, as one text. */
  const outcomeOf = (text: string): string => {
    const decision = give(text);
    const { share, ask, decline } = answerNeeds(decision.negotiation.openNeeds, person, scope);
    return JSON.stringify([shapeOf(decision), share, ask.map(({ field }) => field), decline]);
  };
  const expected = outcomeOf('We would like dinner.');
  expect(texts.filter((text) => outcomeOf(text) !== expected)).toEqual([]);
});
