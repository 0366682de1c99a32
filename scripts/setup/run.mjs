import { spawn } from 'node:child_process';

/** What the person should read, as opposed to a crash of the set-up itself. */
export class SetupError extends Error {}

/** @param {string} text */
export function say(text) {
  process.stderr.write(`parley: ${text}\n`);
}

/**
 * Runs a command and keeps its output to itself; a failure shows the end of it. Every ten seconds it says that it goes on.
 * @param {string} what for the error message
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, shell?: boolean }} options
 * @param {() => string} [amount] how much of how much is done
 * @returns {Promise<string>} standard output
 */
export function runQuietly(what, command, args, options, amount) {
  const began = performance.now();
  const waiting = setInterval(() => {
    const seconds = Math.round((performance.now() - began) / 1000);
    say(`${what} goes on: ${seconds} s${amount ? `, ${amount()}` : ''}`);
  }, 10_000);
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let all = '';
    child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      out += text;
      all += text;
    });
    child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => (all += text));
    child.once('error', (error) => {
      clearInterval(waiting);
      reject(new SetupError(`${what} could not be started: ${error.message}`));
    });
    child.once('close', (code, signal) => {
      clearInterval(waiting);
      if (code === 0) resolve(out);
      else reject(new SetupError(`${what} failed (${signal ?? `exit code ${code}`}):\n\n${excerpt(all)}\n`));
    });
  });
}

/**
 * The cause is usually in the first lines (npm) or in the last ones (vite).
 * @param {string} text
 */
export function excerpt(text) {
  const lines = text.trimEnd().split('\n');
  return (lines.length <= 40 ? lines : [...lines.slice(0, 20), `… ${lines.length - 40} lines …`, ...lines.slice(-20)]).join('\n');
}
