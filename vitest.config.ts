import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { findBrowser, findNats } from './packages/testkit/src/setup/programs.mjs';
import { scratchFolder } from './packages/testkit/src/setup/scratch.mjs';

// A test waits for threads, children and pages more than half of its time, so that more workers than cores keep them busy:
// three for the browser's files, each of which has a browser and a hub, then five for all others in one queue, the long files
// first. So no test may depend on how fast it runs. The long cases are busy instead of waiting, so in full mode the projects run
// one after the other, with fewer workers.
// Files share a process and what it has loaded (isolate): loading it anew for each would take longer than most of them do. So
// a test leaves nothing behind outside its own hub: no spy, no variable of the environment.
// `--mode full` (npm run test:full) adds `*.full.test.ts` (kills, mutants, random walks) and both engines for every behaviour.
/** A wait inside a test has no limit of its own: it ends a moment before the test does, with the reason. */
const limits = (testTimeout: number) => ({ testTimeout, expect: { poll: { timeout: testTimeout * 0.9 } } });

export default defineConfig(async ({ mode }) => {
  const full = mode === 'full';
  const maxWorkers = full ? 3 : 5;
  const environment = { PARLEY_TEST_FULL: full ? '1' : '0', TMPDIR: await scratchFolder() };
  const hasBrowser = findBrowser() !== undefined;
  const onlyInFull = full ? [] : ['**/*.full.test.ts'];
  /** What clients see of a relay, once more with its data on NATS. */
  const relayOnNats = {
    test: {
      name: 'relay-nats',
      include: ['bad-input', 'directory', 'federation', 'identity', 'lying-relays', 'reputation', 'routing'].map(
        (file) => `packages/relay/test/${file}.test.ts`,
      ),
      globalSetup: ['packages/testkit/src/setup/global-nats.ts'],
      ...limits(180_000),
      env: { ...environment, PARLEY_TEST_RELAY_STORE: 'nats' },
      maxWorkers,
      isolate: false,
      sequence: { groupOrder: 1 },
    },
  };
  return {
    test: {
      reporters: ['default', './scripts/closing-line.mjs'],
      projects: [
        {
          test: {
            name: 'unit',
            include: ['packages/*/src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts', 'spec/**/*.test.ts'],
            setupFiles: ['packages/testkit/src/setup/property-seed.ts'],
            ...limits(60_000),
            env: environment,
            maxWorkers: full ? 2 : maxWorkers,
            isolate: false,
            sequence: { groupOrder: full ? 0 : 1 },
          },
        },
        {
          test: {
            name: 'integration',
            include: ['packages/*/test/**/*.test.ts'],
            exclude: ['packages/web/test/browser/**', ...onlyInFull],
            globalSetup: ['packages/testkit/src/setup/global-postgres.ts', 'packages/testkit/src/setup/global-nats.ts'],
            setupFiles: ['packages/testkit/src/setup/query-plans.ts', 'packages/hub/test/kit/command-rounds.ts'],
            ...limits(180_000),
            hookTimeout: 120_000,
            // The database threads of a hub load their code anew for each hub; kept compiled, they start in half the time.
            env: { ...environment, NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/parley-node', import.meta.url)) },
            maxWorkers,
            isolate: false,
            sequence: { groupOrder: 1 },
          },
        },
        ...(full && findNats() ? [relayOnNats] : []),
        {
          test: {
            name: 'browser',
            include: ['packages/web/test/browser/**/*.test.ts'],
            exclude: onlyInFull,
            ...(hasBrowser ? {} : { runner: 'packages/web/test/browser/skipping-runner.ts' }),
            globalSetup: [
              'packages/testkit/src/setup/global-browser.ts',
              ...(full ? ['packages/testkit/src/setup/global-postgres.ts'] : []),
            ],
            ...limits(120_000),
            hookTimeout: 60_000,
            env: environment,
            maxWorkers: full ? 2 : 3,
            sequence: { groupOrder: full ? 2 : 0 },
          },
        },
      ],
    },
  };
});
