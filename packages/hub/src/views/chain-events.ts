// Events in chains, and what they started, as steps of them.

import type { EventSender, ProvokedStep } from '@parley/protocol';
import { factData } from '../store/fact-data.ts';
import { wordOf } from '../store/stored-values.ts';
import type { Reader } from '../store/port.ts';
import type { EventRow, InvocationRow } from '../store/tables.ts';
import { recordedSenders } from './events.ts';

export interface ProvokedIn {
  /** The events of each chain in order, each with what it started. */
  steps: ReadonlyMap<string, ProvokedStep[]>;
  /** For each task, the invocation whose result opened it. */
  openedBy: ReadonlyMap<string, string>;
}

/** `mine`: whether what runs as this member, or was sent by them, is shown. So is an event that started something that is. */
export async function provokedIn(reader: Reader, chainIds: readonly string[], mine: (id: string | null) => boolean): Promise<ProvokedIn> {
  const [events, invocations] = await Promise.all([
    reader.rows('events', { chain_id: chainIds }, { order: 'seq' }),
    reader.rows('invocations', { chain_id: chainIds }, { order: 'seq' }),
  ]);
  const senders = await recordedSenders(reader, events);
  const eventRefs = new Set(invocations.flatMap((row) => (mine(row.owner_id) ? row.event_ref : [])));
  const startedBy = Map.groupBy(invocations, (row) => row.event_ref);
  const byChain = Map.groupBy(events, (row) => row.chain_id);
  const stepsOf = (row: EventRow): ProvokedStep[] => [
    eventStep(row, senders(row), eventRefs.has(row.id) || mine(row.by_id)),
    ...(startedBy.get(row.id) ?? []).map((one) => invocationStep(one, mine(one.owner_id))),
  ];
  return {
    steps: new Map([...byChain].map(([id, found]) => [id, found.flatMap(stepsOf)])),
    openedBy: await openedBy(reader, invocations),
  };
}

function eventStep(
  { id, triggered_by: parentId, type, source, accepted_at: at }: EventRow,
  sender: EventSender,
  shown: boolean,
): ProvokedStep {
  const step = { kind: 'event' as const, id, parentId };
  return shown ? { ...step, type, source, ...sender, at } : { ...step, hidden: true };
}

function invocationStep(row: InvocationRow, shown: boolean): ProvokedStep {
  const step = { kind: 'invocation' as const, id: row.id, parentId: row.event_ref };
  if (!shown) return { ...step, hidden: true };
  const { trigger_id: triggerId, manifest_id: manifestId, agent_id: agentId, state, created_at: createdAt, ended_at: endedAt } = row;
  return { ...step, triggerId, manifestId, agentId, state: wordOf(state), createdAt, endedAt };
}

async function openedBy(reader: Reader, invocations: readonly InvocationRow[]): Promise<Map<string, string>> {
  const rows = await reader.rows('facts', { subject_id: invocations.map(({ id }) => id), type: 'invocation.delivered' });
  return new Map(
    rows.flatMap((fact) => {
      const data = factData(fact, 'invocation.delivered')!;
      return 'task' in data ? [[data.task, fact.subject_id!]] : [];
    }),
  );
}
