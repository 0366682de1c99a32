import { type Migration, table } from './migration.ts';

export const provokeMigration: Migration = {
  version: 5,
  name: 'provoked',
  both: [
    table(
      'provoke_objects',
      `kind text not null, id text not null, version bigint not null, owner_id text not null, enabled bigint not null, body text not null,
       file text, removed_at bigint, at bigint not null`,
      'kind, id',
    ),
    'create index provoke_objects_owner on provoke_objects (owner_id)',
    'create index provoke_objects_file on provoke_objects (file)',
    table(
      'provoke_versions',
      `kind text not null, id text not null, version bigint not null, owner_id text not null, enabled bigint not null, body text not null,
       removed bigint not null, changed_by text, at bigint not null`,
      'kind, id, version',
    ),
    'create index provoke_versions_author on provoke_versions (changed_by)',
    table('source_tokens', 'token_id text not null, source_id text not null', 'token_id'),
    'create index source_tokens_source on source_tokens (source_id)',
    table(
      'events',
      `id text not null, seq bigint not null, event_id text not null, type text not null, source text not null, body text not null, via text not null,
       source_id text, by_id text, chain_id text not null, triggered_by text, level bigint not null, depth bigint not null,
       accepted_at bigint not null`,
      'id',
    ),
    'create index events_seq on events (seq)',
    'create index events_event on events (event_id)',
    'create index events_by on events (by_id)',
    'create index events_chain on events (chain_id)',
    table(
      'provoke_keys',
      'event_id text not null, trigger_id text not null, hash text not null, at bigint not null',
      'event_id, trigger_id',
    ),
    'create index provoke_keys_at on provoke_keys (at)',
    table(
      'throttle_starts',
      'invocation_id text not null, trigger_id text not null, bucket text not null, at bigint not null, until bigint not null',
      'invocation_id',
    ),
    'create index throttle_starts_bucket on throttle_starts (trigger_id, bucket)',
    'create index throttle_starts_until on throttle_starts (until)',
    table(
      'invocations',
      `id text not null, seq bigint not null, event_ref text not null, event_id text not null, trigger_id text not null,
       trigger_version bigint not null, manifest_id text not null, manifest_version bigint not null, owner_id text not null, agent_id text,
       risk text not null, state text not null, open bigint not null, attempt bigint not null, attempts bigint not null,
       lease bigint not null, due_at bigint, checkpoint_id text, chain_id text not null, level bigint not null, depth bigint not null,
       output text, error text, micros bigint not null, tool_calls bigint not null, created_at bigint not null, started_at bigint,
       ended_at bigint`,
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
      `invocation_id text not null, n bigint not null, lease bigint not null, state text not null, error text, micros bigint not null,
       tool_calls bigint not null, started_at bigint not null, ended_at bigint`,
      'invocation_id, n',
    ),
    table('schedule_slots', 'schedule_id text not null, slot bigint not null', 'schedule_id'),
    table('absence_keys', 'absence_id text not null, name text not null, key text not null, heard_at bigint not null', 'absence_id, name'),
  ],
  sqlite: [],
  postgres: [],
};

/** What is asked of all that ever ran is answered by the newest of it: however much there is, a page is read and no more. */
export const newestFirst: Migration = {
  version: 6,
  name: 'newest first',
  both: [
    // Whose run it was is known once it has begun.
    'create index invocations_newest on invocations (agent_id, seq) where agent_id is not null',
    'drop index invocations_trigger',
    'create index invocations_trigger on invocations (trigger_id, open, seq)',
    'drop index invocations_owner',
    'create index invocations_owner on invocations (owner_id, open, seq)',
    'drop index invocations_state',
    'create index invocations_state on invocations (state, seq)',
  ],
  sqlite: [],
  postgres: [],
};
