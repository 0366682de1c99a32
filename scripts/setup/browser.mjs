// A browser for the tests, where the system has none: the registry's build of Chromium, which exists for Linux on x64.
// A machine that cannot have it (another system, no network) skips the browser tests; that is no reason to fail here.

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findBundledNode } from '../../packages/cli/bin/relaunch.mjs';
import { browserFolder, findSystemBrowser, findUnpackedBrowser } from '../../packages/testkit/src/setup/programs.mjs';
import { hashFiles, readIfThere } from './files.mjs';
import { npm } from './install.mjs';
import { runQuietly, say, SetupError } from './run.mjs';

/** @param {string} root */
const source = (root) => join(root, 'packages/testkit/browser');

/** @param {string} root */
const stamp = (root) => hashFiles(root, [join(source(root), 'package-lock.json')]);

/** @param {string} folder */
const stampPath = (folder) => join(folder, '.parley-browser');

/** True as well where none can be had: set-up has nothing to do there. @param {string} root */
export function hasBrowser(root, folder = browserFolder) {
  if (process.platform !== 'linux' || process.arch !== 'x64' || process.env['PARLEY_CHROMIUM']) return true;
  return readIfThere(stampPath(folder)) === stamp(root) || findSystemBrowser() !== undefined;
}

/** @param {string} root */
export async function installBrowser(root, folder = browserFolder) {
  const started = performance.now();
  say('installing a browser for the tests (67 MB), as the system has none');
  try {
    const { command, args, shell } = npm();
    // One retry: without a network, somebody waits for this to give up.
    const flags = '--ignore-scripts --prefer-offline --fetch-retries=1 --fetch-retry-mintimeout=2000 --no-audit --no-fund --no-progress';
    await runQuietly('npm ci', command, [...args, 'ci', ...flags.split(' '), '--loglevel=error'], { cwd: source(root), shell });
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    // The package unpacks into the temporary folder, and its libraries only where it believes to be at Amazon.
    const unpacker = pathToFileURL(join(source(root), 'node_modules/@sparticuz/chromium/build/index.js')).href;
    await runQuietly(
      'unpacking the browser',
      findBundledNode(root) ?? process.execPath,
      ['--input-type=module', '--eval', `await (await import(${JSON.stringify(unpacker)})).default.executablePath()`],
      { cwd: source(root), env: { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' } },
    );
    if (findUnpackedBrowser(folder) === undefined) throw new SetupError('it does not start on this system');
    writeFileSync(stampPath(folder), stamp(root));
    say(`browser installed in ${Math.round((performance.now() - started) / 1000)} s`);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    // A browser that does not start is not found by the tests either.
    if (existsSync(folder)) rmSync(folder, { recursive: true });
    say(`could not install a browser for the tests: ${error.message.replace(/\s+/g, ' ').slice(0, 200)}`);
  }
}
