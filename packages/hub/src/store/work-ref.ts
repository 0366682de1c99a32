// The work that an approval is for, or in which something is said: a task or an invocation. It is stored in one column,
// where only the prefix of the id tells the two apart.

import { idPrefixes } from '@parley/protocol';
import type { ApprovalRow } from './tables.ts';

export type WorkRef = { task: string } | { invocation: string };

export const workRef = (id: string): WorkRef => (id.startsWith(`${idPrefixes.invocation}_`) ? { invocation: id } : { task: id });
export const workOf = ({ task_id }: Pick<ApprovalRow, 'task_id'>): WorkRef => workRef(task_id);
export const workId = (work: WorkRef): string => ('task' in work ? work.task : work.invocation);
