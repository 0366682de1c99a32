// An event is accepted: put to every trigger that waits for it, and the outcome written down with it in one transaction
// (PRV-7, PRV-8). Every event goes through here, from a monitor, a schedule or an invocation that ended.

import { type Actor, may } from '@parley/core';
import type {
  Cascade,
  CompiledAbsence,
  CompiledTrigger,
  FailedFilter,
  PipelineRecord,
  Patterns,
  PipelineVerdict,
} from '@parley/core/provoke';
import type { PapEvent, Problem, Trigger } from '@parley/protocol';
import type { RegexRecord } from '../../../store/fact-data.ts';
import { UnansweredRegexes } from '../../../regex/answers.ts';
import { seqOfFact, type Want, wantBy, wantRow } from '../../../store/port.ts';
import type { EventRow, InvocationRow, ProvokeObjectRow } from '../../../store/tables.ts';
import type { DefinitionsInForce, ProvokeCore, CompiledDefinitions } from '../../../provoke/compiled-definitions.ts';
import { actorId, type Tx } from '../../command.ts';
import { restartSilences, type NotedAbsence, type MonitorVerdicts, monitorVerdicts, listNoted } from './absences.ts';
import { notifyIdle } from '../triggers/idle-triggers.ts';
import { noteTooSlow } from '../triggers/slow-regexes.ts';
import { beginInvocation } from './begin-invocation.ts';
import { append } from '../facts/append.ts';
import { holderOf, inForceNow, isUsable, mayRun } from '../triggers/triggers-in-force.ts';
import { actingMode } from './acting-agent.ts';
import { sha256, shortKey } from '../../ids.ts';

export interface EventArrival {
  event: PapEvent;
  via: EventRow['via'];
  sourceId?: string | undefined;
  byId?: string | undefined;
  /** The invocation in which it was emitted, as it is on record. */
  emitter?: InvocationRow | undefined;
  /** The owner of the schedule or the absence monitor that emits the event. */
  makerId?: string | undefined;
}

/** The outcome of an event at one trigger, and why. */
export interface TriggerDecision extends Pick<PipelineVerdict, 'triggerId' | 'outcome' | 'step' | 'reason' | 'until'> {
  invocationId: string | null;
  /**
   * The failed filter, only in the answer to members who may see the trigger: the permanent record of an event does not
   * hold the event's words.
   */
  filter?: FailedFilter | undefined;
}
export interface EventResult {
  event: EventRow;
  triggers: TriggerDecision[];
  /** The number of triggers for the type, on or off; not all of them are listed. */
  awaited: number;
  absences: NotedAbsence[];
  /** The number of monitors that heard the event. */
  heard: number;
  /** The number of invocations that the event started, listed in the answer or not. */
  begun: number;
  /** The event was taken, perhaps not as its sender meant it. */
  warnings: Problem[];
}

/** With more triggers of a type than this, those whose filters do not match are not listed. */
const mostTold = 20;

/** An event on its way through the triggers, with all that they are decided by. */
interface Passage extends EventArrival {
  actor: Actor;
  /** Undefined if the hub does not know who sent the event. */
  sender: string | undefined;
  inForce: DefinitionsInForce;
  tx: Tx;
}

export function acceptEvent(arrival: EventArrival, actor: Actor, tx: Tx): EventResult {
  const { event, emitter } = arrival;
  const { core } = tx.provoke;
  const inForce = inForceNow(tx);
  const makerId = emitter?.owner_id ?? arrival.makerId;
  const maker = makerId === undefined ? undefined : tx.get('members', makerId);
  const sender = core.answerableMember(event, maker && holderOf(maker));
  const passage: Passage = { ...arrival, actor, sender, inForce, tx };
  const tooSlow: CompiledTrigger[] = [];
  const accepts = ({ trigger, owner }: CompiledTrigger): boolean => core.accepts(trigger, owner, sender);
  const matching = inForce.triggers.matching(event, tx.patterns, tooSlow, accepts);
  const monitors = monitorVerdicts(event, sender, inForce, tx);
  tx.patterns.settle();
  gather(matching, passage);
  const row = rowOf(passage);
  const triggers = [...tx.each(matching, (compiled) => provoke(compiled, row, passage)), ...notMatching(matching, tooSlow, passage)];
  const slowTriggers = tooSlow.map(({ trigger }) => inForce.row('trigger', trigger.id)!);
  const slowMonitors = monitorsThat('too_slow', monitors).map((id) => inForce.row('absence', id)!);
  noteTooSlow([...slowTriggers, ...slowMonitors], tx);
  const regexes = inForce.searches(event.type) ? regexRecord(triggers, monitors, passage) : {};
  const fact = append(tx, {
    type: 'event.accepted',
    actor,
    subject_id: row.id,
    chain_id: row.chain_id,
    data: { triggers, ...(sender === undefined ? {} : { sender }), ...regexes },
  });
  const eventRow = { ...row, seq: seqOfFact(fact) };
  tx.insert('events', eventRow);
  return {
    event: eventRow,
    ...answerOf(triggers, monitors, passage),
    warnings: [...keyWarnings(matching, passage), ...unheard(monitors, passage)],
  };
}

/** The event of a schedule or an absence monitor, while its owner may run it. The operator answers for objects in files. */
export function acceptFrom(object: ProvokeObjectRow, arrival: EventArrival, tx: Tx): void {
  const owner = tx.get('members', object.owner_id);
  if (owner === undefined || !mayRun(owner)) return;
  acceptEvent({ ...arrival, makerId: object.file === null ? owner.id : undefined }, { type: 'platform' }, tx);
}

const rowOf = ({ event, emitter, via, sourceId, byId, tx }: Passage): Omit<EventRow, 'seq'> => ({
  id: tx.ids.next('event'),
  event_id: event.id,
  type: event.type,
  source: event.source,
  body: JSON.stringify(event),
  via,
  source_id: sourceId ?? null,
  by_id: byId ?? null,
  chain_id: emitter?.chain_id ?? tx.ids.next('chain'),
  triggered_by: emitter?.id ?? null,
  level: emitter?.level ?? 0,
  depth: emitter?.depth ?? 0,
  accepted_at: tx.now,
});

/** Limited to the triggers and monitors that the sender may see. */
function answerOf(triggers: readonly TriggerDecision[], monitors: MonitorVerdicts, passage: Passage) {
  const { event, emitter, actor, inForce, tx } = passage;
  const isShown = (object: ProvokeObjectRow): boolean => isMonitor(actor) || object.owner_id === emitter?.owner_id || maySee(actor, object);
  const shows = (triggerId: string): boolean => isShown(inForce.row('trigger', triggerId)!);
  const all = inForce.ofType(event.type);
  return {
    triggers: triggers.filter(({ triggerId }) => shows(triggerId)).map((one) => (one.reason === 'filter' ? withFilter(one, passage) : one)),
    // A monitor sees them all: with many triggers on a type, looking each one up would cost more than the rest of the event.
    awaited: isMonitor(actor) ? all.length : all.filter(({ trigger }) => shows(trigger.id)).length,
    begun: triggers.filter(({ invocationId }) => invocationId !== null).length,
    ...listNoted(restartSilences(event, monitors, tx).filter(({ absenceId }) => isShown(inForce.row('absence', absenceId)!))),
  };
}

const monitorsThat = (said: string, monitors: Iterable<[CompiledAbsence, string | null]>): string[] =>
  [...monitors].flatMap(([{ absence }, one]) => (one === said ? absence.id : []));

function regexRecord(triggers: readonly TriggerDecision[], monitors: MonitorVerdicts, { event, inForce, tx }: Passage): RegexRecord {
  const failed = triggers.flatMap(({ triggerId, reason }): [string, number][] => {
    const compiled = reason === 'filter' ? inForce.triggers.get(triggerId) : undefined;
    if (!compiled?.trigger.match.filter.some(isSearch)) return [];
    const matched = tx.provoke.core.matchOf(compiled, event, tx.patterns);
    return typeof matched === 'object' && matched !== null ? [[triggerId, matched.filter]] : [];
  });
  const searching = [...monitors].filter(([{ searches }]) => searches);
  return {
    ...(failed.length > 0 ? { failed: Object.fromEntries(failed) } : {}),
    ...(searching.length > 0
      ? { monitors: { heard: monitorsThat('heard', searching), tooSlow: monitorsThat('too_slow', searching) } }
      : {}),
  };
}

const isSearch = ({ operator }: Trigger['match']['filter'][number]): boolean => operator === 'regex' || operator === 'contains';

/** Warns of a throttle whose key is missing in the event. */
const keyWarnings = (matching: readonly CompiledTrigger[], { event, actor, inForce, tx }: Passage) =>
  matching.flatMap((one): Problem[] => {
    const { id, throttle } = one.trigger;
    const { bucketOf, sharedBucket } = tx.provoke.core;
    if (throttle?.window_key === undefined || bucketOf(one, event) !== sharedBucket) return [];
    if (!maySee(actor, inForce.row('trigger', id)!)) return [];
    return [{ field: throttle.window_key, message: `is not in this event, or too long: ${id} counts it together with all that have none` }];
  });

/** Where a monitor of absence would have taken note, had the event what it tells them apart by, or its search had time. */
function unheard(monitors: MonitorVerdicts, { actor, inForce }: Passage): Problem[] {
  const problems: Problem[] = [];
  for (const [{ absence }, said] of monitors) {
    const { id, key } = absence;
    if (problems.length === mostTold) break;
    if ((said !== 'lacks_key' && said !== 'too_slow') || !maySee(actor, inForce.row('absence', id)!)) continue;
    if (said === 'lacks_key') problems.push({ field: key!, message: `is not in this event, or too long: ${id} does not count it` });
    else problems.push({ field: '(event)', message: `took a regex or contains of ${id} too long: ${id} does not count it` });
  }
  return problems;
}

function withFilter(result: TriggerDecision, { event, actor, inForce, tx: { provoke, patterns } }: Passage): TriggerDecision {
  const row = inForce.row('trigger', result.triggerId)!;
  const compiled = maySee(actor, row) ? provoke.trigger(row) : undefined;
  if (!compiled) return result;
  return { ...result, filter: provoke.core.failedFilter(compiled, event, provoke.core.matchOf(compiled, event, patterns)) };
}

/** A registered source, the operator or the platform: no member reads the answer. */
const isMonitor = (actor: Actor): boolean => actor.type !== 'member' || actor.tokenKind === 'source';

const maySee = (actor: Actor, { owner_id }: ProvokeObjectRow): boolean =>
  may('trigger.see', actor, actorId(actor) === owner_id ? ['owner'] : []).allowed;

/** All that the triggers have to know, at once. */
function gather(matching: readonly CompiledTrigger[], { emitter, tx, ...passage }: Passage): void {
  if (matching.length === 0) return;
  // Two events at once could each find the last place free; of the same pair the key itself lets in one.
  tx.lock(...matching.flatMap(({ trigger }) => (trigger.throttle === undefined ? [] : [`trigger:${trigger.id}`])));
  const cascade = emitter ? [wantBy('invocations', 'chain', emitter.chain_id)] : [];
  tx.need([...cascade, ...wantsOf(matching, passage, tx.provoke.core)]);
}

type InForceEvent = Pick<Passage, 'event' | 'via' | 'inForce'>;
const wantsOf = (matching: readonly CompiledTrigger[], { event, via, inForce }: InForceEvent, core: ProvokeCore): Want[] =>
  matching.flatMap((one): Want[] => [
    wantRow('provoke_keys', core.eventIdentity(event, via), one.trigger.id),
    ...(via === 'cloudevents' ? [wantRow('provoke_keys', event.id, one.trigger.id)] : []),
    ...ownersOf(one.trigger, inForce).map((id): Want => wantRow('members', id)),
    ...(one.trigger.throttle === undefined
      ? []
      : [wantBy('throttle_starts', 'bucket', one.trigger.id, shortKey(core.bucketOf(one, event)))]),
  ]);

/**
 * The same for what has only just come in and may be no event at all: a guess that saves a round and decides nothing. None
 * is made for triggers that search texts, nor for an id that no database may ever have seen.
 */
export function likelyWants(value: unknown, { core, latest }: CompiledDefinitions, via: EventRow['via'] = 'api'): Want[] {
  const event = value as PapEvent | null | undefined;
  if (!latest || typeof event?.type !== 'string' || typeof event.data !== 'object' || event.data === null) return [];
  if (typeof event.id !== 'string' || !/^[ -~]{1,200}$/.test(event.id)) return [];
  try {
    return wantsOf(latest.triggers.matching(event, guessing()), { event, via, inForce: latest }, core);
  } catch (error) {
    if (error instanceof UnansweredRegexes) return [];
    throw error;
  }
}

const mostGuessed = 200;

/** A guess searches no text and takes few steps. */
function guessing(): Patterns {
  let remaining = mostGuessed;
  const walk = (steps: number): void => {
    if ((remaining -= steps) < 0) throw new UnansweredRegexes();
  };
  return { problem: () => undefined, holds: () => null, contains: () => null, walk };
}

/** The owners of the trigger and of the manifest that it names. */
const ownersOf = ({ id, agent }: Trigger, inForce: DefinitionsInForce): string[] =>
  [inForce.row('trigger', id), inForce.row('manifest', agent)].flatMap((row) => row?.owner_id ?? []);

const cascadeOf = (emitter: InvocationRow | undefined): Cascade =>
  emitter ? { from: 'invocation', emitter: { level: emitter.level, depth: emitter.depth } } : { from: 'root' };

/**
 * How many of the owner's invocations in the chain were started by others, including those that this event has begun
 * already.
 */
const startedBy = (ownerId: string, chainId: string, tx: Tx): number =>
  tx.find('invocations', 'chain', chainId).filter((one) => one.owner_id === ownerId && tx.provoke.core.isStarted(one)).length;

/** A CloudEvent of before was known by its id alone: its key counts for one of the same source. */
function isKnown(triggerId: string, { event, via, tx }: Passage): boolean {
  if (tx.get('provoke_keys', tx.provoke.core.eventIdentity(event, via), triggerId)) return true;
  if (via !== 'cloudevents' || !tx.get('provoke_keys', event.id, triggerId)) return false;
  return tx.find('events', 'event', event.id).some((one) => one.source === event.source && one.via === 'api');
}

function provoke(compiled: CompiledTrigger, row: Omit<EventRow, 'seq'>, passage: Passage): TriggerDecision {
  const { event, emitter, via, sender, actor, inForce, tx } = passage;
  const { core, manifest: compile } = tx.provoke;
  const { now } = tx;
  const { id: trigger_id, agent, throttle } = compiled.trigger;
  const trigger = inForce.row('trigger', trigger_id)!;
  const owner = tx.get('members', trigger.owner_id);
  const manifestRow = inForce.row('manifest', agent);
  const manifest = isUsable(manifestRow, trigger, owner, tx) ? compile(manifestRow) : undefined;
  const starts = throttle ? tx.find('throttle_starts', 'bucket', trigger_id, shortKey(core.bucketOf(compiled, event))) : [];
  const on: PipelineRecord = {
    owned: owner !== undefined && mayRun(owner),
    sender,
    known: isKnown(trigger_id, passage),
    cascade: cascadeOf(emitter),
    started: emitter ? startedBy(trigger.owner_id, emitter.chain_id, tx) : 0,
    starts: starts.map(({ at }) => at),
    manifest,
    now,
  };
  const first = core.decide(compiled, event, on);
  // The acting agent is looked up only where its mode can change something.
  const mode = first.outcome === 'run' && manifest!.manifest.tools.length > 0 ? actingMode(manifest!.manifest, owner!, tx) : undefined;
  const verdict = mode === undefined ? first : core.decide(compiled, event, { ...on, mode });
  const event_id = core.eventIdentity(event, via);
  if (verdict.key) {
    const hash = core.keyName({ eventId: event_id, triggerId: trigger_id }, sha256);
    tx.insert('provoke_keys', { event_id, trigger_id, hash, at: now });
  }
  for (const old of starts) if (core.leavesAt(throttle!, old.at) <= now) tx.remove('throttle_starts', old);
  if (verdict.reason === 'no_manifest') notifyIdle(trigger, owner, tx);
  if (verdict.place === null) return decisionOf(verdict, null);
  const { id } = beginInvocation({ event: row, trigger, manifest: manifestRow!, compiled: manifest!, verdict }, actor, tx);
  if (verdict.bucket !== null) {
    const bucket = shortKey(verdict.bucket);
    tx.insert('throttle_starts', { invocation_id: id, trigger_id, bucket, at: now, until: core.leavesAt(throttle!, now) });
  }
  return decisionOf(verdict, id);
}

const decisionOf = ({ triggerId, outcome, step, reason, until }: PipelineVerdict, invocationId: string | null): TriggerDecision => ({
  triggerId,
  outcome,
  step,
  reason,
  until,
  invocationId,
});

/** Triggers of the same type with a filter that does not hold, too slow, or switched off: they stopped at the first step. */
function notMatching(matching: readonly CompiledTrigger[], tooSlow: readonly CompiledTrigger[], passage: Passage): TriggerDecision[] {
  const { event, inForce, tx } = passage;
  const all = inForce.ofType(event.type);
  const matched = new Set(matching.map(({ trigger }) => trigger.id));
  const isMany = all.length > mostTold;
  return (isMany ? tooSlow : all)
    .filter(({ trigger }) => !matched.has(trigger.id))
    .map((compiled) => {
      const reason = isMany ? 'too_slow' : tx.provoke.core.matchOf(compiled, event, tx.patterns);
      return {
        triggerId: compiled.trigger.id,
        outcome: reason === 'too_slow' ? 'rejected' : 'discarded',
        step: 'match',
        reason: typeof reason === 'string' ? reason : 'filter',
        until: null,
        invocationId: null,
      };
    });
}
