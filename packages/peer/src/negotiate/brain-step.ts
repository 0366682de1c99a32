// One step of a brain: thought about, checked by the state machine and the leak scan, then stored. What a brain did never throws here.

import type { NegotiationInput } from '@parley/core/negotiation';
import { badInput, PeerCallError } from '@parley/protocol';
import { getRecord, negotiationKey, type RemotePeer } from '../packets/peer-records.ts';
import { BrainAway, type BrainMove, type BrainView, type PeerBrain } from './peer-brain.ts';
import { applyInput } from './decisions.ts';
import { type Desk, withNote } from './effects.ts';
import type { Negotiations } from './negotiations.ts';
import { type MachineRecord, noModel, type ProfileRecord, putMachine } from './negotiation-records.ts';
import type { Thought } from './background-work.ts';

const mostRegenerations = 3;
/** Of the steps that a person can look at, and of what each of them was not allowed. */
const mostSteps = 20;
const mostNames = 20;
const longestName = 64;

export interface Scene {
  engine: Negotiations;
  record: MachineRecord;
  peer: RemotePeer;
  findLeaks: (move: BrainMove) => Promise<string[]>;
}

/** False while a brain still thinks, or where no model answered. */
export async function takeStep(scene: Scene, view: BrainView, profile: ProfileRecord): Promise<boolean> {
  const { engine, peer, record } = scene;
  const { parts, thoughts } = engine;
  const slow = parts.modelBrain?.(profile);
  if (!slow) return finish(scene, await think(parts.brain, view, scene));
  const key = negotiationKey(peer.address, record.machine.threadId);
  const thought = thoughts.about(key, await basisOf(scene), async (signal) => {
    const { desk: _stale, ...lasting } = await think(slow, view, scene, signal);
    return lasting;
  });
  return thought ? finish(scene, thought) : false;
}

/** A thought that began from other facts or other tiers does not count. */
async function basisOf({ engine, record: { machine }, peer }: Scene): Promise<string> {
  const { store } = engine;
  const own = await getRecord(store, 'machine', negotiationKey(machine.peer, machine.threadId));
  const profile = await getRecord(store, 'profile', 'own');
  return [own?.version, profile?.version, peer.trust].join(' ');
}

type StagedThought = Thought & { desk?: Desk };

/** Throws nothing that a brain did. A brain whose step is refused gets the reason, up to three times (A2C-36). */
async function think(brain: PeerBrain, view: BrainView, scene: Scene, signal?: AbortSignal): Promise<StagedThought> {
  const leaks: string[] = [];
  let problem: string | null = null;
  for (let regenerations = 0; regenerations <= mostRegenerations; regenerations += 1) {
    try {
      const move = await brain(view, { problem, ...(signal ? { signal } : {}) });
      return { move, leaks, regenerations, desk: await stage(scene, { move, leaks, regenerations }) };
    } catch (error) {
      signal?.throwIfAborted();
      const { message } = error as Error;
      if (error instanceof BrainAway) return { away: message, leaks, regenerations };
      if (error instanceof LeakFound) leaks.push(...error.fields.filter((field) => !leaks.includes(field)));
      problem = message;
    }
  }
  return { problem: problem ?? '', leaks, regenerations: mostRegenerations };
}

/** A brain reads its words: the names of what is withheld, and of other people, are for the person. */
class LeakFound extends PeerCallError {
  readonly fields: string[];
  constructor(fields: string[]) {
    super('bad_input', 'The packet carried a value that they may not get. Leave it out.');
    this.fields = fields;
  }
}

type StagedMove = Required<Pick<Thought, 'move' | 'leaks' | 'regenerations'>>;

/** The step with all that follows from it, not yet stored. Throws where the peer may not get it, or the negotiation does not take it. */
async function stage({ engine, record, peer, findLeaks }: Scene, { move, leaks, regenerations }: StagedMove): Promise<Desk> {
  const fields = await findLeaks(move);
  if (fields.length > 0) throw new LeakFound(fields);
  const before = withOrigin(settled(engine, record, leaks), move, regenerations, engine.now);
  const input = inputOf(move);
  const desk = await engine.desk(peer.address);
  if (!input) await desk.staging.commit([putMachine(before)]);
  else {
    const { verdict } = await applyInput(desk, before, input);
    // The exchanges are used up, and people decide: another packet would be no better.
    if (verdict !== 'accepted' && verdict !== 'exchange_limit') throw badInput(`The negotiation does not take it: ${verdict}.`);
  }
  return desk;
}

/** Nothing is due any more. A leak is an alarm, also where a later step was clean. */
function settled(engine: Negotiations, record: MachineRecord, leaks: readonly string[]): MachineRecord {
  const { model, ...others } = record;
  const rested: MachineRecord = {
    ...others,
    isEvaluationDue: false,
    quietUntil: null,
    ...(model ? { model: { ...model, retries: 0, retryAt: null } } : {}),
  };
  return leaks.length === 0 ? rested : withNote(rested, { at: engine.now, notice: 'leak_stopped', details: { fields: [...leaks] } });
}

function withOrigin(record: MachineRecord, { origin }: BrainMove, regenerations: number, at: number): MachineRecord {
  if (!origin) return record;
  const { steps, dropped } = record.model ?? noModel;
  const names = origin.dropped.slice(0, mostNames).map((name) => name.slice(0, longestName));
  const next = [...steps, { at, ...origin, dropped: names, regenerations }].slice(-mostSteps);
  return { ...record, model: { ...noModel, steps: next, dropped: dropped + origin.dropped.length } };
}

/** In the peer's turn: what changed while a brain thought decides again. */
async function finish(scene: Scene, { move, problem, away, leaks, regenerations, desk: staged }: StagedThought): Promise<boolean> {
  const { engine, record, peer } = scene;
  if (away !== undefined) return queue(engine, record, away);
  let reason = problem ?? '';
  if (move) {
    try {
      await engine.commit(staged ?? (await stage(scene, { move, leaks, regenerations })));
      return true;
    } catch (error) {
      reason = (error as Error).message;
    }
  }
  const desk = await engine.desk(peer.address);
  await applyInput(desk, settled(engine, record, leaks), { kind: 'give_up', reason: 'No valid packet could be written.' });
  await engine.commit(desk);
  engine.parts.onFailure?.(new Error(`The negotiation with ${peer.address} is paused: ${reason}`));
  return true;
}

const firstRetryMs = 60_000;
const longestRetryMs = 30 * 60_000;

/** No model answered: the evaluation stays due, and the person reads it once (A2C-35). */
async function queue(engine: Negotiations, record: MachineRecord, problem: string): Promise<false> {
  const model = record.model ?? noModel;
  const retryAt = engine.now + Math.min(longestRetryMs, firstRetryMs * 2 ** model.retries);
  const noted =
    model.retries > 0 ? record : withNote(record, { at: engine.now, notice: 'model_away', details: { problem: problem.slice(0, 500) } });
  await engine.store.commit([putMachine({ ...noted, model: { ...model, retries: model.retries + 1, retryAt } })]);
  return false;
}

const inputOf = (move: BrainMove): NegotiationInput | undefined => {
  if (move.kind === 'wait') return undefined;
  if (move.kind === 'propose') return move;
  return { ...move, by: 'agent' };
};
