// Long answers are compressed where the client takes it. A text that is the same for everybody: once, when somebody first asks for it.

import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const encoders = {
  br: (text: string) => promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: (text: string) => promisify(gzip)(text),
} as const;
type Encoding = keyof typeof encoders;

/** The smallest that the client takes; `;q=0` refuses one. */
export function encodingFor(accepted: string | undefined): Encoding | undefined {
  const encodings = (accepted ?? '')
    .toLowerCase()
    .split(',')
    .filter((one) => !/;\s*q=0(?:\.0*)?\s*$/.test(one))
    .map((one) => one.split(';')[0]!.trim());
  return (['br', 'gzip'] as const).find((encoding) => encodings.includes(encoding));
}

export class CompressedText {
  readonly #text: string;
  readonly #made = new Map<Encoding, Promise<Buffer>>();

  constructor(text: string) {
    this.#text = text;
  }

  async send(request: FastifyRequest, reply: FastifyReply, type: string): Promise<FastifyReply> {
    const encoding = encodingFor(request.headers['accept-encoding']);
    reply.type(type).header('vary', 'accept-encoding');
    if (encoding === undefined) return reply.send(this.#text);
    const bytes = this.#made.get(encoding) ?? encoders[encoding](this.#text);
    this.#made.set(encoding, bytes);
    return reply.header('content-encoding', encoding).send(await bytes);
  }
}

/** Shorter than this, an answer fits a packet or two as it is. */
const leastBytes = 1024;

/** An answer made for one request: `gzip`, as `br` takes several times as long. */
export async function sendJson(request: FastifyRequest, reply: FastifyReply, text: string): Promise<FastifyReply> {
  reply.header('content-type', 'application/json; charset=utf-8').header('vary', 'accept-encoding');
  const takesGzip = text.length > leastBytes && encodingFor(request.headers['accept-encoding']?.replaceAll(/\bbr\b/gi, '')) === 'gzip';
  return takesGzip ? reply.header('content-encoding', 'gzip').send(await encoders.gzip(text)) : reply.send(text);
}
