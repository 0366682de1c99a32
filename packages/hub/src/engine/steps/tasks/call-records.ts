// The calls of earlier turns, which an open task keeps for its next turn (IAC-6): forgotten where words that stand in them are deleted.

import { wantBy } from '../../../store/port.ts';
import type { MessageRow, TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { forgetSteps } from '../budget/turn-budget.ts';

/** Open tasks whose calls may hold its words: those of its chains, and those of the agent that wrote it. */
function tasksNear({ id, author_id }: MessageRow, set: WorkingSet): TaskRow[] {
  const requested = set.find('tasks', 'message', id);
  const said = set.find('task_words', 'message', id).flatMap(({ task_id }) => set.get('tasks', task_id) ?? []);
  const chains = [...new Set([...requested, ...said].map(({ chain_id }) => chain_id))];
  set.need([
    ...chains.map((chainId) => wantBy('tasks', 'chain', chainId, 1)),
    ...(author_id === null ? [] : [wantBy('tasks', 'agent', author_id, 1)]),
  ]);
  const own = author_id === null ? [] : set.find('tasks', 'agent', author_id, 1);
  return [
    ...new Map([...chains.flatMap((chainId) => set.find('tasks', 'chain', chainId, 1)), ...own].map((task) => [task.id, task])).values(),
  ];
}

/** All that forgetting the calls near many messages needs, asked for at once. */
export function gatherCallsNear(messages: readonly MessageRow[], set: WorkingSet): void {
  set.need(
    messages.flatMap(({ id }) => set.find('task_words', 'message', id)).map(({ task_id }) => ({ table: 'tasks', values: [task_id] })),
  );
  gatherCalls(
    messages.flatMap((message) => tasksNear(message, set)),
    set,
  );
}

function gatherCalls(tasks: readonly TaskRow[], set: WorkingSet): void {
  set.need(tasks.flatMap(({ id }) => [wantBy('turns', 'task', id, 'done'), { table: 'forgotten_calls' as const, values: [id] }]));
  set.need(tasks.flatMap(({ id }) => set.find('turns', 'task', id, 'done')).map((turn) => wantBy('journal', 'turn', turn.id)));
}

export function forgetCallsNear(message: MessageRow, tx: Tx): void {
  forgetCalls(tasksNear(message, tx), tx);
}

/** Turns under way still need their own steps; the mark keeps those from the turns after them. */
export function forgetCalls(tasks: readonly TaskRow[], tx: Tx): void {
  gatherCalls(tasks, tx);
  for (const { id } of tasks) {
    for (const turn of tx.find('turns', 'task', id, 'done')) forgetSteps(turn, tx);
    const row = tx.get('forgotten_calls', id);
    if (row) tx.update('forgotten_calls', row, { at: tx.now });
    else tx.insert('forgotten_calls', { task_id: id, at: tx.now });
  }
}
