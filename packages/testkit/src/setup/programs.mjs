// Programs that some tests drive and npm does not always bring: a browser, an Alertmanager, gdb's gcore, Radicale, a NATS
// server, nginx, Caddy. Plain JavaScript for the host's Node, because set-up asks it before anything is installed.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {{ path: string, env: Record<string, string> }} Program the variables are set in addition to one's own */

/** Where set-up unpacks the browser of the registry. */
export const browserFolder = fileURLToPath(new URL('../../../../.cache/browser', import.meta.url));

/** @type {Partial<Record<NodeJS.Platform, string[]>>} */
const installedBrowsers = {
  darwin: ['Google Chrome', 'Chromium', 'Microsoft Edge'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`),
  win32: ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].flatMap((variable) =>
    ['Google/Chrome/Application/chrome.exe', 'Microsoft/Edge/Application/msedge.exe'].map((file) =>
      join(process.env[variable] ?? '', file),
    ),
  ),
};

/** @param {string[]} names */
const onPath = (names) => (process.env['PATH'] ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));

/**
 * Ubuntu's `chromium-browser` may only say that there is a snap, and a browser may lack a library: both fail at this. Windows
 * browsers open a window instead of printing a version.
 * @param {Program} browser
 */
const starts = ({ path, env }) =>
  process.platform === 'win32' ||
  spawnSync(path, ['--version', '--no-sandbox'], { env: { ...process.env, ...env }, stdio: 'ignore', timeout: 30_000 }).status === 0;

/** The browser that the system has, or the one named in PARLEY_CHROMIUM. @returns {Program | undefined} */
export function findSystemBrowser() {
  const named = process.env['PARLEY_CHROMIUM'];
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge', 'microsoft-edge-stable'];
  return (!named ? [...onPath(names), ...(installedBrowsers[process.platform] ?? [])] : [named])
    .filter((path) => existsSync(path))
    .map((path) => ({ path, env: {} }))
    .find(starts);
}

/** The browser that set-up has unpacked, with the libraries and fonts it needs where the system has none. @returns {Program | undefined} */
export function findUnpackedBrowser(folder = browserFolder) {
  const path = join(folder, 'chromium');
  if (!existsSync(path)) return undefined;
  const libraries = [process.env['LD_LIBRARY_PATH'], join(folder, 'al2023/lib')].filter(Boolean).join(':');
  const fonts = existsSync('/usr/share/fonts') ? {} : { FONTCONFIG_PATH: join(folder, 'fonts') };
  return [{ path, env: { LD_LIBRARY_PATH: libraries, ...fonts } }].find(starts);
}

/** A browser that was named is taken or none: nobody wants another one instead. */
export const findBrowser = () => findSystemBrowser() ?? (process.env['PARLEY_CHROMIUM'] ? undefined : findUnpackedBrowser());

/** @param {string[]} names @returns {Program | undefined} */
function findProgram(names) {
  const path = [...onPath(names), ...names.filter(isAbsolute)].find((file) => existsSync(file));
  return path === undefined ? undefined : { path, env: {} };
}

export const findAlertmanager = () => findProgram(['prometheus-alertmanager', 'alertmanager']);
export const findGcore = () => findProgram(['gcore']);
/** A CalDAV server. */
export const findRadicale = () => findProgram(['radicale']);
/** Debian puts it where the PATH of a user does not lead. */
export const findNats = () => findProgram(['nats-server', '/usr/sbin/nats-server']);
export const findNginx = () => findProgram(['nginx', '/usr/sbin/nginx']);
export const findCaddy = () => findProgram(['caddy']);

/** What to do where a program is missing: its tests are skipped, or fail where PARLEY_TEST_REQUIRE names it. */
export const advice = {
  browser: 'No browser found. Install Chromium, Chrome or Edge, or name one in PARLEY_CHROMIUM.',
  alertmanager: 'No Alertmanager found. Install Debian’s prometheus-alertmanager, or put an alertmanager on the PATH.',
  gcore: 'No gcore found. Install gdb, so that a relay’s memory can be searched.',
  caddy: 'No Caddy found. Install Debian’s caddy, or put a caddy on the PATH.',
  nginx: 'No nginx found. Install Debian’s nginx, or put an nginx on the PATH.',
  'nats-server': 'No NATS server found. Install Debian’s nats-server, or put a nats-server on the PATH.',
  radicale: 'No Radicale found. Install Debian’s radicale, or put a radicale on the PATH.',
};

/** @param {keyof typeof advice} program */
export const isRequired = (program) => (process.env['PARLEY_TEST_REQUIRE'] ?? '').split(',').includes(program);
