import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { findBundledNode } from '../../packages/cli/bin/relaunch.mjs';
import { filesBelow, hashFiles, readIfThere } from './files.mjs';
import { runQuietly, say, SetupError } from './run.mjs';

/** Inside the output: vite empties it first, so a build that was cut short leaves no stamp. @param {string} root */
const stampPath = (root) => join(root, 'packages/web/dist/.parley-build');

/** @param {string} root */
export function pageHash(root) {
  const sources = ['web', 'sdk', 'core', 'protocol'].map((name) => join(root, 'packages', name, 'src'));
  const web = join(root, 'packages/web');
  const settings = readdirSync(web, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(web, entry.name))
    .sort();
  const files = filesBelow([...sources, ...settings, join(web, 'public'), join(root, 'package-lock.json')]);
  return hashFiles(
    root,
    files.filter((file) => !/\.test\.tsx?$/.test(file)),
  );
}

/** @param {string} root */
export function hasPage(root) {
  const web = join(root, 'packages/web');
  return existsSync(web) && readdirSync(web).some((name) => name.startsWith('vite.config.'));
}

/** @param {string} root */
export function isBuilt(root) {
  return !hasPage(root) || readIfThere(stampPath(root)) === pageHash(root);
}

/** @param {string} root */
export async function buildPage(root) {
  say('building the page');
  // Taken before the build: a source that changes meanwhile makes the result stale, not the stamp wrong.
  const hash = pageHash(root);
  // The page's own vite comes before the one that the test runner brought.
  const vite = ['packages/web', ''].map((place) => join(root, place, 'node_modules/vite/bin/vite.js')).find((file) => existsSync(file));
  if (vite === undefined) throw new SetupError('vite is not installed, so the page cannot be built; run `npm ci`.');
  await runQuietly('the page build', findBundledNode(root) ?? process.execPath, [vite, 'build'], {
    cwd: join(root, 'packages/web'),
    env: { ...process.env, NODE_ENV: 'production', NO_COLOR: '1' },
  });
  compress(join(root, 'packages/web/dist'));
  writeFileSync(stampPath(root), hash);
}

const compressible = new Set(['.css', '.html', '.js', '.svg']);
/** Smaller files fit into one packet as they are. */
const worthBytes = 1024;

/**
 * Puts a `.br` and a `.gz` beside each file, so that the hub compresses nothing while it serves.
 * @param {string} folder
 */
export function compress(folder) {
  for (const name of /** @type {string[]} */ (readdirSync(folder, { recursive: true }))) {
    const file = join(folder, name);
    if (!compressible.has(extname(name)) || !statSync(file).isFile()) continue;
    const content = readFileSync(file);
    if (content.length < worthBytes) continue;
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }));
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  }
}
