// The examples of agents that contact each other check themselves: each is run, the first one as anybody would run it.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const folder = new URL('../../../../examples/contact/', import.meta.url);
const node = (...args: string[]) => promisify(execFile)(process.execPath, ['--no-warnings', ...args]);

const printed: string[] = [];
beforeEach(() => void vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text)));
afterEach(() => {
  vi.restoreAllMocks();
  printed.length = 0;
});

async function story(name: string): Promise<void> {
  await import(/* @vite-ignore */ fileURLToPath(new URL(`${name}.ts`, folder)));
  expect(printed.at(-1)).toBe('All as promised.\n');
}

test('[IAC-3] [IAC-10] [IAC-11] example 1: an ask, run by itself', async () => {
  const { stdout } = await node(fileURLToPath(new URL('1-ask.ts', folder)));
  expect(stdout).toMatch(/All as promised\.\n\n$/);
});
test('[IAC-6] [IAC-18] example 2: a delegation and its callback', () => story('2-delegate'));
test('[IAC-9] example 3: a notification wakes nobody', () => story('3-notify'));
test('[IAC-16] example 4: mentions in a channel', () => story('4-mention'));
test('[IAC-6] [IAC-18] example 5: three delegations, three callbacks', () => story('5-callbacks'));
test('[IAC-3] example 6: no answer in 120 seconds, and a retry', () => story('6-retry'));
test('[IAC-12] [IAC-14] example 7: an approval, a no, and a rule against it', () => story('7-approval'));
test('[IAC-3] [IAC-11] example 8: a nested ask', () => story('8-nested'));
test('[IAC-11] example 9: what was said before', () => story('9-history'));

test('an example that goes otherwise ends with a difference, and not with 0', async () => {
  const otherwise = `import { same } from ${JSON.stringify(new URL('office.ts', folder).href)}; same('It', 'as it is', 'as promised');`;
  const ended = node('--input-type=module', '--eval', otherwise);
  await expect(ended).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/\+ as it is[^]*- as promised|'as it is'[^]*'as promised'/),
  });
});
