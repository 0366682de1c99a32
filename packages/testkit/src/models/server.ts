// A server that speaks as the providers of models do, on this machine, and says what a script tells it to. Agents are pointed
// at it by their base URL; the code between is the real one. It needs no test runner: examples use it as well.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ModelCall, readAsked } from './requests.ts';
import { apiOf, errorBody, type ModelApi, streamOf, type Words } from './wire.ts';

export type { ModelCall } from './requests.ts';
export type { ModelApi, Words } from './wire.ts';

/** The model's behaviour for one request. */
export type Reply =
  | Words
  | { status: number; /** In seconds. */ retryAfter?: number; /** Sent as it is, instead of the provider's own form. */ body?: string }
  /** `malformed`: what is no JSON; `endless`: it goes on and on; `trickle`: so does this, a word at a time; `hang`: not a word;
   * `disconnect`: the line breaks after a few. */
  | { fault: 'malformed' | 'endless' | 'trickle' | 'hang' | 'disconnect' }
  /** The line is one that ends in a newline never. */
  | { fault: 'flood' };

/** Replies in order, of which the last repeats; or a function of the request. */
export type Script = Reply[] | ((asked: ModelCall) => Reply | Promise<Reply>);

export interface ModelServer {
  /** For `baseUrl`, with the path that the provider's own has. */
  baseUrl(provider: 'anthropic' | 'openai' | 'openai_compatible'): string;
  /** Sets the replies of the model with this name. */
  script(model: string, script: Script): void;
  /** All requests, in order. */
  readonly asked: ModelCall[];
  /** Resolves when so many were asked in all. */
  heard(count: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startModels(): Promise<ModelServer> {
  const scripts = new Map<string, { script: Script; at: number }>();
  const calls: ModelCall[] = [];
  const open = new Set<ServerResponse>();
  let waiting: { count: number; tell: () => void }[] = [];
  const next = (one: ModelCall): Reply | Promise<Reply> => {
    const modelScript = scripts.get(one.model);
    if (!modelScript) return { status: 404 };
    if (typeof modelScript.script === 'function') return modelScript.script(one);
    return modelScript.script[Math.min(modelScript.at++, modelScript.script.length - 1)] ?? { status: 500 };
  };
  const server = createServer((request, response) => {
    open.add(response);
    response.on('close', () => open.delete(response));
    void answer(request, response).catch(() => response.destroy());
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const api = apiOf(request.url ?? '');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (!api) return void response.writeHead(404).end();
    const one = readAsked(api, request.headers, Buffer.concat(chunks).toString('utf8'));
    calls.push(one);
    waiting = waiting.filter(({ count, tell }) => calls.length < count || (tell(), false));
    await reply(response, api, one.model, await next(one));
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: (provider) => `http://127.0.0.1:${port}/${provider}/v1`,
    script: (model, script) => void scripts.set(model, { script, at: 0 }),
    asked: calls,
    heard: (count) => (calls.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, tell: resolve }))),
    stop: async () => {
      for (const response of open) response.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function reply(response: ServerResponse, api: ModelApi, model: string, said: Reply): Promise<void> {
  if ('status' in said) {
    const headers = said.retryAfter === undefined ? {} : { 'retry-after': String(said.retryAfter) };
    response.writeHead(said.status, { 'content-type': 'application/json', ...headers });
    return void response.end(said.body ?? errorBody(api, said.status));
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (!('fault' in said)) return speak(response, streamOf(api, model, said), said.pause);
  const frames = streamOf(api, model, { text: 'I am about to say something that has no end' });
  switch (said.fault) {
    case 'hang':
      return;
    case 'malformed':
      return void response.end('event: message\ndata: {"type": "message_sta\n\ndata: this is no JSON at all\n\n');
    case 'disconnect':
      // Broken off in the middle of what it said, and without an end.
      return void response.write(frames.slice(0, Math.ceil(frames.length / 2)).join(''), () => response.destroy());
    case 'flood':
      return pour(response, () => 'x'.repeat(65_536));
    case 'endless':
    case 'trickle': {
      const at = frames.findIndex((frame) => frame.includes('about'));
      response.write(frames.slice(0, at).join(''));
      return said.fault === 'endless' ? pour(response, () => frames[at]!.repeat(100)) : drip(response, frames[at]!);
    }
  }
}

async function speak(response: ServerResponse, frames: string[], pause: Promise<unknown> | undefined): Promise<void> {
  const half = pause ? Math.ceil(frames.length / 2) : frames.length;
  response.write(frames.slice(0, half).join(''));
  await pause;
  response.end(frames.slice(half).join(''));
}

/** Slowly enough that the listener is out of patience before it is out of room. */
async function drip(response: ServerResponse, word: string): Promise<void> {
  while (!response.destroyed) {
    response.write(word);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function pour(response: ServerResponse, more: () => string): Promise<void> {
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  while (!response.destroyed) {
    if (!response.write(more())) await Promise.race([new Promise<void>((resolve) => response.once('drain', resolve)), closed]);
    else await new Promise((resolve) => setImmediate(resolve));
  }
}
