import { useSyncExternalStore } from 'react';

// Rendering must not read the clock by itself; this one ticks for everybody, so that "Today" ends at midnight.
const everyMs = 20_000;
let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function tick() {
  now = Date.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  timer ??= setInterval(tick, everyMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time, as of less than half a minute ago. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);
