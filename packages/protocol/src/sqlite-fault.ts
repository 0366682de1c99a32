// What SQLite says about a file, by its result code (https://sqlite.org/rescode.html): in words of its own it names no file.

const faults: Readonly<Record<number, 'busy' | 'damaged' | 'full' | 'unusable'>> = {
  3: 'unusable',
  5: 'busy',
  6: 'busy',
  8: 'unusable',
  10: 'unusable',
  11: 'damaged',
  13: 'full',
  14: 'unusable',
  26: 'damaged',
};

/** The low byte of a code is its class. */
const faultOf = (error: unknown) => faults[((error as { errcode?: number }).errcode ?? 0) & 0xff];

/** Another process has the file. */
export const isSqliteBusy = (error: unknown): boolean => faultOf(error) === 'busy';

export class DatabaseFileError extends Error {
  constructor(message: string, options: { cause: unknown }) {
    super(message, options);
    this.name = 'DatabaseFileError';
  }
}

/** The same error, with the file and what to do; one that is not about the file as it is. `repair`: for a damaged file. */
export function asFileError(file: string, error: unknown, repair: string): unknown {
  const fault = faultOf(error);
  if (fault === undefined || fault === 'busy') return error;
  const advice = {
    damaged: repair,
    full: 'Free some space on its disk, then try again.',
    unusable: 'Check its owner, its permissions and its disk, then try again.',
  }[fault];
  return new DatabaseFileError(`${file}: ${(error as Error).message}. ${advice}`, { cause: error });
}
