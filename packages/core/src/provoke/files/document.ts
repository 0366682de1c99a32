// A file of triggers, manifests, schedules and monitors (PRV-4): all of it is in force, or none of it, and then every
// problem is named with line, column and field. Documents over the API have the same checks, without the lines.

import {
  plainErrors,
  type Problem,
  problemsOf,
  ProvokeDocument,
  isReserved,
  Manifest,
  systemTypes,
  FilterFrame,
  filterOperators,
} from '@parley/protocol';
import { type CompiledAbsence, compileAbsence } from '../events/absence.ts';
import { type CompiledSchedule, compileSchedule } from '../events/schedule.ts';
import { stepInto } from '../triggers/event-path.ts';
import type { PatternCheck } from '../triggers/regex.ts';
import { isObject, otherProblems, isWalkable, shapeProblems } from '../events/value-limits.ts';
import { documentParts, type TextPosition, type ReadDocument, readText } from './yaml-text.ts';
import { type Compilation, type CompiledTrigger, compileTrigger } from '../triggers/trigger.ts';
import { compileOutput, type OutputCheck } from '../output/output.ts';
import { effectiveRisk, type Risk } from '../../invocation/transitions.ts';

export interface ProvokeDefinitions {
  triggers: CompiledTrigger[];
  manifests: CompiledManifest[];
  schedules: CompiledSchedule[];
  absences: CompiledAbsence[];
}

export interface FileProblem extends Problem, TextPosition {}
/** Where a field of one of its parts stands, for what only the workspace can find wrong with it. */
type PlaceOf = (part: string, id: string, field: string) => TextPosition;
export type LoadedFile = ({ ok: true; placeOf: PlaceOf } & ProvokeDefinitions) | { ok: false; problems: FileProblem[] };

const nothing = (): ProvokeDefinitions => ({ triggers: [], manifests: [], schedules: [], absences: [] });

/** One document, from wherever. All problems are reported at once: a part of the wrong form does not hide the rest. */
export function compileDocument(value: unknown, patterns: PatternCheck): Compilation<ProvokeDefinitions> {
  const problems = shapeProblems(value);
  if (!isWalkable(problems)) return { ok: false, problems };
  const parsed = ProvokeDocument.safeParse(value, plainErrors);
  if (!parsed.success) problems.push(...otherProblems(problems, [...problemsOf(parsed.error), ...unseenIn(value)]));
  const { trigger, agent, schedule, absence } = parsed.success ? parsed.data : parsePartially(value);
  const made = nothing();
  const reported = [...problems];
  const take = <T>(compiled: Compilation<T> | undefined, into: T[]): void => {
    if (compiled?.ok) into.push(compiled.value);
    else problems.push(...otherProblems(reported, compiled?.problems ?? []));
  };
  take(trigger && compileTrigger(trigger, patterns), made.triggers);
  take(agent && compileManifest(agent, patterns), made.manifests);
  take(schedule && compileSchedule(schedule), made.schedules);
  take(absence && compileAbsence(absence, patterns), made.absences);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: made };
}

export function loadFile(text: string, patterns: PatternCheck): LoadedFile {
  const read = readText(text);
  const made = nothing();
  const problems: FileProblem[] = read.ok ? [] : read.problems.map((problem) => ({ field: '(file)', ...problem }));
  const seen = new Map<string, ReadDocument['placeOf']>();
  for (const { value, placeOf } of read.documents) {
    const compiled = compileDocument(value, patterns);
    for (const [kind, id] of idsIn(value)) {
      if (seen.has(`${kind} ${id}`))
        problems.push({ field: `${kind}.id`, message: `stands in this file twice: ${id}`, ...placeOf([kind, 'id']) });
      seen.set(`${kind} ${id}`, placeOf);
    }
    if (!compiled.ok) {
      problems.push(...compiled.problems.map((problem) => ({ ...problem, ...placeOf(pathOf(problem.field)) })));
      continue;
    }
    made.triggers.push(...compiled.value.triggers);
    made.manifests.push(...compiled.value.manifests);
    made.schedules.push(...compiled.value.schedules);
    made.absences.push(...compiled.value.absences);
  }
  if (problems.length > 0) return { ok: false, problems };
  const placeOf: PlaceOf = (part, id, field) => seen.get(`${part} ${id}`)?.([part, ...pathOf(field)]) ?? { line: 1, column: 1 };
  return { ok: true, ...made, placeOf };
}

/** The fields are ours: names without dots, and numbers in lists. Names in `data` or a schema may be anything; then it is their surroundings. */
const pathOf = (field: string): (string | number)[] =>
  field === '(body)' ? [] : field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));

/** The IDs in a document, whatever form the rest has. */
const idsIn = (value: unknown): [string, string][] =>
  documentParts.flatMap((kind): [string, string][] => {
    const id = stepInto(stepInto(value, kind), 'id');
    return typeof id === 'string' && id !== '' ? [[kind, id]] : [];
  });

// A manifest made ready to be run (PRV-4, PRV-11, PRV-13): what no schema can say about it is checked, its output compiled.

export interface CompiledManifest {
  manifest: Manifest;
  risk: Risk;
  judge: OutputCheck;
}

export function compileManifest(manifest: Manifest, patterns: PatternCheck, at = 'agent'): Compilation<CompiledManifest> {
  const problems: Problem[] = [];
  // Two tools of one name, and nobody could tell which one the model meant.
  const seen = new Set<string>();
  manifest.tools.forEach(({ name }, i) => {
    if (seen.has(name)) problems.push({ field: `${at}.tools.${i}.name`, message: 'stands here twice' });
    seen.add(name);
  });
  for (const end of ['on_complete', 'on_failure'] as const) {
    const type = manifest[end].emit_event;
    if (type !== undefined && isReserved(type) && !systemTypes.some((known) => known === type))
      problems.push({ field: `${at}.${end}.emit_event`, message: `of those that begin with pap. only ${systemTypes.join(' and ')}` });
  }
  const output = compileOutput(manifest.output, patterns, `${at}.output`);
  if (!output.ok) problems.push(...output.problems);
  if (!output.ok || problems.length > 0) return { ok: false, problems };
  return { ok: true, value: { manifest, risk: effectiveRisk(manifest), judge: output.value } };
}

// Compiles the rest of a document that has the wrong form somewhere, so that its author gets all problems at once. A
// placeholder without problems replaces each part that is missing or of the wrong type; only problems come of it.

const at = (value: unknown, ...path: string[]): unknown => path.reduce(stepInto, value);
/** No longer, and no more, than the schema lets through: compiling is not free. */
const text = <T>(value: unknown, instead: T): string | T => (typeof value === 'string' && value.length <= 500 ? value : instead);
const list = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]).slice(0, 50) : []);

function parsePartially(value: unknown): Pick<ProvokeDocument, 'trigger' | 'agent' | 'schedule' | 'absence'> {
  const parts = {
    trigger: (one: unknown) => ({
      match: { filter: filtersIn(one) },
      throttle: { window_key: text(at(one, 'throttle', 'window_key'), undefined) },
    }),
    agent: (one: unknown) => ({
      risk_level: 'low',
      tools: list(at(one, 'tools')).map((tool) => ({ name: text(at(tool, 'name'), '') })),
      on_complete: { emit_event: text(at(one, 'on_complete', 'emit_event'), undefined) },
      on_failure: { emit_event: text(at(one, 'on_failure', 'emit_event'), undefined) },
      output: Manifest.shape.output.safeParse(at(one, 'output')).data ?? { type: 'text' },
    }),
    schedule: (one: unknown) => ({
      cron: text(at(one, 'cron'), '@daily'),
      time_zone: text(at(one, 'time_zone'), 'UTC'),
      emit: { type: text(at(one, 'emit', 'type'), '') },
    }),
    absence: (one: unknown) => ({
      match: { type: text(at(one, 'match', 'type'), ''), filter: filtersIn(one) },
      key: text(at(one, 'key'), undefined),
      emit: { type: text(at(one, 'emit', 'type'), '') },
    }),
  };
  const present = Object.entries(parts).filter(([name]) => isObject(at(value, name)));
  return Object.fromEntries(present.map(([name, read]) => [name, read(at(value, name))]));
}

/** The filters in order; a compared value matters only where it is a pattern. */
const filtersIn = (part: unknown): object[] =>
  list(at(part, 'match', 'filter')).map((filter) => {
    const path = text(at(filter, 'path'), '$');
    const value = at(filter, 'value');
    return at(filter, 'operator') === 'regex' && typeof value === 'string'
      ? { path, operator: 'regex', value }
      : { path, operator: 'exists', value: true };
  });

/** The schema looks at a filter by its operator: where it is none, at nothing else. */
const unseenIn = (value: unknown): Problem[] =>
  ['trigger', 'absence'].flatMap((part) =>
    list(at(value, part, 'match', 'filter')).flatMap((filter, i) => {
      if (!isObject(filter) || filterOperators.some((one) => one === at(filter, 'operator'))) return [];
      const framed = FilterFrame.safeParse(filter, plainErrors);
      return framed.success ? [] : problemsOf(framed.error, `${part}.match.filter.${i}`);
    }),
  );
