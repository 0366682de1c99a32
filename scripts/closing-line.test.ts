import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { closingLine, countResults, skippedLines } from './closing-line.mjs';

const fakeModule = (states: string[], moduleErrors = 0, suiteErrors = 0) =>
  ({
    errors: () => Array.from({ length: moduleErrors }),
    children: {
      allSuites: () => [{ errors: () => Array.from({ length: suiteErrors }) }],
      allTests: () => states.map((state) => ({ result: () => ({ state }) })),
    },
  }) as never;

describe('closing line', () => {
  it('counts tests, and counts as failed what fails without a failing test', () => {
    expect(countResults([fakeModule(['passed', 'failed', 'skipped', 'passed'])], [])).toEqual({ passed: 2, failed: 1 });
    expect(countResults([fakeModule(['passed'], 1, 2)], [new Error('late')])).toEqual({ passed: 1, failed: 4 });
  });

  it('never reads as green when the run was not', () => {
    expect(closingLine({ passed: 3, failed: 0 }, 0)).toBe('3 passed, 0 failed');
    expect(closingLine({ passed: 3, failed: 2 }, 1)).toBe('3 passed, 2 failed');
    expect(closingLine({ passed: 3, failed: 0 }, 1)).toBe('3 passed, 1 failed');
    expect(closingLine(undefined, 0)).toBe('0 passed, 1 failed');
  });

  it('follows one line for each reason that tests were skipped for', () => {
    const skipped = (...notes: (string | undefined)[]) =>
      ({ children: { allTests: () => notes.map((note) => ({ result: () => ({ state: 'skipped', note }) })) } }) as never;
    expect(skippedLines([skipped('No browser found.', 'No browser found.'), skipped('No Alertmanager found.', undefined)])).toEqual([
      '2 tests skipped: No browser found.',
      '1 test skipped: No Alertmanager found.',
    ]);
    expect(skippedLines([fakeModule(['passed'])])).toEqual([]);
  });

  it('is the very last line of a real run, red or green', () => {
    const dir = mkdtempSync(join(tmpdir(), 'parley-closing-'));
    const root = fileURLToPath(new URL('..', import.meta.url));
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const lastLine = (...files: string[]) => {
      const run = spawnSync(
        process.execPath,
        [vitest, 'run', '--root', dir, '--reporter=default', '--reporter', join(root, 'scripts/closing-line.mjs'), ...files],
        {
          encoding: 'utf8',
        },
      );
      return run.stdout.trimEnd().split('\n').at(-1);
    };
    try {
      writeFileSync(join(dir, 'green.test.mjs'), 'test("a", () => {}); test("b", () => {});');
      writeFileSync(join(dir, 'red.test.mjs'), 'test("a", () => { throw new Error("red"); });');
      writeFileSync(join(dir, 'broken.test.mjs'), 'throw new Error("at load");');
      writeFileSync(join(dir, 'vitest.config.mjs'), 'export default { test: { globals: true } };');
      expect(lastLine('green')).toBe('2 passed, 0 failed');
      expect(lastLine()).toBe('2 passed, 2 failed');
      expect(lastLine('no-such-file')).toBe('0 passed, 1 failed');
    } finally {
      rmSync(dir, { recursive: true });
    }
  }, 30_000);
});
