// Names each read to a listener in this process: tests look at its plan. Costs nothing while nobody listens.

import { channel } from 'node:diagnostics_channel';

export interface StatementRun {
  engine: 'sqlite' | 'postgres';
  /** As it is written for both engines. */
  sql: string;
}

export const statementChannel = channel('parley:statement');

export function publishStatement(engine: StatementRun['engine'], sql: string): void {
  if (statementChannel.hasSubscribers) statementChannel.publish({ engine, sql } satisfies StatementRun);
}
