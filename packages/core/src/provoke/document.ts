// A file of triggers, manifests, schedules and monitors (PRV-4): all of it is in force, or none of it, and then every
// problem is named with line, column and field. What comes over the API is held to the same, without the lines.

import { type Problem, problemsOf, ProvokeDocument } from '@parley/protocol';
import { type CompiledAbsence, compileAbsence } from './absence.ts';
import { type CompiledManifest, compileManifest } from './manifest.ts';
import { type CompiledSchedule, compileSchedule } from './schedule.ts';
import { shapeProblems } from './shape.ts';
import { type Place, type ReadDocument, readText } from './text.ts';
import { type Compiled, type CompiledTrigger, compileTrigger } from './trigger.ts';

export interface Provoking {
  triggers: CompiledTrigger[];
  manifests: CompiledManifest[];
  schedules: CompiledSchedule[];
  absences: CompiledAbsence[];
}

export interface FileProblem extends Problem, Place {}
/** Where a field of one of its parts stands, for what only the workspace can find wrong with it. */
type PlaceOf = (part: string, id: string, field: string) => Place;
export type LoadedFile = ({ ok: true; placeOf: PlaceOf } & Provoking) | { ok: false; problems: FileProblem[] };

const nothing = (): Provoking => ({ triggers: [], manifests: [], schedules: [], absences: [] });

/** One document, from wherever. */
export function compileDocument(value: unknown): Compiled<Provoking> {
  const shape = shapeProblems(value);
  if (shape.length > 0) return { ok: false, problems: shape };
  const parsed = ProvokeDocument.safeParse(value);
  if (!parsed.success) return { ok: false, problems: problemsOf(parsed.error) };
  const { trigger, agent, schedule, absence } = parsed.data;
  const made = nothing();
  const problems: Problem[] = [];
  const take = <T>(compiled: Compiled<T> | undefined, into: T[]): void => {
    if (compiled?.ok) into.push(compiled.value);
    else problems.push(...(compiled?.problems ?? []));
  };
  take(trigger && compileTrigger(trigger), made.triggers);
  take(agent && compileManifest(agent), made.manifests);
  take(schedule && compileSchedule(schedule), made.schedules);
  take(absence && compileAbsence(absence), made.absences);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: made };
}

export function loadFile(text: string): LoadedFile {
  const read = readText(text);
  if (!read.ok) return { ok: false, problems: read.problems.map((problem) => ({ field: '(file)', ...problem })) };
  const made = nothing();
  const problems: FileProblem[] = [];
  const seen = new Map<string, ReadDocument['placeOf']>();
  for (const { value, placeOf } of read.documents) {
    const compiled = compileDocument(value);
    if (!compiled.ok) {
      problems.push(...compiled.problems.map((problem) => ({ ...problem, ...placeOf(pathOf(problem.field)) })));
      continue;
    }
    for (const [kind, id] of idsOf(compiled.value)) {
      if (seen.has(`${kind} ${id}`))
        problems.push({ field: `${kind}.id`, message: `stands in this file twice: ${id}`, ...placeOf([kind, 'id']) });
      seen.set(`${kind} ${id}`, placeOf);
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

const idsOf = ({ triggers, manifests, schedules, absences }: Provoking): [string, string][] => [
  ...triggers.map(({ trigger }): [string, string] => ['trigger', trigger.id]),
  ...manifests.map(({ manifest }): [string, string] => ['agent', manifest.id]),
  ...schedules.map(({ schedule }): [string, string] => ['schedule', schedule.id]),
  ...absences.map(({ absence }): [string, string] => ['absence', absence.id]),
];
