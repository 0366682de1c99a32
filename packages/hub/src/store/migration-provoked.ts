import { type Migration, table } from './migration.ts';

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
