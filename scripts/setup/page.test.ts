import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compress, hasPage, isBuilt, pageHash } from './page.mjs';

let root: string;
const write = (path: string, content: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'parley-page-'));
  write('packages/web/src/main.tsx', 'a');
  write('packages/core/src/index.ts', 'a');
});
afterEach(() => rmSync(root, { recursive: true }));

describe('the built page', () => {
  it('is not asked for while there is no vite config', () => {
    expect(hasPage(root)).toBe(false);
    expect(isBuilt(root)).toBe(true);
  });

  it.each([
    'packages/web/src/main.tsx',
    'packages/core/src/index.ts',
    'packages/web/vite.config.ts',
    'packages/web/index.html',
    'packages/web/public/icon.svg',
    'packages/sdk/src/new.ts',
  ])('is stale after a change of %s', (file) => {
    write('packages/web/vite.config.ts', '');
    write('packages/web/dist/.parley-build', pageHash(root));
    expect(isBuilt(root)).toBe(true);
    write(file, 'b');
    expect(isBuilt(root)).toBe(false);
  });

  it('does not mind tests and its own output', () => {
    write('packages/web/vite.config.ts', '');
    write('packages/web/dist/.parley-build', pageHash(root));
    write('packages/web/src/main.test.tsx', 'b');
    write('packages/web/dist/index.html', 'b');
    expect(isBuilt(root)).toBe(true);
  });

  it('has a compressed copy beside each larger file', () => {
    const script = 'let a = 1;\n'.repeat(500);
    write('packages/web/dist/assets/index.js', script);
    write('packages/web/dist/favicon.svg', '<svg/>');
    compress(join(root, 'packages/web/dist'));
    const at = (name: string) => join(root, 'packages/web/dist', name);
    expect(brotliDecompressSync(readFileSync(at('assets/index.js.br'))).toString()).toBe(script);
    expect(gunzipSync(readFileSync(at('assets/index.js.gz'))).toString()).toBe(script);
    expect(existsSync(at('favicon.svg.br'))).toBe(false);
  });
});
