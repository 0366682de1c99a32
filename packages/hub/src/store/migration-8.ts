// Schema 8: closes what testing from outside found. One migration for the whole step, as it is released as one.

import { type Migration, table } from './migration.ts';

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
