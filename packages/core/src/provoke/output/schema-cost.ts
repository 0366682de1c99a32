// The cost of a foreign JSON Schema. Each part counts what it will look at before it is checked, and a check that needs too much time
// is refused: a small schema and a small value can multiply.

import { isObject } from '../events/value-limits.ts';

export class TooManySteps extends Error {}

export class Steps {
  private remaining = 0;

  allow(steps: number): void {
    this.remaining = steps;
  }

  take(steps: number): void {
    this.remaining -= steps;
    if (this.remaining < 0) throw new TooManySteps();
  }
}

/** Compiling takes time with the square of the parts, and blocks the hub: these take a tenth of a second. */
const mostParts = 300;
/** Ajv compiles each target of a reference on its own. */
const mostTargets = 100;
/** Each pattern is a program, and not a small one. */
const mostPatterns = 50;

/** These keywords hold parts by name; the others hold one part or a list. */
const holdsPartsByName = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const holdsData = new Set(['const', 'enum', 'default', 'examples', 'required', 'dependentRequired', '$vocabulary']);

type Part = Record<string, unknown>;

/** The schema with each part replaced by `make(part)`, the inner parts first. */
function mapped(value: unknown, make: (part: Part) => Part): unknown {
  if (Array.isArray(value)) return value.map((one) => mapped(one, make));
  if (!isObject(value)) return value;
  const inner = (key: string, of: unknown): unknown => {
    if (holdsData.has(key)) return of;
    return holdsPartsByName.has(key) && isObject(of)
      ? Object.fromEntries(Object.entries(of).map(([name, part]) => [name, mapped(part, make)]))
      : mapped(of, make);
  };
  return make(Object.fromEntries(Object.entries(value).map(([key, of]) => [key, inner(key, of)])));
}

/** Why the schema is too large to compile; undefined if it is not. */
export function tooLarge(schema: unknown): string | undefined {
  let parts = 0;
  let patterns = 0;
  const targets = new Set<unknown>();
  mapped(schema, (part) => {
    parts++;
    patterns += (typeof part['pattern'] === 'string' ? 1 : 0) + sizeOf(part['patternProperties']);
    for (const key of ['$ref', '$dynamicRef']) if (typeof part[key] === 'string') targets.add(part[key]);
    return part;
  });
  if (parts > mostParts) return `must be at most ${mostParts} schemas`;
  if (patterns > mostPatterns) return `must have at most ${mostPatterns} patterns`;
  return targets.size > mostTargets ? `must refer to at most ${mostTargets} parts` : undefined;
}

export const stepKeyword = 'x-step';

/** The schema with a cost in each part: names count once, patterns for each field or letter of the value. */
export const withCostLimits = (schema: unknown): unknown =>
  mapped(schema, (part) => (isSimple(part) ? part : { ...part, [stepKeyword]: costOf(part) }));

/** Keywords about a type or a size cost one look, which the schema around them has counted. */
const simple = new Set('type title description minimum maximum exclusiveMinimum exclusiveMaximum multipleOf format'.split(' '));
const isSimple = (part: Part): boolean => Object.keys(part).every((key) => simple.has(key));

type Cost = [names: number, each: number, letters: number];

function costOf(part: Part): Cost {
  const names = nodesIn([part['required'], part['dependentRequired'], part['const'], part['enum']]);
  const patterns = sizeOf(part['patternProperties']);
  const reads = ['pattern', 'minLength', 'maxLength'].some((key) => key in part);
  // Branches that end at once because of another type count as well.
  const branches = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'properties', 'dependentSchemas'].reduce(
    (sum, key) => sum + sizeOf(part[key]),
    0,
  );
  return [names + branches + patterns, 1 + patterns, reads ? 1 : 0];
}

export function stepsFor([names, each, letters]: Cost, value: unknown): number {
  return names + (typeof value === 'string' ? value.length * letters : sizeOf(value) * each);
}

const sizeOf = (value: unknown): number => (Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : 0);

/** The recursion is safe: every door limits the depth of a value. */
const nodesIn = (value: unknown): number =>
  typeof value === 'object' && value !== null ? Object.values(value).reduce<number>((sum, one) => sum + nodesIn(one), 1) : 1;
