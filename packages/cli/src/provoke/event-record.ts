// The recorded events of a hub or a file, in the order they came, and the average cost of invocations.

import type { Cascade, CompiledManifest, CompiledTrigger, ReplayEvent } from '@parley/core/provoke';
import { invalidRequest, type Invocation, type Manifest, type PapEvent, type RecordedEvent, type Trigger } from '@parley/protocol';
import type { HubAccess } from '../hub-access.ts';
import { fileText } from '../input.ts';
import { documentsIn, jsonOf, type ProvokeModule } from './files.ts';
import { type Owners, ownersOf } from './owners.ts';
import { everyObject, latestEvents, latestInvocations } from './hub-lists.ts';

export interface EventRecord {
  events: ReplayEvent[];
  /** For each event, its result by trigger; empty for a file. */
  results: Map<string, string>[];
  /** For each event, the triggers whose regex took too long; empty for a file. */
  tooSlow: string[][];
  /** The average cost of an invocation, by manifest that has run. */
  cost: Map<string, number>;
  /** The caller asked for older events than this, and the hub no longer has all of them. */
  goneUntil: number | null;
}

/** A replay compares results after the filters, and filters that were too slow. */
const isReplayed = ({ step, reason }: RecordedEvent['triggers'][number]): boolean => step !== 'match' || reason === 'too_slow';

const endOf = (result: { outcome: string; reason: string | null }): string => result.reason ?? result.outcome;

export async function recordOf(access: HubAccess, { last, since }: { last: number; since: number }): Promise<EventRecord> {
  const { events: newest, goneUntil: latestGone } = await latestEvents(access, last, { since });
  const invocations = await latestInvocations(access);
  const goneUntil = newest.length < last && latestGone !== null && latestGone >= since ? latestGone : null;
  const levels = new Map(invocations.map(({ id, level }) => [id, level]));
  const recorded = newest.toReversed();
  return {
    events: recorded.map((one) => ({
      event: one.event,
      at: one.acceptedAt,
      cascade: cascadeOf(one, levels),
      chain: one.chainId,
      sender: one.senderId,
      via: one.via,
    })),
    results: recorded.map(({ triggers }) => new Map(triggers.flatMap((one) => (isReplayed(one) ? [[one.triggerId, endOf(one)]] : [])))),
    tooSlow: recorded.map(({ triggers }) => triggers.flatMap(({ triggerId, reason }) => (reason === 'too_slow' ? triggerId : []))),
    goneUntil,
    cost: costs(invocations),
  };
}

function cascadeOf({ triggeredBy }: RecordedEvent, levels: ReadonlyMap<string, number>): Cascade {
  if (triggeredBy === null) return { from: 'root' };
  const level = levels.get(triggeredBy);
  return level === undefined ? { from: 'unknown' } : { from: 'invocation', emitter: { level, depth: level - 1 } };
}

function costs(all: readonly Invocation[]): Map<string, number> {
  const started = all.filter(({ attempt }) => attempt > 0);
  const sum = (some: readonly Invocation[]): number => some.reduce((total, { micros }) => total + micros, 0);
  return new Map([...Map.groupBy(started, ({ manifestId }) => manifestId)].map(([id, some]) => [id, sum(some) / some.length]));
}

/** Reads events as monitors send them or as the API lists them: one per line, a list, or a page of the API. */
export async function recordIn(core: ProvokeModule, file: string, since: number): Promise<EventRecord> {
  const text = await fileText(file, 'One event per line; end with Ctrl-D on an empty line.');
  const found = valuesIn(text, file).flatMap(({ value, at: place }) => {
    const { event, at } = eventOf(core, value, place);
    return at < since ? [] : [{ event, at, cascade: shortestCascade(event) }];
  });
  const events = found.toSorted((a, b) => a.at - b.at);
  return { events, results: [], tooSlow: [], cost: new Map(), goneUntil: null };
}

function valuesIn(text: string, file: string): { value: unknown; at: string }[] {
  const whole = jsonOf(text) as { events?: unknown } | undefined;
  const listed = Array.isArray(whole) ? (whole as unknown[]) : Array.isArray(whole?.events) ? (whole.events as unknown[]) : undefined;
  // The API lists the latest first, and a stable sort follows, so events of one moment need their order reversed.
  if (listed) return listed.map((value, i) => ({ value, at: `${file} events.${i}` })).toReversed();
  return documentsIn(text, file);
}

/** A file does not hold the length of an event's chain, so the shortest possible one counts. */
const shortestCascade = ({ triggered_by }: PapEvent): Cascade =>
  triggered_by === undefined ? { from: 'root' } : { from: 'invocation', emitter: { level: 1, depth: 0 } };

function eventOf(core: ProvokeModule, found: unknown, at: string): { event: PapEvent; at: number } {
  const value = found as { event?: unknown; acceptedAt?: unknown; pap_version?: unknown } | null;
  const isListed = value?.pap_version === undefined && value?.event !== undefined;
  const checked = core.checkEvent(isListed ? value?.event : value, 'system');
  if (!checked.ok) throw invalidRequest(checked.problems.map(({ field, message }) => ({ field: `${at} ${field}`, message })));
  const { event } = checked;
  return { event, at: isListed && typeof value?.acceptedAt === 'number' ? value.acceptedAt : Date.parse(event.time) };
}

interface RecordedDefinitions {
  triggers: CompiledTrigger[];
  manifests: CompiledManifest[];
  owners: Owners;
  /** The time of each trigger's last change. */
  since: ReadonlyMap<string, number>;
}

/** The definitions in force at the hub. A definition that this version refuses counts as switched off. */
export async function definitionsInForce(access: HubAccess, core: ProvokeModule): Promise<RecordedDefinitions> {
  const [triggers, manifests] = await Promise.all([everyObject(access, 'trigger'), everyObject(access, 'manifest')]);
  return {
    owners: await ownersOf(access, triggers, manifests),
    since: new Map(triggers.map(({ id, at }) => [id, at])),
    triggers: triggers.flatMap(({ object, enabled, ownerId }) => {
      const compiled = core.compileTrigger({ ...(object as Trigger), enabled }, core.uncheckedPatterns, undefined, ownerId);
      return compiled.ok ? compiled.value : [];
    }),
    manifests: manifests.flatMap(({ object, enabled }) => {
      if (!enabled) return [];
      const compiled = core.compileManifest(object as Manifest, core.uncheckedPatterns);
      return compiled.ok ? compiled.value : [];
    }),
  };
}
