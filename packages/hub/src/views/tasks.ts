// Tasks as they are shown, in a constant number of reads however many there are.

import { beganUnaddressed, windowLimits } from '@parley/core';
import { type FailureCode, ParleyError, type Task } from '@parley/protocol';
import type { Results } from '../engine/command.ts';
import { factData } from '../store/fact-data.ts';
import { isHere } from '../engine/steps/tasks/tasks.ts';
import type { Reader } from '../store/port.ts';
import type { AgentRow, ChainRow, CompositionRow, TaskRow } from '../store/tables.ts';
import { haltView, settingOf, showColumns } from './row-views.ts';

export async function taskViews(reader: Reader, rows: TaskRow[]): Promise<Task[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const chainIds = rows.map((row) => row.chain_id);
  const agentIds = rows.flatMap((row) => row.agent_id ?? []);
  const queued = rows.flatMap(({ id, state }) => (state === 'queued' ? id : []));
  const open = rows.flatMap((row) => (row.open === 1 ? row.id : []));
  const failed = rows.flatMap(({ id, cause }) => (cause === 'brain_failed' ? id : []));
  const [chains, agents, tainted, windows, compositions, reasons, unaddressed, clock] = await Promise.all([
    reader.rows('chains', { id: chainIds }),
    reader.rows('agents', { member_id: agentIds }),
    taintedOf(reader, ids),
    reader.rows('windows', { task_id: queued }),
    reader.rows('compositions', { task_id: open }),
    reasonsOf(reader, failed),
    unaddressedOf(reader, rows),
    runningClock(reader),
  ]);
  const chainOf = new Map(chains.map((chain) => [chain.id, chain]));
  const agentOf = new Map(agents.map((agent) => [agent.member_id, agent]));
  const compositionOf = new Map(compositions.map((one) => [one.task_id, one]));
  const readyAt = new Map(windows.map((window) => [window.task_id, window.ready_at]));
  return rows.map((row) => ({
    ...taskView(row, chainOf.get(row.chain_id), row.agent_id === null ? undefined : agentOf.get(row.agent_id), clock),
    ...(unaddressed.has(row.id) ? { unaddressed: true as const } : {}),
    tainted: tainted.has(row.id),
    reason: reasons.get(row.id)?.reason ?? null,
    failure: reasons.get(row.id)?.failure ?? null,
    composingUntil: readyAt.get(row.id) ?? null,
    growing: growthOf(compositionOf.get(row.id)),
  }));
}

/** A task that was just begun or claimed. */
export async function startedTask(
  reader: Reader,
  { task, turn, exhausted }: Results['task.begin' | 'round.claim'],
): Promise<{ task: Task; lease: number }> {
  if (!turn) throw new ParleyError('budget_exhausted', undefined, { reason: exhausted });
  return { task: (await taskViews(reader, [task]))[0]!, lease: task.lease };
}

const growthOf = (row: CompositionRow | undefined): Task['growing'] =>
  row ? { conversationId: row.conversation_id, until: row.since + windowLimits.longestMs } : null;

async function taintedOf(reader: Reader, ids: string[]): Promise<Set<string>> {
  return new Set((await reader.rows('taints', { task_id: ids })).map((row) => row.task_id));
}

/** Only open tasks can still be continued, so only these are asked. */
async function unaddressedOf(reader: Reader, rows: readonly TaskRow[]): Promise<Set<string>> {
  const open = rows.filter((row) => row.open === 1);
  const found = open.filter((row) => beganUnaddressed(row.addressed_by, false, ''));
  const byText = open.filter(({ addressed_by: by }) => by === 'any_agent' || by === 'edit');
  const [messages, places] = await Promise.all([
    reader.rows('messages', { id: byText.map(({ message_id }) => message_id) }),
    reader.rows('conversations', { id: [...new Set(byText.map(({ conversation_id }) => conversation_id))] }),
  ]);
  const threads = places.filter(({ kind }) => kind === 'thread');
  const homes = await reader.rows('conversations', { id: threads.flatMap(({ parent_id }) => parent_id ?? []) });
  const dms = new Set(homes.flatMap(({ id, kind }) => (kind === 'dm' ? id : [])));
  const inThread = new Set(threads.flatMap(({ id, parent_id }) => (dms.has(parent_id ?? '') ? [] : id)));
  const textOf = new Map(messages.map(({ id, body }) => [id, body ?? '']));
  for (const row of byText)
    if (beganUnaddressed(row.addressed_by, inThread.has(row.conversation_id), textOf.get(row.message_id) ?? '')) found.push(row);
  return new Set(found.map(({ id }) => id));
}

export interface RunningClock {
  shift: number;
  haltedSince: number | null;
}

export async function runningClock(reader: Reader): Promise<RunningClock> {
  const [shift, halt] = await Promise.all([settingOf(reader, 'clock.shift', 0), haltView(reader)]);
  return { shift, haltedSince: halt.since };
}

/** Deadlines are stored in running time; people read wall time. */
export function timerOf(chain: ChainRow, { shift, haltedSince }: RunningClock): Task['timer'] {
  const outerAt = chain.outer_at;
  if (chain.runs_until === null) return { running: false, endsAt: null, leftMs: chain.left_ms, outerAt };
  if (haltedSince !== null) return { running: false, endsAt: null, leftMs: Math.max(0, chain.runs_until + shift - haltedSince), outerAt };
  return { running: true, endsAt: Math.min(chain.runs_until + shift, outerAt), leftMs: null, outerAt };
}

function taskView(
  row: TaskRow,
  chain: ChainRow | undefined,
  agent: AgentRow | undefined,
  clock: RunningClock,
): Omit<Task, 'tainted' | 'unaddressed' | 'composingUntil' | 'growing' | 'reason' | 'failure'> {
  return {
    ...showColumns(
      row,
      `id, seq, chain_id, parent_id, agent_id, requester_id, conversation_id, message_id, state, cause, addressed_by, asked_in, depth,
        answer_id, created_at, updated_at, ended_at`,
    ),
    chainRequesterId: chain?.requester_id ?? null,
    agentOnline: isHere(agent),
    timer: row.open === 0 || !chain ? null : timerOf(chain, clock),
  };
}

/** The reasons of failures, by task, from the facts that ended the tasks. */
async function reasonsOf(reader: Reader, ids: string[]): Promise<Map<string, { reason?: string; failure?: FailureCode }>> {
  const rows = await reader.rows('facts', { subject_id: ids, type: 'task.fail' });
  return new Map(rows.map((fact) => [fact.subject_id!, factData(fact, 'task.fail')!]));
}
