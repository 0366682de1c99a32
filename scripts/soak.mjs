// `npm run soak`: the tests that try something thousands of times, as often as was promised. A quarter of an hour or more.

import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const hub = [
  'doors/http/junk',
  'engine/contact/interleavings.full',
  'engine/contact/order',
  'engine/offers/simultaneous-claims',
  'faults/confused-deputy',
  'faults/kill-mutants.full',
  'faults/kill-postgres.full',
  'faults/kill-sqlite.full',
  'faults/misbehaviour.full',
];
const files = [...hub.map((name) => `packages/hub/test/${name}.test.ts`), 'packages/cli/test/story.full.test.ts'];
const env = {
  ...process.env,
  PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`,
  PARLEY_SOAK: '1',
};
const { status } = spawnSync('vitest', ['run', '--mode', 'full', '--project', 'integration', ...files, ...process.argv.slice(2)], {
  cwd: root,
  env,
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
process.exitCode = status ?? 1;
