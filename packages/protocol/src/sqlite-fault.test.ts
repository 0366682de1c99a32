import { expect, test } from 'vitest';
import { asFileError, isSqliteBusy } from './sqlite-fault.ts';

const failed = (errcode: number, message: string) => Object.assign(new Error(message), { errcode });
const textOf = (error: unknown): string => (asFileError('/data/x.db', error, 'Put back a copy.') as Error).message;

test('[SYS-15] an error of SQLite about a file names the file and what to do; a busy file is another process', () => {
  expect(textOf(failed(11, 'database disk image is malformed'))).toBe('/data/x.db: database disk image is malformed. Put back a copy.');
  expect(textOf(failed(13, 'database or disk is full'))).toBe(
    '/data/x.db: database or disk is full. Free some space on its disk, then try again.',
  );
  // An extended code: SQLITE_CANTOPEN_ISDIR.
  expect(textOf(failed(526, 'unable to open database file'))).toContain('Check its owner');
  expect([5, 261, 13].map((code) => isSqliteBusy(failed(code, '')))).toEqual([true, true, false]);
  for (const other of [failed(5, 'database is locked'), failed(19, 'UNIQUE'), new Error('no code')])
    expect(asFileError('/data/x.db', other, '')).toBe(other);
});
