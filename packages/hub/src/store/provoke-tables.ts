// The tables of provoking: what is written down about triggers, manifests and sources, which events came, which pair of
// event and trigger has been checked, and what was started by it.

import type { InvocationState, RiskLevel } from '@parley/protocol';
import type { Stored } from './stored-values.ts';
import { table, words } from './table.ts';

type ProvokeObjectKind = 'trigger' | 'manifest' | 'source' | 'schedule' | 'absence';

/** `owner_id`: as whom it runs (SYS-9). `body`: JSON, in the published names. */
const definition = 'kind, id, version int, owner_id, enabled int, body';
const definitionWords = words<{ kind: ProvokeObjectKind }>();

export const provokeTables = {
  /**
   * As it is now. One that was removed stays, so that no version is given out twice.
   * `file`: where it is edited: over the API, or in a file of this name.
   */
  provoke_objects: table({
    columns: `${definition}, file?, removed_at int?, at int`,
    words: definitionWords,
    key: 'kind, id',
    lookups: { kind: 'kind', owner: 'owner_id', file: 'file' },
  }),
  provoke_versions: table({
    columns: `${definition}, removed int, changed_by?, at int`,
    words: definitionWords,
    key: 'kind, id, version',
    lookups: { author: 'changed_by' },
  }),
  /** The source that a source's token speaks for; the source has its permissions. */
  source_tokens: table({ columns: 'token_id, source_id', key: 'token_id', lookups: { source: 'source_id' } }),
  /**
   * One that was accepted. A repeat of it is a row of its own: the keys show what it started.
   * `seq`: of the fact that it was accepted.
   * `event_id`: the sender's id.
   * `source`: the monitor, as the event says.
   * `body`: the event as JSON.
   * `source_id`: the source's object, for what came with its token or its webhook.
   * `triggered_by`: the invocation in which it was emitted.
   * `level`: invocations before what it starts, and hops between agents.
   */
  events: table({
    columns: `id, seq int, event_id, type, source, body, via, source_id?, by_id?, chain_id, triggered_by?, level int, depth int,
      accepted_at int`,
    words: words<{ via: 'api' | 'cloudevents' | 'webhook' | 'schedule' | 'absence' | 'invocation' }>(),
    key: 'id',
    lookups: { event: 'event_id', by: 'by_id', chain: 'chain_id' },
  }),
  /** The pair has been checked (PRV-8); the hash is its name. */
  provoke_keys: table({ columns: 'event_id, trigger_id, hash, at int', key: 'event_id, trigger_id' }),
  /**
   * A place taken in a trigger's window.
   * `until`: when it leaves the window, as that was when it was last looked at.
   */
  throttle_starts: table({
    columns: 'invocation_id, trigger_id, bucket, at int, until int',
    key: 'invocation_id',
    lookups: { bucket: 'trigger_id, bucket' },
  }),
  /**
   * `seq`: of the fact that began it.
   * `event_ref`: the row in `events`.
   * `event_id`: the sender's id of it.
   * `owner_id`: as whom it runs.
   * `agent_id`: the agent that acts, once it is known.
   * `attempt`: the attempt under way or the last one, from 1; 0: none has begun.
   * `attempts`: how many there may be.
   * `lease`: raised by every beginning: a stale runner's writes are refused.
   * `due_at`: when a retry may begin; or the deadline of a pending approval.
   * `checkpoint_id`: the checkpoint at which a person was asked.
   */
  invocations: table({
    columns: `id, seq int, event_ref, event_id, trigger_id, trigger_version int, manifest_id, manifest_version int, owner_id, agent_id?,
      risk, state, open int, attempt int, attempts int, lease int, due_at int?, checkpoint_id?, chain_id, level int, depth int, output?,
      error?, micros int, tool_calls int, created_at int, started_at int?, ended_at int?`,
    words: words<{ risk: RiskLevel; state: Stored<InvocationState> }>(),
    key: 'id',
    lookups: {
      event: 'event_ref',
      trigger: 'trigger_id, open',
      agent: 'agent_id, state',
      owner: 'owner_id, open',
      state: 'state',
      chain: 'chain_id',
    },
  }),
  /** `state`: `running`, or how it ended. */
  invocation_attempts: table({
    columns: 'invocation_id, n int, lease int, state, error?, micros int, tool_calls int, started_at int, ended_at int?',
    key: 'invocation_id, n',
    lookups: { invocation: 'invocation_id' },
  }),
  /** The last slot of a schedule, whether it fired or was skipped. */
  schedule_slots: table({ columns: 'schedule_id, slot int', key: 'schedule_id' }),
  /**
   * When the last one came that an absence monitor waits for.
   * `name`: of the key: it can be as long as what a monitor says.
   */
  absence_keys: table({
    columns: 'absence_id, name, key, heard_at int',
    key: 'absence_id, name',
    lookups: { absence: 'absence_id' },
  }),
};
