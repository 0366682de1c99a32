// Schema 8: closes what testing from outside found. One migration for the whole step, as it is released as one.

import { type Migration, table } from './migration.ts';

export const closedGaps: Migration = {
  version: 8,
  name: 'closed gaps',
  both: [
    table(
      'borrowed_access',
      'subject_id text not null, kind text not null, member_id text not null, lender_id text not null, parent_id text not null, at bigint not null',
      'subject_id',
    ),
    'create index borrowed_access_member on borrowed_access (member_id)',
    table(
      'agent_handovers',
      'agent_id text not null, owner_id text not null, paused bigint not null, checkpoint_id text not null, at bigint not null',
      'agent_id',
    ),
    'create index agent_handovers_owner on agent_handovers (owner_id)',
    table('upload_totals', 'member_id text not null, bytes bigint not null', 'member_id'),
    table('handle_skeletons', 'skeleton text not null, subject_id text not null', 'skeleton, subject_id'),
    'create index handle_skeletons_subject on handle_skeletons (subject_id)',
    'create index borrowed_access_lender on borrowed_access (lender_id)',
    'create index borrowed_access_parent on borrowed_access (parent_id)',
    'create index tokens_creator on tokens (created_by)',
    'create index links_user on links (used_by)',
    table('tool_pins', 'server text not null, tool text not null, access text not null, at bigint not null', 'server, tool'),
    table('secret_hosts', 'name text not null, host text not null, at bigint not null', 'name, host'),
    table(
      'compositions',
      'task_id text not null, conversation_id text not null, requester_id text not null, since bigint not null, restarts bigint not null',
      'conversation_id, task_id',
    ),
    'create unique index compositions_task on compositions (task_id)',
    table(
      'audit_entries',
      'id text not null, seq bigint not null, kind text not null, actor_id text, for_id text, name text not null, target_id text, subject_id text, conversation_id text, chain_id text, approver_id text, arguments text not null, outcome text not null, at bigint not null, ended_at bigint',
      'id',
    ),
    'create unique index audit_entries_seq on audit_entries (seq)',
    'create index audit_entries_chain on audit_entries (chain_id)',
    table('forgotten_calls', 'task_id text not null, at bigint not null', 'task_id'),
    table('agent_blocks', 'agent_id text not null, member_id text not null, blocked_by text, at bigint not null', 'agent_id, member_id'),
    'create index agent_blocks_member on agent_blocks (member_id)',
  ],
  sqlite: [],
  postgres: [],
};
