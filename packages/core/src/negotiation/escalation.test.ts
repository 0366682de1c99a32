import { describe, expect, it } from 'vitest';
import { addresses, dinner, negotiatorsIn, only } from '../../test/kit/negotiators.ts';

describe('escalation', () => {
  it('[A2C-18] a conflict that is surfaced escalates at both sides, and a person lets the agents go on', () => {
    const both = negotiatorsIn('NEGOTIATING');
    const escalation = { recommend: 'surface_to_users', reason: 'No overlap', suggested_prompt: 'Another day?' };
    const proposed_alternatives = [{ option: 'Lunch', rationale: 'Both are free' }];
    const content = { context: { proposed_alternatives }, escalation };
    const sent = both.decide('responder', { kind: 'send', type: 'context', content, by: 'agent' });
    const came = both.receive('initiator', both.line.shift()!.text);
    for (const [decision, by] of [
      [sent, 'own'],
      [came, 'peer'],
    ] as const) {
      const details = { by, reason: 'No overlap', suggested_prompt: 'Another day?', alternatives: proposed_alternatives };
      expect(only(decision, 'notify')).toMatchObject([{ notice: 'escalated', details }]);
      expect(only(decision, 'evaluate')).toEqual([]);
    }
    expect(only(both.forge('initiator', 'context', { escalation }), 'notify')).toEqual([]);
    expect(only(both.decide('initiator', { kind: 'continue' }), 'evaluate')).toHaveLength(1);
    expect(both.decide('initiator', { kind: 'propose', content: dinner }).verdict).toBe('accepted');
    both.deliverAll();
    expect([both.sides.initiator.isEscalated, both.sides.responder.isEscalated]).toEqual([false, false]);
  });

  it('[A2C-29] after the third failure people decide, at both sides', () => {
    const both = negotiatorsIn('PROPOSED');
    for (let failures = 1; failures <= 3; failures += 1) {
      const { hash } = both;
      for (const role of ['responder', 'initiator'] as const) both.decide(role, { kind: 'confirm', hash });
      both.deliverAll();
      both.decide('initiator', { kind: 'begin', hash });
      const failed = both.decide('initiator', { kind: 'failed', hash, scope: 'shared', constraint: 'Fully booked', completed: 0 });
      both.deliverAll();
      const isAsked = failures === 3;
      expect(only(failed, 'evaluate')).toHaveLength(isAsked ? 0 : 1);
      for (const side of Object.values(both.sides)) expect([side.state, side.isEscalated]).toEqual(['NEGOTIATING', isAsked]);
      if (!isAsked) both.decide('initiator', { kind: 'propose', content: dinner });
      both.deliverAll();
    }
  });
});

describe('whose actions run', () => {
  it.each([
    ['initiator', [1, 2]],
    ['responder', [2, 3]],
  ] as const)('[A2C-29] the %s runs its own actions and those of each side', (role, places) => {
    const both = negotiatorsIn('NEGOTIATING');
    const own = 'own' as const;
    const actions_on_confirm = [
      { action: 'book_table' },
      { action: 'post_outcome', scope: own, by: addresses.initiator },
      { action: 'add_calendar_event', scope: own },
      { action: 'tell_club', scope: own, by: addresses.responder },
    ];
    both.decide('initiator', { kind: 'propose', content: { ...dinner, actions_on_confirm } });
    both.deliverAll();
    const { hash } = both;
    for (const one of ['responder', 'initiator'] as const) both.decide(one, { kind: 'confirm', hash });
    both.deliverAll();
    both.decide('initiator', { kind: 'begin', hash });
    const done = both.decide('initiator', { kind: 'done', hash, scope: 'shared' });
    const ran = role === 'initiator' ? done : both.receive('responder', both.line.shift()!.text);
    expect(only(ran, 'run')).toMatchObject([{ scope: 'own', actions: places }]);
  });
});
