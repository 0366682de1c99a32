import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {import('./source.mjs').SourceFile} SourceFile */

/**
 * The text files of the repository: those in git and those about to be, without what git ignores.
 * @param {string} root
 * @returns {SourceFile[]}
 */
export function repositoryFiles(root) {
  const listing = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  return [...new Set(listing.split('\0'))]
    .filter((path) => path !== '' && existsSync(join(root, path)) && statSync(join(root, path)).isFile())
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
    .filter(({ text }) => !text.includes('\0'));
}
