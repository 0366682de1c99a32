import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { until, waitFor } from './until.ts';

test('until looks again until it is so', async () => {
  let looks = 0;
  await until(() => ++looks === 3);
  expect(looks).toBe(3);
});

test('until ends with the test that called it', () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const dir = mkdtempSync(join(root, '.cache/until-'));
  try {
    const from = JSON.stringify(fileURLToPath(new URL('until.ts', import.meta.url)));
    writeFileSync(
      join(dir, 'late.test.mjs'),
      `import { expect, test } from 'vitest'; import { until } from ${from};
       let looks = 0;
       test('never so', { timeout: 50 }, () => until(() => { looks++; return false; }));
       const turns = async () => { for (let left = 20; left > 0; left--) await new Promise((resolve) => setImmediate(resolve)); };
       test('afterwards', async () => {
         await turns();
         const before = looks;
         await turns();
         expect(looks).toBe(before);
       });`,
    );
    writeFileSync(join(dir, 'vitest.config.mjs'), 'export default {};');
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    spawnSync(process.execPath, [vitest, 'run', '--root', dir, '--reporter=json', '--outputFile=out.json']);
    expect(JSON.parse(readFileSync(join(dir, 'out.json'), 'utf8'))).toMatchObject({ numPassedTests: 1, numFailedTests: 1 });
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('waitFor tries until its check passes, and returns what that returned', async () => {
  let tries = 0;
  const check = () => {
    if (++tries < 3) throw new Error('not yet');
    return tries;
  };
  expect(await waitFor(check, 1)).toBe(3);
});
