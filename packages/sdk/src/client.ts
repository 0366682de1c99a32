import {
  backoffDelay,
  type Attachment,
  type Backoff,
  type ParleyError,
  type RouteInput,
  type RouteName,
  type RouteOutput,
} from '@parley/protocol';
import { abortReason, sleep, systemClock, type ClientClock } from './clock.ts';
import { ConnectionError, decodeError } from './errors.ts';
import { routeOf, urlOf, type LooseInput } from './request-url.ts';
import { followStream, type Stream, type StreamOptions } from './stream.ts';
import type { Connect } from './transport.ts';
import { uploadWithProgress, type Upload, type UploadOptions } from './upload.ts';

export interface ClientOptions {
  /** The address of the hub, without `/api/v1`. In a page: `location.origin`. */
  baseUrl: string;
  /** Left out in a page, whose session cookie the browser sends. */
  token?: string;
  fetch?: typeof fetch;
  /** Opens a socket. Node programs with a token pass the function from `@parley/sdk/node`. */
  connect?: Connect;
  clock?: ClientClock;
  random?: () => number;
  /** The timeout of one attempt. */
  timeoutMs?: number;
  /** The most attempts of a call that is safe to repeat. */
  attempts?: number;
  backoff?: Backoff;
}

export interface CallOptions {
  /** Makes a repeat of this call safe: the hub answers it once (C2A-30). */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** Operations with a JSON answer and no raw body; `upload` and `download` do the others. */
export type CallName = Exclude<RouteName, 'uploadAttachment' | 'getAttachment'>;
type Arguments<N extends CallName> = keyof RouteInput<N> extends never
  ? [input?: Record<string, never>, options?: CallOptions]
  : [input: RouteInput<N>, options?: CallOptions];

export interface Client {
  call<N extends CallName>(name: N, ...args: Arguments<N>): Promise<RouteOutput<N>>;
  upload(file: Upload, options?: UploadOptions): Promise<Attachment>;
  download(attachmentId: string, options?: { signal?: AbortSignal }): Promise<Response>;
  /** An address for `<img>` and `<a>`: the browser sends the session itself. */
  attachmentUrl(attachmentId: string): string;
  stream(options: StreamOptions): Stream;
}

/** A large file over a slow line is not a hub that does not answer. */
const uploadTimeoutMs = 15 * 60_000;

interface Attempt {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: NonNullable<RequestInit['body']>;
  signal?: AbortSignal | undefined;
  safe: boolean;
  timeoutMs?: number;
}

export function createClient(options: ClientOptions): Client {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const backoff = options.backoff ?? { firstMs: 300, maxMs: 8_000 };
  const attempts = options.attempts ?? 5;
  const timeoutMs = options.timeoutMs ?? 30_000;
  // Called as a plain function: a browser's fetch refuses to be a method of another object.
  const send: typeof fetch = options.fetch ?? ((input, init) => fetch(input, init));
  const auth: Record<string, string> = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };

  async function sendOnce(attempt: Attempt): Promise<Response> {
    const limit = attempt.timeoutMs ?? timeoutMs;
    const timeout = new AbortController();
    const cancel = clock.after(limit, () => timeout.abort());
    const signal = attempt.signal ? AbortSignal.any([attempt.signal, timeout.signal]) : timeout.signal;
    try {
      const { method, headers, body } = attempt;
      return await send(attempt.url, { method, headers, signal, ...(body === undefined ? {} : { body }) });
    } catch (error) {
      if (attempt.signal?.aborted) throw abortReason(attempt.signal);
      if (timeout.signal.aborted) throw new ConnectionError('timeout', `No answer within ${limit} ms`, { cause: error });
      throw new ConnectionError('network', 'The hub cannot be reached', { cause: error });
    } finally {
      cancel();
    }
  }

  async function exchange(attempt: Attempt): Promise<Response> {
    for (let tried = 0; ; tried++) {
      let failure: ParleyError | ConnectionError;
      let wait: number | undefined;
      try {
        const response = await sendOnce(attempt);
        if (response.ok) return response;
        failure = decodeError(response.status, await response.text());
        wait = retryAfterMs(response.headers.get('retry-after'));
      } catch (error) {
        if (!(error instanceof ConnectionError)) throw error;
        failure = error;
      }
      const mayPass = failure instanceof ConnectionError ? failure.shouldRetry() : ['unavailable', 'rate_limited'].includes(failure.code);
      if (!attempt.safe || !mayPass || tried + 1 >= attempts) throw failure;
      await sleep(clock, wait ?? backoffDelay(tried, random, backoff), attempt.signal);
    }
  }

  async function call<N extends CallName>(name: N, ...args: Arguments<N>): Promise<RouteOutput<N>> {
    const [input = {}, { idempotencyKey, signal } = {}] = args as [LooseInput?, CallOptions?];
    const { method, idempotent } = routeOf(name);
    const response = await exchange({
      method,
      url: urlOf(options.baseUrl, name, input),
      headers: {
        accept: 'application/json',
        ...auth,
        ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      signal,
      // A key makes a repeat safe only where the hub keeps the promise.
      safe: method === 'GET' || (idempotencyKey !== undefined && idempotent === true),
    });
    try {
      return (await response.json()) as RouteOutput<N>;
    } catch (error) {
      if (signal?.aborted) throw abortReason(signal);
      throw new ConnectionError('bad_answer', `${name} was answered with something that is not JSON`, { cause: error });
    }
  }

  async function upload(file: Upload, { signal, onProgress }: UploadOptions = {}): Promise<Attachment> {
    const url = urlOf(options.baseUrl, 'uploadAttachment', { query: { name: file.name } });
    const headers = { ...auth, 'content-type': file.mediaType ?? 'application/octet-stream' };
    if (onProgress && 'XMLHttpRequest' in globalThis) return uploadWithProgress({ url, headers, data: file.data, onProgress, signal });
    const response = await exchange({ method: 'POST', url, headers, body: file.data, signal, safe: false, timeoutMs: uploadTimeoutMs });
    return (await response.json()) as Attachment;
  }

  const attachmentUrl = (attachmentId: string) => urlOf(options.baseUrl, 'getAttachment', { params: { attachmentId } });

  return {
    call,
    upload,
    download: (id, { signal } = {}) => exchange({ method: 'GET', url: attachmentUrl(id), headers: auth, signal, safe: true }),
    attachmentUrl,
    stream: (streamOptions) =>
      followStream(
        {
          baseUrl: options.baseUrl,
          token: options.token,
          fetch: send,
          connect: options.connect,
          clock,
          random,
          async isSignedOut() {
            try {
              const response = await sendOnce({ method: 'GET', url: urlOf(options.baseUrl, 'getSession', {}), headers: auth, safe: false });
              return response.status === 401;
            } catch {
              return false;
            }
          },
        },
        streamOptions,
      ),
  };
}

/** `retry-after` in whole seconds; the date form is not used by the hub. */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null || !/^\d{1,6}$/.test(header.trim())) return undefined;
  return Number(header) * 1000;
}
