// What is on record at a hub, or in a file: events in the order in which they came, and what invocations cost.

import type { Cascade, CompiledManifest, CompiledTrigger, Recorded } from '@parley/core/provoke';
import type { Invocation, Manifest, PapEvent, RecordedEvent, Trigger } from '@parley/protocol';
import type { Access } from '../access.ts';
import { CliError } from '../exit.ts';
import { textIn } from '../text-in.ts';
import { type ProvokeCore, refused } from './files.ts';
import { everyObject, latestEvents, latestInvocations } from './pages.ts';

export interface OnRecord {
  events: Recorded[];
  /** What became of each at the triggers it came to; empty where the record does not say. */
  was: Map<string, string>[];
  /** What one invocation of a manifest cost on average; not there when it never ran. */
  cost: Map<string, number>;
  spent: Map<string, number>;
  /** Events that came until then are not all kept any more, and were asked for. */
  goneUntil: number | null;
}

const ended = (result: { outcome: string; reason: string | null }): string => result.reason ?? result.outcome;

export async function recordOf(access: Access, { last, since }: { last: number; since: number }): Promise<OnRecord> {
  const { events: newest, goneUntil: gone } = await latestEvents(access, last, { since });
  const invocations = await latestInvocations(access);
  const left = newest.length < last && gone !== null && gone >= since ? gone : null;
  const levels = new Map(invocations.map(({ id, level }) => [id, level]));
  const recorded = newest.toReversed();
  const here = new Set(recorded.map(({ id }) => id));
  return {
    events: recorded.map((one) => ({ event: one.event, at: one.acceptedAt, cascade: cascadeOf(one, levels) })),
    was: recorded.map(({ triggers }) => new Map(triggers.flatMap((one) => (one.step === 'match' ? [] : [[one.triggerId, ended(one)]])))),
    goneUntil: left,
    ...costs(
      invocations,
      invocations.filter(({ eventRef }) => here.has(eventRef)),
    ),
  };
}

function cascadeOf({ triggeredBy }: RecordedEvent, levels: ReadonlyMap<string, number>): Cascade {
  if (triggeredBy === null) return { from: 'root' };
  const level = levels.get(triggeredBy);
  return level === undefined ? { from: 'unknown' } : { from: 'invocation', emitter: { level, depth: level - 1 } };
}

function costs(all: readonly Invocation[], ofThese: readonly Invocation[]): Pick<OnRecord, 'cost' | 'spent'> {
  const cost = Map.groupBy(
    all.filter(({ attempt }) => attempt > 0),
    ({ manifestId }) => manifestId,
  );
  const sum = (some: readonly Invocation[]): number => some.reduce((total, { micros }) => total + micros, 0);
  return {
    cost: new Map([...cost].map(([id, some]) => [id, sum(some) / some.length])),
    spent: new Map([...Map.groupBy(ofThese, ({ triggerId }) => triggerId)].map(([id, some]) => [id, sum(some)])),
  };
}

/** Events, one in a line, as monitors send them or as the API lists them. */
export async function recordIn(core: ProvokeCore, file: string, since: number): Promise<OnRecord> {
  const text = await textIn(file, 'One event per line; end with Ctrl-D on an empty line.');
  const found = text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    const { event, at } = eventOf(core, line, `${file}:${i + 1}`);
    return at < since ? [] : [{ event, at, cascade: told(event) }];
  });
  const events = found.toSorted((a, b) => a.at - b.at);
  return { events, was: [], cost: new Map(), spent: new Map(), goneUntil: null };
}

/** Of an event outside of its hub it is not known how long its chain was: as short as it can have been. */
const told = ({ triggered_by }: PapEvent): Cascade =>
  triggered_by === undefined ? { from: 'root' } : { from: 'invocation', emitter: { level: 1, depth: 0 } };

function eventOf(core: ProvokeCore, line: string, at: string): { event: PapEvent; at: number } {
  let value: { event?: unknown; acceptedAt?: unknown; pap_version?: unknown };
  try {
    value = JSON.parse(line) as typeof value;
  } catch (error) {
    throw new CliError('usage', `${at} is not JSON.`, { cause: error });
  }
  const isListed = value?.pap_version === undefined && value?.event !== undefined;
  const checked = core.checkEvent(isListed ? value.event : value, 'system');
  if (!checked.ok) throw refused(checked.problems.map(({ field, message }) => ({ field: `${at} ${field}`, message })));
  const { event } = checked;
  return { event, at: isListed && typeof value.acceptedAt === 'number' ? value.acceptedAt : Date.parse(event.time) };
}

/** What is in force at the hub; what this version would no longer take is as good as switched off. */
export async function inForce(access: Access, core: ProvokeCore): Promise<{ triggers: CompiledTrigger[]; manifests: CompiledManifest[] }> {
  const [triggers, manifests] = await Promise.all((['trigger', 'manifest'] as const).map((kind) => everyObject(access, kind)));
  return {
    triggers: triggers!.flatMap(({ object, enabled }) => {
      const made = core.compileTrigger({ ...(object as Trigger), enabled });
      return made.ok ? made.value : [];
    }),
    manifests: manifests!.flatMap(({ object, enabled }) => {
      if (!enabled) return [];
      const made = core.compileManifest(object as Manifest);
      return made.ok ? made.value : [];
    }),
  };
}
