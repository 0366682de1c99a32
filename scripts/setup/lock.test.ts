import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withLock } from './lock.mjs';

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'parley-lock-'));
  path = join(dir, 'setup.lock');
});
afterEach(() => rmSync(dir, { recursive: true }));

const leave = (owner: object) => {
  mkdirSync(path);
  writeFileSync(join(path, 'owner.json'), JSON.stringify(owner));
};

/** A separate process that notes when it enters and leaves the lock; `ms` is how long it stays. */
function contender(ms: number) {
  const script = `
    import { appendFileSync } from 'node:fs';
    import { withLock } from ${JSON.stringify(new URL('./lock.mjs', import.meta.url).href)};
    const note = (what) => appendFileSync(${JSON.stringify(join(dir, 'log'))}, what + '\\n');
    await withLock(${JSON.stringify(path)}, async () => {
      note('in');
      await new Promise((resolve) => setTimeout(resolve, ${ms}));
      note('out');
    }, { poll: 5 });`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
}
const log = () => readFileSync(join(dir, 'log'), 'utf8').trim().split('\n');

describe('set-up lock', () => {
  it('lets one process in at a time, and leaves nothing behind', async () => {
    await Promise.all(Array.from({ length: 5 }, async () => await once(contender(30), 'exit')));
    expect(log()).toEqual(Array.from({ length: 5 }, () => ['in', 'out']).flat());
    expect(readdirSync(dir)).toEqual(['log']);
  });

  it('is released when the work fails', async () => {
    await expect(withLock(path, () => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk');
    expect(existsSync(path)).toBe(false);
  });

  it('is taken over, by one of those who wait, when its process was killed', async () => {
    const killed = contender(60_000);
    while (!existsSync(join(dir, 'log'))) await new Promise((resolve) => setTimeout(resolve, 5));
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    await Promise.all(Array.from({ length: 4 }, async () => await once(contender(20), 'exit')));
    expect(log()).toEqual(['in', ...Array.from({ length: 4 }, () => ['in', 'out']).flat()]);
  });

  it('is taken over when its owner, on another machine, has stopped beating', async () => {
    leave({ token: 'other', pid: process.pid, host: `not-${hostname()}`, beat: 3 });
    await expect(withLock(path, async () => 'mine', { patience: 60, poll: 10 })).resolves.toBe('mine');
  });

  it('is not taken over from an owner that lives; waiting ends with advice', async () => {
    leave({ token: 'other', pid: process.pid, host: hostname(), beat: 0 });
    await expect(withLock(path, async () => 'mine', { patience: 10_000, limit: 60, poll: 10 })).rejects.toThrow(/delete that directory/);
    expect(existsSync(path)).toBe(true);
  });

  it('ends with the same advice when what lies there is no lock', async () => {
    mkdirSync(join(path, 'junk'), { recursive: true });
    await expect(withLock(path, async () => 'mine', { limit: 60, poll: 10 })).rejects.toThrow(/delete that directory/);
  });
});
