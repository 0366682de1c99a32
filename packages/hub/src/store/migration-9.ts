// Schema 9: people's own peers in the house.

import { type Migration, table } from './migration.ts';

export const peersInHouse: Migration = {
  version: 9,
  name: 'peers in the house',
  both: [
    table('sharing_rules', 'member_id, data, version int, at int', 'member_id'),
    table('peers', 'member_id, address, made_at int', 'member_id'),
    'create index peers_address on peers (address)',
    table(
      'negotiations',
      'member_id, thread_id, task_id?, chain_id?, state, open int, outcome int, created_at int, updated_at int',
      'member_id, thread_id',
    ),
    'create index negotiations_member on negotiations (member_id, open)',
    'create index negotiations_task on negotiations (task_id)',
    'create index negotiations_chain on negotiations (chain_id)',
  ],
};
