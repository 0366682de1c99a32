// Schema 12: sums of whole tables, owners by ID, and lists that cost the same at any size.

import { type Migration, table } from './migration.ts';

export const evenGrowth: Migration = {
  version: 12,
  name: 'sums of tables, owners by id, even growth',
  both: [
    table('name_pins', 'place, name, subject_id, at int', 'place, name'),
    'create index audit_entries_about on audit_entries (kind, target_id)',
    // One row, written by the store alone (table-sums.ts). An integer key: with another, SQLite would keep most of it on a second page.
    'create table table_sums (id {serial} primary key, sums text not null, mac text not null)',
    // For the numbers of an operator, which count what is open every few seconds.
    'create index invocations_open_states on invocations (state) where open = 1',
    'create index checkpoints_open_kinds on checkpoints (kind) where open = 1',
    table('private_names', 'name_fold, conversation_id', 'name_fold, conversation_id'),
    // Who wrote it and whether it is deleted stand in the index: what is unread is counted without reading a message.
    'drop index messages_conversation',
    'create index messages_conversation on messages (conversation_id, seq, author_id, deleted_at)',
    // In the order of the list, so that a page of it reads a page.
    'drop index memberships_member',
    'create index memberships_member on memberships (member_id, conversation_id)',
    "create index conversations_open on conversations (id) where kind = 'channel' and visibility = 'public' and archived_at is null",
    "create index conversations_dms on conversations (created_at, id) where kind = 'dm'",
    'create index members_manager on members (manager_id) where manager_id is not null',
    'create index obligations_recipient on obligations (recipient_id, open)',
    'create index links_open on links (purpose, expires_at) where used_at is null',
    'create index tokens_in_force on tokens (created_at) where revoked_at is null',
    'create index tasks_newest on tasks (seq, id)',
    'drop index tasks_requester',
    'create index tasks_requester on tasks (requester_id, open, seq, id)',
    "create index facts_notices on facts (member_id, seq) where type = 'notice'",
    'create index events_type on events (type, seq)',
    'create index audit_entries_kind on audit_entries (kind, seq)',
    ...['actor_id', 'for_id', 'target_id', 'approver_id'].map(
      (column) => `create index audit_entries_${column} on audit_entries (${column}, seq) where ${column} is not null`,
    ),
    'drop index provoke_objects_owner',
    'create index provoke_objects_owner on provoke_objects (owner_id, kind, id)',
  ],
  // Without numbers SQLite takes the first column of the key, of which there are five values, for as telling as an owner.
  sqlite: [
    'analyze provoke_objects',
    "delete from sqlite_stat1 where tbl = 'provoke_objects'",
    `insert into sqlite_stat1 (tbl, idx, stat) values ('provoke_objects', 'provoke_objects', '10000 2500 1'),
       ('provoke_objects', 'provoke_objects_owner', '10000 20 10 1'), ('provoke_objects', 'provoke_objects_file', '10000 2')`,
    'analyze sqlite_schema',
  ],
  // Compressed and moved elsewhere, as long texts are, it would cost each group more.
  postgres: ['alter table table_sums alter column sums set storage plain'],
};
