// One set-up at a time in a checkout: `npm ci` empties node_modules, and two of them would empty it under each other.
//
// The lock is a directory that appears, by rename, with its owner already inside. The owner writes a new beat every second.
// A lock is stale when its process is gone, or when a waiter has seen no new beat for `patience`; no clocks are compared.
// Of several waiters that find it stale, the one that can create `taken-<token>` inside it removes it: the others would
// otherwise remove the lock that the first has just made for itself.

import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { SetupError, say } from './run.mjs';

/** @typedef {{ token: string, pid: number, host: string, beat: number }} Owner */

/** @param {number} ms */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * @template T
 * @param {string} path of the lock directory
 * @param {() => Promise<T>} work
 * @param {{ patience?: number, limit?: number, poll?: number }} [times] in milliseconds
 * @returns {Promise<T>}
 */
export async function withLock(path, work, { patience = 15_000, limit = 900_000, poll = 100 } = {}) {
  mkdirSync(dirname(path), { recursive: true });
  /** @type {Owner} */
  const me = { token: randomUUID(), pid: process.pid, host: hostname(), beat: 0 };
  const started = performance.now();
  let seen = '';
  let seenAt = started;
  while (!tryTake(path, me)) {
    const owner = readOwner(path);
    const now = performance.now();
    const sight = `${owner?.token} ${owner?.beat}`;
    if (seen === '') say(`waiting for another set-up in this directory (process ${owner?.pid ?? 'unknown'})`);
    if (sight !== seen) [seen, seenAt] = [sight, now];
    if (owner !== undefined && (isGone(owner) || now - seenAt > patience)) removeStale(path, owner);
    else if (now - started > limit) {
      throw new SetupError(`another set-up has held ${path} for too long; if none is running, delete that directory.`);
    }
    await sleep(poll);
  }
  const heart = setInterval(() => {
    me.beat += 1;
    writeOwner(path, me);
  }, 1000);
  try {
    return await work();
  } finally {
    clearInterval(heart);
    if (readOwner(path)?.token === me.token) discard(path);
  }
}

/**
 * @param {string} path
 * @param {Owner} me
 */
function tryTake(path, me) {
  const fresh = mkdtempSync(`${path}-`);
  writeOwner(fresh, me);
  try {
    renameSync(fresh, path);
    return true;
  } catch (error) {
    rmSync(fresh, { recursive: true });
    if (['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(codeOf(error))) return false;
    throw error;
  }
}

/**
 * @param {string} path
 * @param {Owner} owner
 */
function removeStale(path, owner) {
  try {
    mkdirSync(join(path, `taken-${owner.token}`));
  } catch {
    return; // another waiter was first
  }
  if (readOwner(path)?.token === owner.token) discard(path);
}

/** Renamed first, so that nobody ever sees a half-removed lock. @param {string} path */
function discard(path) {
  const away = `${path}-${randomUUID()}`;
  try {
    renameSync(path, away);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return; // it was found stale and taken away meanwhile
    throw error;
  }
  rmSync(away, { recursive: true });
}

/** @param {Owner} owner */
function isGone(owner) {
  if (owner.host !== hostname()) return false;
  try {
    process.kill(owner.pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
}

/**
 * @param {string} path
 * @returns {Owner | undefined} undefined when the lock was released in between
 */
function readOwner(path) {
  try {
    return JSON.parse(readFileSync(join(path, 'owner.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Replaced whole, because a reader must never find half of it.
 * @param {string} path
 * @param {Owner} owner
 */
function writeOwner(path, owner) {
  const next = join(path, `owner-${owner.token}.json`);
  try {
    writeFileSync(next, JSON.stringify(owner));
    renameSync(next, join(path, 'owner.json'));
  } catch (error) {
    // The lock was taken away while this process was suspended; the work goes on, its owner knows nothing better.
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** @param {unknown} error */
const codeOf = (error) => /** @type {NodeJS.ErrnoException} */ (error).code ?? '';
