// The task of a message. A message can be an agent's own word in its task and, at once, continue one it delegated.

import type { Reader } from '../store/port.ts';
import type { TaskWordRow } from '../store/tables.ts';

/** Its author's own comes first; the other agents' tasks show what it was for them. */
export async function wordsByMessage(reader: Reader, messageIds: string[]): Promise<Map<string, TaskWordRow>> {
  const rows = await reader.rows('task_words', { message_id: messageIds }, { order: 'task_id' });
  const words = new Map<string, TaskWordRow>();
  for (const word of rows)
    if ((word.kind !== 'follow_up' && word.kind !== 'result') || !words.has(word.message_id)) words.set(word.message_id, word);
  return words;
}
