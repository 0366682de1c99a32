// Schema 10: shared spaces of people's peers.

import { type Migration, table } from './migration.ts';

export const sharedSpaces: Migration = {
  version: 10,
  name: 'shared spaces',
  both: [
    table(
      'spaces',
      'member_id, space_id, conversation_id?, moves int, noticed int, posted int, created_at int, updated_at int',
      'member_id, space_id',
    ),
  ],
};
