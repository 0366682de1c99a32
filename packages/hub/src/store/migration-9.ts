// Schema 9: people's own peers in the house.

import { type Migration, table } from './migration.ts';

export const peersInHouse: Migration = {
  version: 9,
  name: 'peers in the house',
  both: [table('sharing_rules', 'member_id, data, version int, at int', 'member_id')],
};
