// What an agent has noted is tagged when its turn begins (SYS-6). Its owner may write it anew before the turn has read it: what
// is put to a model is what was tagged, and nothing newer.

import { valuesIn } from '@parley/core';
import type { Engine } from '../engine/group.ts';
import type { Reader } from '../store/port.ts';
import type { Held } from './journal.ts';

/** The notes as they may be given. Almost always they are what was tagged: then no command is needed. */
export async function taggedNotes({ store, engine }: { store: Reader; engine: Engine }, held: Held, memory: string): Promise<string> {
  const rows = await store.rows('tags', "where task_id = ? and field = 'memory'", [held.taskId]);
  const tagged = new Set(rows.flatMap((row) => JSON.parse(row.held) as string[]));
  if (valuesIn(memory).every((value) => tagged.has(value))) return memory;
  return (await engine.submit({ type: 'task.note', ...held })).memory;
}
