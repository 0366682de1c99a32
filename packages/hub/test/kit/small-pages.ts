// Loaded before the hub where no small disk can be mounted: while the flag file is there, SQLite may add no page to its
// file and files take no more bytes. The errors are the real ones, only their cause is not.

import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';

const flag = process.env['PARLEY_TEST_FULL']!;

const databases = DatabaseSync.prototype as unknown as { exec: (sql: string) => void };
const { exec } = databases;
databases.exec = function (sql): void {
  // A limit below what there is counts as what there is.
  if (sql.startsWith('begin')) exec.call(this, `pragma max_page_count = ${existsSync(flag) ? 1 : 1_073_741_823}`);
  exec.call(this, sql);
};

const probe = await open(import.meta.filename);
const handles = Object.getPrototypeOf(probe) as { write: (...args: unknown[]) => Promise<unknown> };
await probe.close();
const { write } = handles;
handles.write = function (...args): Promise<unknown> {
  if (existsSync(flag)) return Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
  return write.apply(this, args);
};
