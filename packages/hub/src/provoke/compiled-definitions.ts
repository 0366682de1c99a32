// Compiled definitions, loaded when first needed: the libraries take more memory than a hub without triggers has to give.
// Compiled objects are kept by their text, so that a change of one compiles one.

import type * as core from '@parley/core/provoke';
import type {
  Compilation,
  CompiledAbsence,
  CompiledManifest,
  CompiledSchedule,
  CompiledTrigger,
  ProvokeDefinitions,
  TriggerSet,
} from '@parley/core/provoke';
import { type Absence, type Manifest, papVersion, type Schedule, Source, type Trigger } from '@parley/protocol';
import type { Answers } from '../regex/answers.ts';
import { Matcher } from '../regex/matcher.ts';
import type { ProvokeObjectRow } from '../store/tables.ts';

export type ProvokeCore = typeof core;

/** All definitions that apply to an event. */
export interface DefinitionsInForce {
  triggers: TriggerSet;
  /** The triggers of this type, on or off, in the order of their IDs. */
  ofType: (type: string) => readonly CompiledTrigger[];
  absences: (type: string) => readonly CompiledAbsence[];
  row: (kind: 'trigger' | 'manifest' | 'absence', id: string) => ProvokeObjectRow | undefined;
  /** Whether a definition searches texts of this type. */
  searches: (type: string) => boolean;
  /** Undefined if the source does not exist or is disabled. */
  source: (id: string) => Source | undefined;
  /** Ignores case, and whether the source is enabled. */
  hasSource: (name: string) => boolean;
}

/** A change of one object, and the state before it. */
export interface StateChange {
  before: string;
  kind: ProvokeObjectRow['kind'];
  id: string;
}

const nameOf = ({ kind, id }: Pick<ProvokeObjectRow, 'kind' | 'id'>): string => `${kind} ${id}`;

/** The definitions in force, with the rows they were made of. */
interface State extends DefinitionsInForce {
  rows: ReadonlyMap<string, ProvokeObjectRow>;
}

type OfKind = { trigger: CompiledTrigger; manifest: CompiledManifest; schedule: CompiledSchedule; absence: CompiledAbsence };

/** A stored definition of any version. */
type Text = Pick<ProvokeObjectRow, 'id' | 'enabled' | 'body'>;

export class CompiledDefinitions {
  readonly core: ProvokeCore;
  private readonly compiled = new Map<string, { text: string; value: unknown }>();
  private readonly brought = new WeakMap<object, { part: string; compiled: Compilation<ProvokeDefinitions> }>();
  private readonly sets = new Map<string, State>();
  /** A row that is the same object as before is not compared. */
  private readonly byRow = new WeakMap<object, { value: unknown }>();
  /** The definitions as far as they are known: only a group can say which are in force now. */
  latest: DefinitionsInForce | undefined;

  constructor(core: ProvokeCore) {
    this.core = core;
  }

  trigger = (row: ProvokeObjectRow): CompiledTrigger | undefined => {
    const { owner_id, enabled } = row;
    const compile = (body: unknown) =>
      this.core.compileTrigger({ ...(body as Trigger), enabled: enabled === 1 }, this.core.uncheckedPatterns, undefined, owner_id);
    return this.of('trigger', row, compile, owner_id);
  };
  manifest = (row: Text): CompiledManifest | undefined =>
    this.of('manifest', row, (body) => this.core.compileManifest(body as Manifest, this.core.uncheckedPatterns));
  schedule = (row: ProvokeObjectRow): CompiledSchedule | undefined =>
    this.of('schedule', row, (body) => this.core.compileSchedule(body as Schedule));
  absence = (row: ProvokeObjectRow): CompiledAbsence | undefined =>
    this.of(
      'absence',
      row,
      (body) => this.core.compileAbsence(body as Absence, this.core.uncheckedPatterns, undefined, row.owner_id),
      row.owner_id,
    );

  /** Compiles a document of a command once, however often the command is decided after its patterns are known. */
  document(part: string, value: unknown, patterns: Answers): Compilation<ProvokeDefinitions> {
    const before = typeof value === 'object' && value !== null ? this.brought.get(value) : undefined;
    if (before?.part === part) return before.compiled;
    const compiled = this.core.compileDocument({ pap_version: papVersion, [part]: value }, patterns);
    if (typeof value === 'object' && value !== null && patterns.isComplete) this.brought.set(value, { part, compiled });
    return compiled;
  }

  /** Undefined: it was taken by rules that this version no longer has, and is as good as switched off. */
  private of<K extends keyof OfKind>(
    kind: K,
    row: Text,
    compile: (body: unknown) => Compilation<OfKind[K]>,
    /** Set if the result depends on the owner. */
    owner = '',
  ): OfKind[K] | undefined {
    const same = this.byRow.get(row);
    if (same) return same.value as OfKind[K] | undefined;
    const key = nameOf({ kind, id: row.id });
    const text = `${owner} ${row.enabled} ${row.body}`;
    let cached = this.compiled.get(key);
    if (cached?.text !== text) {
      const made = compile(JSON.parse(row.body));
      cached = { text, value: made.ok ? made.value : undefined };
      this.compiled.set(key, cached);
    }
    this.byRow.set(row, cached);
    return cached.value as OfKind[K] | undefined;
  }

  /** `stamp` names exactly these rows; with one that is known, or one before `recent` changes, only those are asked for. */
  inForce(
    stamp: string,
    recent: readonly StateChange[],
    rows: (changed: readonly StateChange[] | undefined) => readonly ProvokeObjectRow[],
  ): DefinitionsInForce {
    const cachedSet = this.sets.get(stamp);
    if (cachedSet) return cachedSet;
    const from = recent.findLastIndex(({ before }) => this.sets.has(before));
    const changed = from === -1 ? undefined : recent.slice(from);
    const now = new Map(changed && this.sets.get(changed[0]!.before)!.rows);
    for (const one of changed ?? []) now.delete(nameOf(one));
    for (const row of rows(changed)) if (row.removed_at === null) now.set(nameOf(row), row);
    const made = this.build(now, this.latest);
    // The one before is still asked for by groups that began before the change.
    for (const old of [...this.sets.keys()].slice(0, -1)) this.sets.delete(old);
    this.sets.set(stamp, made);
    this.latest = made;
    return made;
  }

  private build(byName: ReadonlyMap<string, ProvokeObjectRow>, before: DefinitionsInForce | undefined): State {
    const rows = [...byName.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const triggers = rows.flatMap((row) => (row.kind === 'trigger' ? (this.trigger(row) ?? []) : []));
    const absences = rows.flatMap((row) => (row.kind === 'absence' && row.enabled === 1 ? (this.absence(row) ?? []) : []));
    const byType = Map.groupBy(triggers, ({ trigger }) => trigger.match.type);
    const awaited = Map.groupBy(absences, ({ absence }) => absence.match.type);
    const searched = new Set(
      [...triggers.map(({ trigger }) => trigger.match), ...absences.map(({ absence }) => absence.match)].flatMap(({ type, filter }) =>
        filter.some(({ operator }) => operator === 'regex' || operator === 'contains') ? type : [],
      ),
    );
    const speaking = rows.filter(({ kind, enabled }) => kind === 'source' && enabled === 1);
    const sources = new Map(
      speaking.flatMap(({ id, body }): [string, Source][] => {
        const { data } = Source.safeParse(JSON.parse(body));
        return data ? [[id, data]] : [];
      }),
    );
    const sourceNames = new Set(rows.flatMap(({ kind, id }) => (kind === 'source' ? id.toLowerCase() : [])));
    return {
      rows: byName,
      triggers: this.core.triggerSet(triggers, before?.triggers),
      ofType: (type) => byType.get(type) ?? [],
      absences: (type) => awaited.get(type) ?? [],
      searches: (type) => searched.has(type),
      row: (kind, id) => byName.get(nameOf({ kind, id })),
      source: (id) => sources.get(id),
      hasSource: (name) => sourceNames.has(name.toLowerCase()),
    };
  }
}

/** Loads it once, on the first need. `matcher`: answers for regular expressions. */
export class ProvokeLoader {
  loaded: CompiledDefinitions | undefined;
  readonly matcher: Matcher;
  private loading: Promise<CompiledDefinitions> | undefined;

  constructor(matcher: Matcher = new Matcher()) {
    this.matcher = matcher;
  }

  load(): Promise<CompiledDefinitions> {
    this.loading ??= import('@parley/core/provoke').then((core) => (this.loaded = new CompiledDefinitions(core)));
    return this.loading;
  }
}

/** The parts of a document, by kind. */
export const partsOf = ({
  triggers,
  manifests,
  schedules,
  absences,
}: ProvokeDefinitions): { kind: keyof OfKind; body: { id: string } }[] => [
  ...triggers.map(({ trigger }) => ({ kind: 'trigger' as const, body: trigger })),
  ...manifests.map(({ manifest }) => ({ kind: 'manifest' as const, body: manifest })),
  ...schedules.map(({ schedule }) => ({ kind: 'schedule' as const, body: schedule })),
  ...absences.map(({ absence }) => ({ kind: 'absence' as const, body: absence })),
];
