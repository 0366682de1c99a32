// Intents that change, and what is split off from a negotiation.

import { describe, expect, it } from 'vitest';
import { ask, blake2b256, confirmBoth, dinner, type Negotiators, negotiatorsIn, notices, only } from '../../test/kit/negotiators.ts';
import { decide } from './decide.ts';
import { forkNegotiation } from './negotiation.ts';
import type { NegotiationInput } from './inputs.ts';
import { isExpansion } from './intent.ts';
import type { NegotiationRole } from './states.ts';

const change = (summary: string, more: object = {}): NegotiationInput => ({
  kind: 'change_intent',
  intent: { summary },
  by: 'person',
  ...more,
});
const games = { thread_id: 'thr_games1', intent: { summary: 'Games at 21:00' } };
const fork = (...threads: (typeof games)[]): NegotiationInput => ({ kind: 'fork', threads });
const forkPacket = (...ids: string[]) => ({
  parent_thread_id: 'thr_dinner',
  new_threads: ids.map((thread_id) => ({ thread_id, intent: { summary: 'Games' } })),
});
const abouts = ({ sides }: Negotiators): (string | undefined)[] => [sides.initiator.about?.summary, sides.responder.about?.summary];

/** Both know what it is about. */
const talking = (): Negotiators => {
  const both = negotiatorsIn('NEGOTIATING');
  for (const side of Object.values(both.sides)) side.about = { summary: 'Dinner on Friday' };
  return both;
};

describe('an intent that changes', () => {
  it.each(['initiator', 'responder'] as const)('[A2C-19] [A2C-28] of the %s counters the open proposal, on both sides', (role) => {
    const both = talking();
    both.propose('initiator');
    both.deliverAll();
    expect(both.states).toEqual(['PROPOSED', 'PROPOSED']);
    const changed = both.decide(role, change('Game night on Friday'));
    expect([changed.verdict, only(changed, 'withdraw_confirmation')]).toMatchObject(['accepted', [{ hash: both.hash }]]);
    expect(only(changed, 'send')[0]!.content).toMatchObject({
      previous_intent: { summary: 'Dinner on Friday' },
      updated_intent: { summary: 'Game night on Friday', scope_change: 'expanded' },
      proposal_hash: both.hash,
    });
    both.deliverAll();
    expect([both.states, abouts(both)]).toEqual([
      ['NEGOTIATING', 'NEGOTIATING'],
      ['Game night on Friday', 'Game night on Friday'],
    ]);
    // A confirmation of the proposal that no longer fits counts for nothing.
    expect(both.decide('responder', { kind: 'confirm', hash: both.hash }).verdict).toBe('not_in_this_state');
    expect(both.forge('initiator', 'resolution_response', { status: 'confirmed', proposal_hash: both.hash }).verdict).toBe(
      'not_in_this_state',
    );
  });

  it('[A2C-19] a proposal that crosses the change stays open on both sides', () => {
    const both = talking();
    both.decide('responder', change('Game night on Friday'));
    both.propose('initiator');
    both.deliverAll();
    expect([both.states, abouts(both)[0]]).toEqual([['PROPOSED', 'PROPOSED'], 'Game night on Friday']);
    expect(both.sides.responder.proposal!.hash).toBe(both.hash);
  });

  it('[A2C-19] of two changes that cross, the initiator’s counts on both sides', () => {
    const both = talking();
    both.decide('initiator', change('Lunch on Friday'));
    both.decide('responder', change('Game night on Friday'));
    both.deliverAll();
    expect(abouts(both)).toEqual(['Lunch on Friday', 'Lunch on Friday']);
  });

  it('[A2C-19] a confirmation binds: the responder changes nothing after it', () => {
    const both = talking();
    both.propose('initiator');
    both.deliverAll();
    both.decide('responder', { kind: 'confirm', hash: both.hash });
    expect(both.decide('responder', change('Game night')).verdict).toBe('already_confirmed');
  });

  it('[A2C-19] one that comes while an agreement is executed waits until it is over', () => {
    const both = negotiatorsIn('EXECUTING');
    expect(both.forge('responder', 'intent_update', { updated_intent: { summary: 'Lunch' } }).verdict).toBe('held');
    expect(both.sides.responder.about).toBeUndefined();
    expect(both.decide('responder', change('Lunch')).verdict).toBe('not_in_this_state');
  });

  it('[A2C-19] a later `intent` in another packet changes nothing', () => {
    const both = talking();
    both.forge('responder', 'context', { intent: { summary: 'Everything you own' }, context: {} });
    expect(abouts(both)[1]).toBe('Dinner on Friday');
  });

  it('[A2C-17] [A2C-19] a later `intent` in another packet makes nothing urgent; a change that people read does', () => {
    const both = talking();
    both.forge('responder', 'context', { intent: { summary: 'Dinner on Friday', urgency: 'urgent' }, context: {} });
    expect(both.sides.responder.isUrgent).toBe(false);
    const changed = both.forge('responder', 'intent_update', { updated_intent: { summary: 'Dinner', urgency: 'urgent' } });
    expect([both.sides.responder.isUrgent, notices(changed)]).toEqual([true, ['intent_changed']]);
  });

  it('[A2C-19] an agent may narrow the scope; only a person widens it', () => {
    const both = talking();
    expect(both.decide('initiator', change('Game night on Friday', { by: 'agent' })).verdict).toBe('widens_scope');
    expect(both.decide('initiator', change('Dinner on Friday', { by: 'agent' })).verdict).toBe('nothing_changes');
    expect(both.decide('initiator', change('Dinner', { by: 'agent' })).verdict).toBe('accepted');
    both.sides.initiator.packets = 16;
    expect(both.decide('initiator', change('Friday', { by: 'agent' })).verdict).toBe('exchange_limit');
  });

  it('[A2C-16] [A2C-17] further needs are asked once, five at most, and the receiver has to answer them', () => {
    const both = talking();
    const need = (field: string) => ({ field, priority: 'helpful' as const });
    const six = ['a', 'b', 'c', 'd', 'e', 'f'].map(need);
    expect(both.decide('initiator', change('Game night', { needs: six })).verdict).toBe('too_many_needs');
    both.sides.initiator.answered.peer = ['budget'];
    const sent = both.decide('initiator', change('Game night', { needs: [need('budget'), need('game_preferences')] }));
    expect(only(sent, 'send')[0]!.content['additional_context_needed']).toEqual([need('game_preferences')]);
    both.deliverAll();
    expect(both.sides.responder.openNeeds).toEqual([need('game_preferences')]);
  });

  it('[A2C-19] the person’s own change lets agents at their limit go on', () => {
    const both = talking();
    Object.assign(both.sides.initiator, { packets: 16, isEscalated: true });
    both.decide('initiator', change('Lunch'));
    expect(both.sides.initiator).toMatchObject({ isEscalated: false, packets: 1 });
  });
});

describe('the scope of a change', () => {
  const before = { category: 'scheduling', summary: 'Game night on Friday (dinner and games)' };
  it.each([
    ['Games on Friday at 21:00', {}, [], false],
    ['Dinner on Friday, 7pm', { scope_change: 'narrowed' }, [], false],
    ['Game night on Saturday', { scope_change: 'narrowed' }, [], true],
    ['Dinner on Friday and your bank details', { scope_change: 'narrowed' }, [], true],
    ['Dinner on Friday', { scope_change: 'expanded' }, [], true],
    ['Dinner on Friday', { category: 'finance' }, [], true],
    ['Dinner on Friday', {}, [{ field: 'budget', priority: 'helpful' }], true],
  ] as const)('[A2C-19] %s %j: expanded with needs %j is %s', (summary, more, needs, isExpanded) => {
    expect(isExpansion(before, { summary, ...more }, needs)).toBe(isExpanded);
  });

  it.each([
    ['Dinner for 12 on Friday', true],
    ['Dinner for 40 on Friday', true],
    ['Dinner for 2 on Friday, 9000', true],
    ['Dinner for 2 on Friday at 7', false],
    ['Dinner for 2 on Friday at 7pm', false],
    ['Dinner for 2 on Friday 19:30', false],
    ['Dinner for 2 on Friday from 18 to 20', false],
    ['Dinner for 2 on Friday at 7, for 30', true],
  ])('[A2C-19] a number is a wider scope unless it is a time: %s, %s', (summary, isExpanded) => {
    expect(isExpansion({ summary: 'Dinner for 2 on Friday' }, { summary })).toBe(isExpanded);
  });

  it('[A2C-19] a request that nobody knows the earlier words of is a wider one', () => {
    expect(isExpansion(null, before)).toBe(true);
  });
});

describe('a fork', () => {
  it('[A2C-20] inherits answers, declines and the exchange count, and has its own state', () => {
    const both = talking();
    both.propose('initiator');
    both.deliverAll();
    both.sides.initiator.packets = 15;
    both.sides.initiator.answered = { own: ['dietary'], peer: ['budget'] };
    const { effects, verdict } = both.decide('initiator', fork(games));
    expect([verdict, effects.filter(({ kind }) => kind === 'fork')]).toMatchObject(['accepted', [{ by: 'own', threads: [games] }]]);
    const child = forkNegotiation(both.sides.initiator, games, both.now);
    expect(child).toMatchObject({ state: 'INITIATED', role: 'initiator', packets: 16, isEscalated: true, proposal: null });
    expect(decide(child, ask('budget'), { now: both.now, blake2b256 }).verdict).toBe('exchange_limit');
    expect(child.fork).toEqual({ parent: 'thr_dinner', depth: 1 });
    // The parent goes on with its own proposal.
    both.deliverAll();
    expect([both.states, both.sides.responder.forks]).toEqual([['PROPOSED', 'PROPOSED'], ['thr_games1']]);
    confirmBoth(both);
    both.deliverAll();
    expect(both.states).toEqual(['CONFIRMED', 'CONFIRMED']);
  });

  it('[A2C-20] [A2C-17] agents at the limit of their exchanges get no more of them by splitting', () => {
    const both = talking();
    both.sides.initiator.packets = 16;
    expect(both.decide('initiator', fork(games)).verdict).toBe('exchange_limit');
    both.sides.responder.packets = 15;
    both.forge('responder', 'thread_fork', forkPacket('thr_games1'));
    expect(forkNegotiation(both.sides.responder, games, both.now)).toMatchObject({ isEscalated: true, packets: 16 });
  });

  it.each(['CONFIRMED', 'EXECUTING', 'ROLLBACK'] as const)('[A2C-20] is there where it crosses an agreement: its parent is %s', (state) => {
    for (const role of ['initiator', 'responder'] as const) {
      const both = negotiatorsIn(state, false);
      const decision = both.forge(role, 'thread_fork', forkPacket('thr_games1'));
      expect([decision.verdict, only(decision, 'fork').length, both.sides[role].state]).toEqual(['accepted', 1, state]);
    }
  });

  it('[A2C-20] forks that cross are both there on both sides', () => {
    const both = talking();
    both.decide('initiator', fork(games));
    both.decide('responder', fork({ thread_id: 'thr_drinks', intent: { summary: 'Drinks' } }));
    both.deliverAll();
    for (const side of Object.values(both.sides)) expect(side.forks!.toSorted()).toEqual(['thr_drinks', 'thr_games1']);
  });

  const refused = (role: NegotiationRole, both: Negotiators, content: object): [string, string[], number] => {
    const decision = both.forge(role, 'thread_fork', { ...content });
    return [decision.verdict, notices(decision), both.sides[role].forks?.length ?? 0];
  };

  it('[A2C-20] a loop, a used ID, another parent and an ID twice are refused, and the person can read why', () => {
    const both = talking();
    expect(refused('responder', both, forkPacket('thr_dinner'))).toEqual(['thread_id_in_use', ['fork_refused'], 0]);
    expect(refused('responder', both, forkPacket('thr_afork1', 'thr_afork1'))[0]).toBe('thread_id_in_use');
    expect(refused('responder', both, { ...forkPacket('thr_afork1'), parent_thread_id: 'thr_another' })[0]).toBe('wrong_parent');
    // A fork whose fork would be its own parent.
    const child = forkNegotiation(both.sides.initiator, games, both.now);
    const loop = decide(child, { kind: 'fork', threads: [{ ...games, thread_id: 'thr_dinner' }] }, { now: both.now, blake2b256 });
    expect(loop.verdict).toBe('thread_id_in_use');
    const taken = { now: both.now, blake2b256, takenIds: ['thr_other1'] };
    expect(decide(child, fork({ ...games, thread_id: 'thr_other1' }), taken).verdict).toBe('thread_id_in_use');
  });

  it('[A2C-20] has a fork, and that one has none; a negotiation has eight', () => {
    const both = talking();
    const child = forkNegotiation(both.sides.initiator, games, both.now);
    const grandchild = forkNegotiation(child, { ...games, thread_id: 'thr_cards1' }, both.now);
    const tools = { now: both.now, blake2b256 };
    expect(decide(child, fork({ ...games, thread_id: 'thr_cards1' }), tools).verdict).toBe('accepted');
    expect(decide(grandchild, fork({ ...games, thread_id: 'thr_chess1' }), tools).verdict).toBe('too_deep_fork');
    const many = ['1', '2', '3', '4', '5', '6', '7', '8'].map((n) => `thr_fork0${n}`);
    expect(refused('responder', both, forkPacket(...many))[0]).toBe('accepted');
    expect(refused('responder', both, forkPacket('thr_fork09'))).toEqual(['too_many_forks', ['fork_refused'], 8]);
    expect(() => both.write('initiator', 'thread_fork', forkPacket(...Array.from({ length: 100 }, (_, n) => `thr_many${n}`)))).toThrow(
      'new_threads',
    );
  });

  it('[A2C-20] a fork that is known already is the same one', () => {
    const both = talking();
    both.forge('responder', 'thread_fork', forkPacket('thr_games1'));
    const again = both.forge('responder', 'thread_fork', forkPacket('thr_games1'));
    expect([again.verdict, only(again, 'fork'), both.sides.responder.forks]).toEqual(['accepted', [], ['thr_games1']]);
  });

  it('[A2C-20] groups are not split, and keep what they are about', () => {
    const both = negotiatorsIn('NEGOTIATING', true);
    for (const role of ['initiator', 'responder'] as const) {
      expect(both.decide(role, fork(games)).verdict).toBe('not_for_this_role');
      expect(both.decide(role, change('Lunch')).verdict).toBe('not_for_this_role');
    }
    expect(dinner.proposal.summary).toContain('Dinner');
  });
});
