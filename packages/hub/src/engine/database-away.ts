import { ParleyError } from '@parley/protocol';
import { StorageFullError, StoreAwayError } from '../store/port.ts';

/** The database is away, or full: nobody decided anything, and it is to be tried again. */
export const isAway = (error: unknown): boolean =>
  error instanceof ParleyError
    ? error.code === 'unavailable' || error.code === 'storage_full'
    : error instanceof StoreAwayError || error instanceof StorageFullError;
