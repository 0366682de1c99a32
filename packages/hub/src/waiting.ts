// Waits that a signal ends.

import type { Clock } from './clock.ts';

/** The work goes on without a caller that has stopped waiting. */
export function abandonOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => {});
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** Waits so long by this clock; rejects when the signal aborts before. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  await abandonOnAbort(promise, signal).finally(cancel);
}
