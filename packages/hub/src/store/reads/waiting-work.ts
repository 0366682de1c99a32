// Counts of open and waiting work for the operator's metrics: each list is short or has an index.

import type { Reader } from '../port.ts';

export interface WaitingWork {
  /** A state or a kind. */
  label: string;
  n: number;
}

const statements = {
  tasks: 'select state as label, count(*) as n from tasks where open = 1 group by state',
  invocations: 'select state as label, count(*) as n from invocations where open = 1 group by state',
  effects: 'select kind as label, count(*) as n from outbox group by kind',
  checkpoints: 'select kind as label, count(*) as n from checkpoints where open = 1 group by kind',
} as const;

export const workNames = Object.keys(statements) as (keyof typeof statements)[];

export const waitingWork = (reader: Pick<Reader, 'all'>, name: keyof typeof statements): Promise<WaitingWork[]> =>
  reader.all<WaitingWork>(statements[name]);
