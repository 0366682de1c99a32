// Time and chance are dependencies, so that a test of a reconnect does not wait for one.

export interface ClientClock {
  now(): number;
  /** Runs once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: ClientClock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Waits, or rejects with the signal's reason as soon as it is aborted. */
export function sleep(clock: ClientClock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortReason(signal));
    const aborted = () => {
      cancel();
      reject(abortReason(signal!));
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    });
    signal?.addEventListener('abort', aborted, { once: true });
  });
}

/** Abort reasons may be anything; callers are promised an Error. */
export function abortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new DOMException('The call was aborted', 'AbortError');
}
