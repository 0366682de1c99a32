// Every input in every state for each role, held against spec/vectors/negotiation.json.

import { readFileSync } from 'node:fs';
import { confirmationToSign } from '@parley/protocol/relay';
import { describe, expect, it } from 'vitest';
import { dinner, type Negotiators, negotiatorsIn, otherRole } from '../../test/kit/negotiators.ts';
import { signAs } from '../../test/kit/signatures.ts';
import type { NegotiationDecision } from './decide.ts';
import type { NegotiationInput } from './inputs.ts';
import {
  type InputName,
  type LineRole,
  localInputs,
  type NegotiationRole,
  type NegotiationState,
  negotiationStates,
  packetInputs,
} from './states.ts';

interface Vectors {
  states: Record<string, NegotiationState>;
  inputs: Record<InputName, Record<LineRole, string>>;
}
/** Written from the rule, for implementations in any language. */
const { states: letters, inputs: matrix } = JSON.parse(
  readFileSync(new URL('../../../../spec/vectors/negotiation.json', import.meta.url), 'utf8'),
) as Vectors;

const unknownHash = 'B'.repeat(42) + 'A';

/** The plainest packet or event of its kind, about the proposal that is open. */
function give(both: Negotiators, role: NegotiationRole, name: InputName): NegotiationDecision {
  const side = both.sides[role];
  const hash = side.proposal?.hash ?? unknownHash;
  const forge = (type: string, content: Record<string, unknown>): NegotiationDecision => both.forge(role, type, content);
  const say = (input: NegotiationInput): NegotiationDecision => both.decide(role, input);
  const report = (scope: string, status: string): NegotiationDecision => forge('execution_report', { proposal_hash: hash, scope, status });
  const confirmations = [side.own, side.peer].map((agent) => ({ agent, packet_id: null }));
  switch (name) {
    case 'context':
      return forge('context_request', { needs: [{ field: 'dietary', priority: 'helpful' }] });
    case 'intent_changed':
      return forge('intent_update', { updated_intent: { summary: 'Game night' }, proposal_hash: side.proposal?.hash ?? null });
    case 'forked':
      return forge('thread_fork', {
        parent_thread_id: side.threadId,
        new_threads: [{ thread_id: 'thr_games1', intent: { summary: 'Games' } }],
      });
    case 'processing_error':
      return forge('processing_error', {});
    case 'resolution': {
      const after = side.proposal?.hash ?? null;
      const agents = side.group?.participants.map(({ agent }) => agent) ?? [side.own, side.peer];
      const group = side.group ? { aggregated_context: side.group } : {};
      return forge('resolution', { ...dinner, ...group, proposal_number: 9, after, requires_confirmation_from: agents });
    }
    case 'confirmed': {
      const signature = signAs(side.peer, confirmationToSign({ thread_id: side.threadId, proposal_hash: hash, agent: side.peer }));
      return forge('resolution_response', { status: 'confirmed', proposal_hash: hash, ...(side.group ? { signature } : {}) });
    }
    case 'conflict':
      return forge('resolution_response', { status: 'declined', proposal_hash: hash, reason_class: 'scheduling_conflict' });
    case 'declined':
      return forge('resolution_response', { status: 'declined', proposal_hash: hash, reason_class: 'user_declined' });
    case 'outcome_confirmed':
    case 'outcome_expired':
    case 'outcome_declined':
      return forge('resolution_outcome', { status: name.slice('outcome_'.length), proposal_hash: hash, confirmations });
    case 'shared_done':
    case 'own_done':
    case 'all_done':
      return report(name.slice(0, -'_done'.length), 'done');
    case 'peer_failed':
      return report('shared', 'failed');
    case 'peer_undone':
      return report('own', 'undone');
    case 'send':
      return say({ kind: name, type: 'context', content: { context: { budget: 'GBP 30' } }, by: 'agent' });
    case 'change_intent':
      return say({ kind: name, intent: { summary: 'Game night' }, by: 'person' });
    case 'fork':
      return say({ kind: name, threads: [{ thread_id: 'thr_games1', intent: { summary: 'Games' } }] });
    case 'propose':
      return both.propose(role);
    case 'give_up':
      return say({ kind: name, reason: 'No valid packet' });
    case 'done':
      return say({ kind: name, hash, scope: 'own' });
    case 'failed':
      return say({ kind: name, hash, scope: 'own', constraint: 'Fully booked', completed: 1 });
    case 'undone':
      return say({ kind: name, hash, irreversible: [] });
    case 'confirm':
      return both.confirm(role, hash);
    case 'suggest':
    case 'begin':
      return say({ kind: name, hash });
    case 'decline':
    case 'continue':
    case 'expire':
    case 'tick':
      return say({ kind: name });
  }
}

const sideOf: Record<LineRole, NegotiationRole> = {
  initiator: 'initiator',
  responder: 'responder',
  coordinator: 'initiator',
  participant: 'responder',
};
const cells = [...packetInputs, ...localInputs].flatMap((name) =>
  (Object.keys(sideOf) as LineRole[]).flatMap((line) =>
    matrix[name][line]
      .split(' ')
      .map((mark, column) => ({ name, line, role: sideOf[line], isGroup: sideOf[line] !== line, state: negotiationStates[column]!, mark })),
  ),
);

describe('[A2C-28] transitions, and no others', () => {
  it('the table has a cell for each input, state and role', () => {
    expect(cells).toHaveLength(31 * 11 * 4);
    expect(Object.values(letters)).toEqual([...negotiationStates]);
  });

  it.each(cells.filter(({ mark }) => mark in letters))(
    '$line $state: $name is accepted → $mark',
    ({ name, role, isGroup, state, mark }) => {
      const both = negotiatorsIn(state, isGroup);
      expect(both.sides[role].state).toBe(state);
      const { verdict, negotiation } = give(both, role, name);
      expect([verdict, negotiation.state]).toEqual(['accepted', letters[mark]]);
    },
  );

  it.each(cells.filter(({ mark }) => !(mark in letters)))(
    '$line $state: $name → $mark changes nothing',
    ({ name, role, isGroup, state, mark }) => {
      const both = negotiatorsIn(state, isGroup);
      const before = both.sides[role];
      const { verdict, negotiation, effects, moves } = give(both, role, name);
      expect(verdict === 'held').toBe(mark === 'h');
      expect(verdict).not.toBe('accepted');
      expect([negotiation.state, moves, effects.filter(({ kind }) => kind !== 'notify')]).toEqual([state, [], []]);
      expect(negotiation.proposal).toEqual(before.proposal);
      expect(negotiation.waiting.length).toBe(before.waiting.length + (mark === 'h' ? 1 : 0));
    },
  );

  it('the other side cannot be reached under another name', () => {
    for (const role of ['initiator', 'responder'] as const) {
      const both = negotiatorsIn('PROPOSED');
      const text = both.write(otherRole(role), 'context', {});
      const forged = [
        text.replace(both.sides[role].peer, 'agent:eve@relay.example'),
        text.replace('thr_dinner', 'thr_another'),
        text.replace(`"to":"${both.sides[role].own}"`, '"to":"agent:eve@relay.example"'),
      ];
      expect(forged.map((one) => both.receive(role, one).verdict)).toEqual(['wrong_sender', 'wrong_sender', 'wrong_sender']);
    }
  });
});
