// A million steps by agents that misbehave at every door and with each other, with people asking, stopping, redirecting,
// deleting, leaving, permitting, denying and halting in between (PAP-1, PAP-4, PAP-16, SYS-12, IAC-6, IAC-12, IAC-14). An independent reading of the facts says what must hold.
// Long because the hubs that break a promise are made of the same worlds.

import { transitions } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { often, onBothEngines, type Person, Random, SimClock, startTestHub, waitFor } from '@parley/testkit';
import { describe, expect, test, vi } from 'vitest';
import {
  type CommandOf,
  type CommandType,
  type Decided,
  type Handlers,
  operator,
  RecordedRefusal,
  type Results,
  type Tx,
} from '../../src/engine/command.ts';
import { AgentConnection } from '../../src/doors/agent-socket/connection.ts';
import { handlers } from '../../src/engine/handlers.ts';
import { dischargeRow } from '../../src/engine/steps/obligations/obligations.ts';
import { append } from '../../src/engine/steps/facts/append.ts';
import { placeMessage } from '../../src/engine/steps/messages/post-message.ts';
import { homeOf, moveTask } from '../../src/engine/steps/tasks/tasks.ts';
import { asActor } from '../../src/engine/steps/tasks/task-access.ts';
import { Wire } from '../kit/agent-wire.ts';
import { contactMutants } from '../kit/judges/contact-mutants.ts';
import { type Bare, outcome, printedSeed, rich, type Someone, startBare, withoutStacks } from '../kit/bare.ts';
import { outOfOrder } from '../kit/judges/delivery-order.ts';
import { FloorModel } from '../kit/judges/floor.ts';
import { type Carry, Misbehaviour } from '../kit/misbehaving/walk.ts';
import {
  atDoors,
  atDoorsLater,
  attended,
  attendedSoon,
  callsToEveryone,
  forPeople,
  refusedSoon,
  refusedWith,
} from '../kit/misbehaving/codes.ts';
import { Doors } from '../kit/misbehaving/doors.ts';
import { type Cast, type Play, tokenOf } from '../kit/misbehaving/scene.ts';

const steps = { sqlite: often(30_000, 1_000_000), postgres: often(3_000, 20_000) };
/** A world of its own for each so many, so that none grows without end. */
const perWorld = { sqlite: 100_000, postgres: 5_000 };
const minWorld = 3_000;
/** So many times as far it goes for what has not happened yet. */
const most = { sqlite: 10, postgres: 20 };
/** While one waits for its database, the other thinks. */
const worldsAtOnce = 2;
/** As many as the engine decides together. */
const atOnce = 250;
/** Of so many batches one is of everything, in small ones, so that work goes on; the others of agents that only do what they must not. */
const oneIn = { sqlite: 6, postgres: 3 };
const minute = 60_000;
/** So short that a few hours see all of it: a wait ends before its chain, a chain that waits before its world. */
const limits = {
  ...rich,
  waitMs: 20 * minute,
  outerMs: 90 * minute,
  approvals: { ...rich.approvals, remindMs: [5 * minute, 15 * minute], expireMs: 50 * minute },
};

/** Transitions that do not happen here, and why. */
const exceptions: Record<string, string> = {
  'fail offered': 'nobody has it whose brain could fail',
};
const everyTransition = Object.entries(transitions).flatMap(([event, from]) =>
  Object.keys(from)
    .map((state) => `${event} ${state}`)
    .filter((move) => exceptions[move] === undefined),
);
/** By the world or the door: names of which at least one was not seen. */
const unseen = (wanted: readonly string[], counts: ReadonlyMap<string, number>): string[] =>
  wanted.filter((name) => (counts.get(name) ?? 0) === 0);
const named = (codes: Record<string, readonly string[]>, door = ''): string[] =>
  Object.entries(codes).flatMap(([type, some]) => some.map((code) => `${door}${type} ${code}`));

async function people(bare: Bare): Promise<Cast> {
  const owner = await bare.person('ann', 'owner');
  const others: Someone[] = [];
  for (const handle of ['bob', 'cat', 'dan']) others.push(await bare.person(handle));
  const agents: Someone[] = [];
  for (const [i, handle] of ['amy', 'ben', 'coe', 'dot', 'eve', 'fox'].entries())
    agents.push(await bare.agent(handle, i < 3 ? owner : others[0]!));
  for (const { id } of agents.slice(0, 4))
    await bare.engine.submit({ type: 'agent.edit', by: operator, memberId: id, change: { maxConcurrent: 100 } });
  const everyone = [...others, ...agents];
  const channels = [
    await bare.channel(owner, 'one', everyone),
    await bare.channel(owner, 'two', everyone.slice(0, 6)),
    await bare.channel(owner, 'three', everyone.slice(1), 'public'),
    await bare.channel(owner, 'few', [...others, ...agents.slice(4)]),
  ];
  const dms: string[] = [];
  for (const agent of agents.slice(0, 3))
    dms.push((await bare.engine.submit({ type: 'dm.open', by: others[0]!.by, memberIds: [agent.id] })).conversation.id);
  dms.push((await bare.engine.submit({ type: 'dm.open', by: owner.by, memberIds: [agents[0]!.id, others[0]!.id] })).conversation.id);
  // In one of them agents wait until whoever asks has stopped writing, in another they may speak up.
  const edit = (n: number, change: object) =>
    bare.engine.submit({ type: 'conversation.edit', by: owner.by, conversationId: channels[n]!, change });
  await edit(1, { composeMs: 2500 });
  await edit(2, { floor: 'open' });
  await restrain(bare, owner, agents);
  const holderIds = agents.slice(1, 5).map(({ id }) => id);
  const { role } = await bare.engine.submit({ type: 'role.add', by: owner.by, handle: 'oncall', about: '', holderIds });
  const small = { id: channels.at(-1)!, agents: agents.slice(4) };
  return { owner, people: [owner, ...others], agents, channels, dms, small, open: channels[2]!, role: { id: role.id, handle: 'oncall' } };
}

/** Some may contact each other freely, some not, and for some a person is asked; one is above another. */
async function restrain({ engine }: Bare, { by }: Someone, agents: readonly Someone[]): Promise<void> {
  const [amy, ben, coe, dot, eve] = agents;
  const rule = (from: Someone, target: string, permission: 'allow' | 'deny', requiresApproval = false) =>
    engine.submit({ type: 'contact.rule', by, agentId: from.id, target, permission, requiresApproval });
  await rule(amy!, ben!.id, 'allow', true);
  await rule(ben!, '*', 'allow', true);
  await rule(dot!, '*', 'deny');
  await rule(dot!, amy!.id, 'allow');
  await rule(eve!, dot!.id, 'deny');
  const made = { instructions: '', memory: '', tools: [], brain: { kind: 'remote' } as const };
  for (const [{ id, handle }, mode, manager] of [
    [coe!, 'supervised', amy!.handle],
    [ben!, 'autonomous', coe!.handle],
  ] as const) {
    const identity = { profile: { handle, displayName: handle, about: '' }, ...made, mode, manager };
    await engine.submit({ type: 'identity.put', by, agentId: id, version: 0, identity });
  }
}

/** Carried by the engine itself. */
const byEngine =
  (bare: Bare): Carry =>
  async (command) => {
    const came = await outcome(bare.engine, command);
    if (!came.ok) return { ok: false, code: came.code };
    const result = came.result as {
      message?: { id: string; seq: number };
      conversation?: { id: string };
      acked?: number;
      agent?: { session: number };
      result?: { status: string };
      task?: { id: string };
    };
    if (command.type === 'contact.start' && result.result) return { ok: false, code: result.result.status };
    return {
      ok: true,
      code: '',
      ...(result.message ? { id: result.message.id, seq: result.message.seq } : {}),
      ...(result.conversation ? { id: result.conversation.id } : {}),
      ...(result.acked === undefined ? {} : { seq: result.acked }),
      ...(result.agent ? { seq: result.agent.session } : {}),
      ...(command.type === 'contact.start' && result.task ? { id: result.task.id } : {}),
    };
  };

/** What is due is done, as the hub's own timers do it. */
async function fireTimers(bare: Bare, now: number): Promise<void> {
  const kinds =
    "('chain.deadline', 'chain.outer', 'task.wait', 'agent.wake', 'task.compose', 'claim.expire', 'obligation.due', 'round.ready', 'round.lapse', 'contact.until', 'approval.due')";
  const due = await bare.store.rows('timers', `where due_at <= ? and kind in ${kinds} limit 500`, [now]);
  await Promise.all(due.map((timer) => bare.engine.submit({ type: 'timer.fire', by: operator, timerId: timer.id })));
}

withoutStacks();

async function world(
  kind: 'sqlite' | 'postgres',
  seed: number,
  count: number,
  few: number,
  given: { handlers?: Handlers; play?: Play } = {},
) {
  const random = new Random(seed);
  const clock = new SimClock();
  const bare = await startBare(kind, { clock, limits, ...given });
  try {
    const cast = await people(bare);
    const model = new FloorModel(
      bare.store,
      cast.agents.map(({ id }) => id),
    );
    await model.follow();
    const misbehaviour = new Misbehaviour(cast, random, model);
    const carry = byEngine(bare);
    const halt = async (halted: boolean): Promise<void> => {
      await misbehaviour.take({ type: 'workspace.halt', by: cast.owner.by, halted }, carry);
      await model.follow();
    };
    /** Time goes on, and everyone comes back now and then, or the world would fall asleep. */
    const live = async (): Promise<void> => {
      // Sometimes so much of it that everybody is late.
      if (random.next() < 0.3) clock.advance(random.int(random.next() < 0.15 ? 60 : 12) * minute);
      if (random.next() < 0.3) await fireTimers(bare, clock.now());
      if (model.halted && random.next() < 0.5) await halt(false);
      for (const agent of cast.agents) if (random.next() < 0.1) await misbehaviour.take({ type: 'agent.connect', by: agent.by }, carry);
    };
    for (let n = 0; misbehaviour.steps < count && model.problems.length + misbehaviour.problems.length === 0; n++) {
      if (n % few > 0) await misbehaviour.batch(atOnce, carry, 'wrong');
      else
        for (let i = 0; i < 5; i++) {
          await misbehaviour.batch(atOnce / 5, carry, given.play ?? (i === 0 ? 'contacts' : 'all'));
          await live();
        }
      // Everything is stopped now and then, for some batches.
      if (random.next() < (model.halted ? 0.3 : 0.02)) await halt(!model.halted);
    }
    const problems = await model.verdict();
    misbehaviour.compareWithFacts();
    const errors = bare.errors.map((error) => `error: ${(error as Error).stack ?? String(error)}`).slice(0, 3);
    return {
      steps: misbehaviour.steps,
      problems: [...problems, ...misbehaviour.problems, ...errors],
      model,
      outcomes: misbehaviour.outcomes,
    };
  } finally {
    await bare.stop();
  }
}

onBothEngines('agents that misbehave', (kind) => {
  const seed = printedSeed(`misbehaviour (${kind})`);
  const all = Number(process.env['PARLEY_STEPS'] ?? steps[kind]);
  test(
    `[PAP-1] [PAP-4] [PAP-16] [SYS-12] [C2A-2] [C2A-15] [C2A-16] [C2A-31] [IAC-3] [IAC-6] [IAC-9] [IAC-12] [IAC-14] ${all.toLocaleString('en')} steps: nothing unsolicited, nothing claimed twice, nothing out of order`,
    { timeout: 900_000 },
    async () => {
      let done = 0;
      const counts = new Map<string, number>();
      const outcomes = new Map<string, number>();
      const add = (to: Map<string, number>, from: Map<string, number>) => from.forEach((n, name) => to.set(name, (to.get(name) ?? 0) + n));
      // It is no idle talk: everything that can happen to a task happens to some, and everything is tried. Chance leaves
      // something out now and then: it goes on until all was met, but not for ever.
      const enough = all >= 1_000_000;
      const { flag } = callsToEveryone;
      const happens = [
        ...(enough ? everyTransition : Object.keys(transitions)).map((move) => `task.${move}`),
        'task.opened',
        'task.result',
        'task.flagged',
        'task.continued',
        'conversation.edited',
        ...(flag === undefined ? [] : [`task.flagged ${flag}`]),
        ...(enough ? attended : attendedSoon),
      ];
      const refused = named(enough ? refusedWith : refusedSoon);
      const missing = (): string[] => [...unseen(happens, counts), ...unseen(refused, outcomes)];
      for (let n = 0; done < (missing().length > 0 ? most[kind] * all : all); n += worldsAtOnce) {
        const each = Math.min(perWorld[kind], Math.max(minWorld, Math.ceil((all - done) / worldsAtOnce)));
        const some = await Promise.all(Array.from({ length: worldsAtOnce }, (_, i) => world(kind, seed + n + i, each, oneIn[kind])));
        for (const [i, one] of some.entries()) {
          expect(one.problems, `PARLEY_SEED=${seed}, world ${n + i}`).toEqual([]);
          done += one.steps;
          add(counts, one.model.counts);
          add(outcomes, one.outcomes);
        }
      }
      expect(missing()).toEqual([]);
    },
  );
});

onBothEngines('agents that misbehave at the doors', (kind) => {
  const seed = printedSeed(`misbehaviour at the doors (${kind})`);
  /** Doors are the same over both databases: every refusal is met on one, and the other shows that the same holds. */
  const count = { sqlite: 1_000, postgres: 300 }[kind];
  /** Chance leaves a refusal out now and then: it goes on until all were met, but not for ever. */
  const most = 20 * count;
  const doorsMet = kind === 'sqlite' ? (['http', 'socket'] as const) : [];
  const wanted = doorsMet.flatMap((door) => [...named(atDoors[door], `${door} `), ...named(atDoorsLater[door], `${door} `)]);
  test(`[PAP-1] [PAP-4] [PAP-16] [C2A-2] [C2A-30] through HTTP and the agent socket, ${count.toLocaleString('en')} steps or more: the same holds`, async () => {
    const random = new Random(seed);
    const kit = await startTestHub(kind, { agents: [], sync: false, limits: rich });
    const { kernel } = kit.hub;
    const tokens = new Map<string, Person>();
    const someone = async (person: Person): Promise<Someone> => {
      const { by } = (await kernel.auth.principal(person.token))!;
      tokens.set(tokenOf({ by })!, person);
      return { id: person.id, handle: person.handle, by };
    };
    const owner = await someone(kit.owner);
    const people = [owner];
    const bob = await kit.person('bob');
    for (const person of [bob, await kit.person('cat')]) people.push(await someone(person));
    const agents: Someone[] = [];
    for (const handle of ['amy', 'ben', 'coe', 'dot', 'eve']) agents.push(await someone(await kit.agent(handle)));
    const channels: string[] = [];
    for (const name of ['one', 'two', 'few']) {
      const { id } = await kit.owner.call('createChannel', { body: { name, visibility: name === 'two' ? 'public' : 'private' } });
      for (const member of [...people.slice(1), ...(name === 'few' ? agents.slice(3) : agents)])
        await kit.owner.call('addToConversation', { params: { conversationId: id }, body: { memberId: member.id } });
      channels.push(id);
    }
    const dm = await bob.call('openDm', { body: { memberIds: [agents[0]!.id] } });
    const small = { id: channels.at(-1)!, agents: agents.slice(3) };
    await kit.owner.call('editConversation', { params: { conversationId: channels[1]! }, body: { composeMs: 300, floor: 'open' } });
    const holderIds = agents.slice(0, 3).map(({ id }) => id);
    const { id: roleId } = await kit.owner.call('addRole', { body: { handle: 'oncall', about: '', holderIds } });
    const rule = { permission: 'allow', requiresApproval: true } as const;
    for (const { id } of agents.slice(0, 2)) await kit.owner.call('setContactRule', { params: { memberId: id, target: '*' }, body: rule });
    const cast: Cast = { owner, people, agents, channels, dms: [dm.id], small, open: channels[1]!, role: { id: roleId, handle: 'oncall' } };
    const model = new FloorModel(
      kernel.store,
      agents.map(({ id }) => id),
    );
    await model.follow();
    const misbehaviour = new Misbehaviour(cast, random, model);
    const doors = new Doors(tokens, random, (taskId) => model.tasks.get(taskId)?.conversation ?? channels[0]!);
    try {
      for (const agent of agents) await misbehaviour.take({ type: 'agent.connect', by: agent.by }, doors.carry);
      const goesOn = (): boolean => misbehaviour.steps < (unseen(wanted, misbehaviour.outcomes).length > 0 ? most : count);
      while (goesOn() && model.problems.length + misbehaviour.problems.length === 0) {
        await misbehaviour.batch(60, doors.carry, random.pick(['all', 'all', 'wrong', 'wrong', 'contacts']));
        if (random.next() < 0.4)
          for (const agent of agents)
            if (random.next() < 0.4) await misbehaviour.take({ type: 'agent.connect', by: agent.by }, doors.carry);
        if (model.halted && random.next() < 0.5) await doors.carry({ type: 'workspace.halt', by: owner.by, halted: false });
      }
      await doors.close();
      // Each line that ends is a command of the hub's own: the judge looks when all of them are over.
      await waitFor(async () => expect(await kernel.store.rows('agents', 'where online = 1')).toEqual([]));
      await kernel.scheduler.settled();
      const problems = await model.verdict();
      misbehaviour.compareWithFacts();
      expect([...problems, ...misbehaviour.problems, ...doors.problems()], `PARLEY_SEED=${seed}`).toEqual([]);
      expect(doors.told).toBeGreaterThan(0);
      const { outcomes } = misbehaviour;
      expect(misbehaviour.words).toBeGreaterThan(0);
      expect(unseen(wanted, outcomes)).toEqual([]);
      if (kind === 'sqlite')
        expect(forPeople.map((type) => outcomes.get(`http ${type} forbidden`) ?? 0).reduce((a, b) => a + b)).toBeGreaterThan(0);
    } finally {
      await doors.close();
      await kit.stop();
    }
  });

  test('[C2A-30] [IAC-9] a notification sent twice under one key is one, though no answer at the doors has its id', async () => {
    const kit = await startTestHub(kind, { agents: [], sync: false, limits: rich });
    const { kernel } = kit.hub;
    const tokens = new Map<string, Person>();
    const agents: Someone[] = [];
    for (const person of [await kit.agent('amy'), await kit.agent('ben')]) {
      const { by } = (await kernel.auth.principal(person.token))!;
      tokens.set(tokenOf({ by })!, person);
      agents.push({ id: person.id, handle: person.handle, by });
    }
    const [amy, ben] = agents as [Someone, Someone];
    const model = new FloorModel(
      kernel.store,
      agents.map(({ id }) => id),
    );
    const misbehaviour = new Misbehaviour({ agents } as Cast, new Random(seed), model);
    // Whatever has a way through the socket takes it.
    const doors = new Doors(tokens, Object.assign(new Random(seed), { next: () => 0 }), () => '');
    try {
      for (const { by } of agents) await doors.carry({ type: 'agent.connect', by });
      const { id } = await kit.owner.call('openDm', { body: { memberIds: [amy.id] } });
      const asked = await kit.owner.post(id, 'tell ben');
      await kernel.scheduler.settled();
      const [task] = await kernel.store.rows('tasks', 'where message_id = ?', [asked.id]);
      const { by } = amy;
      const { id: taskId, lease } = task!;
      const tell = { type: 'contact.start', by, taskId, lease, action: 'notify', targetId: ben.id, message: 'it is done' } as const;
      // What comes of an ask is not heard, and it stands for none of the others.
      const told = [{ ...tell, action: 'ask' }, tell, { ...tell, key: 'k' }, { ...tell, key: 'k' }];
      await Promise.all(told.map((one) => misbehaviour.take(one, doors.carry)));
      await doors.close();
      await waitFor(async () => expect(await kernel.store.rows('agents', 'where online = 1')).toEqual([]));
      await kernel.scheduler.settled();
      const problems = await model.verdict();
      misbehaviour.compareWithFacts();
      expect(Object.fromEntries(misbehaviour.outcomes)).toEqual({ 'socket contact.start closed': 1, 'socket contact.start ok': 3 });
      expect(Object.fromEntries(model.contacts.made)).toEqual({ [`${amy.id} ask`]: 1, [`${amy.id} notify`]: 2 });
      expect([...problems, ...misbehaviour.problems]).toEqual([]);
    } finally {
      await doors.close();
      await kit.stop();
    }
  });
});

describe('the judge', () => {
  const seed = printedSeed('misbehaviour: mutants');
  const few = 6_000;
  /** Whether anybody does what shows the fault is a matter of luck: it has several chances, each of another seed. */
  const isSeen = async (problem: RegExp, mutant: { handlers: Handlers; play?: Play }, steps = few, oneIn = 2): Promise<boolean> => {
    for (let chance = 0; chance < 8; chance++) {
      const { problems } = await world('sqlite', seed + chance, steps, oneIn, mutant);
      if (problem.test(problems.join('\n'))) return true;
    }
    return false;
  };
  /** A hub in which a refusal of one command is taken otherwise. */
  const mutate = <T extends CommandType>(
    type: T,
    instead: (error: unknown, c: CommandOf<T>, tx: Tx) => Decided<T>,
  ): { handlers: Handlers } => {
    const real: Handlers[T] = handlers[type];
    const mutant = (c: CommandOf<T>, tx: Tx): Decided<T> => {
      try {
        return real.decide(c, tx);
      } catch (error) {
        return instead(error, c, tx);
      }
    };
    return { handlers: { ...handlers, [type]: { ...real, decide: mutant } } };
  };

  test('[PAP-16] sees a hub that lets every word in', async () => {
    const mutant = mutate('task.say', (error, c, tx) => {
      if (!(error instanceof RecordedRefusal) || c.conversationId === undefined || !('memberId' in c.by)) throw error;
      const agent = tx.get('members', c.by.memberId)!;
      const conversation = tx.get('conversations', c.conversationId)!;
      const id = tx.ids.next('message');
      const home = homeOf(conversation.id, tx);
      return { message: placeMessage({ id, actor: asActor(agent), conversation, home, body: c.body }, tx) };
    });
    expect(await isSeen(/unsolicited/, mutant)).toBe(true);
  });

  test('[PAP-4] sees a hub in which the second claim wins too', async () => {
    const mutant = mutate('task.begin', (error, c, tx) => {
      if (!(error instanceof ParleyError) || error.code !== 'already_claimed' || !('memberId' in c.by)) throw error;
      const task = tx.get('tasks', c.taskId)!;
      if (task.state !== 'queued' && task.state !== 'offered') throw error;
      return { task: moveTask(task, 'claim', { agent_id: c.by.memberId }, tx), turn: null, exhausted: 'chain' };
    });
    expect(await isSeen(/was claimed by/, mutant, few * 10)).toBe(true);
  });

  test('[PAP-1] sees a refusal that is not recorded', async () => {
    const mutant = mutate('task.say', (error) => {
      throw error instanceof RecordedRefusal && error.code === 'stale_lease' ? new ParleyError(error.code) : error;
    });
    expect(await isSeen(/stale_lease: refused \d+ times, recorded \d+ times/, mutant, few / 6)).toBe(true);
  });

  /** Let in all the same. */
  const letIn = (c: CommandOf<'task.say'>, where: string, tx: Tx, data: object = {}): Results['task.say'] => {
    if (!('memberId' in c.by)) throw new ParleyError('forbidden');
    const conversation = tx.get('conversations', where)!;
    const home = homeOf(conversation.id, tx);
    const actor = asActor(tx.get('members', c.by.memberId)!);
    const message = placeMessage({ id: tx.ids.next('message'), actor, conversation, home, body: c.body, data }, tx);
    if (c.taskId !== null) tx.insert('task_words', { message_id: message.id, task_id: c.taskId, kind: c.kind });
    return { message };
  };
  const isRefused = (error: unknown, ...codes: string[]): boolean => error instanceof ParleyError && codes.includes(error.code);

  test('[C2A-16] sees a hub that lets a word in after leaving', async () => {
    const mutant = mutate('task.say', (error, c, tx) => {
      if (!isRefused(error, 'asked_to_leave') || c.taskId === null) throw error;
      return letIn(c, c.conversationId ?? tx.get('tasks', c.taskId)!.conversation_id, tx);
    });
    expect(await isSeen(/said where its author was asked to leave/, mutant)).toBe(true);
  });

  test('[C2A-16] sees a hub that lets a second goodbye in', async () => {
    const mutant = mutate('task.say', (error, c, tx) => {
      if (!isRefused(error, 'asked_to_leave') || c.taskId !== null) throw error;
      return letIn(c, c.conversationId!, tx, { goodbye: true });
    });
    expect(await isSeen(/is a second goodbye|is a goodbye that comes too late/, mutant)).toBe(true);
  });

  test('[C2A-15] sees a hub in which a claim is answered twice', async () => {
    const mutant = mutate('task.say', (error, c, tx) => {
      const task = c.taskId === null ? undefined : tx.get('tasks', c.taskId);
      const isAnswered = task !== undefined && task.answer_id !== null && ['any_agent', 'role'].includes(task.addressed_by);
      if (!isRefused(error, 'task_of_another', 'task_over') || !isAnswered || c.kind !== 'answer') throw error;
      return letIn(c, task.conversation_id, tx);
    });
    expect(await isSeen(/which was claimed and answered before/, mutant, few * 10)).toBe(true);
  });

  test('[C2A-27] sees a hub in which work goes on after its request was deleted', async () => {
    const real = handlers['message.delete'];
    const mutant: Handlers['message.delete'] = {
      ...real,
      // The words go, and whoever was at it is told nothing.
      decide: (c, tx) => {
        const open = tx.find('tasks', 'message', c.messageId).some((task) => task.open === 1);
        if (!open) return real.decide(c, tx);
        const message = tx.get('messages', c.messageId)!;
        if (!('memberId' in c.by) || message.author_id !== c.by.memberId) return real.decide(c, tx);
        const actor = { type: 'member', id: c.by.memberId, kind: 'human', role: 'member', active: true, tokenKind: 'person' } as const;
        append(tx, { type: 'message.deleted', actor, scope: 'conversation', subject_id: message.id });
        return { message: tx.update('messages', message, { body: null, deleted_at: tx.now }) };
      },
    };
    expect(await isSeen(/though its request was deleted/, { handlers: { ...handlers, 'message.delete': mutant } })).toBe(true);
  });

  test('[C2A-31] sees a hub in which anyone settles what somebody waits for', async () => {
    const mutant = mutate('obligation.discharge', (error, c, tx) => {
      const row = tx.get('obligations', c.obligationId);
      if (!isRefused(error, 'forbidden', 'not_found') || row?.open !== 1) throw error;
      return { obligation: dischargeRow(row, row.author_id, tx) };
    });
    expect(await isSeen(/which is not theirs to settle/, mutant)).toBe(true);
  });

  test.each(contactMutants)('[IAC-6] [IAC-12] [IAC-14] sees a hub that lets agents $lets', async ({ problem, handlers: mutant }) => {
    expect(await isSeen(problem, { handlers: mutant, play: 'contacts' }, few / 6, 1)).toBe(true);
  });

  test('[C2A-30] sees a hub that delivers out of order', async () => {
    const kit = await startTestHub('sqlite', { agents: [], sync: false });
    // oxlint-disable-next-line typescript/unbound-method -- called with its own connection below
    const plain = AgentConnection.prototype.notify;
    // Every second frame overtakes the one before it.
    const held = new Map<AgentConnection, unknown>();
    const notify = vi.spyOn(AgentConnection.prototype, 'notify').mockImplementation(function (this: AgentConnection, method, params) {
      const send = (one: unknown): void => plain.call(this, method, one);
      if (!held.has(this)) return void held.set(this, params);
      send(params);
      send(held.get(this));
      held.delete(this);
    });
    try {
      const agent = await kit.agent('amy');
      await kit.hub.kernel.engine.submit({ type: 'agent.edit', by: operator, memberId: agent.id, change: { maxConcurrent: 10 } });
      const { id } = await kit.owner.call('createChannel', { body: { name: 'one' } });
      await kit.owner.call('addToConversation', { params: { conversationId: id }, body: { memberId: agent.id } });
      const line = await Wire.hello(agent);
      for (const n of [1, 2]) await kit.owner.post(id, `^amy ask ${n}`);
      await line.event('task', (event) => event.content === '^amy ask 1');
      expect(outOfOrder('amy', 0, line.events).join('\n')).toMatch(/out of order/);
      await line.close();
    } finally {
      notify.mockRestore();
      await kit.stop();
    }
  });
});
