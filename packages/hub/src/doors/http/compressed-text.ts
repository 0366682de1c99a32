// A long text that is the same for everybody: compressed when somebody first asks for it, and once.

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
  const taken = (accepted ?? '')
    .toLowerCase()
    .split(',')
    .filter((one) => !/;\s*q=0(?:\.0*)?\s*$/.test(one))
    .map((one) => one.split(';')[0]!.trim());
  return (['br', 'gzip'] as const).find((encoding) => taken.includes(encoding));
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
