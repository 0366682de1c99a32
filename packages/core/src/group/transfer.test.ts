// The role of the coordinator moves, at random moments and over bad lines, and there are never two of them.

import type { Packet } from '@parley/protocol/relay';
import { transferToSign } from '@parley/protocol/relay';
import { describe, expect, it } from 'vitest';
import { ann, bob, cem, dan, threadId } from '../../test/kit/group-people.ts';
import { dinner } from '../../test/kit/negotiators.ts';
import { randomFrom } from '../../test/kit/random.ts';
import { signaturesOf, signAs } from '../../test/kit/signatures.ts';
import { TransferWorld } from '../../test/kit/transfer-world.ts';
import { isReadyToPropose } from './group.ts';
import { followTransfer, offerMs, takeAnswer, takeOver } from './transfer.ts';

const seed = Number(process.env['PARLEY_SEED'] ?? 11);
const runs = 60;
const everybody = [ann, bob, cem, dan];
const greeting = { kind: 'send', type: 'context', content: { context: { event: 'games' } }, by: 'agent' } as const;

function deliverAll(world: TransferWorld): void {
  for (let steps = 0; world.line.length > 0; steps += 1) {
    if (steps > 2000) throw new Error('The packets never end.');
    const next = world.line.shift()!;
    if (!world.receive(next)) world.line.push(next);
  }
}

/** The coordinator says who takes part, and each member answers. */
function talk(world: TransferWorld): void {
  const [coordinator] = world.coordinators as [string];
  for (const peer of everybody) if (peer !== coordinator) world.act(coordinator, { kind: 'line', peer, input: greeting });
  deliverAll(world);
  for (const agent of everybody) if (agent !== coordinator) world.act(agent, greeting);
  deliverAll(world);
}

const coordinatorIn = (world: TransferWorld) => {
  const side = world.sides[world.coordinators[0]!]!;
  if (!('group' in side)) throw new Error('Nobody coordinates.');
  return side;
};
const memberIn = (world: TransferWorld, agent: string) => {
  const side = world.sides[agent]!;
  if (!('line' in side)) throw new Error(`${agent} coordinates.`);
  return side.line;
};

/** Everybody confirms what the coordinator proposes. */
function agree(world: TransferWorld): void {
  const { own } = coordinatorIn(world);
  world.act(own, { kind: 'propose', content: dinner });
  deliverAll(world);
  for (const agent of everybody) world.act(agent, { kind: 'confirm', hash: world.hashOf(agent) ?? '' });
  deliverAll(world);
}

describe('[A2C-30] the coordinator’s role', () => {
  it('comes back before a member heard that it was away, and the member takes its new proposals', () => {
    const world = new TransferWorld([bob, cem, dan]);
    talk(world);
    world.act(ann, { kind: 'propose', content: dinner });
    deliverAll(world);
    world.act(ann, { kind: 'suggest', hash: world.hashOf(ann)!, message: 'Later' });
    deliverAll(world);
    for (const [from, to] of [
      [ann, bob],
      [bob, ann],
    ] as const) {
      expect(world.offer(from, to)).toBe('accepted');
      deliverAll(world);
    }
    expect(world.coordinators).toEqual([ann]);
    talk(world);
    agree(world);
    expect(everybody.map((agent) => world.stateOf(agent))).toEqual(['CONFIRMED', 'CONFIRMED', 'CONFIRMED', 'CONFIRMED']);
  });

  it('goes to a member whose agent accepts it, and one outcome ends it for everybody', () => {
    const world = new TransferWorld([bob, cem, dan], { quorum: 3, order: [dan] });
    talk(world);
    expect(world.offer(ann, bob)).toBe('accepted');
    expect(isReadyToPropose(coordinatorIn(world).group, coordinatorIn(world).lines)).toBe(false);
    deliverAll(world);
    expect(world.coordinators).toEqual([bob]);
    expect(coordinatorIn(world).group).toMatchObject({ quorum: 3, order: [dan], state: 'INITIATED' });
    talk(world);
    expect(everybody.filter((agent) => agent !== bob).map((agent) => memberIn(world, agent).peer)).toEqual([bob, bob, bob]);
    for (const _turn of [bob, dan, ann]) agree(world);
    expect(new Set(everybody.map((agent) => `${world.stateOf(agent)} ${world.hashOf(agent)}`)).size).toBe(1);
    expect(world.stateOf(ann)).toBe('CONFIRMED');
  });

  it('stays where the member’s agent has no line with somebody, or does not answer in time', () => {
    const world = new TransferWorld([bob, cem, dan]);
    talk(world);
    world.isReachable = (own, agent) => own !== bob || agent !== cem;
    world.offer(ann, bob);
    deliverAll(world);
    expect(world.coordinators).toEqual([ann]);
    expect(coordinatorIn(world).group.offer).toBeUndefined();
    world.offer(ann, dan);
    const [late] = world.line.splice(0);
    world.now += offerMs;
    world.act(ann, { kind: 'tick' });
    world.receive(late!);
    deliverAll(world);
    expect(world.coordinators).toEqual([ann]);
    agree(world);
    expect(everybody.map((agent) => world.stateOf(agent))).toEqual(['CONFIRMED', 'CONFIRMED', 'CONFIRMED', 'CONFIRMED']);
  });

  it('is not offered to oneself, a stranger, somebody who declined, twice, or while something is proposed', () => {
    const world = new TransferWorld([bob, cem, dan], { quorum: 2 });
    talk(world);
    expect(world.offer(ann, ann)).toBe('to_itself');
    expect(world.offer(ann, 'agent:eve@relay.example')).toBe('not_a_member');
    expect(world.offer(bob, cem)).toBe('not_for_this_role');
    world.act(dan, { kind: 'decline' });
    deliverAll(world);
    expect(world.offer(ann, dan)).toBe('has_declined');
    expect(world.offer(ann, bob)).toBe('accepted');
    expect(world.offer(ann, cem)).toBe('already_offered');
    world.line = [];
    world.now += offerMs;
    world.act(ann, { kind: 'propose', content: dinner });
    expect(world.offer(ann, cem)).toBe('not_in_this_state');
  });

  it('moves at most three times, also back', () => {
    const world = new TransferWorld([bob, cem, dan]);
    for (const [from, to] of [
      [ann, bob],
      [bob, ann],
      [ann, cem],
    ] as const) {
      talk(world);
      expect(world.offer(from, to)).toBe('accepted');
      deliverAll(world);
      expect(world.coordinators).toEqual([to]);
    }
    talk(world);
    expect(world.offer(cem, dan)).toBe('too_many_transfers');
    agree(world);
    expect(new Set(everybody.map((agent) => `${world.stateOf(agent)} ${world.hashOf(agent)}`)).size).toBe(1);
  });
});

describe('[A2C-30] a false transfer', () => {
  const change = (from: string, to: string, by: { acceptance: string; grant: string } = { acceptance: to, grant: from }, number = 1) => ({
    number,
    from,
    to,
    acceptance: signAs(by.acceptance, transferToSign({ thread_id: threadId, from, to, number, step: 'accepted' })),
    grant: signAs(by.grant, transferToSign({ thread_id: threadId, from, to, number, step: 'granted' })),
  });
  const claim = (from: string, transfers: ReturnType<typeof change>[]): Packet =>
    ({ from, to: cem, thread_id: threadId, aggregated_context: { transfers } }) as unknown as Packet;
  const eve = 'agent:eve@relay.example';

  it.each([
    ['a member claims what the coordinator never granted', claim(bob, [change(ann, bob, { acceptance: bob, grant: bob })])],
    ['nobody accepted it', claim(bob, [change(ann, bob, { acceptance: ann, grant: ann })])],
    ['somebody else shows a true one', claim(dan, [change(ann, bob)])],
    ['it goes to somebody outside', claim(eve, [change(ann, eve)])],
    ['it goes from somebody who never coordinated', claim(dan, [change(bob, dan)])],
    ['it skips a number', claim(bob, [change(ann, bob, undefined, 2)])],
    ['it goes to its sender', claim(bob, [change(ann, bob), change(bob, bob, undefined, 2)])],
  ])('is refused: %s', (_what, packet) => {
    const world = new TransferWorld([bob, cem, dan]);
    talk(world);
    expect(followTransfer(memberIn(world, cem), packet, world.tools(cem))).toEqual({ verdict: 'false_transfer' });
  });

  it('is refused where the coordinator grants the role twice: the first one counts', () => {
    const world = new TransferWorld([bob, cem, dan]);
    talk(world);
    const first = followTransfer(memberIn(world, cem), claim(bob, [change(ann, bob)]), world.tools(cem));
    if (first.verdict !== 'accepted') throw new Error(first.verdict);
    expect(first.line.peer).toBe(bob);
    expect(followTransfer(first.line, claim(dan, [change(ann, dan)]), world.tools(cem)).verdict).toBe('false_transfer');
    expect(followTransfer(first.line, claim(bob, [change(ann, bob)]), world.tools(cem)).verdict).toBe('stale');
  });

  it('is refused by the coordinator and the member of the offer, without the other’s signature', () => {
    const world = new TransferWorld([bob, cem, dan]);
    talk(world);
    world.offer(ann, bob);
    const { group, lines } = coordinatorIn(world);
    const answer = { from: bob, status: 'accepted', number: 1, signature: signAs(dan, new Uint8Array(4)) } as never;
    expect(takeAnswer(group, lines, answer, world.tools(ann)).verdict).toBe('unsigned');
    expect(takeAnswer(group, lines, { ...(answer as object), from: dan } as never, world.tools(ann)).verdict).toBe('stale');
    const granted = { ...claim(ann, [change(ann, bob, { acceptance: dan, grant: ann })]), quorum: 4 } as never;
    expect(takeOver(memberIn(world, bob), granted, { ...world.tools(bob), signatures: signaturesOf(bob) }).verdict).toBe('unsigned');
  });

  it('is refused after an agreement', () => {
    const world = new TransferWorld([bob, cem, dan]);
    talk(world);
    agree(world);
    expect(world.stateOf(cem)).toBe('CONFIRMED');
    expect(followTransfer(memberIn(world, cem), claim(bob, [change(ann, bob)]), world.tools(cem)).verdict).toBe('stale');
  });
});

it(`[A2C-30] [A2C-28] one coordinator and one outcome, whatever crosses and whoever is killed (seed ${seed}, ${runs} runs)`, () => {
  let transfers = 0;
  const ends = new Set<string>();
  for (let run = 0; run < runs; run += 1) {
    const random = randomFrom(seed * 1000 + run);
    const below = (most: number) => Math.floor(random() * most);
    const world = new TransferWorld([bob, cem, dan], random() < 0.5 ? { quorum: 2 + below(3) } : {});
    const announced = new Map<string, string>();
    const problems: string[] = [];
    world.onEffect = (agent, effect) => {
      if (effect.kind === 'run' && !announced.has(effect.hash)) problems.push(`${agent} runs ${effect.hash} before its outcome`);
      if (effect.kind !== 'send' || effect.type !== 'resolution_outcome' || effect.content['status'] !== 'confirmed') return;
      const hash = String(effect.content['proposal_hash']);
      if ((announced.get(hash) ?? agent) !== agent) problems.push(`${hash} has outcomes of two coordinators`);
      announced.set(hash, agent);
      if (announced.size > 1) problems.push('two outcomes');
    };
    const judge = () => {
      if (world.coordinators.length > 1) problems.push(`coordinators: ${world.coordinators.join(' and ')}`);
    };
    talk(world);
    world.isKilled = () => random() < 0.15;
    for (let step = 0; step < 120; step += 1) {
      const agent = everybody[below(4)]!;
      const side = world.sides[agent]!;
      const dice = random();
      if (dice < 0.55 && world.line.length > 0) {
        const packet = world.line[below(world.line.length)]!;
        if (world.receive(packet) && random() < 0.85) world.line = world.line.filter((one) => one !== packet);
      } else if (dice < 0.6) world.now += below(offerMs / 2);
      else if ('group' in side) {
        const peer = everybody.filter((one) => one !== agent)[below(3)]!;
        if (dice < 0.7) world.offer(agent, peer);
        else if (dice < 0.8) world.act(agent, { kind: 'line', peer, input: greeting });
        else if (dice < 0.86 && isReadyToPropose(side.group, side.lines)) world.act(agent, { kind: 'propose', content: dinner });
        else if (dice < 0.92) world.act(agent, { kind: 'confirm', hash: world.hashOf(agent) ?? '' });
        else if (dice < 0.95) world.act(agent, { kind: 'suggest', hash: world.hashOf(agent) ?? '', message: 'Later' });
        else world.act(agent, { kind: 'tick' });
      } else if (dice < 0.75) world.act(agent, greeting);
      else if (dice < 0.9) world.act(agent, { kind: 'confirm', hash: world.hashOf(agent) ?? '' });
      else if (dice < 0.91) world.act(agent, { kind: 'decline' });
      judge();
    }
    // Then the lines are good, and everybody wants an end.
    world.isKilled = () => false;
    for (let round = 0; round < 6; round += 1) {
      deliverAll(world);
      judge();
      const [coordinator] = world.coordinators;
      if (coordinator === undefined) problems.push('nobody coordinates');
      else {
        world.now += offerMs;
        world.act(coordinator, { kind: 'tick' });
        if (['INITIATED', 'NEGOTIATING'].includes(world.stateOf(coordinator))) talk(world);
        agree(world);
      }
    }
    const states = everybody.map((agent) => world.stateOf(agent));
    const hashes = new Set(everybody.map((agent) => (world.stateOf(agent) === 'CONFIRMED' ? world.hashOf(agent) : null)));
    if (new Set(states).size > 1 || hashes.size > 1) problems.push(`ends differ: ${states.join()} ${[...hashes].join()}`);
    expect(problems, `run ${run}`).toEqual([]);
    transfers += world.transfers;
    ends.add(states[0]!);
  }
  expect(transfers).toBeGreaterThan(runs / 2);
  expect([...ends]).toContain('CONFIRMED');
}, 60_000);
