// Actions of a group that fail, and what a coordinator or a member that lies can reach.

import { describe, expect, it } from 'vitest';
import { confirmationToSign, readPacket } from '@parley/protocol/relay';
import { ann, bob, cem, confirmAll, dan, GroupPeople, threadId } from '../../test/kit/group-people.ts';
import { dinner } from '../../test/kit/negotiators.ts';
import { keyOf, signAs } from '../../test/kit/signatures.ts';

describe('[A2C-29] a failure', () => {
  it('of one member undoes the actions of all, and the group negotiates again', () => {
    const people = GroupPeople.proposed([bob, cem, dan], { quorum: 3 });
    confirmAll(people, ann, bob, cem);
    const { hash } = people;
    people.coordinate({ kind: 'begin', hash });
    people.coordinate({ kind: 'done', hash, scope: 'shared' });
    people.deliverAll();
    people.member(bob, { kind: 'failed', hash, scope: 'own', constraint: 'Bob’s words', completed: 1 });
    people.deliverAll(ann);
    expect(JSON.stringify(people.line)).not.toContain('Bob’s words');
    people.deliverAll();
    expect(people.group).toMatchObject({ state: 'ROLLBACK', constraints: ['Bob’s words'] });
    people.coordinate({ kind: 'undone', hash, irreversible: [] });
    for (const agent of [bob, cem, dan]) people.member(agent, { kind: 'undone', hash, irreversible: [] });
    people.deliverAll();
    expect(people.states).toEqual(['NEGOTIATING', 'NEGOTIATING', 'NEGOTIATING', 'NEGOTIATING']);
  });

  it('of a shared action leaves nothing to undo', () => {
    const people = GroupPeople.proposed([bob, cem]);
    confirmAll(people, ann, bob, cem);
    people.coordinate({ kind: 'begin', hash: people.hash });
    people.coordinate({ kind: 'failed', hash: people.hash, scope: 'shared', constraint: 'Fully booked', completed: 0 });
    people.deliverAll();
    expect(people.states).toEqual(['NEGOTIATING', 'NEGOTIATING', 'NEGOTIATING']);
  });
});

describe('[A2C-28] lies', () => {
  const outcome = (people: GroupPeople, to: string, confirmations: object[]) =>
    people.receive(people.send(ann, to, 'resolution_outcome', { status: 'confirmed', proposal_hash: people.hash, confirmations }));
  const signed = (agent: string, hash: string, by = agent) => ({
    agent,
    packet_id: null,
    signature: signAs(by, confirmationToSign({ thread_id: threadId, proposal_hash: hash, agent })),
  });

  it.each([
    ['without a confirmation that is needed', (hash: string) => [signed(ann, hash), signed(bob, hash)]],
    ['with one that somebody else signed', (hash: string) => [signed(ann, hash), signed(bob, hash), signed(cem, hash, ann)]],
    ['with one for another proposal', (hash: string) => [signed(ann, hash), signed(bob, hash), { ...signed(cem, 'x'.repeat(43)) }]],
    ['with one that nobody signed', (hash: string) => [signed(ann, hash), signed(bob, hash), { agent: cem, packet_id: null }]],
    ['with one twice', (hash: string) => [signed(ann, hash), signed(bob, hash), signed(bob, hash)]],
    ['with a stranger', (hash: string) => [signed(ann, hash), signed(bob, hash), signed('agent:eve@relay.example', hash)]],
    ['without the coordinator', (hash: string) => [signed(bob, hash), signed(cem, hash), signed(dan, hash)]],
  ])('an outcome %s is refused with an alarm', (_, confirmations) => {
    const people = GroupPeople.proposed([bob, cem, dan], { quorum: 3 });
    people.member(bob, { kind: 'confirm', hash: people.hash });
    const decision = outcome(people, bob, confirmations(people.hash));
    expect(decision.verdict).toBe('false_outcome');
    expect(decision.effects).toMatchObject([{ kind: 'notify', notice: 'false_outcome' }]);
    expect(people.members[bob]!.state).toBe('PROPOSED');
  });

  it('an outcome with this person’s confirmation, who gave none, is refused', () => {
    const people = GroupPeople.proposed([bob, cem, dan], { quorum: 3 });
    const { hash } = people;
    expect(outcome(people, bob, [signed(ann, hash), signed(bob, hash), signed(cem, hash)]).verdict).toBe('false_outcome');
    expect(outcome(people, bob, [signed(ann, hash), signed(dan, hash), signed(cem, hash)]).verdict).toBe('accepted');
    expect(people.members[bob]!.execution!.takesPart).toBe(false);
  });

  it('another proposal for each member has confirmations that fit no other', () => {
    const people = GroupPeople.proposed([bob, cem]);
    const text = people.send(ann, cem, 'context', {}).text;
    expect(readPacket(text).ok).toBe(true);
    const other = { ...dinner, proposal: { summary: 'Something else' }, proposal_number: 2, after: people.hash };
    const participants = [ann, bob, cem].map((agent) => ({ agent, key: keyOf(agent) }));
    const terms = { requires_confirmation_from: [ann, bob, cem], quorum: 3, aggregated_context: { participants } };
    people.receive(people.send(ann, cem, 'resolution', { ...other, ...terms }));
    const forged = people.members[cem]!.proposal!.hash;
    people.member(cem, { kind: 'confirm', hash: forged });
    const { hash } = people;
    const confirmations = [signed(ann, forged), signed(bob, hash), signed(cem, forged)];
    const packet = people.send(ann, cem, 'resolution_outcome', { status: 'confirmed', proposal_hash: forged, confirmations });
    expect(people.receive(packet).verdict).toBe('false_outcome');
  });

  it.each([
    ['needs the coordinator alone', { requires_confirmation_from: [ann, bob, cem], quorum: 1 }],
    ['leaves a member out', { requires_confirmation_from: [ann, cem], quorum: 2 }],
    ['asks a stranger', { requires_confirmation_from: [ann, bob, cem, dan], quorum: 3 }],
    ['needs more than there are', { requires_confirmation_from: [ann, bob, cem], quorum: 4 }],
    ['orders a stranger', { requires_confirmation_from: [ann, bob, cem], quorum: 3, confirm_order: [dan] }],
  ])('a proposal that %s is refused', (_, terms) => {
    const people = GroupPeople.proposed([bob, cem]);
    const participants = [ann, bob, cem].map((agent) => ({ agent, key: keyOf(agent) }));
    const content = { ...dinner, proposal_number: 2, after: people.hash, aggregated_context: { participants }, ...terms };
    expect(people.receive(people.send(ann, bob, 'resolution', content)).verdict).toBe('wrong_confirmers');
  });

  it('a proposal for another group is refused', () => {
    const people = GroupPeople.proposed([bob, cem]);
    const participants = [ann, bob, dan].map((agent) => ({ agent, key: keyOf(agent) }));
    const terms = { requires_confirmation_from: [ann, bob], quorum: 2, aggregated_context: { participants } };
    const content = { ...dinner, proposal_number: 2, after: people.hash, ...terms };
    expect(people.receive(people.send(ann, bob, 'resolution', content)).verdict).toBe('wrong_confirmers');
  });

  it('a member’s confirmation counts once, for one proposal, and only signed', () => {
    const people = GroupPeople.proposed([bob, cem]);
    const first = people.hash;
    const say = (hash: string, signature?: string) =>
      people.receive(
        people.send(bob, ann, 'resolution_response', { status: 'confirmed', proposal_hash: hash, ...(signature ? { signature } : {}) }),
      ).verdict;
    expect(say(first)).toBe('unsigned');
    expect(say(first, signed(cem, first).signature)).toBe('unsigned');
    expect(say(first, signed(bob, first).signature)).toBe('accepted');
    expect(say(first, signed(bob, first).signature)).toBe('accepted');
    people.coordinate({ kind: 'suggest', hash: first });
    people.coordinate({ kind: 'propose', content: { ...dinner, proposal: { summary: 'Later' } } });
    expect(say(first, signed(bob, first).signature)).toBe('stale');
    people.coordinate({ kind: 'confirm', hash: people.hash });
    people.deliverAll();
    people.member(cem, { kind: 'confirm', hash: people.hash });
    people.deliverAll();
    expect(people.group.state).toBe('PROPOSED');
  });
});

describe('[A2C-27] one negotiation has one outcome', () => {
  const sign = (agent: string, hash: string) => ({
    agent,
    packet_id: null,
    signature: signAs(agent, confirmationToSign({ thread_id: threadId, proposal_hash: hash, agent })),
  });
  const other = { proposal: { ...dinner.proposal, summary: 'Something else' }, confirmation_timeout: 'PT24H' };
  const participants = [ann, bob, cem, dan].map((agent) => ({ agent, key: keyOf(agent) }));
  const propose = (people: GroupPeople, to: string, quorum: number) => {
    const terms = { requires_confirmation_from: [ann, bob, cem, dan], quorum, aggregated_context: { participants } };
    return people.receive(people.send(ann, to, 'resolution', { ...other, proposal_number: 2, after: people.hash, ...terms }));
  };
  const outcome = (people: GroupPeople, to: string, hash: string, agents: string[]) => {
    const confirmations = agents.map((agent) => sign(agent, hash));
    return people.receive(people.send(ann, to, 'resolution_outcome', { status: 'confirmed', proposal_hash: hash, confirmations }));
  };
  /** Ann lies: Bob gets the first proposal, Cem another one, and each its own outcome. */
  const twoProposals = () => {
    const people = GroupPeople.proposed([bob, cem, dan], { quorum: 2 });
    people.member(bob, { kind: 'confirm', hash: people.hash });
    propose(people, cem, 2);
    const second = people.members[cem]!.proposal!.hash;
    people.member(cem, { kind: 'confirm', hash: second });
    return { people, first: people.hash, second };
  };

  it('a member sends the outcome to the members whom it knows, where less than a majority agrees', () => {
    const { people, first } = twoProposals();
    const { effects } = outcome(people, bob, first, [ann, bob]);
    const confirmations = [sign(ann, first), sign(bob, first)];
    expect(effects).toContainEqual({ kind: 'compare_outcome', hash: first, confirmations, members: [cem, dan] });
    const three = GroupPeople.proposed([bob, cem, dan], { quorum: 3 });
    for (const one of [bob, cem]) three.member(one, { kind: 'confirm', hash: three.hash });
    const told = JSON.stringify(outcome(three, bob, three.hash, [ann, bob, cem]).effects);
    expect(told).not.toContain('compare_outcome');
  });

  it('a second outcome is refused with an alarm before anything runs, and one that ran raises an alarm', () => {
    const { people, first, second } = twoProposals();
    outcome(people, bob, first, [ann, bob]);
    expect(people.compare(cem, bob, first, [sign(ann, first), sign(bob, first)]).effects).toEqual([]);
    const refused = outcome(people, cem, second, [ann, cem]);
    expect([refused.verdict, refused.effects]).toEqual([
      'second_outcome',
      [{ kind: 'notify', notice: 'second_outcome', details: { by: bob, hash: first } }],
    ]);
    expect(people.members[cem]!.state).toBe('PROPOSED');
    const late = people.compare(bob, cem, second, [sign(ann, second), sign(cem, second)]);
    expect(late.effects).toEqual([{ kind: 'notify', notice: 'second_outcome', details: { by: cem, hash: second } }]);
    expect(people.compare(bob, cem, second, [sign(ann, second), sign(cem, second)]).effects).toEqual([]);
  });

  it('the same outcome is none, nor one that the coordinator did not sign, nor one of somebody who takes no part', () => {
    const { people, first, second } = twoProposals();
    outcome(people, bob, first, [ann, bob]);
    expect(people.compare(bob, cem, first, [sign(ann, first)]).effects).toEqual([]);
    expect(people.compare(bob, cem, second, [sign(cem, second)]).verdict).toBe('unsigned');
    expect(people.compare(bob, 'agent:eve@relay.example', second, [sign(ann, second)]).verdict).toBe('wrong_sender');
    expect(people.compare(bob, ann, second, [sign(ann, second)]).verdict).toBe('wrong_sender');
  });

  it('a proposal that only some members have to confirm counts against all who take part', () => {
    const { people } = twoProposals();
    people.areAcquainted = false;
    const terms = { requires_confirmation_from: [ann, cem], quorum: 2, aggregated_context: { participants } };
    const after = people.members[cem]!.proposal!.hash;
    const packet = people.send(ann, cem, 'resolution', { ...other, proposal_number: 3, after, ...terms });
    expect(people.receive(packet).verdict).toBe('unsafe_quorum');
    people.areAcquainted = true;
    people.receive(packet);
    const { hash } = people.members[cem]!.proposal!;
    people.member(cem, { kind: 'confirm', hash });
    expect(JSON.stringify(outcome(people, cem, hash, [ann, cem]).effects)).toContain('compare_outcome');
  });

  it('a member who knows none of the others takes only a proposal that a majority of them has to confirm', () => {
    const people = GroupPeople.proposed([bob, cem, dan], { quorum: 3 });
    people.areAcquainted = false;
    expect([propose(people, cem, 2).verdict, propose(people, cem, 3).verdict]).toEqual(['unsafe_quorum', 'accepted']);
    const three = GroupPeople.proposed([bob, cem]);
    three.areAcquainted = false;
    const trio = participants.slice(0, 3);
    const terms = { requires_confirmation_from: [ann, bob, cem], quorum: 2, aggregated_context: { participants: trio } };
    // Two of three are a majority, and the coordinator alone could be half of two agreements.
    const packet = three.send(ann, cem, 'resolution', { ...other, proposal_number: 2, after: three.hash, ...terms });
    expect(three.receive(packet).verdict).toBe('unsafe_quorum');
  });
});
