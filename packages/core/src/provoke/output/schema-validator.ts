// The check of a value against a JSON Schema that somebody else wrote: limited in steps and time, with problems that people can read.

import { type Problem, shorthandTypes } from '@parley/protocol';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { canonical } from '../../text/canonical-json.ts';
import type { PatternCheck, Patterns } from '../triggers/regex.ts';
import { withCostLimits, stepKeyword, Steps, stepsFor, tooLarge, TooManySteps } from './schema-cost.ts';

const mostProblems = 20;
/** Enough to decide whether a value fits. */
const stepsToCheck = 1_000_000;
/** To list every problem. Smaller, because each problem allocates an object. */
const stepsToExplain = 20_000;

export const isType = (value: unknown): boolean => shorthandTypes.some((type) => type === value);

/** Undefined: the value fits. */
type ProblemsOf = (value: unknown, patterns: Pick<Patterns, 'holds'>) => Problem[] | undefined;

/** The validator of schemas, made once because compiling the meta-schema is slow. */
let meta: Ajv2020 | undefined;

export function compileSchema(
  schema: Record<string, unknown>,
  patterns: PatternCheck,
): { ok: true; value: ProblemsOf } | { ok: false; message: string } {
  const large = tooLarge(schema);
  if (large !== undefined) return { ok: false, message: large };
  const refuse = (reason: string): { ok: false; message: string } => ({ ok: false, message: `is not a JSON Schema: ${reason}` });
  try {
    meta ??= new Ajv2020({ logger: false, allErrors: true });
    if (meta.validateSchema(schema) !== true) return refuse(schemaWords(meta.errors ?? []).slice(0, 500));
    const firstProblem = validatorOf(schema, patterns, false);
    let allProblems: Validator | undefined;
    return {
      ok: true,
      value: (value, answers) => {
        const first = firstProblem(value, answers, stepsToCheck);
        if (first === 'fits') return undefined;
        if (typeof first === 'string') return [{ field: '(output)', message: uncheckedTexts[first] }];
        allProblems ??= validatorOf(schema, patterns, true);
        const all = allProblems(value, answers, stepsToExplain);
        return problemsFrom(Array.isArray(all) ? all : first);
      },
    };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return refuse(compilerWords(error.message, schema));
  }
}

/** Words for problems that the library finds only when it compiles the schema. */
function compilerWords(message: string, schema: Record<string, unknown>): string {
  const unknown = /^strict mode: unknown keyword: "(.*)"$/.exec(message)?.[1];
  // One field with more than a type makes the shorthand a schema, in which fields belong under `properties`.
  if (unknown !== undefined)
    return `it has no keyword "${unknown}"${Object.hasOwn(schema, unknown) && !isType(schema['type']) ? '; names of fields belong under properties' : ''}`;
  const target = /^can't resolve reference (\S+) from id/.exec(message)?.[1];
  return target === undefined ? message : `it refers to ${target}, which is not in it`;
}

const isTypes = ({ keyword, params }: ErrorObject): boolean =>
  keyword === 'enum' && (params['allowedValues'] as unknown[]).includes('integer');

/** The library lists every attempt; the author of the schema needs the one place that is wrong. */
function schemaWords(errors: readonly ErrorObject[]): string {
  const types = new Set(errors.filter(isTypes).map(({ instancePath }) => instancePath));
  const words = errors.map(({ instancePath, message = 'is wrong' }) => {
    const place = instancePath.slice(1).replaceAll('/', '.');
    const wanted = types.has(instancePath)
      ? `must be one of ${[...shorthandTypes, 'null'].join(', ')}`
      : message.replace('must be object,boolean', 'must be a schema: an object, true or false');
    return `${place} ${wanted}`.trim();
  });
  return [...new Set(words)].join(', ');
}

const uncheckedTexts = {
  too_many_steps: 'takes too many steps to be checked against its schema',
  too_slow: 'takes too long to be matched against the patterns of its schema',
  endless: 'cannot be checked against its schema, which refers to itself without end',
} as const;

type Validator = (
  value: unknown,
  patterns: Pick<Patterns, 'holds'>,
  steps: number,
) => 'fits' | keyof typeof uncheckedTexts | readonly ErrorObject[];

/** `allErrors`: lists every problem instead of the first. */
function validatorOf(schema: Record<string, unknown>, check: PatternCheck, allErrors: boolean): Validator {
  const steps = new Steps();
  let current: Pick<Patterns, 'holds'> | undefined;
  const regExp = (source: string): { test: (text: string) => boolean; toString: () => string } => {
    const problem = check.problem(source);
    if (problem !== undefined) throw new Error(`pattern ${source} ${problem}`);
    const test = (text: string): boolean => {
      const holds = current!.holds(source, text, '');
      if (holds === null) throw new TooSlow();
      return holds;
    };
    // Ajv caches patterns by their text; without `toString` all would share the first.
    return { test, toString: () => source };
  };
  const ajv = strictAjv(regExp, allErrors);
  countSteps(ajv, steps);
  replaceUniqueItems(ajv, steps);
  const validate = ajv.compile(withCostLimits(schema) as Record<string, unknown>);
  return (value, patterns, most) => {
    steps.allow(most);
    current = patterns;
    try {
      return validate(value) ? 'fits' : (validate.errors ?? []);
    } catch (error) {
      if (error instanceof TooManySteps) return 'too_many_steps';
      if (error instanceof TooSlow) return 'too_slow';
      // A schema that refers to itself recurses without taking a step, until the stack ends.
      if (error instanceof RangeError) return 'endless';
      throw error;
    }
  };
}

/** Each schema needs its own, because names in a schema are its own. */
const strictAjv = (regExp: (source: string) => { test: (text: string) => boolean; toString: () => string }, allErrors: boolean): Ajv2020 =>
  new Ajv2020({
    allErrors,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    validateFormats: false,
    // Ajv then compiles a part with a thousand references to it only once.
    inlineRefs: false,
    meta: false,
    validateSchema: false,
    logger: false,
    // The author of a schema may write a slow pattern, so the patterns run with the limits of a trigger's (PRV-6).
    code: { regExp: Object.assign(regExp, { code: 'regExp' }) },
  });

function countSteps(ajv: Ajv2020, steps: Steps): void {
  ajv.addKeyword({
    keyword: stepKeyword,
    validate: (cost: Parameters<typeof stepsFor>[0], value: unknown) => {
      steps.take(stepsFor(cost, value));
      return true;
    },
  });
  // The step counter runs before every other keyword: Ajv skips the rest after a failure, and would not count it.
  const rule = ajv.RULES.all[stepKeyword];
  for (const group of ajv.RULES.rules) group.rules = group.rules.filter((one) => one !== rule);
  if (typeof rule === 'object') ajv.RULES.rules.unshift({ rules: [rule] });
}

const lettersInAStep = 10;

/** Ajv's own check compares every pair of items. */
function replaceUniqueItems(ajv: Ajv2020, steps: Steps): void {
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (wanted: boolean, items: unknown[]) => {
      if (!wanted) return true;
      const texts = items.map((item) => canonical(item));
      steps.take(texts.reduce((sum, { length }) => sum + length, 0) / lettersInAStep);
      return new Set(texts).size === items.length;
    },
  });
}

class TooSlow extends Error {}

function problemsFrom(errors: readonly ErrorObject[]): Problem[] {
  return errors.slice(0, mostProblems).map(({ instancePath, message, keyword, params }) => {
    const path = instancePath.slice(1).replaceAll('/', '.');
    const missing: unknown = keyword === 'required' ? params['missingProperty'] : undefined;
    if (typeof missing === 'string') return { field: [path, missing].filter((part) => part !== '').join('.'), message: 'is required' };
    return { field: path || '(output)', message: message ?? 'does not fit the schema' };
  });
}
