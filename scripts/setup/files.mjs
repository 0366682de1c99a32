import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/**
 * Every file at or below the given paths that exist, in a fixed order.
 * @param {string[]} paths
 * @returns {string[]}
 */
export function filesBelow(paths) {
  return paths
    .filter((path) => existsSync(path))
    .flatMap((path) => {
      if (!statSync(path).isDirectory()) return [path];
      const names = readdirSync(path).filter((name) => name !== 'node_modules' && name !== 'dist');
      return filesBelow(names.sort().map((name) => join(path, name)));
    });
}

/**
 * One hash over names and contents, so that a renamed file counts as a change.
 * @param {string} root
 * @param {string[]} files
 * @param {string} [salt] anything else the result depends on
 */
export function hashFiles(root, files, salt = '') {
  const hash = createHash('sha256').update(salt);
  for (const file of files) {
    const content = readFileSync(file);
    hash.update(`\0${relative(root, file).split(sep).join('/')}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/**
 * @param {string} path
 * @returns {string | undefined}
 */
export function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
