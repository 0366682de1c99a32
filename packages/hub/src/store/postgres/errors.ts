import pg from 'pg';
import { ConflictError, CorruptRowError, LostFactsError, StorageFullError, StoreAwayError } from '../port.ts';

/** What the database said, in our terms: SQLSTATE codes. */
export function translate(error: unknown): Error {
  if (error instanceof ConflictError || error instanceof CorruptRowError || error instanceof LostFactsError || error instanceof TypeError)
    return error;
  // Any other error is the connection failing, in one of the driver's many words.
  if (!(error instanceof pg.DatabaseError)) return new StoreAwayError(error);
  const { code = '' } = error;
  // A group whose hub paused, or that waited too long, was ended by the database: it may be tried again.
  if (/^(08|57P|25P03|55P03)/.test(code)) return new StoreAwayError(error);
  if (code === '23505' || code === '40001' || code === '40P01') return new ConflictError((error as Error).message);
  if (code === '53100' || code === '58030') return new StorageFullError(error);
  return error;
}
