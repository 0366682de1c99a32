// Where in an event a filter looks (PRV-5): an RFC 9535 query that names one place, compiled once to a function that
// goes there. Only own fields count: nothing that an object inherits, such as `constructor`, can be reached.

import type { PapEvent } from '@parley/protocol';
import { FunctionExpressionType, jsonpath, JSONPathEnvironment, JSONPathError } from 'json-p3';
import { compilePattern } from './regex.ts';

type Step = string | number;
/** Undefined: nothing is there, or null, which counts as nothing. */
export interface PathReader {
  (event: PapEvent): unknown;
  /** How many it takes at most. */
  steps: number;
}

export interface Path {
  /** The same place, the same text, however it was written. */
  text: string;
  steps: readonly Step[];
  read: PathReader;
  /** The name, where it is `$.data.name`: nearly every path there is, and one that needs no walk. */
  field: string | null;
}
export type ParsedPath = { ok: true; path: Path } | { ok: false; message: string };

/**
 * The two functions of the language that take a pattern; the library's own backtrack. A pattern that is not RE2 matches
 * nothing, as the language has it for one that is not well-formed.
 */
const pattern = (whole: boolean) => ({
  argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
  returnType: FunctionExpressionType.LogicalType,
  call: (text: unknown, source: unknown): boolean => {
    if (typeof text !== 'string' || typeof source !== 'string') return false;
    const compiled = compilePattern(source, whole);
    return compiled.ok && compiled.test(text);
  },
});

export const jsonPath = new JSONPathEnvironment({ strict: true, maxRecursionDepth: 64 });
jsonPath.functionRegister.set('match', pattern(true));
jsonPath.functionRegister.set('search', pattern(false));

const onePlace = 'must name one place: no wildcard, slice, filter or descent';

export function parsePath(text: string): ParsedPath {
  if (!text.startsWith('$')) return { ok: false, message: 'must begin with $., as in $.data.used_percent' };
  // The parser goes into brackets by recursion; no path to one place needs them within each other.
  if (/[[(]{20}/.test(text) || text.length > 500) return { ok: false, message: 'must be a singular JSONPath' };
  try {
    const query = jsonPath.compile(text);
    if (!query.singularQuery()) return { ok: false, message: onePlace };
    const steps = query.segments.flatMap(({ selectors }) => selectors.map(stepOf));
    return { ok: true, path: { text: query.toString(), steps, read: readOf(steps), field: fieldOf(steps) } };
  } catch (error) {
    if (!(error instanceof JSONPathError) && !(error instanceof RangeError)) throw error;
    return { ok: false, message: wordsFor(text) };
  }
}

/** The parser speaks of its tokens. The author of the path gets the usual mistakes instead. */
function wordsFor(text: string): string {
  // A quoted text is a name, whatever it holds.
  const bare = text.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, "''");
  if (/^\s|\s$/.test(bare)) return 'must not begin or end with a blank';
  if (!/^\$[.[]/.test(bare)) return 'must go on with . after $, as in $.data.used_percent';
  if (/['"](?!')/.test(bare.replaceAll("''", ''))) return 'has a quote in it that is not closed';
  if (/\[[^\]]*$/.test(bare)) return 'has a [ in it that is not closed';
  if (/\[\s*\]/.test(bare)) return 'has nothing between [ and ]';
  if (/\[-?0\d|\[-0|\[-?\d{16}/.test(bare)) return 'has no number between [ and ] that a list could have';
  if (/\[[^'?*\d\s:-]/.test(bare)) return "must have quotes around a name in brackets, as in $.data['name']";
  if (/\.\d/.test(bare)) return 'must have brackets around a number, as in $.data.disks[0]';
  if (/\.(?:$|[.[])/.test(bare)) return 'has a dot in it with no name after it';
  if (bare.includes('?')) return onePlace;
  if (text.includes('\\')) return 'has an escape that JSON does not know';
  return "must put a name with characters other than letters, digits and _ in brackets and quotes, as in $.data['my name']";
}

function stepOf(selector: unknown): Step {
  if (selector instanceof jsonpath.selectors.NameSelector) return asKey(selector.name);
  if (selector instanceof jsonpath.selectors.IndexSelector) return selector.index;
  throw new Error('A singular query has names and indexes only');
}

/** A name cut out of a longer text is looked for again at every read, ten times as slowly; as a key it is the engine's own. */
const asKey = (name: string): string => Object.keys({ [name]: 0 })[0]!;

/** Not for a name that every object inherits: reading it would find what the event does not hold. */
function fieldOf([first, second, ...deeper]: readonly Step[]): string | null {
  return first === 'data' && typeof second === 'string' && deeper.length === 0 && !(second in Object.prototype) ? second : null;
}

function readOf(steps: readonly Step[]): PathReader {
  const field = fieldOf(steps);
  const walk = (event: PapEvent): unknown => {
    let value: unknown = event;
    for (let i = 0; i < steps.length && value !== undefined; i++) value = stepInto(value, steps[i]!);
    return value ?? undefined;
  };
  return Object.assign(field === null ? walk : ({ data }: PapEvent) => data[field] ?? undefined, { steps: steps.length });
}

export function stepInto(value: unknown, step: Step): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (typeof step === 'number') return Array.isArray(value) ? (value as unknown[])[step < 0 ? step + value.length : step] : undefined;
  return !Array.isArray(value) && Object.hasOwn(value, step) ? (value as Record<string, unknown>)[step] : undefined;
}
