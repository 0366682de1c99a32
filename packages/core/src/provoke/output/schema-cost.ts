// The cost of a foreign JSON Schema. Each part of it says, before it is checked, how much it will look at; a schema and a
// value that together need too much time are refused. Small as both may be, they multiply.

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

/** Making a check of them takes time with their square, and everybody waits: so many are a tenth of a second. */
const mostParts = 300;
/** Each target of a reference is a program of its own. */
const mostTargets = 100;
/** Each is a program of its own, too, and not a small one. */
const mostPatterns = 50;

/** Under these stand parts by names of others; under the rest, a part or a list of them. */
const byName = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const holdsData = new Set(['const', 'enum', 'default', 'examples', 'required', 'dependentRequired', '$vocabulary']);

type Part = Record<string, unknown>;

/** The same schema, with `make` of each part in the place of it, the inner ones first. */
function mapped(value: unknown, make: (part: Part) => Part): unknown {
  if (Array.isArray(value)) return value.map((one) => mapped(one, make));
  if (!isObject(value)) return value;
  const inner = (key: string, of: unknown): unknown => {
    if (holdsData.has(key)) return of;
    return byName.has(key) && isObject(of)
      ? Object.fromEntries(Object.entries(of).map(([name, part]) => [name, mapped(part, make)]))
      : mapped(of, make);
  };
  return make(Object.fromEntries(Object.entries(value).map(([key, of]) => [key, inner(key, of)])));
}

/** Undefined: it can be made ready in no time. */
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

/** The schema with what each part will look at: names once, and for each field or letter there is, patterns. */
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
  const ways = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'properties', 'dependentSchemas'].reduce(
    (sum, key) => sum + sizeOf(part[key]),
    0,
  );
  return [names + ways + patterns, 1 + patterns, reads ? 1 : 0];
}

export function stepsFor([names, each, letters]: Cost, value: unknown): number {
  return names + (typeof value === 'string' ? value.length * letters : sizeOf(value) * each);
}

const sizeOf = (value: unknown): number => (Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : 0);

/** The value is no deeper than a door lets in. */
const nodesIn = (value: unknown): number =>
  typeof value === 'object' && value !== null ? Object.values(value).reduce<number>((sum, one) => sum + nodesIn(one), 1) : 1;
