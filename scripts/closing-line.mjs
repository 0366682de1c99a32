// A vitest reporter whose only output is the last lines of the run: what was skipped for a reason, one line each, and last
// `N passed, N failed`, for machines that read just that.
// It is written while the process exits, because vitest reports a hanging worker or a late error after the run has ended.

/**
 * @param {ReadonlyArray<import('vitest/node').TestModule>} modules
 * @param {ReadonlyArray<unknown>} unhandled errors that belong to no test
 */
export function countResults(modules, unhandled) {
  let passed = 0;
  let failed = unhandled.length;
  for (const module of modules) {
    // A file that cannot be loaded, or a hook that throws, has errors of its own and no failing test.
    failed += module.errors().length;
    for (const suite of module.children.allSuites()) failed += suite.errors().length;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') passed += 1;
      else if (state === 'failed') failed += 1;
    }
  }
  return { passed, failed };
}

/**
 * @param {{ passed: number, failed: number } | undefined} counts undefined when the run never came to its end
 * @param {number | string | null | undefined} exitCode
 */
export function closingLine(counts, exitCode) {
  const { passed, failed } = counts ?? { passed: 0, failed: 0 };
  // A run that is red for another reason (no test found, interrupted, a worker that died) must not read as green.
  const red = counts === undefined || (exitCode !== undefined && exitCode !== null && Number(exitCode) !== 0);
  return `${passed} passed, ${failed === 0 && red ? 1 : failed} failed`;
}

/**
 * One line for each reason that tests were skipped for, with their number.
 * @param {ReadonlyArray<import('vitest/node').TestModule>} modules
 * @returns {string[]}
 */
export function skippedLines(modules) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const result = test.result();
      if (result.state === 'skipped' && result.note) counts.set(result.note, (counts.get(result.note) ?? 0) + 1);
    }
  }
  return [...counts].map(([reason, count]) => `${count} ${count === 1 ? 'test' : 'tests'} skipped: ${reason}`);
}

export default class ClosingLine {
  /** @type {string[]} */
  #skipped = [];

  /** @type {{ passed: number, failed: number } | undefined} */
  #counts;

  onInit() {
    process.on('exit', (code) => process.stdout.write(`${[...this.#skipped, closingLine(this.#counts, code)].join('\n')}\n`));
  }

  /**
   * @param {ReadonlyArray<import('vitest/node').TestModule>} modules
   * @param {ReadonlyArray<unknown>} unhandled
   */
  onTestRunEnd(modules, unhandled) {
    this.#counts = countResults(modules, unhandled);
    this.#skipped = skippedLines(modules);
  }
}
