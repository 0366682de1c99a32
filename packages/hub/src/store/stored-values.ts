import { idPrefixes } from '@parley/protocol';
import type { ApprovalRow } from './tables.ts';

// Rows and facts keep the words of their time, because checksums cover them and an older database must open (SYS-15).
// Only this file knows both the stored and the current words.

const expired = 'lapsed';

/** A state as the column of a row holds it. */
export type Stored<W extends string> = W extends 'expired' ? typeof expired : W;
type Word<S extends string> = S extends typeof expired ? 'expired' : S;

const words = new Map([
  [expired, 'expired'],
  ['too_long', 'too_slow'],
]);

export const storedState = <W extends string>(state: W): Stored<W> => (state === 'expired' ? expired : state) as Stored<W>;
/** The word of today for a stored state or reason. */
export const wordOf = <S extends string>(stored: S): Word<S> => (words.get(stored) ?? stored) as Word<S>;

// The work that an approval is for, or in which something is said: a task or an invocation. It is stored in one column,
// where only the prefix of the id tells the two apart.

export type WorkRef = { task: string } | { invocation: string };

export const workRef = (id: string): WorkRef => (id.startsWith(`${idPrefixes.invocation}_`) ? { invocation: id } : { task: id });
export const workOf = ({ task_id }: Pick<ApprovalRow, 'task_id'>): WorkRef => workRef(task_id);
export const workId = (work: WorkRef): string => ('task' in work ? work.task : work.invocation);
