// Tasks, agents and notices as they are shown, in a constant number of reads however many there are.

import { agentStatus, hasPrivateNotes, windowLimits } from '@parley/core';
import type { Agent, FailureCode, Halt, Notice, Task } from '@parley/protocol';
import { factData } from '../store/fact-data.ts';
import type { HaltSetting } from '../engine/steps/facts/settings.ts';
import { isHere } from '../engine/steps/tasks/tasks.ts';
import { madeOf } from '../engine/steps/membership/agent-identities.ts';
import type { PlacedFact, Reader } from '../store/port.ts';
import { openTaskStates } from '../store/reads/tasks.ts';
import { wordOf } from '../store/stored-words.ts';
import type { AgentRow, ChainRow, CompositionRow, MemberRow, Rows, TaskRow } from '../store/tables.ts';
import { readColumns, type Where } from '../store/where.ts';
import { type WakingVisibility, wakingViews, wokenOf } from './manifest-waking.ts';

async function byKey<T extends 'chains' | 'agents' | 'windows' | 'compositions' | 'identities'>(
  reader: Reader,
  table: T,
  column: keyof Rows[T] & string,
  ids: string[],
) {
  return ids.length === 0 ? [] : reader.rows(table, { [column]: [...new Set(ids)] } as Where<Rows[T]>);
}

export async function settingOf<T>(reader: Reader, key: string, fallback: T): Promise<T> {
  const [row] = await reader.rows('settings', { key });
  return row ? (JSON.parse(row.value) as T) : fallback;
}

export async function taskViews(reader: Reader, rows: TaskRow[]): Promise<Task[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const chainIds = rows.map((row) => row.chain_id);
  const agentIds = rows.flatMap((row) => row.agent_id ?? []);
  const queued = rows.flatMap(({ id, state }) => (state === 'queued' ? id : []));
  const open = rows.flatMap((row) => (row.open === 1 ? row.id : []));
  const failed = rows.flatMap(({ id, cause }) => (cause === 'brain_failed' ? id : []));
  const [chains, agents, tainted, windows, compositions, reasons, clock] = await Promise.all([
    byKey(reader, 'chains', 'id', chainIds),
    byKey(reader, 'agents', 'member_id', agentIds),
    taintedOf(reader, ids),
    byKey(reader, 'windows', 'task_id', queued),
    byKey(reader, 'compositions', 'task_id', open),
    reasonsOf(reader, failed),
    runningClock(reader),
  ]);
  const chainOf = new Map(chains.map((chain) => [chain.id, chain]));
  const agentOf = new Map(agents.map((agent) => [agent.member_id, agent]));
  const compositionOf = new Map(compositions.map((one) => [one.task_id, one]));
  const readyAt = new Map(windows.map((window) => [window.task_id, window.ready_at]));
  return rows.map((row) => ({
    ...taskView(row, chainOf.get(row.chain_id), row.agent_id === null ? undefined : agentOf.get(row.agent_id), clock),
    tainted: tainted.has(row.id),
    reason: reasons.get(row.id)?.reason ?? null,
    failure: reasons.get(row.id)?.failure ?? null,
    composingUntil: readyAt.get(row.id) ?? null,
    growing: growthOf(compositionOf.get(row.id)),
  }));
}

const growthOf = (row: CompositionRow | undefined): Task['growing'] =>
  row ? { conversationId: row.conversation_id, until: row.since + windowLimits.longestMs } : null;

async function taintedOf(reader: Reader, ids: string[]): Promise<Set<string>> {
  return new Set((await reader.rows('taints', { task_id: ids })).map((row) => row.task_id));
}

export interface RunningClock {
  shift: number;
  haltedSince: number | null;
}

export async function runningClock(reader: Reader): Promise<RunningClock> {
  const [shift, halt] = await Promise.all([settingOf(reader, 'clock.shift', 0), haltView(reader)]);
  return { shift, haltedSince: halt.since };
}

/** Kept in running time; people read wall time. */
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
): Omit<Task, 'tainted' | 'composingUntil' | 'growing' | 'reason' | 'failure'> {
  return {
    id: row.id,
    seq: row.seq,
    chainId: row.chain_id,
    parentId: row.parent_id,
    agentId: row.agent_id,
    requesterId: row.requester_id,
    chainRequesterId: chain?.requester_id ?? null,
    conversationId: row.conversation_id,
    messageId: row.message_id,
    state: row.state,
    cause: row.cause,
    addressedBy: row.addressed_by,
    askedIn: row.asked_in,
    depth: row.depth,
    agentOnline: isHere(agent),
    answerId: row.answer_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    endedAt: row.ended_at,
    timer: row.open === 0 || !chain ? null : timerOf(chain, clock),
  };
}

/** What agents failed of, as it was written down when their tasks ended; by task. */
async function reasonsOf(reader: Reader, ids: string[]): Promise<Map<string, { reason?: string; failure?: FailureCode }>> {
  if (ids.length === 0) return new Map();
  const rows = await reader.rows('facts', { subject_id: ids, type: 'task.fail' });
  return new Map(rows.map((fact) => [fact.subject_id!, factData(fact, 'task.fail')!]));
}

/** `sees`: whether the triggers of this owner's agents are shown; a text for many leaves them out. */
export async function agentViews(
  reader: Reader,
  members: MemberRow[],
  now: number,
  sees: WakingVisibility = () => false,
): Promise<Agent[]> {
  if (members.length === 0) return [];
  const ids = members.map((member) => member.id);
  const [agents, identities, open, wokens] = await Promise.all([
    byKey(reader, 'agents', 'member_id', ids),
    byKey(reader, 'identities', 'agent_id', ids),
    openTaskStates(reader, ids),
    wokenOf(reader, ids),
  ]);
  const agentOf = new Map(agents.map((agent) => [agent.member_id, agent]));
  const modes = new Map(identities.map((identity) => [identity.agent_id, identity.mode]));
  const noted = new Set(identities.filter((row) => hasPrivateNotes(madeOf(row).memory)).map(({ agent_id }) => agent_id));
  const modeOf = (id: string) => modes.get(id) ?? 'autonomous';
  const brought = members.flatMap((agent) => {
    const manifestId = agentOf.get(agent.id)?.manifest_id ?? null;
    return manifestId === null ? [] : [{ agent, manifestId, mode: modeOf(agent.id) }];
  });
  const waking = await wakingViews(reader, brought, sees);
  const statesOf = Map.groupBy(open, (row) => row.agent_id);
  return members.map((member): Agent => {
    const agent = agentOf.get(member.id);
    const asleepUntil = agent?.asleep_until ?? null;
    const states = (statesOf.get(member.id) ?? []).map((row) => row.state);
    const woken = wokens.get(member.id) ?? null;
    return {
      id: member.id,
      handle: member.handle,
      displayName: member.display_name,
      about: member.about,
      ownerId: member.owner_id,
      manifestId: agent?.manifest_id ?? null,
      relayAddress: agent?.relay_address ?? null,
      brain: agent?.brain ?? 'remote',
      status: agentStatus(
        { online: isHere(agent) && member.status === 'active', asleep: asleepUntil !== null && asleepUntil > now },
        states,
        woken,
      ),
      maxConcurrent: agent?.max_concurrent ?? 1,
      asleepUntil,
      mode: modeOf(member.id),
      woken,
      waking: waking.get(member.id) ?? null,
      privateNotes: member.owner_id !== null && noted.has(member.id),
    };
  });
}

export async function noticeViews(reader: Reader, facts: readonly PlacedFact[]): Promise<Notice[]> {
  const all = facts.flatMap((fact) => {
    const data = factData(fact, 'notice');
    return data ? { seq: fact.seq, at: fact.at, ...data } : [];
  });
  const near = all.every(({ nearest }) => nearest === undefined)
    ? []
    : await readColumns(reader, 'members', ['id', 'handle'], { id: all.flatMap(({ nearest }) => nearest ?? []) });
  const errors = await errorsOf(
    reader,
    all.flatMap(({ invocation }) => invocation ?? []),
  );
  return all.map((data) => ({
    seq: data.seq,
    at: data.at,
    kind: data.kind,
    conversationId: data.conversation || null,
    messageId: data.message ?? null,
    taskId: data.task ?? null,
    invocationId: data.invocation ?? null,
    agentId: data.agent ?? null,
    memberId: data.member ?? null,
    nearest: near.find(({ id }) => id === data.nearest)?.handle ?? null,
    reason: data.reason === undefined ? null : wordOf(data.reason),
    failure: data.failure ?? null,
    error: errors.get(data.invocation ?? '') ?? null,
    start: data.start ?? null,
    end: data.end ?? null,
  }));
}

/** What invocations failed of, by invocation. It is not in the notice, which is kept for good. */
async function errorsOf(reader: Reader, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await reader.rows('invocations', { id: ids });
  return new Map(rows.flatMap(({ id, error }) => (error === null ? [] : [[id, error]])));
}

export async function haltView(reader: Reader): Promise<Halt> {
  const halted = await settingOf<HaltSetting | null>(reader, 'halted', null);
  return { halted: halted !== null, since: halted?.since ?? null, by: halted?.by ?? null };
}
