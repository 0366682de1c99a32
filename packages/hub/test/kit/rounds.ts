// How often the store is asked while something is done: each time with what was asked for, and how often from the start,
// with more locks.

import type { Store } from '@parley/hub';
import { vi } from 'vitest';

export async function roundsOf(store: Store, work: () => Promise<unknown>): Promise<{ rounds: string[]; begins: number }> {
  const begin = store.begin.bind(store);
  const rounds: string[] = [];
  const spy = vi.spyOn(store, 'begin').mockImplementation(async (...of) => {
    const begun = await begin(...of);
    const { transaction } = begun;
    const load = transaction.load.bind(transaction);
    transaction.load = (wants) => {
      rounds.push(wants.map(({ table, lookup }) => `${table} ${lookup ?? ''}`).join(', '));
      return load(wants);
    };
    return begun;
  });
  try {
    await work();
    return { rounds, begins: spy.mock.calls.length };
  } finally {
    spy.mockRestore();
  }
}
