// `npm run dev`: a hub that restarts when its source changes, and the page from Vite, which reloads by itself.

import { spawn } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = `http://localhost:${process.env['PARLEY_PAGE_PORT'] ?? '5173'}`;
const hubUrl = `http://127.0.0.1:${process.env['PARLEY_PORT'] ?? '7440'}`;
/** An editor that saves several files at once causes one restart. */
const settleMs = 300;

const vitePath = ['packages/web', ''].map((folder) => join(root, folder, 'node_modules/vite/bin/vite.js')).find((file) => existsSync(file));
if (vitePath === undefined) throw new Error('Vite is not installed. Run `npm ci`.');
const viteArgs = [vitePath, '--port', new URL(page).port, '--strictPort', '--clearScreen', 'false'];
const vite = run(viteArgs, join(root, 'packages/web'), { PARLEY_HUB: hubUrl });
let hub = startHub();
let stopping = false;
/** @type {NodeJS.Timeout | undefined} */
let restart;

// Not `node --watch`: it reports imports on the ports of worker threads, where the store's threads expect only its own messages.
for (const name of ['cli', 'hub', 'core', 'protocol', 'sdk']) {
  watch(join(root, 'packages', name, 'src'), { recursive: true }, (_event, file) => {
    if (!/(?<!\.test)\.ts$/.test(file ?? '')) return;
    clearTimeout(restart);
    restart = setTimeout(() => {
      console.log(`\npackages/${name}/src/${file} changed: restarting the hub`);
      if (hub.exitCode === null && hub.signalCode === null) hub.once('exit', () => (hub = startHub())).kill('SIGTERM');
      else hub = startHub();
    }, settleMs);
  });
}

vite.on('exit', stop);
process.on('SIGINT', stop);
process.on('SIGTERM', stop);

/** The hub's links and cookies name the address of the page that Vite serves. */
function startHub() {
  const child = run([join(root, 'packages/cli/src/main.ts'), 'up', ...process.argv.slice(2)], root, { PARLEY_PUBLIC_URL: page });
  child.on('exit', (code) => {
    if (code !== 0 && !stopping) console.log('\nThe hub has stopped. It starts again at the next change.');
  });
  return child;
}

/**
 * In a process group of its own: Ctrl-C reaches only this script, and a hub that gets two signals does not finish its work.
 * @param {string[]} args
 * @param {string} cwd
 * @param {Record<string, string>} env
 */
function run(args, cwd, env) {
  const detached = process.platform !== 'win32';
  return spawn(process.execPath, args, { cwd, env: { ...env, ...process.env }, stdio: 'inherit', detached });
}

function stop() {
  if (stopping) return;
  stopping = true;
  hub.removeAllListeners('exit').on('exit', () => process.exit());
  if (hub.exitCode !== null || !hub.kill('SIGTERM')) process.exit();
  vite.kill('SIGTERM');
}
