// A file of triggers, manifests, schedules and monitors (PRV-4): all of it is in force, or none of it, and then every
// problem is named with line, column and field. Documents over the API have the same checks, without the lines.

import { plainErrors, type Problem, problemsOf, ProvokeDocument } from '@parley/protocol';
import { type CompiledAbsence, compileAbsence } from '../events/absence.ts';
import { type CompiledManifest, compileManifest } from './manifest.ts';
import { type CompiledSchedule, compileSchedule } from '../events/schedule.ts';
import { parsePartially, unseenIn } from './partial-compile.ts';
import { stepInto } from '../triggers/event-path.ts';
import type { PatternCheck } from '../triggers/regex.ts';
import { otherProblems, isWalkable, shapeProblems } from '../events/value-limits.ts';
import { documentParts, type TextPosition, type ReadDocument, readText } from './yaml-text.ts';
import { type Compilation, type CompiledTrigger, compileTrigger } from '../triggers/trigger.ts';

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
