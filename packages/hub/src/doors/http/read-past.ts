// A refused body is read past, so that its sender hears why.

import type { FastifyReply, FastifyRequest } from 'fastify';

/** The largest upload and some more: a little too large, it gets its answer, too. */
const readPastBytes = 32 * 1024 * 1024;
/** Up to here the framework reads it by itself, and ends the connection where its sender asks for that. */
const shortBytes = 65_536;
/** No sender is waited for: by then a proxy has read the answer. */
const readPastMs = 2000;

/** A proxy that passes a body on as it comes answers 502 where the connection ends before it has sent all. */
export function readPast({ raw, headers }: FastifyRequest, reply: FastifyReply): void {
  const length = Number(headers['content-length'] ?? Infinity);
  if (length <= shortBytes) return;
  if (length > readPastBytes && headers['transfer-encoding'] === undefined) return void reply.header('connection', 'close');
  // The framework says otherwise where it refuses a length, and a proxy asks for the end of the connection as a matter of course.
  reply.header('connection', 'keep-alive');
  let size = 0;
  raw.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > readPastBytes) raw.destroy();
  });
  const patience = setTimeout(() => raw.destroy(), readPastMs).unref();
  raw.once('close', () => clearTimeout(patience));
  raw.once('end', () => clearTimeout(patience));
}
