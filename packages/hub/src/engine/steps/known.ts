// What the turn that holds a task knows of what was said in it. Taken from the rows: a hub that starts anew, and one that
// never ran the turn, know it as well.

import { isUnanswered } from '@parley/core';
import type { TaskRow } from '../../store/tables.ts';
import type { WorkingSet } from '../working-set.ts';
import { agentOf } from './tasks.ts';

/** Begun, or said, in this very group: after everything that has its place already. */
const placeOf = (seq: number): number => (seq < 0 ? Infinity : seq);

/** Whether more was said in the task than an answer given now could be about. */
export function isMoreSaid(task: TaskRow, set: WorkingSet): boolean {
  const added = set.find('task_words', 'task', task.id).filter((word) => word.kind === 'follow_up');
  if (added.length === 0) return false;
  set.need([
    { table: 'facts', lookup: 'subject', values: [task.id] },
    { table: 'agents', values: [task.agent_id!] },
    ...added.map((word) => ({ table: 'messages' as const, values: [word.message_id] })),
  ]);
  // What was taken back asks for nothing.
  const followUps = added.flatMap((word) => {
    const message = set.get('messages', word.message_id);
    return message && message.body !== null ? [placeOf(message.seq)] : [];
  });
  const agent = agentOf(task.agent_id!, set);
  return isUnanswered({ begunAt: begunAt(task, set), acked: agent.brain === 'remote' ? agent.acked : 0 }, followUps);
}

function begunAt(task: TaskRow, set: WorkingSet): number {
  const begun = set
    .find('facts', 'subject', task.id)
    .filter((fact) => fact.type === 'task.begin')
    .map((fact) => ({ seq: fact.seq, ...(JSON.parse(fact.data) as { lease: number; again?: true }) }));
  if (!begun.some(({ lease }) => lease === task.lease)) return Number.MAX_SAFE_INTEGER;
  // Taken up again, a turn inside the hub goes on with what it was given at first.
  return Math.max(0, ...begun.filter(({ again }) => !again).map(({ seq }) => seq));
}
