// The schemas of the OpenAPI document: each one that the protocol exports has its name there once, and all others refer to it.

import * as protocol from '@parley/protocol';
import { type Route, routes } from '@parley/protocol';
import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;
type Part = 'params' | 'query' | 'body' | 'response';
type Direction = 'input' | 'output';
type Schemas = Record<string, JsonSchema>;

const at = '#/components/schemas/';
const parts: Part[] = ['params', 'query', 'body', 'response'];
const inlineName = (route: string, part: Part): string => `${route}.${part}`;

/** Schemas without a name of their own belong to one route, and stand there. */
function registryOfAll(): z.core.$ZodRegistry<{ id: string }> {
  const registry = z.registry<{ id: string }>();
  for (const [name, value] of Object.entries(protocol)) {
    if (/^[A-Z]/.test(name) && value instanceof z.ZodType) registry.add(value, { id: name });
  }
  for (const [name, route] of Object.entries(routes) as [string, Route][]) {
    for (const part of parts) if (route[part] && !registry.has(route[part])) registry.add(route[part], { id: inlineName(name, part) });
  }
  return registry;
}

/**
 * zod numbers schemas that contain themselves. The only one is any JSON value, which needs no form: generators of clients fail on
 * it. Another would need an exported name.
 */
function withoutNumbers(text: string, shared: JsonSchema | undefined): string {
  const forms = Object.entries((shared?.['$defs'] ?? {}) as Schemas).map(([name, schema]) =>
    JSON.stringify(schema).replaceAll(`${at}__shared#/$defs/${name}"`, `${at}JsonValue"`),
  );
  if (new Set(forms).size > 1) throw new Error('Two schemas contain themselves. Export each under a name from @parley/protocol.');
  const named = text.replaceAll(/__shared#\/\$defs\/\w+"/g, 'JsonValue"');
  return forms.length === 0 ? named : `${named.slice(0, -1)},"JsonValue":{"description":"any JSON value"}}`;
}

/** Generators of clients take what has a default for what must be sent. */
function describeDefault(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.default === undefined) return;
  const text = `default: ${JSON.stringify(schema.default)}`;
  schema.description = schema.description === undefined ? text : `${schema.description} (${text})`;
  delete schema.default;
}

function schemasFor(io: Direction, registry: z.core.$ZodRegistry<{ id: string }>): Schemas {
  const { schemas } = z.toJSONSchema(registry, {
    io,
    unrepresentable: 'any',
    uri: (id) => at + id,
    override: ({ jsonSchema }) => (io === 'input' ? describeDefault(jsonSchema) : undefined),
  });
  const { __shared, ...rest } = schemas as Schemas;
  for (const schema of Object.values(rest)) {
    delete schema['$schema'];
    delete schema['$id'];
  }
  return JSON.parse(withoutNumbers(JSON.stringify(rest), __shared)) as Schemas;
}

const refsIn = (schema: unknown): string[] =>
  [...JSON.stringify(schema).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map((match) => match[1]!);

function withRefs(schemas: Schemas, names: readonly string[], found = new Set<string>()): Set<string> {
  for (const name of names) if (!found.has(name)) withRefs(schemas, refsIn(schemas[name]), found.add(name));
  return found;
}

/** A request may lack a field with a default, and an answer has it: a schema for both has two forms. */
function namesWithTwoForms({ input, output }: Record<Direction, Schemas>, answers: readonly string[]): Set<string> {
  const differing = new Set(Object.keys(output).filter((name) => JSON.stringify(input[name]) !== JSON.stringify(output[name])));
  const answerNames = [...withRefs(output, answers)];
  return new Set(answerNames.filter((name) => !withRefs(output, [name]).isDisjointFrom(differing)));
}

export type NamedSchemas = ReturnType<typeof namedSchemas>;

export function namedSchemas() {
  const registry = registryOfAll();
  const all = { input: schemasFor('input', registry), output: schemasFor('output', registry) };
  const answers = (Object.values(routes) as Route[]).map(({ response }) => registry.get(response)!.id);
  const two = namesWithTwoForms(all, ['WireError', ...answers]);
  const used: Schemas = {};
  const nameIn = (io: Direction, name: string): string => (io === 'input' && two.has(name) ? `${name}Input` : name);
  const refTo = (io: Direction, name: string): JsonSchema => {
    const schemaName = nameIn(io, name);
    if (!(schemaName in used)) {
      used[schemaName] = {};
      used[schemaName] = resolved(io, all[io][name]!);
    }
    return { $ref: at + schemaName };
  };
  const resolved = (io: Direction, schema: JsonSchema): JsonSchema => {
    for (const ref of refsIn(schema)) refTo(io, ref);
    const text = JSON.stringify(schema).replaceAll(
      /"\$ref":"#\/components\/schemas\/(\w+)"/g,
      (_, ref: string) => `"$ref":"${at}${nameIn(io, ref)}"`,
    );
    return JSON.parse(text) as JsonSchema;
  };
  return {
    of: (route: string, part: Part, schema: z.ZodType): JsonSchema => {
      const io = part === 'response' ? 'output' : 'input';
      const name = registry.get(schema)!.id;
      // Parameters are listed one by one, so their form is needed, not their name.
      return part === 'params' || part === 'query' || name === inlineName(route, part) ? resolved(io, all[io][name]!) : refTo(io, name);
    },
    named: (name: string): JsonSchema => refTo('output', name),
    /** The schemas used so far, with all that they refer to. */
    components: (): Schemas => Object.fromEntries(Object.entries(used).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}
