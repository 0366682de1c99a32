// Threads outlive the databases they had: what came too late for one must not reach the next.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Thread } from '../../../src/store/sqlite/thread.ts';
import type { Request } from '../../../src/store/sqlite/worker.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-threads-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const open = (name: string) => new Thread({ path: join(folder, name), readOnly: false, key: new Uint8Array(32), sync: false, maxRows: 10 });
const one: Request = { op: 'all', sql: 'select 1 as x', params: [] };

test('[SYS-4] what is asked while a database is closed is refused at once, and what was asked before is answered', async () => {
  const thread = open('a.db');
  const before = thread.call(one);
  const closing = thread.close();
  await expect(thread.call(one, 200)).rejects.toThrow('was closed');
  await closing;
  expect(await before).toEqual([{ x: 1 }]);
  await expect(thread.call(one)).rejects.toThrow('was closed');
});

test('[SYS-4] closed twice, it takes nothing from whoever has its thread now', async () => {
  const first = open('b.db');
  await first.call(one);
  await first.close();
  const second = open('c.db');
  await first.close();
  expect(await second.call(one)).toEqual([{ x: 1 }]);
  await second.close();
});

test('[SYS-4] a thread whose database cannot be opened ends by itself', async () => {
  const threads = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Worker' || kind === 'MessagePort').length;
  const before = threads();
  for (let n = 0; n < 5; n++) {
    const refused = open(join('none', 'x.db'));
    await expect(refused.call(one)).rejects.toThrow('unable to open');
    expect(refused.isGone).toBe(true);
  }
  await waitFor(() => expect(threads()).toBeLessThanOrEqual(before));
});
