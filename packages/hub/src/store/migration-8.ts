// Schema 8: closes what testing from outside found. One migration for the whole step, as it is released as one.

import type { Migration } from './migration.ts';

export const closedGaps: Migration = {
  version: 8,
  name: 'closed gaps',
  both: [],
  sqlite: [],
  postgres: [],
};
