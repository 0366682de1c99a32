// Reads files of triggers and manifests as the hub does, and reports problems with file, line and column.

import type { CompiledManifest, CompiledTrigger, Patterns, ProvokeDefinitions } from '@parley/core/provoke';
import { invalidRequest, type Problem } from '@parley/protocol';
import { CliError } from '../exit.ts';
import { fileText } from '../input.ts';
import { Answers, Matcher, regexLimits } from '@parley/hub/regex';

/** Loaded on demand: the pipeline needs libraries that no other command uses. */
export const provokeCore = () => import('@parley/core/provoke');
export type ProvokeModule = Awaited<ReturnType<typeof provokeCore>>;

/** Reads the files one after the other. Each line of a `.jsonl` file is a document. */
export async function readProvoking(core: ProvokeModule, files: readonly string[]): Promise<ProvokeDefinitions> {
  const all: ProvokeDefinitions = { triggers: [], manifests: [], schedules: [], absences: [] };
  const problems: Problem[] = [];
  for (const file of files) {
    const text = await fileText(file);
    const read = file.endsWith('.jsonl') ? fromLines : fromFile;
    const found = await withRegexes((patterns) => read(core, text, patterns));
    problems.push(...found.problems.map(({ at, field, message }) => ({ field: `${file}:${at} ${field}`, message })));
    for (const part of found.parts) {
      all.triggers.push(...part.triggers);
      all.manifests.push(...part.manifests);
      all.schedules.push(...part.schedules);
      all.absences.push(...part.absences);
    }
  }
  if (problems.length > 0) throw invalidRequest(problems);
  return all;
}

interface Found {
  parts: ProvokeDefinitions[];
  problems: (Problem & { at: string })[];
}

function fromFile(core: ProvokeModule, text: string, patterns: Patterns): Found {
  const loaded = core.loadFile(text, patterns);
  if (loaded.ok) return { parts: [loaded], problems: [] };
  return { parts: [], problems: loaded.problems.map((problem) => ({ ...problem, at: `${problem.line}:${problem.column}` })) };
}

function fromLines(core: ProvokeModule, text: string, patterns: Patterns): Found {
  const found: Found = { parts: [], problems: [] };
  text.split('\n').forEach((line, i) => {
    if (line.trim() === '') return;
    const value = jsonOf(line);
    if (value === undefined) return void found.problems.push({ at: String(i + 1), field: '(line)', message: 'must be JSON' });
    const compiled = core.compileDocument(value, patterns);
    if (compiled.ok) found.parts.push(compiled.value);
    else found.problems.push(...compiled.problems.map((problem) => ({ ...problem, at: String(i + 1) })));
  });
  return found;
}

/** Undefined if the line is not JSON. */
export function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** One JSON document for the whole text, or one for each line; `at` names the place. */
export function documentsIn(text: string, file: string): { value: unknown; at: string }[] {
  const whole = jsonOf(text);
  if (whole !== undefined) return [{ value: whole, at: file }];
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    const value = jsonOf(line);
    if (value === undefined) throw new CliError('usage', `${file}:${i + 1} is not JSON.`);
    return [{ value, at: `${file}:${i + 1}` }];
  });
}

/** The last definition of an ID counts, so that a later file overrides an earlier one. */
export const triggersById = (triggers: readonly CompiledTrigger[]): Map<string, CompiledTrigger> =>
  new Map(triggers.map((one) => [one.trigger.id, one]));
export const manifestsById = (manifests: readonly CompiledManifest[]): Map<string, CompiledManifest> =>
  new Map(manifests.map((one) => [one.manifest.id, one]));

// The same thread and deadlines as in a hub, so that a test gives the hub's result. Nobody else waits here, so no budget applies.
const unbounded = Number.MAX_SAFE_INTEGER;
const matcher = new Matcher({ limits: { ...regexLimits, eventMs: unbounded, burstMs: unbounded } });

/** Repeats `run` until every regular expression that it needs has an answer. */
export const withRegexes = <T>(run: (patterns: Patterns) => T, answers = new Answers('', { unbounded: true })): Promise<T> =>
  answers.complete(matcher, run);
