// Bodies are read by hand where the defaults are too kind: text that is not UTF-8 would be stored with replacement
// characters, and nesting without end would be the parser's problem instead of the sender's.

import { isUtf8 } from 'node:buffer';
import { ParleyError, wholeJson } from '@parley/protocol';

export const maxNesting = 64;
/** Fields and entries of one body. Making objects of a hundred thousand takes longer than everybody else should wait. */
const maxValues = 20_000;

export function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new ParleyError('malformed_json', 'The body is not valid UTF-8.');
  const wrong = shapeOf(body);
  if (wrong === 'many') throw new ParleyError('malformed_json', `The body has more than ${maxValues} fields and entries.`);
  if (wrong === 'deep') throw new ParleyError('malformed_json', `The body is nested more than ${maxNesting} levels deep.`);
  try {
    return withoutProto(wholeJson(body.toString('utf8')));
  } catch (error) {
    throw new ParleyError('malformed_json', `The body is not JSON: ${(error as Error).message}`);
  }
}

const quote = 0x22;
const backslash = 0x5c;

/** From the signs alone, before anything is made of them. */
function shapeOf(body: Buffer): 'deep' | 'many' | 'fine' {
  let depth = 0;
  let values = 0;
  let inString = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i];
    if (inString) {
      if (byte === backslash) i++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > maxNesting) return 'deep';
    } else if (byte === 0x7d || byte === 0x5d) depth--;
    else if (byte === 0x2c && ++values > maxValues) return 'many';
  }
  return 'fine';
}

/** `__proto__` as an own key survives JSON.parse and harms later copies of the object. */
function withoutProto(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__')) throw new Error('__proto__ is not a field');
  return value;
}

function unused(): never {
  throw new Error('A route has a schema of fastify; the route table has its own');
}
/** The route table checks and writes by zod: fastify's two compilers are never asked, and so not loaded. */
export const noCompilers = { buildValidator: unused, buildSerializer: unused };
