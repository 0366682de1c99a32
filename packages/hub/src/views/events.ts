// Events, invocations and what decides about them, as they are shown.

import {
  type Invocation,
  type PapEvent,
  ParleyError,
  type ProvokeObject,
  type ProvokeVersion,
  type RecordedEvent,
  type TriggerResult,
  type WholeInvocation,
} from '@parley/protocol';
import { factData } from '../store/fact-data.ts';
import { wordOf } from '../store/stored-words.ts';
import type { Reader } from '../store/port.ts';
import type { EventRow, InvocationRow, ProvokeObjectRow, ProvokeVersionRow } from '../store/tables.ts';
import { recordedSenders } from './recorded-senders.ts';

export const objectView = (row: ProvokeObjectRow): ProvokeObject => ({
  kind: row.kind,
  id: row.id,
  version: row.version,
  ownerId: row.owner_id,
  enabled: row.enabled === 1,
  object: JSON.parse(row.body) as Record<string, unknown>,
  file: row.file,
  at: row.at,
});

export const versionView = (row: ProvokeVersionRow): ProvokeVersion => ({
  version: row.version,
  ownerId: row.owner_id,
  enabled: row.enabled === 1,
  removed: row.removed === 1,
  changedBy: row.changed_by,
  at: row.at,
  object: JSON.parse(row.body) as Record<string, unknown>,
});

const eventOf = (row: EventRow): PapEvent => JSON.parse(row.body) as PapEvent;

/** The fact that accepted an event has the outcome of each. `seen`: the triggers that are shown. */
export async function eventViews(store: Reader, rows: readonly EventRow[], seen: (triggerId: string) => boolean): Promise<RecordedEvent[]> {
  const facts = rows.length === 0 ? [] : await store.rows('facts', { subject_id: rows.map(({ id }) => id), type: 'event.accepted' });
  const told = new Map(facts.map((fact) => [fact.subject_id, factData(fact, 'event.accepted')!]));
  const results = new Map(
    [...told].map(([id, { triggers }]) => [id, triggers.map((one) => ({ ...one, reason: one.reason && wordOf(one.reason) }))]),
  );
  const found = await store.rows('invocations', { id: [...results.values()].flat().flatMap(({ invocationId }) => invocationId ?? []) });
  const states = new Map(found.map(({ id, state }) => [id, wordOf(state)]));
  const withState = (one: TriggerResult): RecordedEvent['triggers'][number] => {
    const state = one.invocationId === null ? undefined : states.get(one.invocationId);
    return state === undefined ? one : { ...one, state };
  };
  return rows.map((row) => ({
    id: row.id,
    seq: row.seq,
    event: eventOf(row),
    via: row.via,
    sourceId: row.source_id,
    byId: row.by_id,
    senderId: told.get(row.id)?.sender,
    chainId: row.chain_id,
    triggeredBy: row.triggered_by,
    acceptedAt: row.accepted_at,
    triggers: (results.get(row.id) ?? []).filter(({ triggerId }) => seen(triggerId)).map(withState),
  }));
}

export const invocationView = (row: InvocationRow): Invocation => ({
  id: row.id,
  seq: row.seq,
  eventRef: row.event_ref,
  eventId: row.event_id,
  triggerId: row.trigger_id,
  triggerVersion: row.trigger_version,
  manifestId: row.manifest_id,
  manifestVersion: row.manifest_version,
  ownerId: row.owner_id,
  agentId: row.agent_id,
  risk: row.risk,
  state: wordOf(row.state),
  attempt: row.attempt,
  attempts: row.attempts,
  dueAt: row.due_at,
  checkpointId: row.checkpoint_id,
  chainId: row.chain_id,
  level: row.level,
  output: row.output === null ? null : (JSON.parse(row.output) as unknown),
  error: row.error,
  micros: row.micros,
  toolCalls: row.tool_calls,
  createdAt: row.created_at,
  startedAt: row.started_at,
  endedAt: row.ended_at,
});

async function approverOf(store: Reader, { checkpoint_id, state }: InvocationRow): Promise<string | null> {
  if (checkpoint_id === null || state !== 'awaiting_approval') return null;
  const [asked] = await store.rows('checkpoints', { id: checkpoint_id });
  const [person] = asked ? await store.rows('members', { id: asked.member_id }) : [];
  return person?.handle ?? null;
}

export async function wholeInvocation(store: Reader, row: InvocationRow): Promise<WholeInvocation> {
  const [[event], runs] = await Promise.all([
    store.rows('events', { id: row.event_ref }),
    store.rows('invocation_attempts', { invocation_id: row.id }, { order: 'n' }),
  ]);
  // Both go together, perhaps between the two questions.
  if (!event) throw new ParleyError('not_found');
  return {
    ...invocationView(row),
    approver: await approverOf(store, row),
    event: eventOf(event),
    sender: (await recordedSenders(store, [event]))(event),
    runs: runs.map(({ n, state, error, micros, tool_calls: toolCalls, started_at: startedAt, ended_at: endedAt }) => ({
      n,
      state,
      error,
      micros,
      toolCalls,
      startedAt,
      endedAt,
    })),
  };
}
