// Where no browser was found, vitest runs the browser tests with this: it skips each of them with the reason, and no hook runs.

import { advice } from '@parley/testkit/programs';
import { TestRunner } from 'vitest';
import type { RunnerTestCase, RunnerTestFile, RunnerTestSuite } from 'vitest';

function dropHooks(suite: RunnerTestSuite): void {
  const hooks: Partial<Record<string, unknown[]>> = { ...TestRunner.getSuiteHooks(suite) };
  for (const list of Object.values(hooks)) list!.length = 0;
  for (const task of suite.tasks) if (task.type === 'suite') dropHooks(task);
}

export default class SkippingRunner extends TestRunner {
  onCollected(files: RunnerTestFile[]): void {
    files.forEach(dropHooks);
  }

  runTask(test: RunnerTestCase): void {
    test.context.skip(advice.browser);
  }
}
