import { useSyncExternalStore } from 'react';

/** One value, replaced and never changed in place, so that a view re-renders exactly when what it selects differs. */
export interface StateStore<S> {
  get: () => S;
  update: (change: (state: S) => S) => void;
  subscribe: (listener: () => void) => () => void;
}

export function createStore<S>(initial: S): StateStore<S> {
  let state = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    update(change) {
      const next = change(state);
      if (Object.is(next, state)) return;
      state = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** `select` must return what is in the state, not something built again: a new object is a change. */
export function useStore<S, T>(store: StateStore<S>, select: (state: S) => T): T {
  return useSyncExternalStore(store.subscribe, () => select(store.get()));
}
