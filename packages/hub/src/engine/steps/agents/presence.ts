// An agent comes and goes. An agent may hold thousands of tasks, and after a restart every agent does both: only the rows
// that change are loaded, all of them at once.

import { type Want, wantBy, wantRow } from '../../../store/port.ts';
import type { AgentRow, TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { agentChanged, putAgent } from './agents.ts';
import { gatherClaims, endsByDeparture } from '../offers/claims.ts';
import { resumeDigests } from './mailbox-digests.ts';
import { offersWants, settleOffersFor } from '../offers/offers.ts';
import { homesOf } from '../tasks/chains.ts';
import { chainLock, moveTask, runChain, setWaiting, settleChain } from '../tasks/tasks.ts';
import { runningWants } from '../facts/timers.ts';

/** These tasks run only while their agent is present; tasks that wait for somebody else wait in either case. */
const hangsOnPresence = ({ state }: TaskRow): boolean => state === 'queued' || state === 'active';

const chainsOf = (tasks: readonly TaskRow[]): string[] => [...new Set(tasks.map((task) => task.chain_id))];

const waitTimers = (tasks: readonly TaskRow[]): Want[] => tasks.map(({ id }) => wantBy('timers', 'subject', 'task.wait', id));

/** The rows that an agent's coming and going changes, known from its ID alone. */
export const presenceWants = (agentId: string): Want[] => [
  wantRow('agents', agentId),
  wantRow('identities', agentId),
  wantBy('tasks', 'agent', agentId, 1),
  wantBy('mailboxes', 'member', agentId),
  ...offersWants(agentId),
  ...runningWants,
];

function gather(all: readonly TaskRow[], tasks: readonly TaskRow[], wants: Want[], tx: Tx): void {
  if (all.length > 0) tx.lock(...chainsOf(all).map(chainLock));
  const places = tasks.map(({ conversation_id: id }) => wantRow('conversations', id));
  tx.need([...places, ...chainsOf(tasks).map((id) => wantRow('chains', id)), ...wants]);
  homesOf(tasks, tx);
}

/** A chain's timer exists only while its clock runs. */
const deadlines = (chainIds: readonly string[]): Want[] => chainIds.map((id) => wantBy('timers', 'subject', 'chain.deadline', id));

export interface ArrivalResult {
  agent: AgentRow;
  /** The tasks that the agent goes on with as if it had never been away. */
  kept: string[];
}

/**
 * The agent comes online, or moves to another line. `holds`: its tasks, each with its lease. A task whose lease nobody has
 * taken meanwhile needs nothing: all later messages are among its next events.
 */
export function arrive(before: AgentRow, holds: ReadonlyMap<string, number>, tx: Tx, online = 1): ArrivalResult {
  const id = before.member_id;
  const all = tx.find('tasks', 'agent', id, 1);
  const isKept = (task: TaskRow): boolean => task.state === 'active' && holds.get(task.id) === task.lease;
  const keptTasks = all.filter(isKept);
  const tasks = all.filter((task) => hangsOnPresence(task) && !isKept(task));
  gather(all, tasks, waitTimers(tasks.filter(({ waiting_since }) => waiting_since !== null)), tx);
  tx.need(deadlines(chainsOf(tasks).filter((chainId) => tx.get('chains', chainId)!.runs_until === null)));
  const agent = putAgent(before, { online, session: before.session + 1 }, tx);
  for (const task of tasks) {
    // The agent gets an active task that it lost again, under a new lease.
    const now = task.state === 'active' ? moveTask(task, 'yield', {}, tx, { why: 'reconnected' }) : task;
    if (now.waiting_since !== null) setWaiting(now, false, tx);
  }
  for (const chainId of chainsOf(tasks)) runChain(chainId, tx);
  settleOffersFor([id], tx);
  resumeDigests(id, tx);
  agentChanged(id, tx);
  return { agent, kept: keptTasks.map((task) => task.id) };
}

/** The agent is gone: nobody acts in its tasks until it comes back. */
export function depart(agent: AgentRow, tx: Tx, online = 0): void {
  const id = agent.member_id;
  const all = tx.find('tasks', 'agent', id, 1);
  const tasks = all.filter(hangsOnPresence);
  const chainIds = chainsOf(tasks);
  const inChains = chainIds.map((chainId) => wantBy('tasks', 'chain', chainId, 1));
  gather(all, tasks, [...inChains, ...deadlines(chainIds), ...waitTimers(tasks)], tx);
  const others = chainIds.flatMap((chainId) => tx.find('tasks', 'chain', chainId, 1));
  tx.each(others, ({ agent_id }) => agent_id !== null && tx.get('agents', agent_id));
  putAgent(agent, { online }, tx);
  settleOffersFor([id], tx);
  gatherClaims(all, tx);
  for (const task of all) {
    if (endsByDeparture(task, tx)) continue;
    if (task.state === 'active') moveTask(task, 'yield', {}, tx, { why: 'disconnected' });
    else if (task.state === 'queued' && task.waiting_since === null) setWaiting(task, true, tx);
  }
  for (const chainId of chainIds) settleChain(chainId, tx);
  agentChanged(id, tx);
}
