import { TestRunner } from 'vitest';

/**
 * Looks until it is so. It ends with the test that called it: a loop that outlives its test would take what the next test
 * waits for.
 */
export async function until(so: () => Promise<boolean> | boolean): Promise<void> {
  const signal = TestRunner.getCurrentTest()?.context.signal;
  for (let looks = 0; !(await so()); looks++) {
    signal?.throwIfAborted();
    // Most waits end within a few turns of the loop; a longer one leaves the core to the tests beside it.
    await new Promise((resolve) => (looks < 50 ? setImmediate(resolve) : setTimeout(resolve, 1)));
  }
}

/**
 * Tries a check until it passes. The time limit of the test is the only one, because any shorter one would fail on a busy
 * machine; a moment before it the last failure is thrown, as it says more than that the time is up.
 */
export async function waitFor<T>(check: () => Promise<T> | T, intervalMs = 20): Promise<T> {
  const test = TestRunner.getCurrentTest();
  const end = (test?.result?.startTime ?? Date.now()) + (test?.timeout ?? 60_000) * 0.9;
  for (;;) {
    try {
      return await check();
    } catch (failure) {
      test?.context.signal.throwIfAborted();
      if (Date.now() > end) throw failure;
      await new Promise((resolve) => setTimeout(resolve, intervalMs));
    }
  }
}
