import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { environment } from '../kit.ts';

const example = fileURLToPath(new URL('../../../../examples/sealed-line/sealed-line.ts', import.meta.url));

test('[A2C-3] [A2C-7] the example of two people and a relay that restarts', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', example], { env: environment() });
  expect(stdout).toContain('All of it arrived, once and in order.');
});
