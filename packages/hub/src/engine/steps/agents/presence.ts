// An agent comes and goes. It may hold thousands of tasks, and after a restart every agent does both: only the rows that
// change by it are loaded, all of them at once.

import { type Want, wantBy } from '../../../store/port.ts';
import type { AgentRow, TaskRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { agentChanged, putAgent } from './agents.ts';
import { gatherClaims, goneWith } from '../offers/claims.ts';
import { resumeDigests } from './mailbox-digests.ts';
import { offersWants, settleOffersFor } from '../offers/offers.ts';
import { chainLock, homeWants, moveTask, runChain, setWaiting, settleChain } from '../tasks/tasks.ts';
import { runningWants } from '../facts/timers.ts';

/** Whether they act hangs on whether their agent is there; what waits for somebody else waits for it either way. */
const hangsOnPresence = ({ state }: TaskRow): boolean => state === 'queued' || state === 'active';

const chainsOf = (tasks: readonly TaskRow[]): string[] => [...new Set(tasks.map((task) => task.chain_id))];

const waitTimers = (tasks: readonly TaskRow[]): Want[] => tasks.map(({ id }) => wantBy('timers', 'subject', 'task.wait', id));

/** Of its coming and its going, known from its name alone. */
export const presenceWants = (agentId: string): Want[] => [
  { table: 'agents', values: [agentId] },
  { table: 'identities', values: [agentId] },
  wantBy('tasks', 'agent', agentId, 1),
  wantBy('mailboxes', 'member', agentId),
  ...offersWants(agentId),
  ...runningWants,
];

function gather(all: readonly TaskRow[], tasks: readonly TaskRow[], more: Want[], set: WorkingSet, context: Context): void {
  if (all.length > 0) context.lock(...chainsOf(all).map(chainLock));
  set.need([
    ...tasks.map(({ conversation_id }): Want => ({ table: 'conversations', values: [conversation_id] })),
    ...chainsOf(tasks).map((id): Want => ({ table: 'chains', values: [id] })),
    ...more,
  ]);
  set.need(tasks.flatMap(({ conversation_id }) => homeWants(conversation_id, set)));
}

/** Where the clock of a chain starts or stops, its timer is put or taken away. */
const deadlines = (chainIds: readonly string[]): Want[] => chainIds.map((id) => wantBy('timers', 'subject', 'chain.deadline', id));

export interface ArrivalResult {
  agent: AgentRow;
  /** What it goes on with as if it had never been away. */
  kept: string[];
}

/**
 * It is here, and was not, or was on another line. `holds`: its tasks, each with its lease. A task whose lease nobody has taken
 * meanwhile needs nothing: all later messages are among its next events.
 */
export function arrive(before: AgentRow, holds: ReadonlyMap<string, number>, set: WorkingSet, context: Context, online = 1): ArrivalResult {
  const id = before.member_id;
  const all = set.find('tasks', 'agent', id, 1);
  const isKept = (task: TaskRow): boolean => task.state === 'active' && holds.get(task.id) === task.lease;
  const kept = all.filter(isKept);
  const tasks = all.filter((task) => hangsOnPresence(task) && !isKept(task));
  gather(all, tasks, waitTimers(tasks.filter(({ waiting_since }) => waiting_since !== null)), set, context);
  set.need(deadlines(chainsOf(tasks).filter((chainId) => set.get('chains', chainId)!.runs_until === null)));
  const agent = putAgent(before, { online, session: before.session + 1 }, set);
  for (const task of tasks) {
    // What it was at when it was lost it gets again, under a new lease.
    const now = task.state === 'active' ? moveTask(task, 'yield', {}, set, context, { why: 'reconnected' }) : task;
    if (now.waiting_since !== null) setWaiting(now, false, set, context);
  }
  for (const chainId of chainsOf(tasks)) runChain(chainId, set, context);
  settleOffersFor([id], set, context);
  resumeDigests(id, set, context);
  agentChanged(id, set, context);
  return { agent, kept: kept.map((task) => task.id) };
}

/** It is gone: nobody acts in what it had, until it comes back. */
export function depart(agent: AgentRow, set: WorkingSet, context: Context, online = 0): void {
  const id = agent.member_id;
  const all = set.find('tasks', 'agent', id, 1);
  const tasks = all.filter(hangsOnPresence);
  const chainIds = chainsOf(tasks);
  const inChains = chainIds.map((chainId): Want => wantBy('tasks', 'chain', chainId, 1));
  gather(all, tasks, [...inChains, ...deadlines(chainIds), ...waitTimers(tasks)], set, context);
  const others = chainIds.flatMap((chainId) => set.find('tasks', 'chain', chainId, 1));
  set.need(others.flatMap(({ agent_id }): Want[] => (agent_id === null ? [] : [{ table: 'agents', values: [agent_id] }])));
  putAgent(agent, { online }, set);
  settleOffersFor([id], set, context);
  gatherClaims(all, set, context);
  for (const task of all) {
    if (goneWith(task, set, context)) continue;
    if (task.state === 'active') moveTask(task, 'yield', {}, set, context, { why: 'disconnected' });
    else if (task.state === 'queued' && task.waiting_since === null) setWaiting(task, true, set, context);
  }
  for (const chainId of chainIds) settleChain(chainId, set, context);
  agentChanged(id, set, context);
}
