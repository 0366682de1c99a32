import { useSyncExternalStore } from 'react';

/** Rendering must not read the clock by itself; one ticks for everybody, while anybody looks at it. */
function ticking(everyMs: number) {
  let now = Date.now();
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | undefined;

  function tick() {
    now = Date.now();
    for (const listener of listeners) listener();
  }

  function subscribe(listener: () => void) {
    listeners.add(listener);
    if (timer === undefined) {
      now = Date.now();
      timer = setInterval(tick, everyMs);
    }
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }
  return { subscribe, get: () => now };
}

const slow = ticking(20_000);
const fast = ticking(1_000);

/** The time, as of less than half a minute ago: "Today" ends at midnight. */
export const useNow = (): number => useSyncExternalStore(slow.subscribe, slow.get);

/** The time to the second, for what counts down. */
export const useSeconds = (): number => useSyncExternalStore(fast.subscribe, fast.get);
