// Schema 11: links for people without an agent.

import { type Migration, table } from './migration.ts';

export const requestLinks: Migration = {
  version: 11,
  name: 'request links',
  both: [
    table(
      'request_links',
      `id, member_id, thread_id, state, sealed?, opener?, answer?, answer_hash?, made_at int, expires_at int, opened_at int?,
       answered_at int?`,
      'id',
    ),
    'create index request_links_member on request_links (member_id)',
    'create index request_links_thread on request_links (member_id, thread_id)',
    'create index request_links_expiry on request_links (expires_at)',
  ],
};
