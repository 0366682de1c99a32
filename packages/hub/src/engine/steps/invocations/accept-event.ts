// An event is accepted: put to every trigger that waits for it, and the outcome written down with it in one transaction
// (PRV-7, PRV-8). Every event goes through here, from a monitor, a schedule or an invocation that ended.

import { type Actor, may } from '@parley/core';
import type {
  Cascade,
  CompiledTrigger,
  FailedFilter,
  PipelineRecord,
  PipelineOutcome,
  Patterns,
  StepName,
  StopReason,
  PipelineVerdict,
} from '@parley/core/provoke';
import type { PapEvent, Problem, Trigger } from '@parley/protocol';
import type { RegexRecord } from '../../../store/fact-data.ts';
import { seqOfFact, type Want, wantBy } from '../../../store/port.ts';
import type { EventRow, InvocationRow, ProvokeObjectRow } from '../../../store/tables.ts';
import type { DefinitionsInForce, ProvokeCore, ProvokeLibrary } from '../../../provoke/library.ts';
import { actorId, type Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { noteEvent, type NotedAbsence, type AbsenceMonitors, hearingOf, toldOf } from '../triggers/absences.ts';
import { tellIdle } from '../triggers/idle-triggers.ts';
import { beginInvocation } from './begin-invocation.ts';
import { append } from '../facts/append.ts';
import { holderOf, inForceNow, isUsable, mayRun } from '../triggers/triggers-in-force.ts';
import { actingMode } from './acting-agent.ts';
import { noteTooSlow } from '../triggers/slow-regexes.ts';
import { sha256, shortKey } from '../facts/hash.ts';

export interface EventArrival {
  event: PapEvent;
  via: EventRow['via'];
  sourceId?: string | undefined;
  byId?: string | undefined;
  /** The invocation in which it was emitted, as it is on record. */
  emitter?: InvocationRow | undefined;
  /** Who set up the schedule or the absence monitor that says it. */
  makerId?: string | undefined;
}

/** What became of it at one trigger, and why. */
export interface TriggerDecision {
  triggerId: string;
  outcome: PipelineOutcome;
  step: StepName;
  reason: StopReason | null;
  /** Throttled: when there is room again. */
  until: number | null;
  invocationId: string | null;
  /** Only in the answer, to those who may see the trigger: what is on record of an event for good does not hold what it said. */
  filter?: FailedFilter | undefined;
}
export interface EventResult {
  event: EventRow;
  triggers: TriggerDecision[];
  /** How many wait for its type, on or off: not all of them are listed one by one. */
  awaited: number;
  absences: NotedAbsence[];
  /** How many monitors took note. */
  heard: number;
  /** How many invocations it began, told or not. */
  begun: number;
  /** Taken, and perhaps not as it was meant. */
  warnings: Problem[];
}

/** With more triggers of a type than this, those whose filters do not hold are not told one by one. */
const mostTold = 20;

export function acceptEvent(arrival: EventArrival, actor: Actor, set: WorkingSet, context: Context): EventResult {
  const { event, emitter } = arrival;
  const inForce = inForceNow(set, context);
  const makerId = emitter?.owner_id ?? arrival.makerId;
  const maker = makerId === undefined ? undefined : set.get('members', makerId);
  const sender = context.provoke.core.senderOf(event, maker && holderOf(maker));
  const tooSlow: CompiledTrigger[] = [];
  const { accepts } = context.provoke.core;
  const matching = inForce.triggers.matching(event, context.patterns, tooSlow, ({ trigger, owner }) => accepts(trigger, owner, sender));
  const hearing = hearingOf(event, sender, inForce, context);
  context.patterns.settle();
  gather(matching, arrival, inForce, set, context);
  const row: Omit<EventRow, 'seq'> = {
    id: context.ids.next('event'),
    event_id: event.id,
    type: event.type,
    source: event.source,
    body: JSON.stringify(event),
    via: arrival.via,
    source_id: arrival.sourceId ?? null,
    by_id: arrival.byId ?? null,
    chain_id: emitter?.chain_id ?? context.ids.next('chain'),
    triggered_by: emitter?.id ?? null,
    level: emitter?.level ?? 0,
    depth: emitter?.depth ?? 0,
    accepted_at: context.now,
  };
  const triggers = [
    ...set.each(matching, (compiled) => provoke(compiled, { ...arrival, sender }, row, inForce, actor, set, context)),
    ...notMatching(event, matching, tooSlow, inForce, context),
  ];
  const slowMonitors = [...hearing].flatMap(([{ absence }, said]) => (said === 'too_slow' ? absence.id : []));
  noteTooSlow(
    [...tooSlow.map(({ trigger }) => inForce.row('trigger', trigger.id)!), ...slowMonitors.map((id) => inForce.row('absence', id)!)],
    set,
    context,
  );
  const fact = append(set, context, {
    type: 'event.accepted',
    actor,
    subject_id: row.id,
    chain_id: row.chain_id,
    data: {
      triggers,
      ...(sender === undefined ? {} : { sender }),
      ...(inForce.regexes(event.type) ? regexRecord(event, triggers, hearing, inForce, context) : {}),
    },
  });
  const kept = { ...row, seq: seqOfFact(fact) };
  const isTold = (object: ProvokeObjectRow): boolean => isMonitor(actor) || object.owner_id === emitter?.owner_id || maySee(actor, object);
  // A monitor sees them all: with many triggers on a type, looking each one up would cost more than the rest of the event.
  const awaitedOf = (all: readonly CompiledTrigger[]): number =>
    isMonitor(actor) ? all.length : all.filter(({ trigger }) => isTold(inForce.row('trigger', trigger.id)!)).length;
  set.insert('events', kept);
  return {
    event: kept,
    triggers: triggers
      .filter(({ triggerId }) => isTold(inForce.row('trigger', triggerId)!))
      .map((one) => (one.reason === 'filter' ? withFilter(one, event, inForce, actor, context) : one)),
    awaited: awaitedOf(inForce.ofType(event.type)),
    begun: triggers.filter(({ invocationId }) => invocationId !== null).length,
    ...toldOf(noteEvent(event, hearing, set, context).filter(({ absenceId }) => isTold(inForce.row('absence', absenceId)!))),
    warnings: [...unkeyed(matching, event, inForce, actor, context), ...unheard(hearing, inForce, actor)],
  };
}

function regexRecord(
  event: PapEvent,
  triggers: readonly TriggerDecision[],
  hearing: AbsenceMonitors,
  inForce: DefinitionsInForce,
  { provoke: { core }, patterns }: Context,
): RegexRecord {
  const failed = triggers.flatMap(({ triggerId, reason }): [string, number][] => {
    const compiled = reason === 'filter' ? inForce.triggers.get(triggerId) : undefined;
    if (!compiled?.trigger.match.filter.some(isRegex)) return [];
    const matched = core.matchOf(compiled, event, patterns);
    return typeof matched === 'object' && matched !== null ? [[triggerId, matched.filter]] : [];
  });
  const monitors = [...hearing].filter(([{ regexes }]) => regexes);
  const that = (what: string) => monitors.flatMap(([{ absence }, said]) => (said === what ? absence.id : []));
  return {
    ...(failed.length > 0 ? { failed: Object.fromEntries(failed) } : {}),
    ...(monitors.length > 0 ? { monitors: { heard: that('heard'), tooSlow: that('too_slow') } } : {}),
  };
}

const isRegex = ({ operator }: Trigger['match']['filter'][number]): boolean => operator === 'regex';

/** Where a throttle counts by what is not in it. */
const unkeyed = (
  matching: readonly CompiledTrigger[],
  event: PapEvent,
  inForce: DefinitionsInForce,
  actor: Actor,
  { provoke: { core } }: Context,
) =>
  matching.flatMap((one): Problem[] => {
    const { id, throttle } = one.trigger;
    if (throttle?.window_key === undefined || core.bucketOf(one, event) !== core.sharedBucket) return [];
    if (!maySee(actor, inForce.row('trigger', id)!)) return [];
    return [{ field: throttle.window_key, message: `is not in this event: ${id} counts it together with all that have none` }];
  });

/** Where a monitor of absence would have taken note, had the event what it tells them apart by, or its regex had time. */
function unheard(hearing: AbsenceMonitors, inForce: DefinitionsInForce, actor: Actor): Problem[] {
  const told: Problem[] = [];
  for (const [{ absence }, said] of hearing) {
    const { id, key } = absence;
    if (told.length === mostTold) break;
    if ((said !== 'lacks_key' && said !== 'too_slow') || !maySee(actor, inForce.row('absence', id)!)) continue;
    if (said === 'lacks_key') told.push({ field: key!, message: `is not in this event: ${id} does not count it` });
    else told.push({ field: '(event)', message: `took a regex of ${id} too long: ${id} does not count it` });
  }
  return told;
}

function withFilter(
  result: TriggerDecision,
  event: PapEvent,
  inForce: DefinitionsInForce,
  actor: Actor,
  { provoke, patterns }: Context,
): TriggerDecision {
  const row = inForce.row('trigger', result.triggerId)!;
  const compiled = maySee(actor, row) ? provoke.trigger(row) : undefined;
  return compiled
    ? { ...result, filter: provoke.core.failedFilter(compiled, event, provoke.core.matchOf(compiled, event, patterns)) }
    : result;
}

/** A registered source, the operator or the platform: no member reads the answer. */
const isMonitor = (actor: Actor): boolean => actor.type !== 'member' || actor.tokenKind === 'source';

const maySee = (actor: Actor, { owner_id }: ProvokeObjectRow): boolean =>
  may('trigger.see', actor, actorId(actor) === owner_id ? ['owner'] : []).allowed;

/** All that the triggers have to know, at once. */
function gather(
  matching: readonly CompiledTrigger[],
  { event, emitter, via }: EventArrival,
  inForce: DefinitionsInForce,
  set: WorkingSet,
  context: Context,
): void {
  if (matching.length === 0) return;
  // Two events at once could each find the last place free; of the same pair the key itself lets in one.
  context.lock(...matching.flatMap(({ trigger }) => (trigger.throttle === undefined ? [] : [`trigger:${trigger.id}`])));
  set.need([
    ...(emitter ? [wantBy('invocations', 'chain', emitter.chain_id)] : []),
    ...wantsOf(matching, event, via, inForce, context.provoke.core),
  ]);
}

const wantsOf = (
  matching: readonly CompiledTrigger[],
  event: PapEvent,
  via: string,
  inForce: DefinitionsInForce,
  core: ProvokeCore,
): Want[] =>
  matching.flatMap((one): Want[] => [
    { table: 'provoke_keys', values: [core.identityOf(event, via), one.trigger.id] },
    ...(via === 'cloudevents' ? [{ table: 'provoke_keys' as const, values: [event.id, one.trigger.id] }] : []),
    ...ownersOf(one.trigger, inForce).map((id): Want => ({ table: 'members', values: [id] })),
    ...(one.trigger.throttle === undefined
      ? []
      : [wantBy('throttle_starts', 'bucket', one.trigger.id, shortKey(core.bucketOf(one, event)))]),
  ]);

/**
 * The same for what has only just come in and may be no event at all: a guess that saves a round and decides nothing. Where
 * regular expressions wait, which are not asked for a guess, and for an id that no database may ever have seen, none is made.
 */
export function likelyWants(value: unknown, { core, latest }: ProvokeLibrary, via = 'api'): Want[] {
  const event = value as PapEvent | null | undefined;
  if (!latest || typeof event?.type !== 'string' || typeof event.data !== 'object' || event.data === null) return [];
  if (typeof event.id !== 'string' || !/^[ -~]{1,200}$/.test(event.id)) return [];
  return latest.regexes(event.type) ? [] : wantsOf(latest.triggers.matching(event, unasked), event, via, latest, core);
}

/** Where there are none. */
const unasked: Patterns = { problem: () => undefined, holds: () => null };

/** Of the trigger, and of the manifest that it names. */
const ownersOf = ({ id, agent }: Trigger, inForce: DefinitionsInForce): string[] =>
  [inForce.row('trigger', id), inForce.row('manifest', agent)].flatMap((row) => row?.owner_id ?? []);

const bucket = (compiled: CompiledTrigger, event: PapEvent, { provoke: { core } }: Context): string =>
  shortKey(core.bucketOf(compiled, event));

const cascadeOf = (emitter: InvocationRow | undefined): Cascade =>
  emitter ? { from: 'invocation', emitter: { level: emitter.level, depth: emitter.depth } } : { from: 'root' };

/** Of the owner's, how many were started in it by others: those of this event that are begun already included. */
const startedIn = (chainId: string, ownerId: string, set: WorkingSet, { provoke: { core } }: Context): number =>
  set.find('invocations', 'chain', chainId).filter((one) => one.owner_id === ownerId && core.isStarted(one)).length;

/** A CloudEvent of before was known by its id alone: its key counts for one of the same source. */
function isKnown(event: PapEvent, via: string, triggerId: string, set: WorkingSet, core: ProvokeCore): boolean {
  if (set.get('provoke_keys', core.identityOf(event, via), triggerId)) return true;
  if (via !== 'cloudevents' || !set.get('provoke_keys', event.id, triggerId)) return false;
  return set.find('events', 'event', event.id).some((one) => one.source === event.source && one.via === 'api');
}

function provoke(
  compiled: CompiledTrigger,
  { event, emitter, sender, via }: EventArrival & { sender: string | undefined },
  row: Omit<EventRow, 'seq'>,
  inForce: DefinitionsInForce,
  actor: Actor,
  set: WorkingSet,
  context: Context,
): TriggerDecision {
  const { core, manifest: compile } = context.provoke;
  const { trigger } = compiled;
  const owned = inForce.row('trigger', trigger.id)!;
  const owner = set.get('members', owned.owner_id);
  const manifestRow = inForce.row('manifest', trigger.agent);
  const manifest = isUsable(manifestRow, owned, owner, set) ? compile(manifestRow) : undefined;
  const here = trigger.throttle === undefined ? [] : set.find('throttle_starts', 'bucket', trigger.id, bucket(compiled, event, context));
  const on: PipelineRecord = {
    owned: owner !== undefined && mayRun(owner),
    sender,
    known: isKnown(event, via, trigger.id, set, core),
    cascade: cascadeOf(emitter),
    started: emitter ? startedIn(emitter.chain_id, owned.owner_id, set, context) : 0,
    starts: here.map(({ at }) => at),
    manifest,
    now: context.now,
  };
  const first = core.decide(compiled, event, on);
  // The acting agent is looked up only where its mode can change something.
  const mode = first.outcome === 'run' && manifest!.manifest.tools.length > 0 ? actingMode(manifest!.manifest, owner!, set) : undefined;
  const verdict = mode === undefined ? first : core.decide(compiled, event, { ...on, mode });
  if (verdict.key)
    set.insert('provoke_keys', {
      event_id: core.identityOf(event, via),
      trigger_id: trigger.id,
      hash: core.keyName({ eventId: core.identityOf(event, via), triggerId: trigger.id }, sha256),
      at: context.now,
    });
  for (const old of here) if (core.leavesAt(trigger.throttle!, old.at) <= context.now) set.remove('throttle_starts', old);
  if (verdict.reason === 'no_manifest') tellIdle(owned, owner, set, context);
  if (verdict.place === null) return told(verdict, null);
  const { id } = beginInvocation({ event: row, trigger: owned, manifest: manifestRow!, compiled: manifest!, verdict }, actor, set, context);
  if (verdict.bucket !== null)
    set.insert('throttle_starts', {
      invocation_id: id,
      trigger_id: trigger.id,
      bucket: shortKey(verdict.bucket),
      at: context.now,
      until: core.leavesAt(trigger.throttle!, context.now),
    });
  return told(verdict, id);
}

const told = ({ triggerId, outcome, step, reason, until }: PipelineVerdict, invocationId: string | null): TriggerDecision => ({
  triggerId,
  outcome,
  step,
  reason,
  until,
  invocationId,
});

/** Of the same type, with a filter that does not hold, too slow, or switched off: they stopped at the first step. */
function notMatching(
  event: PapEvent,
  matching: readonly CompiledTrigger[],
  tooSlow: readonly CompiledTrigger[],
  inForce: DefinitionsInForce,
  { provoke: { core }, patterns }: Context,
): TriggerDecision[] {
  const all = inForce.ofType(event.type);
  const matched = new Set(matching.map(({ trigger }) => trigger.id));
  const isMany = all.length > mostTold;
  return (isMany ? tooSlow : all)
    .filter(({ trigger }) => !matched.has(trigger.id))
    .map((compiled) => {
      const reason = isMany ? 'too_slow' : core.matchOf(compiled, event, patterns);
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
