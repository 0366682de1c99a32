// A peer that sends any valid packet at any time: each is accepted, held or refused, and none of them stops this side.

import { confirmationToSign, proposalHash } from '@parley/protocol/relay';
import { describe, expect, it } from 'vitest';
import { addresses, blake2b256, dinner, hour, type Negotiators, negotiatorsIn, notices, otherRole } from '../../test/kit/negotiators.ts';
import { randomFrom } from '../../test/kit/random.ts';
import { keyOf, signAs } from '../../test/kit/signatures.ts';
import { type NegotiationRole, negotiationStates } from './states.ts';

const seed = Number(process.env['PARLEY_SEED'] ?? 7);
const runs = 60;
const agents = [...Object.values(addresses), 'agent:cem@relay.example'];
const participants = agents.map((agent) => ({ agent, key: keyOf(agent) }));
const outcomeOf = (hash: string, status: string) => ({ status, proposal_hash: hash, confirmations: [] });

describe('[A2C-28] a hostile peer', () => {
  it.each([false, true])('announces an outcome of a proposal that was refused; in a group: %s', (isGroup) => {
    for (const status of ['expired', 'confirmed']) {
      const both = negotiatorsIn('NEGOTIATING', isGroup);
      const refused = { ...dinner, proposal_number: 1, after: null, requires_confirmation_from: [addresses.initiator] };
      const text = both.write('initiator', 'resolution', refused);
      expect(both.receive('responder', text).verdict).toBe('wrong_confirmers');
      const hash = proposalHash(JSON.parse(text) as Record<string, unknown>, blake2b256);
      expect(both.forge('responder', 'resolution_outcome', outcomeOf(hash, status)).verdict).not.toBe('accepted');
      expect(both.sides.responder.state).toBe('NEGOTIATING');
    }
  });

  it.each([
    ['2020-04-01T10:00:00Z', '2020-04-01T11:00:00Z'],
    ['2030-04-01T10:00:00Z', '2040-04-01T11:00:00Z'],
    ['2030-04-01T10:00:00Z', '2030-04-01T09:00:00Z'],
    ['9999-12-31T23:00:00Z', '+010000-01-01T00:00:00Z'],
    ['+010000-04-01T10:00:00Z', '+010000-04-01T11:00:00Z'],
  ])('proposes a time from %s to %s, and is refused [A2C-26]', (start, end) => {
    const both = negotiatorsIn('NEGOTIATING');
    const { own, peer } = both.sides.responder;
    const terms = { proposal_number: 1, after: null, requires_confirmation_from: [own, peer].toSorted() };
    const propose = (details: object) =>
      both.receive('responder', both.write('initiator', 'resolution', { ...dinner, ...terms, proposal: { summary: 'Dinner', details } }));
    const refused = propose({ start, end });
    expect([refused.verdict, notices(refused), refused.negotiation.state]).toEqual(['impossible_time', ['impossible_time'], 'NEGOTIATING']);
    expect(propose({ start: '2030-04-01T10:00:00Z', end: '2030-04-15T11:00:00Z' }).verdict).toBe('accepted');
  });

  it.each([
    [47, 'accepted', 'EXPIRED'],
    [48, 'impossible_time', 'NEGOTIATING'],
  ] as const)('proposes a time that ended %s hours ago: %s, and %s after its outcome [A2C-27]', (hours, verdict, state) => {
    const both = negotiatorsIn('NEGOTIATING');
    const { own, peer } = both.sides.responder;
    const terms = { proposal_number: 1, after: null, requires_confirmation_from: [own, peer].toSorted() };
    const details = { start: '2027-01-01T10:00:00Z', end: new Date(both.now - hours * hour).toISOString() };
    const text = both.write('initiator', 'resolution', { ...dinner, ...terms, proposal: { summary: 'Dinner', details } });
    expect(both.receive('responder', text).verdict).toBe(verdict);
    const hash = proposalHash(JSON.parse(text) as Record<string, unknown>, blake2b256);
    both.forge('responder', 'resolution_outcome', outcomeOf(hash, 'expired'));
    expect(both.sides.responder.state).toBe(state);
  });

  it(`sends anything, in any state and any order (seed ${seed}, ${runs} runs)`, () => {
    const random = randomFrom(seed);
    const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
    const given = (chance: number, content: object): object => (random() < chance ? content : {});
    const some = (both: Negotiators, role: NegotiationRole, hash: string): [string, Record<string, unknown>] => {
      const { own, peer, threadId } = both.sides[role];
      const signed = (agent: string): string => signAs(agent, confirmationToSign({ thread_id: threadId, proposal_hash: hash, agent }));
      const confirmations = agents.slice(0, pick([0, 1, 2, 3])).map((agent) => ({ agent, packet_id: null, signature: signed(agent) }));
      const fork = { thread_id: pick(['thr_fork01', 'thr_fork02', threadId]), intent: { summary: 'Games' } };
      const confirmers = pick([agents, [own, peer], [peer]]);
      return pick<[string, Record<string, unknown>]>([
        ['context', { needs: [{ field: pick(['dietary', 'budget']), priority: 'required' }] }],
        ['context', { context: { dietary: 'none' }, ...given(0.5, { aggregated_context: { participants } }) }],
        ['intent_update', { updated_intent: { summary: pick(['Games', 'Dinner']) }, ...given(0.5, { proposal_hash: hash }) }],
        ['thread_fork', { parent_thread_id: threadId, new_threads: [fork] }],
        ['processing_error', {}],
        [
          'resolution',
          {
            ...dinner,
            proposal_number: pick([1, 2, 9]),
            after: pick([null, hash]),
            requires_confirmation_from: confirmers,
            ...given(0.7, { aggregated_context: { participants } }),
            ...given(0.5, { quorum: pick([1, 2, 3]) }),
          },
        ],
        ['resolution_response', { status: 'confirmed', proposal_hash: hash, ...given(0.7, { signature: signed(peer) }) }],
        ['resolution_response', { status: 'declined', proposal_hash: hash, reason_class: pick(['scheduling_conflict', 'user_declined']) }],
        ['resolution_outcome', { ...outcomeOf(hash, pick(['confirmed', 'expired', 'declined'])), confirmations }],
        ['execution_report', { proposal_hash: hash, scope: pick(['shared', 'own', 'all']), status: pick(['done', 'failed', 'undone']) }],
      ]);
    };
    for (let run = 0; run < runs; run += 1) {
      const [state, isGroup, role] = [pick(negotiationStates), random() < 0.5, pick(['initiator', 'responder'] as const)];
      const both = negotiatorsIn(state, isGroup);
      const hashes = ['A'.repeat(43)];
      for (let step = 0; step < 10; step += 1) {
        const known = both.sides[role].proposal;
        if (known) hashes.push(known.hash);
        const text = both.write(otherRole(role), ...some(both, role, pick(hashes)));
        if (text.includes('"type":"resolution"')) hashes.push(proposalHash(JSON.parse(text) as Record<string, unknown>, blake2b256));
        expect(() => both.receive(role, text), `run ${run}: ${role} in ${state}, then ${text}`).not.toThrow();
        if (random() < 0.2) both.decide(role, pick([{ kind: 'continue' }, { kind: 'tick' }, { kind: 'decline' }] as const));
      }
    }
  });
});
