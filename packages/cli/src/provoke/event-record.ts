// What is on record at a hub, or in a file: events in the order in which they came, and what invocations cost.

import type { Cascade, CompiledManifest, CompiledTrigger, ReplayEvent } from '@parley/core/provoke';
import { invalidRequest, type Invocation, type Manifest, type PapEvent, type RecordedEvent, type Trigger } from '@parley/protocol';
import type { HubAccess } from '../hub-access.ts';
import { fileText } from '../input.ts';
import { documentsIn, jsonOf, type ProvokeModule } from './files.ts';
import { type Owners, ownersOf } from './owners.ts';
import { everyObject, latestEvents, latestInvocations } from './hub-lists.ts';

export interface EventRecord {
  events: ReplayEvent[];
  /** What became of each at the triggers it came to; empty where the record does not say. */
  was: Map<string, string>[];
  /** At which triggers a regex took too long for each; empty where the record does not say. */
  tooSlow: string[][];
  /** What one invocation of a manifest cost on average; not there when it never ran. */
  cost: Map<string, number>;
  /** Events that came until then are not all kept any more, and were asked for. */
  goneUntil: number | null;
}

/** A replay tells what came past the filters, and what was too slow for them. */
const isReplayed = ({ step, reason }: RecordedEvent['triggers'][number]): boolean => step !== 'match' || reason === 'too_slow';

const ended = (result: { outcome: string; reason: string | null }): string => result.reason ?? result.outcome;

export async function recordOf(access: HubAccess, { last, since }: { last: number; since: number }): Promise<EventRecord> {
  const { events: newest, goneUntil: gone } = await latestEvents(access, last, { since });
  const invocations = await latestInvocations(access);
  const left = newest.length < last && gone !== null && gone >= since ? gone : null;
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
    was: recorded.map(({ triggers }) => new Map(triggers.flatMap((one) => (isReplayed(one) ? [[one.triggerId, ended(one)]] : [])))),
    tooSlow: recorded.map(({ triggers }) => triggers.flatMap(({ triggerId, reason }) => (reason === 'too_slow' ? triggerId : []))),
    goneUntil: left,
    cost: costs(invocations),
  };
}

function cascadeOf({ triggeredBy }: RecordedEvent, levels: ReadonlyMap<string, number>): Cascade {
  if (triggeredBy === null) return { from: 'root' };
  const level = levels.get(triggeredBy);
  return level === undefined ? { from: 'unknown' } : { from: 'invocation', emitter: { level, depth: level - 1 } };
}

function costs(all: readonly Invocation[]): Map<string, number> {
  const begun = all.filter(({ attempt }) => attempt > 0);
  const sum = (some: readonly Invocation[]): number => some.reduce((total, { micros }) => total + micros, 0);
  return new Map([...Map.groupBy(begun, ({ manifestId }) => manifestId)].map(([id, some]) => [id, sum(some) / some.length]));
}

/** Events as monitors send them or as the API lists them: one in a line, a list of them, or a whole page of the API. */
export async function recordIn(core: ProvokeModule, file: string, since: number): Promise<EventRecord> {
  const text = await fileText(file, 'One event per line; end with Ctrl-D on an empty line.');
  const found = valuesIn(text, file).flatMap(({ value, at: place }) => {
    const { event, at } = eventOf(core, value, place);
    return at < since ? [] : [{ event, at, cascade: told(event) }];
  });
  const events = found.toSorted((a, b) => a.at - b.at);
  return { events, was: [], tooSlow: [], cost: new Map(), goneUntil: null };
}

function valuesIn(text: string, file: string): { value: unknown; at: string }[] {
  const whole = jsonOf(text) as { events?: unknown } | undefined;
  const listed = Array.isArray(whole) ? (whole as unknown[]) : Array.isArray(whole?.events) ? (whole.events as unknown[]) : undefined;
  // The API lists the latest first; those of one moment keep their order.
  if (listed) return listed.map((value, i) => ({ value, at: `${file} events.${i}` })).toReversed();
  return documentsIn(text, file);
}

/** Of an event outside of its hub it is not known how long its chain was: as short as it can have been. */
const told = ({ triggered_by }: PapEvent): Cascade =>
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
  /** Since when each trigger is as it is. */
  since: ReadonlyMap<string, number>;
}

/** What is in force at the hub; what this version would no longer take is as good as switched off. */
export async function inForce(access: HubAccess, core: ProvokeModule): Promise<RecordedDefinitions> {
  const [triggers, manifests] = await Promise.all([everyObject(access, 'trigger'), everyObject(access, 'manifest')]);
  return {
    owners: await ownersOf(access, triggers, manifests),
    since: new Map(triggers.map(({ id, at }) => [id, at])),
    triggers: triggers.flatMap(({ object, enabled, ownerId }) => {
      const made = core.compileTrigger({ ...(object as Trigger), enabled }, core.uncheckedPatterns, undefined, ownerId);
      return made.ok ? made.value : [];
    }),
    manifests: manifests.flatMap(({ object, enabled }) => {
      if (!enabled) return [];
      const made = core.compileManifest(object as Manifest, core.uncheckedPatterns);
      return made.ok ? made.value : [];
    }),
  };
}
