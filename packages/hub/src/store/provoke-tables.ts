// The tables of provoking: what is written down about triggers, manifests and sources, which events came, which pair of
// event and trigger has been checked, and what was started by it.

import type { InvocationState, RiskLevel } from '@parley/protocol';
import type { Stored } from './stored-values.ts';
import { oneOf, table } from './table.ts';

type ProvokeObjectKind = 'trigger' | 'manifest' | 'source' | 'schedule' | 'absence';

const definition = {
  kind: oneOf<ProvokeObjectKind>(),
  id: 'text',
  version: 'int',
  /** As whom it runs (SYS-9). */
  owner_id: 'text',
  enabled: 'int',
  /** JSON, in the published names. */
  body: 'text',
} as const;

export const provokeTables = {
  /** As it is now. One that was removed stays, so that no version is given out twice. */
  provoke_objects: table({
    columns: {
      ...definition,
      /** Where it is edited: over the API, or in a file of this name. */
      file: 'text?',
      removed_at: 'int?',
      at: 'int',
    },
    key: ['kind', 'id'],
    lookups: { kind: { columns: ['kind'] }, owner: { columns: ['owner_id'] }, file: { columns: ['file'] } },
  }),
  provoke_versions: table({
    columns: { ...definition, removed: 'int', changed_by: 'text?', at: 'int' },
    key: ['kind', 'id', 'version'],
    lookups: { author: { columns: ['changed_by'] } },
  }),
  /** Which source a source's token speaks for; what it may say stands there. */
  source_tokens: table({
    columns: { token_id: 'text', source_id: 'text' },
    key: ['token_id'],
    lookups: { source: { columns: ['source_id'] } },
  }),
  /** One that was accepted. A repeat of it is a row of its own: the keys show what it started. */
  events: table({
    columns: {
      id: 'text',
      /** Of the fact that it was accepted. */
      seq: 'int',
      /** The sender's id. */
      event_id: 'text',
      type: 'text',
      /** The monitor, as the event says. */
      source: 'text',
      /** The event as JSON. */
      body: 'text',
      via: oneOf<'api' | 'cloudevents' | 'webhook' | 'schedule' | 'absence' | 'invocation'>(),
      /** The source's object, for what came with its token or its webhook. */
      source_id: 'text?',
      by_id: 'text?',
      chain_id: 'text',
      /** The invocation in which it was emitted. */
      triggered_by: 'text?',
      /** Invocations before what it starts, and hops between agents. */
      level: 'int',
      depth: 'int',
      accepted_at: 'int',
    },
    key: ['id'],
    lookups: { event: { columns: ['event_id'] }, by: { columns: ['by_id'] }, chain: { columns: ['chain_id'] } },
  }),
  /** The pair has been checked (PRV-8); the hash is its name. */
  provoke_keys: table({
    columns: { event_id: 'text', trigger_id: 'text', hash: 'text', at: 'int' },
    key: ['event_id', 'trigger_id'],
  }),
  /** A place taken in a trigger's window. */
  throttle_starts: table({
    columns: {
      invocation_id: 'text',
      trigger_id: 'text',
      bucket: 'text',
      at: 'int',
      /** When it leaves the window, as that was when it was last looked at. */
      until: 'int',
    },
    key: ['invocation_id'],
    lookups: { bucket: { columns: ['trigger_id', 'bucket'] } },
  }),
  invocations: table({
    columns: {
      id: 'text',
      /** Of the fact that began it. */
      seq: 'int',
      /** The row in `events`. */
      event_ref: 'text',
      /** The sender's id of it. */
      event_id: 'text',
      trigger_id: 'text',
      trigger_version: 'int',
      manifest_id: 'text',
      manifest_version: 'int',
      /** As whom it runs. */
      owner_id: 'text',
      /** The agent that acts, once it is known. */
      agent_id: 'text?',
      risk: oneOf<RiskLevel>(),
      state: oneOf<Stored<InvocationState>>(),
      open: 'int',
      /** The attempt under way or the last one, from 1; 0: none has begun. */
      attempt: 'int',
      /** How many there may be. */
      attempts: 'int',
      /** Raised by every beginning: a stale runner's writes are refused. */
      lease: 'int',
      /** When a retry may begin; or the deadline of a pending approval. */
      due_at: 'int?',
      /** The checkpoint at which a person was asked. */
      checkpoint_id: 'text?',
      chain_id: 'text',
      level: 'int',
      depth: 'int',
      output: 'text?',
      error: 'text?',
      micros: 'int',
      tool_calls: 'int',
      created_at: 'int',
      started_at: 'int?',
      ended_at: 'int?',
    },
    key: ['id'],
    lookups: {
      event: { columns: ['event_ref'] },
      trigger: { columns: ['trigger_id', 'open'] },
      agent: { columns: ['agent_id', 'state'] },
      owner: { columns: ['owner_id', 'open'] },
      state: { columns: ['state'] },
      chain: { columns: ['chain_id'] },
    },
  }),
  invocation_attempts: table({
    columns: {
      invocation_id: 'text',
      n: 'int',
      lease: 'int',
      /** `running`, or how it ended. */
      state: 'text',
      error: 'text?',
      micros: 'int',
      tool_calls: 'int',
      started_at: 'int',
      ended_at: 'int?',
    },
    key: ['invocation_id', 'n'],
    lookups: { invocation: { columns: ['invocation_id'] } },
  }),
  /** When a schedule's last slot was, fired or passed over. */
  schedule_slots: table({ columns: { schedule_id: 'text', slot: 'int' }, key: ['schedule_id'] }),
  /** When the last one came that an absence monitor waits for. */
  absence_keys: table({
    columns: {
      absence_id: 'text',
      /** Of the key: it can be as long as what a monitor says. */
      name: 'text',
      key: 'text',
      heard_at: 'int',
    },
    key: ['absence_id', 'name'],
    lookups: { absence: { columns: ['absence_id'] } },
  }),
};
