// Makes a clone ready to run, before `npm start`, `npm test` and their like. Plain JavaScript for the host's Node, without
// dependencies, as there may be none yet. When everything is in place it says nothing and takes a few milliseconds.
//
//   node scripts/setup.mjs          dependencies
//   node scripts/setup.mjs --page   dependencies and the built page
//   node scripts/setup.mjs --page --browser   those and a browser for the tests, where the system has none

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasBrowser, installBrowser } from './setup/browser.mjs';
import { install, isInstalled } from './setup/install.mjs';
import { withLock } from './setup/lock.mjs';
import { buildPage, isBuilt } from './setup/page.mjs';
import { say, SetupError } from './setup/run.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const withPage = process.argv.includes('--page');
const withBrowser = process.argv.includes('--browser');
const ready = () => isInstalled(root) && (!withPage || isBuilt(root)) && (!withBrowser || hasBrowser(root));

try {
  if (!ready()) {
    await withLock(join(root, '.cache/setup.lock'), async () => {
      // Looked at again inside the lock: its holder may have done the work.
      if (!isInstalled(root)) await install(root);
      if (withPage && !isBuilt(root)) await buildPage(root);
      if (withBrowser && !hasBrowser(root)) await installBrowser(root);
    });
  }
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  say(error.message);
  process.exitCode = 1;
}
