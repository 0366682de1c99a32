import { wantRow } from '../../../store/port.ts';
import { isOpen, type TaintSource, valuesIn, valuesInResult } from '@parley/core';
import { type Handler } from '../../command.ts';
import { madeOf } from '../../steps/membership/agent-identities.ts';
import { tagTask, withheldFact } from '../../steps/conversations/egress.ts';
import { append } from '../../steps/facts/append.ts';
import { givenNotes } from '../../steps/facts/tagged-values.ts';
import { connection, type OwnServer } from '../../steps/tasks/notes.ts';
import { taskWants } from '../../steps/tasks/task-access.ts';
import { chainLock } from '../../steps/tasks/tasks.ts';
import { taintTask } from '../../steps/tasks/transitions.ts';

export interface TaintCommands {
  /** The source of a text that is about to be read in a task. By the platform: the reader does not get to say. */
  'task.taint': [{ taskId: string; source: TaintSource }, void];
  /** The private notes of these agents, whose owner is the reader's, are about to be read in a task. By the platform. */
  'task.tag': [{ taskId: string; ownerId: string; agentIds: string[] }, void];
  /** A person's own tool server is about to be called in a task, or its result to be handed over. By the platform. */
  'task.connect': [OwnServer & { taskId: string; result: string | null }, { allowed: boolean }];
}

const taint: Handler<'task.taint'> = {
  needs: (c) => [wantRow('tasks', c.taskId), wantRow('taints', c.taskId, c.source.kind)],
  decide: (c, tx) => {
    const task = tx.get('tasks', c.taskId);
    if (!task || !isOpen(task.state)) return;
    tx.lock(chainLock(task.chain_id));
    taintTask(task, c.source, tx);
  },
};

const tag: Handler<'task.tag'> = {
  needs: (c) => [...taskWants(c.taskId), ...c.agentIds.map((id) => wantRow('identities', id))],
  decide: (c, tx) => {
    const task = tx.get('tasks', c.taskId);
    if (!task || !isOpen(task.state)) return;
    tx.lock(chainLock(task.chain_id));
    const values = c.agentIds.flatMap((id) => tx.get('identities', id) ?? []).flatMap((row) => valuesIn(madeOf(row).memory));
    tagTask(task, { field: givenNotes, ownerId: c.ownerId, values }, tx);
  },
};

const connect: Handler<'task.connect'> = {
  needs: (c) => taskWants(c.taskId),
  decide: (c, tx) => {
    const task = tx.get('tasks', c.taskId);
    if (!task || !isOpen(task.state)) return { allowed: false };
    tx.lock(chainLock(task.chain_id));
    const { allowed, value } = connection(task, c, tx);
    if (!allowed && value) append(tx, withheldFact(task, value));
    if (allowed && c.result !== null) tagTask(task, { ...value!, values: valuesInResult(c.result) }, tx);
    return { allowed };
  },
};

export const taintHandlers = { 'task.taint': taint, 'task.tag': tag, 'task.connect': connect };
