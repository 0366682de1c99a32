// Calls between two threads, in both directions. Values of JSON and bytes go over; a refusal keeps its code.

import module from 'node:module';
import { Worker } from 'node:worker_threads';
import { PeerCallError, type PeerCallErrorCode } from '@parley/protocol';

export function startThread(url: URL, name: string, maxOldGenerationSizeMb: number): Worker {
  const cache = module.getCompileCacheDir();
  // A thread does not take over its parent's compile cache by itself.
  const env = cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: cache };
  return new Worker(url, { name, env, resourceLimits: { maxOldGenerationSizeMb } });
}

export interface ThreadPort {
  postMessage(value: unknown): void;
  on(event: 'message', listener: (value: unknown) => void): unknown;
}

/** Each answers one kind of call. */
export type CallTable = { readonly [name: string]: (...args: never[]) => Promise<unknown> };

type Failure = { code: PeerCallErrorCode; message: string };
type Message = { id: number; name: string; args: unknown[] } | { answers: number; value: unknown } | { answers: number; failure: Failure };

interface Waiting {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
}

/** `Theirs`: what the other thread answers. */
export class ThreadCalls<Theirs extends CallTable> {
  readonly #port: ThreadPort;
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;
  #gone: Error | undefined;
  /** Each call of the other thread as a function. */
  readonly theirs = new Proxy({} as Theirs, {
    get:
      (_, name) =>
      (...args: Parameters<Theirs[string]>) =>
        this.call(name as keyof Theirs & string, ...args),
  });

  constructor(port: ThreadPort, own: CallTable) {
    this.#port = port;
    port.on('message', (value) => {
      const message = value as Message;
      if ('answers' in message) this.#settle(message);
      else void this.#answer(own, message);
    });
  }

  call<N extends keyof Theirs & string>(name: N, ...args: Parameters<Theirs[N]>): ReturnType<Theirs[N]> {
    const result = new Promise((resolve, reject) => {
      if (this.#gone) return reject(this.#gone);
      const id = this.#next++;
      this.#waiting.set(id, { resolve, reject });
      this.#port.postMessage({ id, name, args } satisfies Message);
    });
    return result as ReturnType<Theirs[N]>;
  }

  /** The other thread has ended: nobody answers any more. */
  end(error: Error): void {
    this.#gone = error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #settle(message: Extract<Message, { answers: number }>): void {
    const waiting = this.#waiting.get(message.answers);
    this.#waiting.delete(message.answers);
    if ('failure' in message) waiting?.reject(new PeerCallError(message.failure.code, message.failure.message));
    else waiting?.resolve(message.value as never);
  }

  async #answer(own: CallTable, { id, name, args }: Extract<Message, { id: number }>): Promise<void> {
    try {
      const act = own[name] as ((...args: unknown[]) => Promise<unknown>) | undefined;
      if (!act) throw new Error(`${name} is no call.`);
      this.#port.postMessage({ answers: id, value: await act(...args) } satisfies Message);
    } catch (error) {
      const code = error instanceof PeerCallError ? error.code : 'unavailable';
      this.#port.postMessage({ answers: id, failure: { code, message: (error as Error).message } } satisfies Message);
    }
  }
}
