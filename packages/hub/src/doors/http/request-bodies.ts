// Bodies are read by hand where the defaults are too kind: text that is not UTF-8 would be stored with replacement
// characters, and nesting without end would be the parser's problem instead of the sender's.

import { isUtf8 } from 'node:buffer';
import { ParleyError, wholeJson } from '@parley/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';

export const maxNesting = 64;
/** Fields and entries of one body. Making objects of a hundred thousand takes longer than everybody else should wait. */
const maxValues = 20_000;

export function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new ParleyError('malformed_json', 'The body is not valid UTF-8.');
  const shapeProblem = shapeOf(body);
  if (shapeProblem === 'many') throw new ParleyError('malformed_json', `The body has more than ${maxValues} fields and entries.`);
  if (shapeProblem === 'deep') throw new ParleyError('malformed_json', `The body is nested more than ${maxNesting} levels deep.`);
  try {
    return withoutProto(wholeJson(body.toString('utf8')));
  } catch (error) {
    throw new ParleyError('malformed_json', `The body is not JSON: ${(error as Error).message}`);
  }
}

const quote = 0x22;
const backslash = 0x5c;

/** Counts signs before the JSON is parsed, so that a hostile body costs little. */
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

// A refused body is read past before the refusal is sent: a proxy that passes a body on as it comes answers 502, or ends the sender's
// connection, where the answer overtakes it.

/** The largest upload and some more: a little too large, it gets its answer, too. */
const readPastBytes = 32 * 1024 * 1024;
/** Up to here the framework reads it by itself, and ends the connection where its sender asks for that. */
const shortBytes = 65_536;
/** A slow sender gets its refusal by then, and the end of the connection. */
const readPastMs = 2000;

/** Resolves when the body is read, or will not be; nothing to wait for where it is short. */
export function readPast({ raw, headers }: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
  const length = Number(headers['content-length'] ?? Infinity);
  if (raw.complete || length <= shortBytes) return undefined;
  // An endless body is not read; files have a length.
  if (length > readPastBytes) return void reply.header('connection', 'close');
  return new Promise((resolve) => {
    const end = (isRead: boolean) => (): void => {
      clearTimeout(patience);
      // The framework says otherwise where it refuses a length, and a proxy asks for the end of the connection as a matter of course.
      if (!reply.sent) reply.header('connection', isRead ? 'keep-alive' : 'close');
      resolve();
    };
    const giveUp = end(false);
    const patience = setTimeout(giveUp, readPastMs).unref();
    raw.resume();
    raw.once('end', end(true));
    raw.once('close', giveUp);
  });
}
