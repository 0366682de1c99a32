// The numbered list of schema changes. An entry never changes once released: a database of any earlier version is
// brought forward by the entries it lacks, in order.

import { type Migration, table } from './migration.ts';
import { closedGaps } from './migration-8.ts';
import { newestFirst, provokeMigration } from './migration-provoked.ts';

const migrations: Migration[] = [
  {
    version: 1,
    name: 'the house',
    both: [
      table(
        'members',
        `id text not null, kind text not null, handle text not null, handle_fold text not null, display_name text not null, about text not null,
         role text not null, owner_id text, manager_id text, status text not null, dnd_until bigint, created_at bigint not null`,
        'id',
      ),
      'create unique index members_handle on members (handle_fold)',
      'create index members_owner on members (owner_id)',
      'create index members_role on members (role)',
      table(
        'conversations',
        `id text not null, kind text not null, name text, name_fold text, topic text not null, visibility text not null, floor text not null,
         history text not null, parent_id text, root_message_id text, dm_key text, created_by text, created_at bigint not null, archived_at bigint`,
        'id',
      ),
      'create unique index conversations_name on conversations (name_fold)',
      'create unique index conversations_dm on conversations (dm_key)',
      'create unique index conversations_root on conversations (root_message_id)',
      'create index conversations_parent on conversations (parent_id)',
      table(
        'memberships',
        `conversation_id text not null, member_id text not null, role text not null, notify text not null,
         joined_at bigint not null, joined_seq bigint not null`,
        'conversation_id, member_id',
      ),
      'create index memberships_member on memberships (member_id)',
      // The place in the stream is the key: history is a range of it, and the search index refers to it.
      `create table messages (seq {serial} primary key, id text not null unique, conversation_id text not null, author_id text, body text,
         version bigint not null, reply_to text, attachments text not null, thread_id text, created_at bigint not null, edited_at bigint,
         deleted_at bigint, sum text not null)`,
      'create index messages_conversation on messages (conversation_id, seq)',
      'create index messages_author on messages (author_id, seq)',
      table('message_versions', 'message_id text not null, version bigint not null, body text, at bigint not null', 'message_id, version'),
      table(
        'reactions',
        'message_id text not null, member_id text not null, emoji text not null, at bigint not null',
        'message_id, member_id, emoji',
      ),
      'create index reactions_member on reactions (member_id)',
      table('reads', 'conversation_id text not null, member_id text not null, seq bigint not null', 'conversation_id, member_id'),
      'create index reads_member on reads (member_id)',
      table(
        'tokens',
        `id text not null, hash text not null, kind text not null, purpose text not null, member_id text not null, label text not null,
         created_by text, created_at bigint not null, expires_at bigint, revoked_at bigint`,
        'id',
      ),
      'create unique index tokens_hash on tokens (hash)',
      'create index tokens_member on tokens (member_id)',
      table(
        'links',
        `id text not null, hash text not null, purpose text not null, member_id text, role text, conversation_id text, created_by text,
         created_at bigint not null, expires_at bigint not null, used_at bigint, used_by text`,
        'id',
      ),
      'create unique index links_hash on links (hash)',
      'create index links_member on links (member_id)',
      'create index links_creator on links (created_by)',
      table(
        'attachments',
        `id text not null, sha256 text not null, name text not null, media_type text not null, size bigint not null, uploaded_by text not null,
         message_id text, created_at bigint not null, erased_at bigint`,
        'id',
      ),
      'create index attachments_message on attachments (message_id)',
      'create index attachments_blob on attachments (sha256)',
      'create index attachments_uploader on attachments (uploaded_by)',
      table(
        'requests',
        'actor_id text not null, key text not null, command text not null, result text not null, at bigint not null',
        'actor_id, key',
      ),
      'create index requests_at on requests (at)',
      table('timers', 'id text not null, kind text not null, subject text not null, clock text not null, due_at bigint not null', 'id'),
      'create unique index timers_subject on timers (kind, subject)',
      'create index timers_due on timers (clock, due_at)',
      table(
        'outbox',
        `id text not null, kind text not null, payload text not null, due_at bigint not null, attempts bigint not null,
         leased_until bigint not null, last_error text`,
        'id',
      ),
      'create index outbox_due on outbox (due_at)',
      table('settings', 'key text not null, value text not null', 'key'),
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
        `member_id text not null, brain text not null, manifest_id text, relay_address text, max_concurrent bigint not null,
         asleep_until bigint, online bigint not null, session bigint not null, acked bigint not null`,
        'member_id',
      ),
      'create index agents_online on agents (online)',
      table(
        'chains',
        `id text not null, requester_id text, conversation_id text not null, message_id text not null, started_at bigint not null,
         ended_at bigint, outer_at bigint not null, runs_until bigint, left_ms bigint, tasks bigint not null, turns bigint not null,
         micros bigint not null`,
        'id',
      ),
      table(
        'tasks',
        `id text not null, seq bigint not null, chain_id text not null, parent_id text, agent_id text, requester_id text,
         conversation_id text not null, message_id text not null, state text not null, open bigint not null, cause text,
         addressed_by text not null, mode text not null, depth bigint not null, path text not null, outputs text not null,
         lease bigint not null, answer_id text, asked_in text, waiting_since bigint, created_at bigint not null, updated_at bigint not null, ended_at bigint`,
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
      table('task_words', 'message_id text not null, task_id text not null, kind text not null', 'message_id, task_id'),
      'create index task_words_task on task_words (task_id)',
      table(
        'turns',
        `id text not null, task_id text not null, agent_id text not null, lease bigint not null, state text not null,
         started_at bigint not null, ended_at bigint, reserved_micros bigint not null, spent_micros bigint not null`,
        'id',
      ),
      'create index turns_task on turns (task_id, state)',
      'create index turns_state on turns (state)',
      table(
        'journal',
        `turn_id text not null, n bigint not null, kind text not null, name text not null, read_only bigint not null, key text,
         input text not null, result text, intended_at bigint not null, done_at bigint`,
        'turn_id, n',
      ),
      table('purses', 'id text not null, turns bigint not null, micros bigint not null', 'id'),
    ],
    sqlite: [],
    postgres: [],
  },
  {
    version: 3,
    name: 'attention',
    both: [
      table(
        'roles',
        'id text not null, handle text not null, handle_fold text not null, about text not null, created_at bigint not null',
        'id',
      ),
      'create unique index roles_handle on roles (handle_fold)',
      table('role_holders', 'role_id text not null, member_id text not null', 'role_id, member_id'),
      'create index role_holders_member on role_holders (member_id)',
      table('task_roles', 'task_id text not null, role_id text not null', 'task_id'),
      'create index task_roles_role on task_roles (role_id)',
      table(
        'leaves',
        'conversation_id text not null, member_id text not null, message_id text, asked_by text, at bigint not null, goodbye_id text',
        'conversation_id, member_id',
      ),
      'create index leaves_member on leaves (member_id)',
      table(
        'signals',
        'message_id text not null, member_id text not null, signal text not null, task_id text not null, seq bigint not null, at bigint not null',
        'message_id, member_id, signal',
      ),
      'create index signals_task on signals (task_id)',
      table('windows', 'task_id text not null, since bigint not null, ready_at bigint not null', 'task_id'),
      table(
        'offers',
        'message_id text not null, agent_id text not null, n bigint not null, state text not null, until bigint, task_id text',
        'message_id, agent_id',
      ),
      'create index offers_agent on offers (agent_id, state)',
      table(
        'rounds',
        `message_id text not null, first_id text not null, conversation_id text not null, author_id text not null, asks bigint not null,
         since bigint not null, ready_at bigint, open bigint not null`,
        'message_id',
      ),
      'create index rounds_open on rounds (open)',
      'create index rounds_author on rounds (author_id, open)',
      'create index rounds_first on rounds (first_id)',
      table(
        'mailboxes',
        'conversation_id text not null, member_id text not null, seq bigint not null, digest_ms bigint, digest_seq bigint not null',
        'conversation_id, member_id',
      ),
      'create index mailboxes_member on mailboxes (member_id)',
      table(
        'obligations',
        `id text not null, seq bigint not null, author_id text not null, delegate_id text, recipient_id text not null, holder_id text not null,
         level bigint not null, conversation_id text not null, message_id text not null, task_id text, blocks text not null,
         default_action text not null, interval_ms bigint not null, returns bigint not null, extended bigint not null, reciprocal_of text,
         open bigint not null, next_at bigint, created_at bigint not null, discharged_at bigint, discharged_by text`,
        'id',
      ),
      'create index obligations_holder on obligations (holder_id, open)',
      'create index obligations_author on obligations (author_id, open)',
      'create index obligations_delegate on obligations (delegate_id, open)',
      'create index obligations_message on obligations (message_id)',
      'create index obligations_reciprocal on obligations (reciprocal_of)',
      table(
        'checkpoints',
        `id text not null, seq bigint not null, kind text not null, member_id text not null, conversation_id text, message_id text,
         chain_id text, subject_id text, data text not null, open bigint not null, created_at bigint not null, closed_at bigint,
         closed_by text, choice text`,
        'id',
      ),
      'create index checkpoints_member on checkpoints (member_id, open)',
      'create index checkpoints_subject on checkpoints (subject_id)',
      table('taints', 'task_id text not null, kind text not null, at bigint not null', 'task_id, kind'),
      table('urgent_messages', 'message_id text not null', 'message_id'),
    ],
    sqlite: [],
    postgres: [],
  },
  {
    version: 4,
    name: 'agents at work',
    both: [
      table(
        'identities',
        'agent_id text not null, version bigint not null, mode text not null, data text not null, source text not null, at bigint not null',
        'agent_id',
      ),
      table(
        'identity_versions',
        'agent_id text not null, version bigint not null, data text not null, changed_by text, at bigint not null',
        'agent_id, version',
      ),
      'create index identity_versions_author on identity_versions (changed_by)',
      table(
        'tags',
        'chain_id text not null, task_id text not null, field text not null, owner_id text not null, held text not null',
        'task_id, field, owner_id',
      ),
      'create index tags_chain on tags (chain_id)',
      'create index tags_owner on tags (owner_id)',
      table(
        'contact_rules',
        `agent_id text not null, target text not null, permission text not null, requires_approval bigint not null, set_by text,
         at bigint not null`,
        'agent_id, target',
      ),
      'create index contact_rules_target on contact_rules (target)',
      table(
        'approved_pairs',
        'agent_id text not null, target_id text not null, approved_by text, at bigint not null',
        'agent_id, target_id',
      ),
      'create index approved_pairs_target on approved_pairs (target_id)',
      table(
        'contacts',
        `task_id text not null, parent_id text not null, action text not null, priority text not null, state text not null, until bigint,
         result_id text, at bigint not null`,
        'task_id',
      ),
      'create index contacts_parent on contacts (parent_id, state)',
      table('message_sources', 'message_id text not null, source text not null', 'message_id'),
      table(
        'approvals',
        `id text not null, task_id text not null, agent_id text not null, name text not null, target_id text, digest text not null,
         input text not null, why text not null, state text not null, until bigint not null, reminded bigint not null, at bigint not null,
         answered_at bigint, answered_lease bigint, used_in text`,
        'id',
      ),
      'create index approvals_task on approvals (task_id, state)',
      'create index approvals_agent on approvals (agent_id, state)',
      table(
        'tool_servers',
        'name text not null, kind text not null, config text not null, version bigint not null, set_by text, at bigint not null',
        'name',
      ),
      'create index tool_servers_kind on tool_servers (kind)',
      table('secrets', 'name text not null, sealed text not null, set_by text, at bigint not null', 'name'),
      'create index secrets_setter on secrets (set_by)',
    ],
    sqlite: [],
    postgres: [],
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
    sqlite: [],
    postgres: [],
  },
  closedGaps,
];

export const schemaVersion = migrations.at(-1)!.version;

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
      statements: [...m.both, ...m[engine]].map((sql) =>
        sql
          .replaceAll('{rowless}', engine === 'sqlite' ? ' without rowid' : '')
          .replaceAll('{serial}', engine === 'sqlite' ? 'integer' : 'bigint'),
      ),
    }));
}
