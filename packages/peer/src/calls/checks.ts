// Values that a person gives in a call, checked the same wherever they come from.

import type { z } from 'zod';
import { FieldName } from '@parley/protocol/relay';
import { badInput } from '@parley/protocol';

const mostWords = 500;
const mostNameLetters = 80;

export function mustBeWords(name: string, words: string): void {
  if (words.trim() === '' || words.length > mostWords)
    throw badInput(`${name} needs 1 to ${mostWords} characters; it has ${words.length}.`);
}

export function mustBeName(what: string, name: string): string {
  const short = name.trim().replaceAll(/\s+/g, ' ');
  if (short === '' || short.length > mostNameLetters || /\p{C}/u.test(short))
    throw badInput(`${what} needs 1 to ${mostNameLetters} characters; it has ${name.length}.`);
  return short;
}

export function mustBeField(name: string, field: string): void {
  if (!FieldName.safeParse(field).success)
    throw badInput(`${name}: ${JSON.stringify(field)} is no field: use at most 64 letters, digits, "_", "." and "-".`);
}

export function mustBeValid<T extends z.ZodType>(name: string, schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  throw badInput(`${[name, ...path.map(String)].join('.')}: ${message}.`);
}
