// The output that an invocation must produce (PRV-13), compiled once: the published shorthand, or JSON Schema 2020-12.
// Words where values were asked for are a failure, whatever they say.

import { type Manifest, type Problem, shorthandTypes } from '@parley/protocol';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { canonical } from '../../approval/approval.ts';
import { cutText } from '../../model/prompt-blocks.ts';
import type { PatternCheck, Patterns } from '../triggers/regex.ts';
import { withCostLimits, stepKeyword, Steps, stepsFor, tooLarge, TooManySteps } from './schema-cost.ts';
import { isObject, shapeProblems } from '../events/value-limits.ts';
import type { Compilation } from '../triggers/trigger.ts';

export type OutputVerdict = { ok: true; value: unknown } | { ok: false; problems: Problem[] };
/** The output as text; for `structured`, the value in it. */
export type OutputCheck = (text: string, patterns: Pick<Patterns, 'holds'>) => OutputVerdict;

/** Everybody waits while it is read and written, and one event may start many invocations. */
const longestOutput = 100_000;
const mostProblems = 20;
/** To know whether it fits. */
const mostSteps = 1_000_000;
/** To name everything that does not: each miss is an object, and there can be one for each name and each item. */
const stepsToTell = 20_000;

const isType = (value: unknown): boolean => shorthandTypes.some((type) => type === value);

export function compileOutput(output: Manifest['output'], patterns: PatternCheck, at = 'agent.output'): Compilation<OutputCheck> {
  if (output.type === 'text') return { ok: true, value: (text) => ({ ok: true, value: cutText(text, longestOutput) }) };
  const { schema } = output;
  const values = Object.values(schema);
  const refuse = (field: string, message: string): Compilation<never> => ({ ok: false, problems: [{ field: `${at}.${field}`, message }] });
  if (values.length === 0) return refuse('schema', 'must name at least one field');
  const isJsonSchema = '$schema' in schema || '$ref' in schema || (isType(schema['type']) && !values.every(isType));
  if (!isJsonSchema && values.every((value) => typeof value === 'string')) {
    if (values.length === 1 && 'type' in schema) return refuse('schema', 'could be either: put $schema beside it for JSON Schema');
    const wrong = Object.entries(schema).filter(([, type]) => !isType(type));
    if (wrong.length > 0)
      return {
        ok: false,
        problems: wrong.map(([name]) => ({ field: `${at}.schema.${name}`, message: `must be one of ${shorthandTypes.join(', ')}` })),
      };
    return { ok: true, value: shorthand(schema as Record<string, ShorthandType>) };
  }
  return compileSchema(schema, patterns, `${at}.schema`);
}

type ShorthandType = (typeof shorthandTypes)[number];

const fits: Record<ShorthandType, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: isObject,
};

/** All are required and others allowed. */
const shorthand =
  (schema: Record<string, ShorthandType>): OutputCheck =>
  (text) => {
    const read = valueIn(text);
    if (!read.ok) return read;
    const { value } = read;
    if (!isObject(value)) return { ok: false, problems: [{ field: '(output)', message: 'must be an object' }] };
    const problems = Object.entries(schema).flatMap(([name, type]): Problem[] => {
      if (!Object.hasOwn(value, name)) return [{ field: name, message: 'is required' }];
      return fits[type](value[name]) ? [] : [{ field: name, message: `must be ${type}` }];
    });
    return problems.length > 0 ? { ok: false, problems } : read;
  };

/** Knows what a schema is; made once, because learning it takes longer than any schema. */
let meta: Ajv2020 | undefined;

function compileSchema(schema: Record<string, unknown>, patterns: PatternCheck, at: string): Compilation<OutputCheck> {
  const refuse = (message: string): Compilation<never> => ({
    ok: false,
    problems: [{ field: at, message: `is not a JSON Schema: ${message}` }],
  });
  const large = tooLarge(schema);
  if (large !== undefined) return { ok: false, problems: [{ field: at, message: large }] };
  try {
    meta ??= new Ajv2020({ logger: false, allErrors: true });
    if (meta.validateSchema(schema) !== true) return refuse(schemaWords(meta.errors ?? []).slice(0, 500));
    const fitting = validatorOf(schema, patterns, false);
    let telling: Validator | undefined;
    return {
      ok: true,
      value: (text, answers) => {
        const read = valueIn(text);
        if (!read.ok) return read;
        const first = fitting(read.value, answers, mostSteps);
        if (first === 'fits') return read;
        if (typeof first === 'string') return { ok: false, problems: [{ field: '(output)', message: unjudged[first] }] };
        telling ??= validatorOf(schema, patterns, true);
        const all = telling(read.value, answers, stepsToTell);
        return { ok: false, problems: problemsFrom(Array.isArray(all) ? all : first) };
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
  // Names with types, and one of them with more than that: then it is a schema, and names have their place in one.
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

const unjudged = {
  too_many_steps: 'takes too many steps to be checked against its schema',
  too_slow: 'takes too long to be matched against the patterns of its schema',
  endless: 'cannot be checked against its schema, which refers to itself without end',
} as const;

type Validator = (
  value: unknown,
  patterns: Pick<Patterns, 'holds'>,
  steps: number,
) => 'fits' | keyof typeof unjudged | readonly ErrorObject[];

/** `allErrors`: as many as there are, instead of the first. */
function validatorOf(schema: Record<string, unknown>, check: PatternCheck, allErrors: boolean): Validator {
  const steps = new Steps();
  let current: Pick<Patterns, 'holds'> | undefined;
  /** The library keeps them by their text: without one of its own, all patterns would be the first. */
  const regExp = (source: string): { test: (text: string) => boolean; toString: () => string } => {
    const problem = check.problem(source);
    if (problem !== undefined) throw new Error(`pattern ${source} ${problem}`);
    const test = (text: string): boolean => {
      const holds = current!.holds(source, text, '');
      if (holds === null) throw new TooSlow();
      return holds;
    };
    return { test, toString: () => source };
  };
  // One for each schema: names in it are its own.
  const ajv = new Ajv2020({
    allErrors,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    validateFormats: false,
    // A target of a thousand references is compiled once.
    inlineRefs: false,
    meta: false,
    validateSchema: false,
    logger: false,
    // Patterns of a schema are patterns of others, too (PRV-6).
    code: { regExp: Object.assign(regExp, { code: 'regExp' }) },
  });
  ajv.addKeyword({
    keyword: stepKeyword,
    validate: (cost: Parameters<typeof stepsFor>[0], value: unknown) => {
      steps.take(stepsFor(cost, value));
      return true;
    },
  });
  // Before all others: what has failed is not gone on with, and would not be counted.
  const rule = ajv.RULES.all[stepKeyword];
  for (const group of ajv.RULES.rules) group.rules = group.rules.filter((one) => one !== rule);
  if (typeof rule === 'object') ajv.RULES.rules.unshift({ rules: [rule] });
  // The library's own compares each with each.
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
  const validate = ajv.compile(withCostLimits(schema) as Record<string, unknown>);
  return (value, patterns, most) => {
    steps.allow(most);
    current = patterns;
    try {
      return validate(value) ? 'fits' : (validate.errors ?? []);
    } catch (error) {
      if (error instanceof TooManySteps) return 'too_many_steps';
      if (error instanceof TooSlow) return 'too_slow';
      // A part that is itself, whatever the value: no step goes further into that, and the stack ends before they do.
      if (error instanceof RangeError) return 'endless';
      throw error;
    }
  };
}

const lettersInAStep = 10;

class TooSlow extends Error {}

/** Models like to put a fence around values; one around the whole is no prose. */
function valueIn(text: string): OutputVerdict {
  if (text.length > longestOutput)
    return {
      ok: false,
      problems: [{ field: '(output)', message: `has ${text.length} characters, and may have at most ${longestOutput}` }],
    };
  const inner = /^\s*```(?:json)?[ \t]*\n([\s\S]*)\n[ \t]*```\s*$/.exec(text)?.[1] ?? text;
  let value: unknown;
  try {
    value = JSON.parse(inner);
  } catch {
    return { ok: false, problems: [{ field: '(output)', message: 'must be JSON and nothing else' }] };
  }
  const problems = shapeProblems(value);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value };
}

function problemsFrom(errors: readonly ErrorObject[]): Problem[] {
  return errors.slice(0, mostProblems).map(({ instancePath, message, keyword, params }) => {
    const path = instancePath.slice(1).replaceAll('/', '.');
    const missing: unknown = keyword === 'required' ? params['missingProperty'] : undefined;
    if (typeof missing === 'string') return { field: [path, missing].filter((part) => part !== '').join('.'), message: 'is required' };
    return { field: path || '(output)', message: message ?? 'does not fit the schema' };
  });
}
