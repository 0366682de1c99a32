// The numbered list of schema changes. An entry never changes once released: a database of any earlier version is
// brought forward by the entries it lacks, in order.

import type { Progress } from '../progress.ts';
import {
  type Migration,
  table,
  closedGaps,
  sharedSpaces,
  peersInHouse,
  requestLinks,
  evenGrowth,
  newestFirst,
  provokeMigration,
} from './migrations-since-5.ts';

const migrations: Migration[] = [
  {
    version: 1,
    name: 'the house',
    both: [
      table(
        'members',
        'id, kind, handle, handle_fold, display_name, about, role, owner_id?, manager_id?, status, dnd_until int?, created_at int',
        'id',
      ),
      'create unique index members_handle on members (handle_fold)',
      'create index members_owner on members (owner_id)',
      'create index members_role on members (role)',
      table(
        'conversations',
        `id, kind, name?, name_fold?, topic, visibility, floor, history, parent_id?, root_message_id?, dm_key?, created_by?,
         created_at int, archived_at int?`,
        'id',
      ),
      'create unique index conversations_name on conversations (name_fold)',
      'create unique index conversations_dm on conversations (dm_key)',
      'create unique index conversations_root on conversations (root_message_id)',
      'create index conversations_parent on conversations (parent_id)',
      table('memberships', 'conversation_id, member_id, role, notify, joined_at int, joined_seq int', 'conversation_id, member_id'),
      'create index memberships_member on memberships (member_id)',
      // The place in the stream is the key: history is a range of it, and the search index refers to it.
      `create table messages (seq {serial} primary key, id text not null unique, conversation_id text not null, author_id text, body text,
         version bigint not null, reply_to text, attachments text not null, thread_id text, created_at bigint not null, edited_at bigint,
         deleted_at bigint, sum text not null)`,
      'create index messages_conversation on messages (conversation_id, seq)',
      'create index messages_author on messages (author_id, seq)',
      table('message_versions', 'message_id, version int, body?, at int', 'message_id, version'),
      table('reactions', 'message_id, member_id, emoji, at int', 'message_id, member_id, emoji'),
      'create index reactions_member on reactions (member_id)',
      table('reads', 'conversation_id, member_id, seq int', 'conversation_id, member_id'),
      'create index reads_member on reads (member_id)',
      table('tokens', 'id, hash, kind, purpose, member_id, label, created_by?, created_at int, expires_at int?, revoked_at int?', 'id'),
      'create unique index tokens_hash on tokens (hash)',
      'create index tokens_member on tokens (member_id)',
      table(
        'links',
        'id, hash, purpose, member_id?, role?, conversation_id?, created_by?, created_at int, expires_at int, used_at int?, used_by?',
        'id',
      ),
      'create unique index links_hash on links (hash)',
      'create index links_member on links (member_id)',
      'create index links_creator on links (created_by)',
      table('attachments', 'id, sha256, name, media_type, size int, uploaded_by, message_id?, created_at int, erased_at int?', 'id'),
      'create index attachments_message on attachments (message_id)',
      'create index attachments_blob on attachments (sha256)',
      'create index attachments_uploader on attachments (uploaded_by)',
      table('requests', 'actor_id, key, command, result, at int', 'actor_id, key'),
      'create index requests_at on requests (at)',
      table('timers', 'id, kind, subject, clock, due_at int', 'id'),
      'create unique index timers_subject on timers (kind, subject)',
      'create index timers_due on timers (clock, due_at)',
      table('outbox', 'id, kind, payload, due_at int, attempts int, leased_until int, last_error?', 'id'),
      'create index outbox_due on outbox (due_at)',
      table('settings', 'key, value', 'key'),
      `create table facts (seq {serial} primary key, epoch text not null, at bigint not null, type text not null, actor_id text, scope text not null,
         conversation_id text, member_id text, subject_id text, chain_id text, data text not null, prev text not null, sum text not null)`,
      'create index facts_conversation on facts (conversation_id, seq)',
      'create index facts_member on facts (member_id, seq)',
      "create index facts_workspace on facts (seq) where scope = 'workspace'",
      'create index facts_subject on facts (subject_id, seq)',
      // Facts about the store itself, written by it alone: schema version, epoch, how far search has come.
      'create table meta (key text not null primary key, value text not null){rowless}',
    ],
    sqlite: [
      'create virtual table search_index using fts5(words, tokenize = "unicode61 remove_diacritics 0")',
      "insert into search_index (search_index, rank) values ('secure-delete', 1)",
    ],
    postgres: [
      'create table search_index (seq bigint primary key, words tsvector not null)',
      'create index search_words on search_index using gin (words)',
    ],
  },
  {
    version: 2,
    name: 'the polite floor',
    both: [
      table(
        'agents',
        'member_id, brain, manifest_id?, relay_address?, max_concurrent int, asleep_until int?, online int, session int, acked int',
        'member_id',
      ),
      'create index agents_online on agents (online)',
      table(
        'chains',
        `id, requester_id?, conversation_id, message_id, started_at int, ended_at int?, outer_at int, runs_until int?, left_ms int?,
         tasks int, turns int, micros int`,
        'id',
      ),
      table(
        'tasks',
        `id, seq int, chain_id, parent_id?, agent_id?, requester_id?, conversation_id, message_id, state, open int, cause?, addressed_by,
         mode, depth int, path, outputs, lease int, answer_id?, asked_in?, waiting_since int?, created_at int, updated_at int,
         ended_at int?`,
        'id',
      ),
      'create index tasks_chain on tasks (chain_id, open)',
      'create index tasks_agent on tasks (agent_id, open)',
      'create index tasks_here on tasks (conversation_id, requester_id, open)',
      'create index tasks_conversation on tasks (conversation_id, open)',
      'create index tasks_requester on tasks (requester_id, open)',
      'create index tasks_message on tasks (message_id)',
      'create index tasks_parent on tasks (parent_id, open)',
      'create index tasks_open on tasks (seq) where open = 1',
      'create index tasks_anyone on tasks (addressed_by, open)',
      table('task_words', 'message_id, task_id, kind', 'message_id, task_id'),
      'create index task_words_task on task_words (task_id)',
      table('turns', 'id, task_id, agent_id, lease int, state, started_at int, ended_at int?, reserved_micros int, spent_micros int', 'id'),
      'create index turns_task on turns (task_id, state)',
      'create index turns_state on turns (state)',
      table('journal', 'turn_id, n int, kind, name, read_only int, key?, input, result?, intended_at int, done_at int?', 'turn_id, n'),
      table('purses', 'id, turns int, micros int', 'id'),
    ],
  },
  {
    version: 3,
    name: 'attention',
    both: [
      table('roles', 'id, handle, handle_fold, about, created_at int', 'id'),
      'create unique index roles_handle on roles (handle_fold)',
      table('role_holders', 'role_id, member_id', 'role_id, member_id'),
      'create index role_holders_member on role_holders (member_id)',
      table('task_roles', 'task_id, role_id', 'task_id'),
      'create index task_roles_role on task_roles (role_id)',
      table('leaves', 'conversation_id, member_id, message_id?, asked_by?, at int, goodbye_id?', 'conversation_id, member_id'),
      'create index leaves_member on leaves (member_id)',
      table('signals', 'message_id, member_id, signal, task_id, seq int, at int', 'message_id, member_id, signal'),
      'create index signals_task on signals (task_id)',
      table('windows', 'task_id, since int, ready_at int', 'task_id'),
      table('offers', 'message_id, agent_id, n int, state, until int?, task_id?', 'message_id, agent_id'),
      'create index offers_agent on offers (agent_id, state)',
      table('rounds', 'message_id, first_id, conversation_id, author_id, asks int, since int, ready_at int?, open int', 'message_id'),
      'create index rounds_open on rounds (open)',
      'create index rounds_author on rounds (author_id, open)',
      'create index rounds_first on rounds (first_id)',
      table('mailboxes', 'conversation_id, member_id, seq int, digest_ms int?, digest_seq int', 'conversation_id, member_id'),
      'create index mailboxes_member on mailboxes (member_id)',
      table(
        'obligations',
        `id, seq int, author_id, delegate_id?, recipient_id, holder_id, level int, conversation_id, message_id, task_id?, blocks,
         default_action, interval_ms int, returns int, extended int, reciprocal_of?, open int, next_at int?, created_at int,
         discharged_at int?, discharged_by?`,
        'id',
      ),
      'create index obligations_holder on obligations (holder_id, open)',
      'create index obligations_author on obligations (author_id, open)',
      'create index obligations_delegate on obligations (delegate_id, open)',
      'create index obligations_message on obligations (message_id)',
      'create index obligations_reciprocal on obligations (reciprocal_of)',
      table(
        'checkpoints',
        `id, seq int, kind, member_id, conversation_id?, message_id?, chain_id?, subject_id?, data, open int, created_at int,
         closed_at int?, closed_by?, choice?`,
        'id',
      ),
      'create index checkpoints_member on checkpoints (member_id, open)',
      'create index checkpoints_subject on checkpoints (subject_id)',
      table('taints', 'task_id, kind, at int', 'task_id, kind'),
      table('urgent_messages', 'message_id', 'message_id'),
    ],
  },
  {
    version: 4,
    name: 'agents at work',
    both: [
      table('identities', 'agent_id, version int, mode, data, source, at int', 'agent_id'),
      table('identity_versions', 'agent_id, version int, data, changed_by?, at int', 'agent_id, version'),
      'create index identity_versions_author on identity_versions (changed_by)',
      table('tags', 'chain_id, task_id, field, owner_id, held', 'task_id, field, owner_id'),
      'create index tags_chain on tags (chain_id)',
      'create index tags_owner on tags (owner_id)',
      table('contact_rules', 'agent_id, target, permission, requires_approval int, set_by?, at int', 'agent_id, target'),
      'create index contact_rules_target on contact_rules (target)',
      table('approved_pairs', 'agent_id, target_id, approved_by?, at int', 'agent_id, target_id'),
      'create index approved_pairs_target on approved_pairs (target_id)',
      table('contacts', 'task_id, parent_id, action, priority, state, until int?, result_id?, at int', 'task_id'),
      'create index contacts_parent on contacts (parent_id, state)',
      table('message_sources', 'message_id, source', 'message_id'),
      table(
        'approvals',
        `id, task_id, agent_id, name, target_id?, digest, input, why, state, until int, reminded int, at int, answered_at int?,
         answered_lease int?, used_in?`,
        'id',
      ),
      'create index approvals_task on approvals (task_id, state)',
      'create index approvals_agent on approvals (agent_id, state)',
      table('tool_servers', 'name, kind, config, version int, set_by?, at int', 'name'),
      'create index tool_servers_kind on tool_servers (kind)',
      table('secrets', 'name, sealed, set_by?, at int', 'name'),
      'create index secrets_setter on secrets (set_by)',
    ],
  },
  provokeMigration,
  newestFirst,
  {
    version: 7,
    name: 'fewer pages',
    both: [
      // By author they are looked for when somebody leaves or takes their own along; and as every author's entries lie apart, this
      // index was a third of all pages that a group of messages wrote.
      'drop index messages_author',
      // Of most there is none, and nobody looks for those.
      'drop index facts_conversation',
      'create index facts_conversation on facts (conversation_id, seq) where conversation_id is not null',
      'drop index facts_member',
      'create index facts_member on facts (member_id, seq) where member_id is not null',
      'drop index events_by',
      'create index events_by on events (by_id) where by_id is not null',
    ],
  },
  closedGaps,
  peersInHouse,
  sharedSpaces,
  requestLinks,
  evenGrowth,
];

export const schemaVersion = migrations.at(-1)!.version;

/** Summing up the rows is the last step. */
export const upgradeProgress = (done: number, steps: number): Progress => ({
  act: 'Upgrading the database',
  done,
  total: steps + 1,
  unit: 'step',
});

/** Sums of tables exist from this version on; the upgrade of an older database adds them. */
export const summedSince = evenGrowth.version;

/** The statements that bring a database of `from` up to now. A newer database is refused: no downgrade surprises. */
export function pendingMigrations(from: number, engine: 'sqlite' | 'postgres'): { version: number; statements: string[] }[] {
  if (from > schemaVersion) {
    throw new Error(
      `The database was written by a newer version of Parley (schema ${from}, this one knows ${schemaVersion}). Nothing was changed; use that version, or restore a backup.`,
    );
  }
  return migrations
    .filter((m) => m.version > from)
    .map((m) => ({
      version: m.version,
      statements: [...m.both, ...(m[engine] ?? [])].map((sql) =>
        sql
          .replaceAll('{rowless}', engine === 'sqlite' ? ' without rowid' : '')
          .replaceAll('{serial}', engine === 'sqlite' ? 'integer' : 'bigint'),
      ),
    }));
}
