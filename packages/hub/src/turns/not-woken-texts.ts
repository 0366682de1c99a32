// What an agent is told of its words that woke nobody.

import { notWoken } from '@parley/core';
import type { Reader } from '../store/port.ts';
import type { FactRow } from '../store/tables.ts';

/** Why one address made no task. */
export async function flagText(store: Reader, { data }: Pick<FactRow, 'data'>): Promise<string | undefined> {
  const { reason, agent } = JSON.parse(data) as { reason: string; agent?: string };
  const [member] = agent === undefined ? [] : await store.rows('members', { id: agent });
  return notWoken(reason, member);
}

/** Of all that one message addressed. */
export async function flagsOn(store: Reader, taskId: string, messageId: string): Promise<string[]> {
  const { rows } = await store.intact('facts', { subject_id: taskId, type: 'task.flagged' }, { order: 'seq' });
  const on = rows.filter(({ data }) => (JSON.parse(data) as { message: string }).message === messageId);
  return (await Promise.all(on.map((fact) => flagText(store, fact)))).filter((text) => text !== undefined);
}
