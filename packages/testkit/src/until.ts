import { TestRunner } from 'vitest';

/**
 * Looks until it is so. It ends with the test that called it: a loop that outlives its test would take what the next test
 * waits for.
 */
export async function until(so: () => Promise<boolean> | boolean): Promise<void> {
  const signal = TestRunner.getCurrentTest()?.context.signal;
  while (!(await so())) {
    signal?.throwIfAborted();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
