// Who waits for something to become of a task: one listener for all of them, so that a thousand cost no more than one.

import type { Tail } from '../../engine/tail.ts';

class Waits {
  private readonly waiting = new Map<string, Set<() => void>>();

  constructor(tail: Tail) {
    tail.listen((facts) => {
      if (this.waiting.size === 0) return;
      for (const { subject_id } of facts) for (const wake of this.waiting.get(subject_id ?? '') ?? []) wake();
    });
  }

  /** Looks now, and again after each fact of the task, until there is an answer. */
  async until<T>(taskId: string, look: () => Promise<T | undefined>, signal?: AbortSignal): Promise<T> {
    let next = Promise.withResolvers<void>();
    const wake = (): void => next.resolve();
    const all = this.waiting.get(taskId) ?? new Set();
    this.waiting.set(taskId, all.add(wake));
    signal?.addEventListener('abort', wake);
    try {
      for (;;) {
        signal?.throwIfAborted();
        const told = next.promise;
        const found = await look();
        if (found !== undefined) return found;
        await told;
        next = Promise.withResolvers<void>();
      }
    } finally {
      signal?.removeEventListener('abort', wake);
      all.delete(wake);
      if (all.size === 0) this.waiting.delete(taskId);
    }
  }
}

const byTail = new WeakMap<Tail, Waits>();

export function waitsOn(tail: Tail): Waits {
  let waits = byTail.get(tail);
  if (!waits) byTail.set(tail, (waits = new Waits(tail)));
  return waits;
}
