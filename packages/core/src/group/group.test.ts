// What a group does in each case that people meet.

import { describe, expect, it } from 'vitest';
import { ann, bob, cem, confirmAll, dan, GroupPeople, threadId } from '../../test/kit/group-people.ts';
import { dinner, hour, notices as memberNotices } from '../../test/kit/negotiators.ts';
import { keyOf } from '../../test/kit/signatures.ts';
import type { GroupDecision } from './decide-group.ts';
import { isOutOfPatience, isReadyToPropose, nextGroupTick, silentMembers, groupProblem } from './group.ts';

const notices = ({ effects }: Pick<GroupDecision, 'effects'>): unknown[] =>
  effects.flatMap(({ effect }) => (effect.kind === 'notify' ? [effect.notice] : []));
const asks = (people: GroupPeople): string[] =>
  Object.values(people.members)
    .filter(({ state }) => state === 'PROPOSED')
    .map(({ own }) => own);

describe('[A2C-30] a group', () => {
  it('tells each member in the first packet who takes part', () => {
    const people = GroupPeople.proposed([bob, cem]);
    const agents = [ann, bob, cem].map((agent) => ({ agent, key: keyOf(agent) }));
    for (const agent of [bob, cem]) expect(people.members[agent]!.group).toEqual({ participants: agents });
    expect(new Set([people.hash, ...Object.values(people.members).map(({ proposal }) => proposal!.hash)]).size).toBe(1);
  });

  it('knows a member also from the proposal, where the first packet was lost', () => {
    const people = new GroupPeople([bob, cem]);
    people.coordinate({ kind: 'propose', content: dinner });
    people.deliverAll();
    expect(people.states).toEqual(['PROPOSED', 'PROPOSED', 'PROPOSED']);
  });

  it('makes no group of a negotiation in which something was shared', () => {
    const people = new GroupPeople([bob, cem]);
    people.member(bob, { kind: 'send', type: 'context', content: { context: { area: 'Reading' } }, by: 'agent' });
    people.coordinate({ kind: 'propose', content: dinner });
    people.deliverAll();
    expect(people.members[bob]).toMatchObject({ state: 'NEGOTIATING', proposal: null });
    expect(people.members[bob]!.group).toBeUndefined();
  });

  it('completes once all members have confirmed and executed', () => {
    const people = GroupPeople.proposed([bob, cem, dan]);
    confirmAll(people, cem, ann, bob);
    expect(people.states).toEqual(['PROPOSED', 'PROPOSED', 'PROPOSED', 'PROPOSED']);
    confirmAll(people, dan);
    expect(people.states).toEqual(['CONFIRMED', 'CONFIRMED', 'CONFIRMED', 'CONFIRMED']);
    people.execute();
    expect(people.states).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED']);
  });

  it('lets only the coordinator propose', () => {
    const people = GroupPeople.proposed([bob, cem]);
    expect(people.member(bob, { kind: 'propose', content: dinner }).verdict).toBe('not_for_this_role');
    const packet = people.send(bob, ann, 'resolution', {
      ...dinner,
      proposal_number: 1,
      after: people.hash,
      requires_confirmation_from: [ann, bob],
    });
    expect(people.receive(packet).verdict).toBe('not_for_this_role');
  });

  it.each([
    ['two people', { participants: [ann, bob] }],
    ['somebody twice', { participants: [ann, bob, bob, cem] }],
    ['a quorum above the group', { participants: [ann, bob, cem], quorum: 4 }],
    ['a quorum of one', { participants: [ann, bob, cem], quorum: 1 }],
    ['an order with a stranger', { participants: [ann, bob, cem], order: [dan] }],
    ['a coordinator who takes no part', { participants: [bob, cem, dan] }],
  ])('is none with %s', (_, { participants, ...terms }) => {
    const people = participants.map((agent) => ({ agent, key: keyOf(agent) }));
    expect(groupProblem({ threadId, own: ann, participants: people, ...terms })).toEqual(expect.any(String));
  });
});

describe('[A2C-27] confirming', () => {
  it('ends with a quorum: who is silent or declines executes nothing, and gets the same outcome', () => {
    const people = GroupPeople.proposed([bob, cem, dan], { quorum: 2 });
    people.member(cem, { kind: 'decline' });
    people.deliverAll();
    expect(people.group.state).toBe('PROPOSED');
    confirmAll(people, ann, bob);
    people.execute();
    expect(people.states).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED']);
    for (const agent of [cem, dan]) expect(people.members[agent]!.execution).toMatchObject({ takesPart: false, own: 'done' });
  });

  it('names to everybody whose confirmations counted', () => {
    const people = GroupPeople.proposed([bob, cem, dan], { quorum: 2 });
    confirmAll(people, ann, bob);
    for (const agent of [bob, cem, dan]) expect(people.members[agent]!.execution!.counted).toEqual([ann, bob]);
    for (const line of Object.values(people.lines)) expect(line.execution!.counted).toEqual([ann, bob]);
  });

  it('leaves a member who declined out for good: nothing is asked of them, also by a proposal after a failure', () => {
    const people = GroupPeople.proposed([bob, cem, dan], { quorum: 2 });
    const { effects } = people.member(cem, { kind: 'decline' });
    expect(effects.map(({ kind }) => kind)).toEqual(['withdraw_confirmation', 'send']);
    people.deliverAll();
    confirmAll(people, ann, bob);
    expect(people.members[cem]).toMatchObject({ isClosing: true, execution: { takesPart: false } });
    const { hash } = people;
    people.coordinate({ kind: 'begin', hash });
    people.coordinate({ kind: 'failed', hash, scope: 'shared', constraint: 'Full', completed: 0 });
    people.deliverAll();
    people.coordinate({ kind: 'propose', content: dinner });
    people.deliverAll();
    expect(people.members[cem]).toMatchObject({ state: 'PROPOSED', isClosing: true });
    expect(people.member(cem, { kind: 'confirm', hash: people.hash }).verdict).toBe('closing');
  });

  it('does not wait for the report of a member who never answers', () => {
    const people = GroupPeople.proposed([bob, cem, dan], { quorum: 3 });
    confirmAll(people, ann, bob, cem);
    people.line = people.line.filter(({ to }) => to !== dan);
    people.execute();
    expect(people.group.state).toBe('COMPLETED');
  });

  it('is too late after the outcome: the member executes nothing', () => {
    const people = GroupPeople.proposed([bob, cem], { quorum: 2 });
    people.coordinate({ kind: 'confirm', hash: people.hash });
    people.member(bob, { kind: 'confirm', hash: people.hash });
    people.member(cem, { kind: 'confirm', hash: people.hash });
    people.deliverAll();
    expect(people.members[cem]!.execution).toMatchObject({ takesPart: false });
    people.execute();
    expect(people.states).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED']);
  });

  it('asks in order: a later person is asked when the earlier one has confirmed', () => {
    const people = GroupPeople.proposed([bob, cem, dan], { order: [cem, bob] });
    expect(asks(people)).toEqual([]);
    confirmAll(people, ann);
    expect(asks(people)).toEqual([cem]);
    confirmAll(people, cem);
    expect(asks(people)).toEqual([bob, cem]);
    confirmAll(people, bob);
    expect(asks(people)).toEqual([bob, cem, dan]);
    confirmAll(people, dan);
    expect(people.group.state).toBe('CONFIRMED');
  });

  it('[A2C-17] [A2C-18] one who refuses without end disturbs the others eight times; then the coordinator’s person decides', () => {
    const people = GroupPeople.proposed([bob, cem]);
    // Before, too few had answered, and then they did.
    people.group.isSilent = true;
    let asked = 0;
    for (; isReadyToPropose(people.group, people.lines) || people.group.state === 'PROPOSED'; asked += 1) {
      if (people.group.state !== 'PROPOSED') people.coordinate({ kind: 'propose', content: dinner });
      people.deliverAll();
      people.member(bob, { kind: 'suggest', hash: people.members[bob]!.proposal!.hash, message: 'Later' });
      people.deliverAll();
      expect(asked).toBeLessThan(20);
    }
    expect([asked, people.group.state, people.group.isEscalated]).toEqual([8, 'NEGOTIATING', true]);
    expect(people.coordinate({ kind: 'continue' }).effects).toContainEqual({ peer: null, effect: { kind: 'evaluate', needs: [] } });
    expect(isReadyToPropose(people.group, people.lines)).toBe(true);
  });

  it('[A2C-27] a person who is asked late has the time that is left, and is reminded before its end', () => {
    const people = GroupPeople.proposed([bob, cem], { order: [cem, bob] });
    const { deadline } = people.group.proposal!;
    confirmAll(people, ann);
    people.now += 20 * hour;
    confirmAll(people, cem);
    expect(people.members[bob]!.proposal).toMatchObject({ deadline, remindAt: people.now + 2 * hour });
    people.now += 2 * hour;
    expect(memberNotices(people.member(bob, { kind: 'tick' }))).toEqual(['reminder']);
    expect(memberNotices(people.member(bob, { kind: 'tick' }))).toEqual([]);
    expect(people.members[cem]!.proposal!.deadline).toBe(deadline);
  });

  it('[A2C-27] a clock that is ahead of the coordinator’s makes no proposal look over', () => {
    const people = new GroupPeople([bob, cem]);
    people.coordinate({ kind: 'propose', content: dinner });
    people.now += 30 * hour;
    people.deliverAll(bob);
    expect(people.members[bob]).toMatchObject({ state: 'PROPOSED', isOverdue: false });
    expect(people.members[bob]!.proposal!.deadline).toBeGreaterThan(people.now);
  });

  it('puts the coordinator into its place of the order', () => {
    const people = GroupPeople.proposed([bob, cem], { order: [bob, ann] });
    expect(people.coordinate({ kind: 'confirm', hash: people.hash }).verdict).toBe('out_of_turn');
    confirmAll(people, bob);
    expect(people.coordinate({ kind: 'confirm', hash: people.hash }).verdict).toBe('accepted');
  });

  it('expires at the coordinator for everybody, with one reminder', () => {
    const people = GroupPeople.proposed([bob, cem], { order: [bob] });
    people.now += 12 * hour;
    expect(notices(people.coordinate({ kind: 'tick' }))).toEqual(['reminder']);
    confirmAll(people, ann);
    people.now += 12 * hour - 1;
    expect(people.coordinate({ kind: 'tick' }).effects).toEqual([]);
    expect(nextGroupTick(people.group)).toBe(people.now + 1);
    people.now += 1;
    people.coordinate({ kind: 'tick' });
    people.deliverAll();
    expect(people.states).toEqual(['EXPIRED', 'EXPIRED', 'EXPIRED']);
    expect(new Set(Object.values(people.members).map(({ proposal }) => proposal!.hash))).toEqual(new Set([people.hash]));
  });

  it('ends when somebody without whom it cannot be declines for good', () => {
    const people = GroupPeople.proposed([bob, cem]);
    people.member(bob, { kind: 'decline' });
    people.deliverAll();
    expect(people.states).toEqual(['DECLINED', 'DECLINED', 'DECLINED']);
  });

  it('ends before a proposal too', () => {
    const people = new GroupPeople([bob, cem], { quorum: 3 });
    people.member(bob, { kind: 'decline' });
    people.deliverAll(ann);
    expect(people.group.state).toBe('DECLINED');
  });

  it('begins again when somebody who is needed suggests something different, without their words', () => {
    const people = GroupPeople.proposed([bob, cem, dan], { quorum: 3 });
    people.member(bob, { kind: 'suggest', hash: people.hash, message: 'My mother visits' });
    people.deliverAll();
    expect(people.group.state).toBe('PROPOSED');
    people.member(cem, { kind: 'suggest', hash: people.hash });
    people.deliverAll(ann);
    expect(JSON.stringify(people.line)).not.toContain('mother');
    people.deliverAll();
    expect(people.states).toEqual(['NEGOTIATING', 'NEGOTIATING', 'NEGOTIATING', 'NEGOTIATING']);
    people.coordinate({ kind: 'propose', content: dinner });
    people.deliverAll();
    confirmAll(people, ann, bob, dan);
    expect(people.group.state).toBe('CONFIRMED');
  });

  it('waits for the answers of all, and with a quorum only so long', () => {
    const people = new GroupPeople([bob, cem], { quorum: 2, patienceMs: hour });
    const need = { field: 'time_windows', priority: 'required' } as const;
    for (const peer of [bob, cem])
      people.coordinate({ kind: 'line', peer, input: { kind: 'send', type: 'context', content: { needs: [need] }, by: 'agent' } });
    people.deliverAll();
    const answer = { kind: 'send', type: 'context_response', content: { context_provided: { time_windows: [] } }, by: 'agent' } as const;
    people.member(bob, answer);
    people.deliverAll();
    expect(isReadyToPropose(people.group, people.lines)).toBe(false);
    people.now += hour;
    expect(people.coordinate({ kind: 'tick' }).effects).toContainEqual({ peer: null, effect: { kind: 'evaluate', needs: [] } });
    expect(isReadyToPropose(people.group, people.lines)).toBe(true);
    expect(isReadyToPropose({ ...people.group, quorum: 3 }, people.lines)).toBe(false);
    people.member(cem, answer);
    people.deliverAll();
    expect(isReadyToPropose({ ...people.group, isPatienceOver: false }, people.lines)).toBe(true);
  });

  it('lets the coordinator’s person decide when too few have answered, and takes an answer that comes after all', () => {
    const people = new GroupPeople([bob, cem], { patienceMs: hour });
    const hello = { kind: 'send', type: 'context', content: { context: { event: 'games' } }, by: 'agent' } as const;
    for (const peer of [bob, cem]) people.coordinate({ kind: 'line', peer, input: hello });
    people.deliverAll();
    people.member(bob, hello);
    people.deliverAll();
    expect(isOutOfPatience(people.group)).toBe(false);
    people.now += hour;
    people.coordinate({ kind: 'tick' });
    expect(isOutOfPatience(people.group)).toBe(true);
    expect(silentMembers(people.lines)).toEqual([cem]);
    people.coordinate({ kind: 'escalate', details: {}, isSilence: true });
    expect(isOutOfPatience(people.group)).toBe(false);
    const before = { ...people.group };
    people.coordinate({ kind: 'continue' });
    expect(people.group).toMatchObject({ isEscalated: false, isPatienceOver: false, answersBy: people.now + hour });
    people.group = before;
    people.member(cem, hello);
    people.deliverAll();
    expect(isReadyToPropose(people.group, people.lines)).toBe(true);
    expect(isReadyToPropose({ ...people.group, isSilent: false }, people.lines)).toBe(false);
    people.coordinate({ kind: 'propose', content: dinner });
    expect(people.group).toMatchObject({ state: 'PROPOSED', isEscalated: false });
  });
});
