import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { findBundledNode, MINIMUM_NODE, nodePackage } from '../../packages/cli/bin/relaunch.mjs';
import { hashFiles, readIfThere } from './files.mjs';
import { runQuietly, say, SetupError } from './run.mjs';

const MINIMUM_NPM = 10;
const dependencyKinds = /** @type {const} */ (['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']);

/** @typedef {{ version?: string, integrity?: string, optional?: boolean, devOptional?: boolean, link?: boolean, os?: string[], cpu?: string[] } & Partial<Record<typeof dependencyKinds[number], Record<string, string>>>} LockEntry */

/** @param {string} root */
const stampPath = (root) => join(root, 'node_modules', '.parley-setup');

/** @param {string} root */
function manifests(root) {
  const workspaces = readdirSync(join(root, 'packages'))
    .sort()
    .map((name) => `packages/${name}`);
  return ['', ...workspaces].filter((place) => existsSync(join(root, place, 'package.json')));
}

/** @param {string} root */
export function installHash(root) {
  const files = ['package-lock.json', ...manifests(root).map((place) => join(place, 'package.json'))].map((file) => join(root, file));
  return hashFiles(root, files, `${process.platform}-${process.arch}`);
}

/** @param {string} root */
export function isInstalled(root) {
  return readIfThere(stampPath(root)) === installHash(root) && hasNode(root);
}

/** `npm run` finds Node by the link in .bin, the launcher by its package; both must be there. @param {string} root */
function hasNode(root) {
  return nodePackage() === undefined || (findBundledNode(root) !== undefined && existsSync(nodeLink(root)));
}

/** @param {string} root */
const nodeLink = (root) => join(root, 'node_modules/.bin', process.platform === 'win32' ? 'node.cmd' : 'node');

/**
 * What a manifest asks for and the lockfile does not say. `npm ci` would refuse too, in many more words.
 * @param {string} root
 * @returns {string | undefined} the first manifest that differs
 */
export function outOfStep(root) {
  const { packages } = readLock(join(root, 'package-lock.json'));
  return manifests(root)
    .map((place) => ({ place, file: join(place, 'package.json') }))
    .find(({ place, file }) => {
      const manifest = /** @type {LockEntry} */ (JSON.parse(readFileSync(join(root, file), 'utf8')));
      return dependencyKinds.some((kind) => sorted(manifest[kind]) !== sorted(packages[place]?.[kind]));
    })?.file;
}

/** @param {Record<string, string> | undefined} entries */
const sorted = (entries) => JSON.stringify(Object.entries(entries ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)));

/**
 * True when node_modules already holds what the lockfile asks for, by npm's own record of its last install. Someone who has
 * just run `npm install` by hand should not lose node_modules under running programs for it.
 * @param {string} root
 */
export function matchesLockfile(root) {
  const record = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(record)) return false;
  const wanted = readLock(join(root, 'package-lock.json')).packages;
  const present = readLock(record).packages;
  const missing = Object.entries(wanted).some(
    ([place, entry]) => place !== '' && present[place] === undefined && entry.optional !== true && entry.devOptional !== true,
  );
  // Optional packages of others may be for other platforms; one of ours that names no platform belongs to every install.
  const own = Object.entries(wanted).filter(([place]) => !place.includes('node_modules'));
  const forAll = own.flatMap(([, entry]) => Object.keys(entry.optionalDependencies ?? {})).map((name) => `node_modules/${name}`);
  const lacksOwn = forAll.some((place) => present[place] === undefined && wanted[place] && !wanted[place].os && !wanted[place].cpu);
  const different = Object.entries(present).some(
    ([place, { version, integrity }]) => wanted[place]?.version !== version || wanted[place]?.integrity !== integrity,
  );
  return !missing && !lacksOwn && !different;
}

/**
 * @param {string} path
 * @returns {{ packages: Record<string, LockEntry> }}
 */
function readLock(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** How many of this platform's packages are there; npm says nothing about it. @param {string} root */
function installedAmount(root) {
  const places = Object.entries(readLock(join(root, 'package-lock.json')).packages)
    .filter(([place, { os, cpu }]) => place.includes('node_modules') && fits(os, process.platform) && fits(cpu, process.arch))
    .map(([place]) => place);
  return `${places.filter((place) => existsSync(join(root, place, 'package.json'))).length} of ${places.length} packages`;
}

/** @param {string[] | undefined} list @param {string} ours */
const fits = (list, ours) => list === undefined || list.includes(ours);

/** @param {string} root */
export async function install(root) {
  const hostIsEnough =
    Number((process.env['npm_config_user_agent'] ?? '').match(/node\/v(\d+)/)?.[1] ?? process.versions.node.split('.')[0]) >= MINIMUM_NODE;
  if (nodePackage() === undefined && !hostIsEnough) {
    throw new SetupError(
      `no Node is bundled for ${process.platform}-${process.arch}; install Node ${MINIMUM_NODE} or newer and try again.`,
    );
  }
  const stray = outOfStep(root);
  if (stray !== undefined)
    throw new SetupError(`${stray} and package-lock.json do not agree; run \`npm install\` and commit the lockfile.`);
  if (!matchesLockfile(root)) {
    const started = performance.now();
    const { command, args, shell } = npm();
    const version = (await runQuietly('npm', command, [...args, '--version'], { cwd: root, shell })).trim();
    if (Number(version.split('.')[0]) < MINIMUM_NPM) {
      throw new SetupError(
        `npm ${version} is too old to install from this lockfile; npm ${MINIMUM_NPM} or newer is needed (\`npm install -g npm@latest\`).`,
      );
    }
    say('installing dependencies from the lockfile, which takes about a minute the first time');
    // The page is built here, so the tools for it are needed even where NODE_ENV says production.
    const flags = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error'];
    await runQuietly('npm ci', command, [...args, ...flags], { cwd: root, shell }, () => installedAmount(root));
    say(`dependencies installed in ${Math.round((performance.now() - started) / 1000)} s`);
  }
  await checkNode(root);
  writeFileSync(stampPath(root), installHash(root));
}

/** @param {string} root */
async function checkNode(root) {
  if (nodePackage() === undefined) return;
  const node = findBundledNode(root);
  if (node === undefined) throw new SetupError(`npm did not install ${nodePackage()}; are optional dependencies switched off?`);
  // npm 10 links it and then removes the link, together with the packages of the other platforms, which claim the same name.
  if (!existsSync(nodeLink(root)) && process.platform !== 'win32') symlinkSync(relative(dirname(nodeLink(root)), node), nodeLink(root));
  const version = await runQuietly('the bundled Node', node, ['--version'], { cwd: root });
  if (Number(version.slice(1).split('.')[0]) < MINIMUM_NODE)
    throw new SetupError(`the bundled Node is ${version.trim()}, and ${MINIMUM_NODE} is needed.`);
}

/** The npm that called this, under the Node that runs it: the `node` on PATH may be the one that `npm ci` is about to delete. */
export function npm() {
  const { npm_execpath: script, npm_node_execpath: node } = process.env;
  if (script !== undefined && node !== undefined && /npm-cli\.[cm]?js$/.test(script))
    return { command: node, args: [script], shell: false };
  return { command: 'npm', args: [], shell: process.platform === 'win32' };
}
