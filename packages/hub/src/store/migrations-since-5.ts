// Schema 8: closes what testing from outside found. One migration for the whole step, as it is released as one.

export const closedGaps: Migration = {
  version: 8,
  name: 'closed gaps',
  both: [
    table('borrowed_access', 'subject_id, kind, member_id, lender_id, parent_id, at int', 'subject_id'),
    'create index borrowed_access_member on borrowed_access (member_id)',
    table('agent_handovers', 'agent_id, owner_id, paused int, checkpoint_id, at int', 'agent_id'),
    'create index agent_handovers_owner on agent_handovers (owner_id)',
    table('upload_totals', 'member_id, bytes int', 'member_id'),
    table('handle_skeletons', 'skeleton, subject_id', 'skeleton, subject_id'),
    'create index handle_skeletons_subject on handle_skeletons (subject_id)',
    'create index borrowed_access_lender on borrowed_access (lender_id)',
    'create index borrowed_access_parent on borrowed_access (parent_id)',
    'create index tokens_creator on tokens (created_by)',
    'create index links_user on links (used_by)',
    table('tool_pins', 'server, tool, access, at int', 'server, tool'),
    table('secret_hosts', 'name, host, at int', 'name, host'),
    table('compositions', 'task_id, conversation_id, requester_id, since int, restarts int', 'conversation_id, task_id'),
    'create unique index compositions_task on compositions (task_id)',
    table(
      'audit_entries',
      `id, seq int, kind, actor_id?, for_id?, name, target_id?, subject_id?, conversation_id?, chain_id?, approver_id?, arguments,
       outcome, at int, ended_at int?`,
      'id',
    ),
    'create unique index audit_entries_seq on audit_entries (seq)',
    'create index audit_entries_chain on audit_entries (chain_id)',
    table('forgotten_calls', 'task_id, at int', 'task_id'),
    table('agent_blocks', 'agent_id, member_id, blocked_by?, at int', 'agent_id, member_id'),
    'create index agent_blocks_member on agent_blocks (member_id)',
  ],
};

// What a schema change is. `{rowless}` means SQLite's clustered tables.

export interface Migration {
  version: number;
  name: string;
  both: string[];
  sqlite?: string[];
  postgres?: string[];
}

/** `columns` is a list such as `id, seq int, task_id?`: text unless `int` says otherwise, never null without a question mark. */
export function table(name: string, columns: string, key: string): string {
  const described = columns.replaceAll(
    /(\w+)( int)?(\??)(?=,|$)/g,
    (_, column: string, int?: string, nullable?: string) => `${column} ${int ? 'bigint' : 'text'}${nullable ? '' : ' not null'}`,
  );
  return `create table ${name} (${described}, sum text not null, primary key (${key})){rowless}`;
}

export const provokeMigration: Migration = {
  version: 5,
  name: 'provoked',
  both: [
    table('provoke_objects', 'kind, id, version int, owner_id, enabled int, body, file?, removed_at int?, at int', 'kind, id'),
    'create index provoke_objects_owner on provoke_objects (owner_id)',
    'create index provoke_objects_file on provoke_objects (file)',
    table('provoke_versions', 'kind, id, version int, owner_id, enabled int, body, removed int, changed_by?, at int', 'kind, id, version'),
    'create index provoke_versions_author on provoke_versions (changed_by)',
    table('source_tokens', 'token_id, source_id', 'token_id'),
    'create index source_tokens_source on source_tokens (source_id)',
    table(
      'events',
      'id, seq int, event_id, type, source, body, via, source_id?, by_id?, chain_id, triggered_by?, level int, depth int, accepted_at int',
      'id',
    ),
    'create index events_seq on events (seq)',
    'create index events_event on events (event_id)',
    'create index events_by on events (by_id)',
    'create index events_chain on events (chain_id)',
    table('provoke_keys', 'event_id, trigger_id, hash, at int', 'event_id, trigger_id'),
    'create index provoke_keys_at on provoke_keys (at)',
    table('throttle_starts', 'invocation_id, trigger_id, bucket, at int, until int', 'invocation_id'),
    'create index throttle_starts_bucket on throttle_starts (trigger_id, bucket)',
    'create index throttle_starts_until on throttle_starts (until)',
    table(
      'invocations',
      `id, seq int, event_ref, event_id, trigger_id, trigger_version int, manifest_id, manifest_version int, owner_id, agent_id?, risk,
       state, open int, attempt int, attempts int, lease int, due_at int?, checkpoint_id?, chain_id, level int, depth int, output?,
       error?, micros int, tool_calls int, created_at int, started_at int?, ended_at int?`,
      'id',
    ),
    'create index invocations_seq on invocations (seq)',
    'create index invocations_event on invocations (event_ref)',
    'create index invocations_trigger on invocations (trigger_id, open)',
    'create index invocations_agent on invocations (agent_id, state)',
    'create index invocations_owner on invocations (owner_id, open)',
    'create index invocations_state on invocations (state)',
    'create index invocations_chain on invocations (chain_id)',
    table(
      'invocation_attempts',
      'invocation_id, n int, lease int, state, error?, micros int, tool_calls int, started_at int, ended_at int?',
      'invocation_id, n',
    ),
    table('schedule_slots', 'schedule_id, slot int', 'schedule_id'),
    table('absence_keys', 'absence_id, name, key, heard_at int', 'absence_id, name'),
  ],
};

/** What is asked of all that ever ran is answered by the newest of it: however much there is, a page is read and no more. */
export const newestFirst: Migration = {
  version: 6,
  name: 'newest first',
  both: [
    // The agent of a run is known once it has begun.
    'create index invocations_newest on invocations (agent_id, seq) where agent_id is not null',
    'drop index invocations_trigger',
    'create index invocations_trigger on invocations (trigger_id, open, seq)',
    'drop index invocations_owner',
    'create index invocations_owner on invocations (owner_id, open, seq)',
    'drop index invocations_state',
    'create index invocations_state on invocations (state, seq)',
  ],
};

// Schema 9: people's own peers in the house.

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

// Schema 10: shared spaces of people's peers.

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

// Schema 11: links for people without an agent.

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

// Schema 12: sums of whole tables, owners by ID, and lists that cost the same at any size.

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
