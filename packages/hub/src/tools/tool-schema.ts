// Schemas that a tool server gave: what a call's arguments and result are held to. They are somebody else's, so what could
// keep the hub busy for ever (a regular expression) or lead elsewhere is taken out before they are compiled.

export type SchemaCheck = (value: unknown) => string | undefined;

/** Keys under which names stand, and not words of the schema's language. */
const named = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);
/** Expressions that are run over text; its server checks them itself. And ids, which would be shared between servers. */
const dropped = new Set(['pattern', 'patternProperties', 'format', '$id', 'id', '$schema']);
const verbatim = new Set(['enum', 'const', 'default', 'examples', 'required', 'description', 'title']);
const deepest = 40;
const longest = 50_000;

function harmless(schema: unknown, depth = 0): unknown {
  if (depth > deepest) throw new Error('is nested too deeply');
  if (Array.isArray(schema)) return schema.map((one) => harmless(one, depth + 1));
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema as Record<string, unknown>).flatMap(([key, value]): [string, unknown][] => {
    if (dropped.has(key)) return [];
    if (verbatim.has(key)) return [[key, value]];
    if (!named.has(key) || typeof value !== 'object' || value === null) return [[key, harmless(value, depth + 1)]];
    const inside = Object.entries(value).map(([name, one]) => [name, harmless(one, depth + 1)]);
    return [[key, Object.fromEntries(inside)]];
  });
  return Object.fromEntries(entries);
}

const unknownType = /type must be JSONType[^:]*: (.*)$/;

/** The library speaks to programmers; this is read by the operator of a server. */
function validatorOf<V>(engine: { getValidator: (schema: Record<string, unknown>) => V }, schema: Record<string, unknown>): V {
  try {
    return engine.getValidator(schema);
  } catch (error) {
    const type = unknownType.exec((error as Error).message)?.[1];
    throw type === undefined
      ? error
      : new Error(`has a type that is none: ${type} (there are string, number, integer, boolean, array, object and null)`);
  }
}

export type Compile = (schema: unknown) => { schema: Record<string, unknown>; check: SchemaCheck };

/** Each listing has its own compiler, so that equal names of two servers do not collide. */
export async function compiler(): Promise<Compile> {
  const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/client/validators/ajv');
  const engine = new AjvJsonSchemaValidator();
  return (given) => {
    if (JSON.stringify(given).length > longest) throw new Error(`has more than ${longest} characters`);
    const schema = harmless(given) as Record<string, unknown>;
    const validate = validatorOf(engine, schema);
    return {
      schema,
      check: (value) => {
        const verdict = validate(value);
        return verdict.valid ? undefined : (verdict.errorMessage ?? 'is not of the form its schema says');
      },
    };
  };
}
