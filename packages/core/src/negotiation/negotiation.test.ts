import { describe, expect, it } from 'vitest';
import {
  addresses,
  ask,
  blake2b256,
  confirmBoth,
  dinner,
  hour,
  Negotiators,
  negotiatorsIn,
  notices,
  only,
} from '../../test/kit/negotiators.ts';
import { nextTick } from './clock.ts';
import { decide } from './decide.ts';
import { forkNegotiation } from './negotiation.ts';
import { openNegotiation } from './negotiation.ts';

const need = (field: string, priority: 'required' | 'helpful' = 'helpful') => ({ field, priority });
const typesOn = (both: Negotiators): string[] => both.line.map(({ text }) => (JSON.parse(text) as { type: string }).type);

describe('a proposal', () => {
  it('[A2C-28] is confirmed by both, announced by the initiator and executed in order', () => {
    const both = negotiatorsIn('PROPOSED');
    const { hash } = both;
    expect(both.sides.responder.proposal!.hash).toBe(hash);
    expect(both.decide('initiator', { kind: 'confirm', hash }).effects).toEqual([]);
    expect(typesOn(both)).toEqual([]);
    both.decide('responder', { kind: 'confirm', hash });
    const [response] = both.line.splice(0);
    const concluded = both.receive('initiator', response!.text);
    const { packet_id: packetId } = JSON.parse(response!.text) as { packet_id: string };
    expect(only(concluded, 'send')[0]!.content).toEqual({
      status: 'confirmed',
      proposal_hash: hash,
      confirmations: [
        { agent: addresses.initiator, packet_id: null },
        { agent: addresses.responder, packet_id: packetId },
      ],
    });
    expect(only(concluded, 'run')).toEqual([{ kind: 'run', hash, scope: 'shared', actions: [0] }]);
    const outcome = both.receive('responder', both.line.shift()!.text);
    expect([outcome.negotiation.state, only(outcome, 'run')]).toEqual(['CONFIRMED', []]);
    both.decide('initiator', { kind: 'begin', hash });
    expect(only(both.decide('initiator', { kind: 'done', hash, scope: 'shared' }), 'run')).toMatchObject([{ scope: 'own', actions: [1] }]);
    expect(only(both.receive('responder', both.line.shift()!.text), 'run')).toEqual([{ kind: 'run', hash, scope: 'own', actions: [1] }]);
    both.decide('responder', { kind: 'done', hash, scope: 'own' });
    both.deliverAll();
    expect(both.states).toEqual(['EXECUTING', 'EXECUTING']);
    both.decide('initiator', { kind: 'done', hash, scope: 'own' });
    both.deliverAll();
    expect(both.states).toEqual(['COMPLETED', 'COMPLETED']);
  });

  it('[A2C-26] of two that cross, the initiator’s counts on both sides', () => {
    const both = negotiatorsIn('NEGOTIATING');
    both.decide('initiator', { kind: 'propose', content: dinner });
    both.decide('responder', { kind: 'propose', content: { ...dinner, proposal: { summary: 'Lunch' } } });
    const [fromInitiator, fromResponder] = both.line.splice(0);
    expect(both.receive('initiator', fromResponder!.text).verdict).toBe('crossed');
    const arrival = both.receive('responder', fromInitiator!.text);
    expect(only(arrival, 'ask_confirmation')).toEqual([{ kind: 'ask_confirmation', hash: both.hash }]);
    expect(only(arrival, 'withdraw_confirmation')).toHaveLength(1);
    expect(both.sides.responder.proposal).toMatchObject({ hash: both.hash, by: 'peer', ownConfirmed: false });
  });

  it('[A2C-26] [A2C-28] a counter-proposal replaces it, and a confirmation of the earlier one no longer counts', () => {
    const both = negotiatorsIn('PROPOSED');
    const first = both.hash;
    both.decide('initiator', { kind: 'confirm', hash: first });
    both.decide('responder', { kind: 'propose', content: { ...dinner, proposal: { summary: 'Lunch' } } });
    both.deliverAll();
    expect(both.hash).toBe(both.sides.responder.proposal!.hash);
    expect(both.hash).not.toBe(first);
    expect(both.decide('initiator', { kind: 'confirm', hash: first }).verdict).toBe('stale');
    expect(both.forge('initiator', 'resolution_response', { status: 'confirmed', proposal_hash: first }).verdict).toBe('stale');
    both.decide('responder', { kind: 'confirm', hash: both.hash });
    both.deliverAll();
    expect(both.states).toEqual(['PROPOSED', 'PROPOSED']);
  });

  it('[A2C-28] the same words proposed again after a failure need new confirmations', () => {
    const both = negotiatorsIn('PROPOSED');
    both.decide('responder', { kind: 'confirm', hash: both.hash });
    const replay = both.line[0]!.text;
    both.deliverAll();
    const first = both.hash;
    both.decide('initiator', { kind: 'confirm', hash: first });
    both.decide('initiator', { kind: 'begin', hash: first });
    both.decide('initiator', { kind: 'failed', hash: first, scope: 'shared', constraint: 'Fully booked', completed: 0 });
    both.decide('initiator', { kind: 'propose', content: dinner });
    both.deliverAll();
    expect([...both.states, both.hash === first]).toEqual(['PROPOSED', 'PROPOSED', false]);
    expect(both.receive('initiator', replay).verdict).toBe('repeated');
    const { proposal_hash } = JSON.parse(replay) as { proposal_hash: string };
    expect(both.forge('initiator', 'resolution_response', { status: 'confirmed', proposal_hash }).verdict).toBe('stale');
    expect(both.decide('initiator', { kind: 'confirm', hash: both.hash }).negotiation.state).toBe('PROPOSED');
  });

  it('[A2C-28] an outcome that a side did not confirm executes nothing and raises an alarm', () => {
    const both = negotiatorsIn('PROPOSED');
    const confirmations = Object.values(addresses).map((agent) => ({ agent, packet_id: null }));
    const outcome = { status: 'confirmed', proposal_hash: both.hash, confirmations };
    const forged = both.forge('responder', 'resolution_outcome', outcome);
    expect([forged.verdict, notices(forged)]).toEqual(['false_outcome', ['false_outcome']]);
    both.decide('responder', { kind: 'confirm', hash: both.hash });
    expect(both.forge('responder', 'resolution_outcome', { ...outcome, confirmations: [] }).verdict).toBe('false_outcome');
    expect(only(both.forge('responder', 'execution_report', { proposal_hash: both.hash, scope: 'shared', status: 'done' }), 'run')).toEqual(
      [],
    );
    expect(both.sides.responder.state).toBe('PROPOSED');
  });

  it('[A2C-28] an outcome of an earlier proposal executes nothing, whatever the responder confirmed since', () => {
    const both = negotiatorsIn('PROPOSED');
    const { hash: earlier } = both;
    both.decide('initiator', { kind: 'propose', content: { ...dinner, proposal: { summary: 'Lunch' } } });
    both.deliverAll();
    const { hash } = both.sides.responder.proposal!;
    both.decide('responder', { kind: 'confirm', hash });
    const confirmations = Object.values(addresses).map((agent) => ({ agent, packet_id: null }));
    const forged = both.forge('responder', 'resolution_outcome', { status: 'confirmed', proposal_hash: earlier, confirmations });
    expect([forged.verdict, forged.negotiation.state, hash === earlier]).toEqual(['stale', 'PROPOSED', false]);
  });

  it.each([
    [[addresses.initiator]],
    [['agent:eve@relay.example', addresses.responder]],
    [[...Object.values(addresses), 'agent:eve@relay.example']],
  ])('[A2C-28] between two both confirm: %j is refused', (confirmers) => {
    const both = negotiatorsIn('NEGOTIATING');
    const content = { ...dinner, proposal_number: 1, after: null, requires_confirmation_from: confirmers };
    expect(both.forge('responder', 'resolution', content).verdict).toBe('wrong_confirmers');
  });

  it('[A2C-28] a hundred proposals that do not count leave the open one as it was', () => {
    const both = negotiatorsIn('PROPOSED');
    const { hash } = both;
    for (let n = 1; n <= 100; n += 1) {
      const content = { ...dinner, proposal_number: n, after: null, requires_confirmation_from: Object.values(addresses) };
      expect(both.forge('initiator', 'resolution', content).verdict).toBe('crossed');
    }
    both.decide('initiator', { kind: 'confirm', hash });
    both.decide('responder', { kind: 'confirm', hash });
    both.deliverAll();
    expect(both.states).toEqual(['CONFIRMED', 'CONFIRMED']);
  });

  it('[A2C-22] a person who answers from two devices answers once', () => {
    const both = negotiatorsIn('PROPOSED');
    const verdicts = ['confirm', 'confirm', 'suggest'].map(
      (kind) => both.decide('responder', { kind: kind as 'confirm', hash: both.hash }).verdict,
    );
    expect([verdicts, typesOn(both)]).toEqual([['accepted', 'repeated', 'already_confirmed'], ['resolution_response']]);
    expect(both.decide('responder', { kind: 'propose', content: dinner }).verdict).toBe('already_confirmed');
  });
});

describe('time', () => {
  it('[A2C-28] the initiator’s clock expires a proposal, also when a confirmation comes first after the deadline', () => {
    const both = negotiatorsIn('PROPOSED');
    both.decide('initiator', { kind: 'confirm', hash: both.hash });
    both.decide('responder', { kind: 'confirm', hash: both.hash });
    both.now += 24 * hour;
    both.deliverAll();
    expect(both.states).toEqual(['EXPIRED', 'EXPIRED']);
    expect(both.sides.responder.execution).toBeNull();
  });

  it('[A2C-28] a side without an outcome is flagged once and its person notified; nothing runs, and a late outcome counts', () => {
    const both = negotiatorsIn('PROPOSED');
    confirmBoth(both);
    both.now += 24 * hour;
    // The outcome may be on its way at that moment.
    expect(both.decide('responder', { kind: 'tick' }).effects).toEqual([]);
    both.now += 60_000;
    const late = both.decide('responder', { kind: 'tick' });
    expect([late.negotiation.state, late.negotiation.isOverdue, notices(late), only(late, 'run')]).toEqual([
      'PROPOSED',
      true,
      ['overdue'],
      [],
    ]);
    expect([both.decide('responder', { kind: 'tick' }).effects, nextTick(both.sides.responder)]).toEqual([[], null]);
    both.deliverAll();
    expect([both.sides.responder.state, both.sides.responder.isOverdue]).toEqual(['CONFIRMED', false]);
  });

  it('[A2C-28] no word of the responder ends a proposal sooner: the initiator’s clock counts', () => {
    const both = negotiatorsIn('NEGOTIATING');
    const confirmers = { requires_confirmation_from: Object.values(addresses), proposal_number: 1, after: null };
    both.forge('initiator', 'resolution', { ...dinner, ...confirmers, expires_at: new Date(both.now).toISOString() });
    expect(both.sides.initiator.proposal!.deadline).toBe(both.now + 24 * hour);
  });

  it('[A2C-27] there is one reminder, and none for a person who has confirmed', () => {
    const both = negotiatorsIn('PROPOSED');
    both.decide('responder', { kind: 'confirm', hash: both.hash });
    both.now += 12 * hour;
    const ticks = (['initiator', 'initiator', 'responder'] as const).map((role) => notices(both.decide(role, { kind: 'tick' })));
    expect(ticks).toEqual([['reminder'], [], []]);
    expect(nextTick(both.sides.initiator)).toBe(both.now + 12 * hour);
  });

  it('[A2C-27] a decline that crosses the expiry ends as expired on both sides', () => {
    const both = negotiatorsIn('PROPOSED');
    both.decide('responder', { kind: 'suggest', hash: both.hash });
    both.now += 24 * hour;
    both.deliverAll();
    expect(both.states).toEqual(['EXPIRED', 'EXPIRED']);
  });

  it.each([
    ['low', 48],
    ['urgent', 2],
  ])('[A2C-17] an intent of urgency %s stalls after %d hours of silence, and a packet wakes it', (urgency, hours) => {
    const both = new Negotiators();
    const content = { intent: { summary: 'Dinner', urgency } };
    both.decide('initiator', { kind: 'send', type: 'context', content, by: 'agent' });
    both.deliverAll();
    both.now += hours * hour - 1;
    for (const role of ['initiator', 'responder'] as const) expect(both.decide(role, { kind: 'tick' }).negotiation.state).toBe('INITIATED');
    both.now += 1;
    for (const role of ['initiator', 'responder'] as const) expect(notices(both.decide(role, { kind: 'tick' }))).toEqual(['stalled']);
    expect(both.states).toEqual(['STALLED', 'STALLED']);
    both.decide('responder', ask('dietary'));
    both.deliverAll();
    expect(both.states).toEqual(['NEGOTIATING', 'NEGOTIATING']);
  });
});

describe('bounds', () => {
  it('[A2C-17] [A2C-25] a field that was answered or declined is not asked again, in the negotiation or its fork', () => {
    const both = negotiatorsIn('NEGOTIATING');
    both.decide('initiator', ask('dietary', 'budget', 'dietary'));
    const content = { context_provided: { dietary: 'none' }, context_unavailable: [{ field: 'budget', status: 'declined', hint: null }] };
    both.deliverAll();
    both.decide('responder', { kind: 'send', type: 'context_response', content, by: 'agent' });
    both.deliverAll();
    expect(both.decide('initiator', ask('dietary', 'budget')).verdict).toBe('nothing_to_ask');
    const asked = only(both.decide('initiator', ask('budget', 'area')), 'send');
    expect(asked[0]!.content).toMatchObject({ needs: [need('area')] });
    const fork = forkNegotiation(both.sides.initiator, { thread_id: 'thr_games1', intent: { summary: 'Games' } }, both.now);
    expect(decide(fork, ask('budget'), { now: both.now, blake2b256 }).verdict).toBe('nothing_to_ask');
    expect(fork).toMatchObject({ packets: both.sides.initiator.packets, role: 'initiator', state: 'INITIATED' });
  });

  it('[A2C-17] a need that the peer repeats after our decline never reaches the brain', () => {
    const both = negotiatorsIn('NEGOTIATING');
    both.forge('responder', 'context_request', { needs: [need('health_info')] });
    const unavailable = [{ field: 'health_info', status: 'declined', hint: null }];
    both.decide('responder', { kind: 'send', type: 'context_response', content: { context_unavailable: unavailable }, by: 'agent' });
    const again = both.forge('responder', 'context_request', { needs: [need('health_info'), need('area')] });
    expect(only(again, 'evaluate')).toEqual([{ kind: 'evaluate', needs: [need('area')] }]);
  });

  it('[A2C-17] six needs are refused, and a repeated packet counts once', () => {
    const both = negotiatorsIn('NEGOTIATING');
    expect(both.decide('initiator', ask('a', 'b', 'c', 'd', 'e', 'f')).verdict).toBe('too_many_needs');
    expect(both.decide('initiator', ask('a', 'b', 'c', 'd', 'e')).verdict).toBe('accepted');
    const { text } = both.line[0]!;
    expect([1, 2, 3].map(() => both.receive('responder', text).verdict)).toEqual(['accepted', 'repeated', 'repeated']);
    expect(both.sides.responder.packets).toBe(3);
  });

  it('[A2C-17] sixteen packets without a proposal escalate to both people, who may let the agents go on', () => {
    const both = negotiatorsIn('NEGOTIATING');
    for (let n = 2; n < 16; n += 1) {
      expect(both.decide(n % 2 === 0 ? 'initiator' : 'responder', ask(`field_${n}`)).verdict).toBe('accepted');
      both.deliverAll();
    }
    for (const role of ['initiator', 'responder'] as const) {
      expect(both.sides[role].isEscalated).toBe(true);
      expect(both.decide(role, ask('one_more')).verdict).toBe('exchange_limit');
    }
    expect(only(both.forge('responder', 'context', {}), 'evaluate')).toEqual([]);
    expect(only(both.decide('responder', { kind: 'continue' }), 'evaluate')).toHaveLength(1);
    expect(both.decide('responder', ask('one_more')).verdict).toBe('accepted');
    expect(both.decide('initiator', { ...ask('by_a_person'), by: 'person' }).verdict).toBe('accepted');
  });

  it('[A2C-16] a required need waits until it is given or declined, then proposing is possible', () => {
    const both = negotiatorsIn('NEGOTIATING');
    const content = { needs: [need('time_windows', 'required')] };
    both.decide('initiator', { kind: 'send', type: 'context_request', content, by: 'agent' });
    expect(both.decide('initiator', { kind: 'propose', content: dinner }).verdict).toBe('required_need_open');
    both.forge('initiator', 'context_response', { context_unavailable: [{ field: 'time_windows', status: 'declined', hint: null }] });
    expect(both.decide('initiator', { kind: 'propose', content: dinner }).verdict).toBe('accepted');
  });
});

describe('declining', () => {
  it('[A2C-26] an excuse sends no reason, and both may propose again', () => {
    const both = negotiatorsIn('PROPOSED');
    both.decide('responder', { kind: 'suggest', hash: both.hash, message: 'Something came up. Next week?' });
    expect(JSON.parse(both.line[0]!.text)).toMatchObject({ status: 'declined', reason_class: 'scheduling_conflict', actual_reason: null });
    both.deliverAll();
    expect(both.states).toEqual(['NEGOTIATING', 'NEGOTIATING']);
    expect(both.decide('initiator', { kind: 'propose', content: dinner }).verdict).toBe('accepted');
  });

  it('[A2C-28] the responder’s person has declined when the initiator has heard it', () => {
    const both = negotiatorsIn('PROPOSED');
    both.decide('responder', { kind: 'decline', message: 'Not this year' });
    expect(both.sides.responder).toMatchObject({ state: 'PROPOSED', isClosing: true });
    expect(both.decide('responder', { kind: 'confirm', hash: both.hash }).verdict).toBe('closing');
    both.deliverAll();
    expect(both.states).toEqual(['DECLINED', 'DECLINED']);
    expect(both.sides.responder.isClosing).toBe(false);
  });

  it('[A2C-28] a decline that comes after both confirmed waits; it counts only if the actions fail', () => {
    const both = negotiatorsIn('PROPOSED');
    const { hash } = both;
    confirmBoth(both);
    both.decide('responder', { kind: 'decline' });
    const [outcome, late] = both.line.splice(0);
    expect(both.receive('initiator', late!.text).verdict).toBe('held');
    expect(notices(both.receive('responder', outcome!.text))).toEqual(['confirmed_before_decline']);
    both.decide('initiator', { kind: 'begin', hash });
    both.decide('initiator', { kind: 'failed', hash, scope: 'shared', constraint: 'Fully booked', completed: 0 });
    both.deliverAll();
    expect(both.states).toEqual(['DECLINED', 'DECLINED']);
  });
});

it('[A2C-34] deciding changes nothing but its answer', () => {
  const deepFreeze = <T>(value: T): T => {
    if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
    return value;
  };
  const [own, peer] = [addresses.initiator, addresses.responder];
  const frozen = deepFreeze(openNegotiation({ threadId: 'thr_frozen', own, peer, role: 'initiator' }, 0));
  const one = decide(frozen, { kind: 'propose', content: dinner }, { now: 1, blake2b256 });
  expect(one).toEqual(decide(frozen, { kind: 'propose', content: dinner }, { now: 1, blake2b256 }));
  expect(frozen.state).toBe('INITIATED');
});
