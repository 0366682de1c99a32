// A chain's clock as rows (SYS-2, SYS-10): it runs while some agent in it is to act. And what that hangs on: which agents are there.

import { type ChainClock, isActing, leftOf, renewClock, setRunning, beganUnaddressed } from '@parley/core';
import { wantRow } from '../../../store/port.ts';
import type { AgentRow, ChainRow, ConversationRow, TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { dropTags } from '../conversations/egress.ts';
import { append } from '../facts/append.ts';
import { runningTime, setTimer } from '../facts/timers.ts';

export const chainLock = (chainId: string): string => `chain:${chainId}`;

/** An agent that has no row yet is a remote one that never connected. */
export function agentOf(memberId: string, set: WorkingSet): AgentRow {
  return (
    set.get('agents', memberId) ?? {
      member_id: memberId,
      brain: 'remote',
      manifest_id: null,
      relay_address: null,
      max_concurrent: 1,
      asleep_until: null,
      online: 0,
      session: 0,
      acked: 0,
    }
  );
}

/** The hub itself runs it: it is always there. */
export const runsInHub = (agent: AgentRow | undefined): boolean => agent !== undefined && agent.brain !== 'remote';
/** The `online` value of an agent that waits for its new owner: it begins nothing, wherever it runs. */
export const pausedOnline = -1;
export const isPaused = (agent: AgentRow | undefined): boolean => agent?.online === pausedOnline;
export const isHere = (agent: AgentRow | undefined): boolean => !isPaused(agent) && (runsInHub(agent) || agent?.online === 1);
export const isAsleep = (agent: AgentRow, now: number): boolean => agent.asleep_until !== null && agent.asleep_until > now;

export const homeOf = (conversationId: string, set: WorkingSet): ConversationRow => {
  const conversation = set.get('conversations', conversationId)!;
  return conversation.parent_id === null ? conversation : set.get('conversations', conversation.parent_id)!;
};

/** The homes of several, asked for as two lists: an agent may have thousands of tasks. */
export function homesOf(placed: readonly { conversation_id: string }[], set: WorkingSet): ConversationRow[] {
  const ids = [...new Set(placed.map(({ conversation_id }) => conversation_id))];
  set.need(ids.map((id) => wantRow('conversations', id)));
  const parents = new Set(ids.flatMap((id) => set.get('conversations', id)!.parent_id ?? []));
  set.need([...parents].map((id) => wantRow('conversations', id)));
  return placed.map(({ conversation_id }) => homeOf(conversation_id, set));
}

const clockOf = (chain: ChainRow): ChainClock =>
  chain.runs_until === null ? { leftMs: chain.left_ms ?? 0 } : { runsUntil: chain.runs_until };
const clockColumns = (clock: ChainClock): Pick<ChainRow, 'runs_until' | 'left_ms'> =>
  'runsUntil' in clock ? { runs_until: clock.runsUntil, left_ms: null } : { runs_until: null, left_ms: clock.leftMs };

/** The milliseconds that the chain may still run. */
export const timeLeft = (chain: ChainRow, tx: Tx): number => Math.min(leftOf(clockOf(chain), runningTime(tx)), chain.outer_at - tx.now);

/** The start of a chain. */
export interface ChainStart {
  requesterId: string;
  conversation: ConversationRow;
  messageId: string;
  /** The agent is online, or an agent that could take the task is. */
  here: boolean;
}

export function newChain(input: ChainStart, tx: Tx): ChainRow {
  const { limits } = tx;
  const clock = setRunning({ leftMs: limits.runMs }, input.here, runningTime(tx));
  const chain: ChainRow = {
    id: tx.ids.next('chain'),
    requester_id: input.requesterId,
    conversation_id: input.conversation.id,
    message_id: input.messageId,
    started_at: tx.now,
    ended_at: null,
    outer_at: tx.now + limits.outerMs,
    ...clockColumns(clock),
    tasks: 1,
    turns: 0,
    micros: 0,
  };
  tx.insert('chains', chain);
  setTimer('chain.outer', chain.id, 'wall', chain.outer_at, tx, true);
  if (chain.runs_until !== null) setTimer('chain.deadline', chain.id, 'running', chain.runs_until, tx, true);
  return chain;
}

/** Sets the timer only if it ends before the chain's own outer limit. */
export function waitTimer(task: TaskRow, chain: ChainRow, tx: Tx): void {
  const deadline = tx.now + tx.limits.waitMs;
  if (deadline < chain.outer_at) setTimer('task.wait', task.id, 'wall', deadline, tx);
}

/**
 * A person answered for the chain again: work that waited for them for most of a day is not ended a moment after their
 * approval. The outer limit is watched only while a task is open. Waits that would have outlasted the old limit get their
 * timers now.
 */
export function extendChain(chainId: string, subjectId: string, tx: Tx, outerAt = tx.now + tx.limits.outerMs): void {
  const chain = tx.get('chains', chainId);
  if (!chain || outerAt <= chain.outer_at) return;
  const before = chain.outer_at;
  tx.update('chains', chain, { outer_at: outerAt });
  const open = tx.find('tasks', 'chain', chainId, 1);
  if (open.length > 0) setTimer('chain.outer', chainId, 'wall', outerAt, tx);
  tx.each(open, (task) => {
    const deadline = task.waiting_since === null ? 0 : task.waiting_since + tx.limits.waitMs;
    if (deadline >= before && deadline < outerAt) setTimer('task.wait', task.id, 'wall', deadline, tx);
  });
  append(tx, { type: 'chain.extended', subject_id: subjectId, chain_id: chainId, data: { outerAt } });
}

/** The chain's time runs while some agent in it is to act; with nothing open left, the chain is over. */
export function settleChain(chainId: string, tx: Tx, renew = false): void {
  const chain = tx.get('chains', chainId)!;
  const open = tx.find('tasks', 'chain', chainId, 1);
  if (open.length === 0) {
    tx.update('chains', chain, { ended_at: tx.now, runs_until: null, left_ms: 0 });
    setTimer('chain.deadline', chainId, 'running', null, tx);
    setTimer('chain.outer', chainId, 'wall', null, tx);
    dropTags(chainId, tx);
    return;
  }
  tx.need(open.flatMap((task) => (task.agent_id === null ? [] : [wantRow('agents', task.agent_id)])));
  const acting = open.some((task) => isActing(task.state, task.agent_id !== null && isHere(agentOf(task.agent_id, tx))));
  setClock(chain, acting, renew, tx);
}

/** Somebody in it is to act, whatever the others do: they need not be looked at. */
export const runChain = (chainId: string, tx: Tx): void => setClock(tx.get('chains', chainId)!, true, false, tx);

function setClock(chain: ChainRow, acting: boolean, renew: boolean, tx: Tx): void {
  const now = runningTime(tx);
  let clock = setRunning(clockOf(chain), acting, now);
  if (renew) clock = renewClock(clock, now, tx.limits);
  const columns = clockColumns(clock);
  if (columns.runs_until === chain.runs_until && columns.left_ms === chain.left_ms) return;
  tx.update('chains', chain, columns);
  setTimer('chain.deadline', chain.id, 'running', columns.runs_until, tx);
}

// Tasks that began with a question in a thread to nobody by name (line 9). Only those who take part in the thread may take
// one, and its requester's further talk there is for people (C2A-12).

export function isUnaddressed({ addressed_by, conversation_id, message_id }: TaskRow, set: WorkingSet): boolean {
  if (addressed_by !== 'any_agent' && addressed_by !== 'edit') return beganUnaddressed(addressed_by, true, '');
  const inThread = set.get('conversations', conversation_id)?.kind === 'thread' && homeOf(conversation_id, set).kind !== 'dm';
  return inThread && beganUnaddressed(addressed_by, true, set.get('messages', message_id)?.body ?? '');
}
