import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const check = fileURLToPath(new URL('../../../../examples/agent/check.ts', import.meta.url));

test('[SYS-12] [PAP-17] the example agent answers once, though its hub, or it, is killed in the middle of its task', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', check]);
  expect(stdout).toContain('each was answered once');
  expect(stdout).toContain('A redirect started the count again');
});
