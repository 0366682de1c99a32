// A refused body is read past before the refusal is sent: a proxy that passes a body on as it comes answers 502, or ends the sender's
// connection, where the answer overtakes it.

import type { FastifyReply, FastifyRequest } from 'fastify';

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
  // Nobody reads a body without end; files have a length.
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
