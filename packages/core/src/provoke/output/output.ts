// The output that an invocation must produce (PRV-13), compiled once: the published shorthand, or JSON Schema 2020-12.
// Prose instead of the requested values is a failure.

import { type Manifest, type Problem, shorthandTypes } from '@parley/protocol';
import { cutText } from '../../model/prompt-blocks.ts';
import { isObject, shapeProblems } from '../events/value-limits.ts';
import type { PatternCheck, Patterns } from '../triggers/regex.ts';
import type { Compilation } from '../triggers/trigger.ts';
import { compileSchema, isType } from './schema-validator.ts';

export type OutputVerdict = { ok: true; value: unknown } | { ok: false; problems: Problem[] };
/** The output as text; for `structured`, the value in it. */
export type OutputCheck = (text: string, patterns: Pick<Patterns, 'holds'>) => OutputVerdict;

/** The hub blocks while it parses and writes an output, and one event may start many invocations. */
const longestOutput = 100_000;

export function compileOutput(output: Manifest['output'], patterns: PatternCheck, at = 'agent.output'): Compilation<OutputCheck> {
  if (output.type === 'text') return { ok: true, value: (text) => ({ ok: true, value: cutText(text, longestOutput) }) };
  const { schema } = output;
  const values = Object.values(schema);
  if (values.length === 0) return failed(`${at}.schema`, 'must name at least one field');
  const isJsonSchema = '$schema' in schema || '$ref' in schema || (isType(schema['type']) && !values.every(isType));
  if (!isJsonSchema && values.every((value) => typeof value === 'string')) {
    if (values.length === 1 && 'type' in schema) return failed(`${at}.schema`, 'could be either: put $schema beside it for JSON Schema');
    const wrong = Object.entries(schema).filter(([, type]) => !isType(type));
    if (wrong.length > 0)
      return {
        ok: false,
        problems: wrong.map(([name]) => ({ field: `${at}.schema.${name}`, message: `must be one of ${shorthandTypes.join(', ')}` })),
      };
    return { ok: true, value: shorthand(schema as Record<string, ShorthandType>) };
  }
  const compiled = compileSchema(schema, patterns);
  if (!compiled.ok) return failed(`${at}.schema`, compiled.message);
  const problemsOf = compiled.value;
  return {
    ok: true,
    value: (text, answers) => {
      const read = valueIn(text);
      const problems = read.ok ? problemsOf(read.value, answers) : undefined;
      return problems ? { ok: false, problems } : read;
    },
  };
}

const failed = (field: string, message: string): { ok: false; problems: Problem[] } => ({ ok: false, problems: [{ field, message }] });

type ShorthandType = (typeof shorthandTypes)[number];

const hasType: Record<ShorthandType, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: isObject,
};

/** All named fields are required, and others are allowed. */
const shorthand =
  (schema: Record<string, ShorthandType>): OutputCheck =>
  (text) => {
    const read = valueIn(text);
    if (!read.ok) return read;
    const { value } = read;
    if (!isObject(value)) return failed('(output)', 'must be an object');
    const problems = Object.entries(schema).flatMap(([name, type]): Problem[] => {
      if (!Object.hasOwn(value, name)) return [{ field: name, message: 'is required' }];
      return hasType[type](value[name]) ? [] : [{ field: name, message: `must be ${type}` }];
    });
    return problems.length > 0 ? { ok: false, problems } : read;
  };

/** Models often put a code fence around values; a fence around the whole output is not prose. */
function valueIn(text: string): OutputVerdict {
  if (text.length > longestOutput) return failed('(output)', `has ${text.length} characters, and may have at most ${longestOutput}`);
  const inner = /^\s*```(?:json)?[ \t]*\n([\s\S]*)\n[ \t]*```\s*$/.exec(text)?.[1] ?? text;
  let value: unknown;
  try {
    value = JSON.parse(inner);
  } catch {
    return failed('(output)', 'must be JSON and nothing else');
  }
  const problems = shapeProblems(value);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value };
}
