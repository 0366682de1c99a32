// The notes to an agent about its words that woke nobody.

import { notWoken } from '@parley/core';
import { factData } from '../store/fact-data.ts';
import type { PlacedFact, Reader } from '../store/port.ts';

/** Why one address made no task. */
export async function flagText(store: Reader, fact: PlacedFact): Promise<string | undefined> {
  const { reason, agent } = factData(fact, 'task.flagged')!;
  const [member] = agent === undefined ? [] : await store.rows('members', { id: agent });
  return notWoken(reason, member);
}

/** The notes on all addresses of one message. */
export async function flagsOn(store: Reader, taskId: string, messageId: string): Promise<string[]> {
  const rows = await store.rows('facts', { subject_id: taskId, type: 'task.flagged' }, { order: 'seq' });
  const on = rows.filter((fact) => factData(fact, 'task.flagged')?.message === messageId);
  return (await Promise.all(on.map((fact) => flagText(store, fact)))).filter((text) => text !== undefined);
}
