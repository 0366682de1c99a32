import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findBrowser, findSystemBrowser, findUnpackedBrowser } from '../../packages/testkit/src/setup/programs.mjs';
import { hasBrowser } from './browser.mjs';

let folder: string;
const program = (path: string, script: string) => {
  writeFileSync(join(folder, path), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, path), 0o755);
  return join(folder, path);
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-browser-'));
  vi.stubEnv('PARLEY_CHROMIUM', '');
  vi.stubEnv('PATH', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

describe.runIf(process.platform === 'linux')('the browser for the tests', () => {
  it('is the system’s, unless that one does not start', () => {
    expect(findSystemBrowser()).toBeUndefined();
    program('chromium', 'exit 1');
    expect(findSystemBrowser()).toBeUndefined();
    const chrome = program('google-chrome', 'exit 0');
    expect(findSystemBrowser()).toEqual({ path: chrome, env: {} });
  });

  it('is the one that was named, or none', () => {
    program('chromium', 'exit 0');
    vi.stubEnv('PARLEY_CHROMIUM', join(folder, 'missing'));
    expect(findBrowser()).toBeUndefined();
    vi.stubEnv('PARLEY_CHROMIUM', program('mine', 'exit 0'));
    expect(findBrowser()?.path).toBe(join(folder, 'mine'));
  });

  it('is the unpacked one where the system has none, with its own libraries', () => {
    expect(findUnpackedBrowser(folder)).toBeUndefined();
    program('chromium', 'case "$LD_LIBRARY_PATH" in */al2023/lib) exit 0;; *) exit 1;; esac');
    expect(findUnpackedBrowser(folder)?.path).toBe(join(folder, 'chromium'));
  });

  it('is unpacked again when the lockfile names another', () => {
    mkdirSync(join(folder, 'packages/testkit/browser'), { recursive: true });
    writeFileSync(join(folder, 'packages/testkit/browser/package-lock.json'), '{}');
    expect(hasBrowser(folder, folder)).toBe(process.arch !== 'x64');
    writeFileSync(join(folder, '.parley-browser'), 'of another lockfile');
    expect(hasBrowser(folder, folder)).toBe(process.arch !== 'x64');
  });
});

it('`npm start` installs no browser, `npm test` does', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    scripts: Record<string, string>;
  };
  expect(scripts['prestart']).not.toContain('--browser');
  expect(scripts['pretest']).toContain('--browser');
  expect(scripts['pretest:full']).toContain('--browser');
});
