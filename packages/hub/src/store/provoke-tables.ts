// The tables of provoking: what is written down about triggers, manifests and sources, which events came, which pair of
// event and trigger has been checked, and what was started by it.

import type { InvocationState, RiskLevel } from '@parley/protocol';
import type { Stored } from './stored-words.ts';
import type { TableSpec } from './tables.ts';

export type ProvokeObjectKind = 'trigger' | 'manifest' | 'source' | 'schedule' | 'absence';

/** As it is now. One that was removed stays, so that no version is given out twice. */
export interface ProvokeObjectRow {
  kind: ProvokeObjectKind;
  id: string;
  version: number;
  /** As whom it runs (SYS-9). */
  owner_id: string;
  enabled: number;
  /** JSON, in the published names. */
  body: string;
  /** Where it is edited: over the API, or in a file of this name. */
  file: string | null;
  removed_at: number | null;
  at: number;
}

export interface ProvokeVersionRow {
  kind: ProvokeObjectKind;
  id: string;
  version: number;
  owner_id: string;
  enabled: number;
  body: string;
  removed: number;
  changed_by: string | null;
  at: number;
}

/** Which source a source's token speaks for; what it may say stands there. */
export interface SourceTokenRow {
  token_id: string;
  source_id: string;
}

/** One that was accepted. The same one sent again is a row of its own: what it started is told by its keys. */
export interface EventRow {
  id: string;
  /** Of the fact that it was accepted. */
  seq: number;
  /** The sender's id. */
  event_id: string;
  type: string;
  /** The monitor, as the event says. */
  source: string;
  /** The event as JSON. */
  body: string;
  via: 'api' | 'cloudevents' | 'webhook' | 'schedule' | 'absence' | 'invocation';
  /** The source's object, for what came with its token or its webhook. */
  source_id: string | null;
  by_id: string | null;
  chain_id: string;
  /** The invocation in which it was emitted. */
  triggered_by: string | null;
  /** Invocations before what it starts, and hops between agents. */
  level: number;
  depth: number;
  accepted_at: number;
}

/** The pair has been checked (PRV-8); the hash is its name. */
export interface ProvokeKeyRow {
  event_id: string;
  trigger_id: string;
  hash: string;
  at: number;
}

/** A place taken in a trigger's window. */
export interface ThrottleStartRow {
  invocation_id: string;
  trigger_id: string;
  bucket: string;
  at: number;
  /** When it leaves the window, as that was when it was last looked at. */
  until: number;
}

export interface InvocationRow {
  id: string;
  /** Of the fact that began it. */
  seq: number;
  /** The row in `events`. */
  event_ref: string;
  /** The sender's id of it. */
  event_id: string;
  trigger_id: string;
  trigger_version: number;
  manifest_id: string;
  manifest_version: number;
  /** As whom it runs. */
  owner_id: string;
  /** The agent that acts, once it is known. */
  agent_id: string | null;
  risk: RiskLevel;
  state: Stored<InvocationState>;
  open: number;
  /** The attempt under way or the last one, from 1; 0: none has begun. */
  attempt: number;
  /** How many there may be. */
  attempts: number;
  /** Raised by every beginning: a stale runner's writes are refused. */
  lease: number;
  /** When it may begin, for what waits for a retry; until when a yes may come, for what waits for one. */
  due_at: number | null;
  /** The checkpoint at which a person was asked. */
  checkpoint_id: string | null;
  chain_id: string;
  level: number;
  depth: number;
  output: string | null;
  error: string | null;
  micros: number;
  tool_calls: number;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
}

export interface InvocationAttemptRow {
  invocation_id: string;
  n: number;
  lease: number;
  /** `running`, or how it ended. */
  state: string;
  error: string | null;
  micros: number;
  tool_calls: number;
  started_at: number;
  ended_at: number | null;
}

/** When a schedule's last slot was, fired or passed over. */
export interface ScheduleSlotRow {
  schedule_id: string;
  slot: number;
}

/** When the last one came that an absence monitor waits for. */
export interface AbsenceKeyRow {
  absence_id: string;
  /** Of the key: it can be as long as what a monitor says. */
  name: string;
  key: string;
  heard_at: number;
}

export interface ProvokeRows {
  provoke_objects: ProvokeObjectRow;
  provoke_versions: ProvokeVersionRow;
  source_tokens: SourceTokenRow;
  events: EventRow;
  provoke_keys: ProvokeKeyRow;
  throttle_starts: ThrottleStartRow;
  invocations: InvocationRow;
  invocation_attempts: InvocationAttemptRow;
  schedule_slots: ScheduleSlotRow;
  absence_keys: AbsenceKeyRow;
}

export const provokeTables = {
  provoke_objects: {
    columns: {
      kind: 'text',
      id: 'text',
      version: 'int',
      owner_id: 'text',
      enabled: 'int',
      body: 'text',
      file: 'text?',
      removed_at: 'int?',
      at: 'int',
    },
    key: ['kind', 'id'],
    lookups: { kind: { columns: ['kind'] }, owner: { columns: ['owner_id'] }, file: { columns: ['file'] } },
  },
  provoke_versions: {
    columns: {
      kind: 'text',
      id: 'text',
      version: 'int',
      owner_id: 'text',
      enabled: 'int',
      body: 'text',
      removed: 'int',
      changed_by: 'text?',
      at: 'int',
    },
    key: ['kind', 'id', 'version'],
    lookups: { author: { columns: ['changed_by'] } },
  },
  source_tokens: {
    columns: { token_id: 'text', source_id: 'text' },
    key: ['token_id'],
    lookups: { source: { columns: ['source_id'] } },
  },
  events: {
    columns: {
      id: 'text',
      seq: 'int',
      event_id: 'text',
      type: 'text',
      source: 'text',
      body: 'text',
      via: 'text',
      source_id: 'text?',
      by_id: 'text?',
      chain_id: 'text',
      triggered_by: 'text?',
      level: 'int',
      depth: 'int',
      accepted_at: 'int',
    },
    key: ['id'],
    lookups: { event: { columns: ['event_id'] }, by: { columns: ['by_id'] }, chain: { columns: ['chain_id'] } },
  },
  provoke_keys: {
    columns: { event_id: 'text', trigger_id: 'text', hash: 'text', at: 'int' },
    key: ['event_id', 'trigger_id'],
    lookups: {},
  },
  throttle_starts: {
    columns: { invocation_id: 'text', trigger_id: 'text', bucket: 'text', at: 'int', until: 'int' },
    key: ['invocation_id'],
    lookups: { bucket: { columns: ['trigger_id', 'bucket'] } },
  },
  invocations: {
    columns: {
      id: 'text',
      seq: 'int',
      event_ref: 'text',
      event_id: 'text',
      trigger_id: 'text',
      trigger_version: 'int',
      manifest_id: 'text',
      manifest_version: 'int',
      owner_id: 'text',
      agent_id: 'text?',
      risk: 'text',
      state: 'text',
      open: 'int',
      attempt: 'int',
      attempts: 'int',
      lease: 'int',
      due_at: 'int?',
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
  },
  invocation_attempts: {
    columns: {
      invocation_id: 'text',
      n: 'int',
      lease: 'int',
      state: 'text',
      error: 'text?',
      micros: 'int',
      tool_calls: 'int',
      started_at: 'int',
      ended_at: 'int?',
    },
    key: ['invocation_id', 'n'],
    lookups: { invocation: { columns: ['invocation_id'] } },
  },
  schedule_slots: { columns: { schedule_id: 'text', slot: 'int' }, key: ['schedule_id'], lookups: {} },
  absence_keys: {
    columns: { absence_id: 'text', name: 'text', key: 'text', heard_at: 'int' },
    key: ['absence_id', 'name'],
    lookups: { absence: { columns: ['absence_id'] } },
  },
} as const satisfies { readonly [T in keyof ProvokeRows]: TableSpec<ProvokeRows[T]> };
