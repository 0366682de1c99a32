// Which tools agents are using now, by name: read from the journals of running turns, so that every hub and every page that
// opens in the middle of a call knows it.

import type { Reader } from '../../store/port.ts';
import { runningTools } from '../../store/reads/tasks.ts';

export interface ToolsInUse {
  taskId: string;
  /** The conversation it is in, or its thread hangs in. */
  home: string;
  /** Members who joined later may read earlier messages. */
  isOpenHistory: boolean;
  taskSeq: number;
  tools: string[];
  since: number;
}

/** Of these tasks, or of every active task in these conversations. A task that uses no tool is not among them. */
export async function toolsInUse(reader: Reader, of: { taskIds: string[] } | { homes: string[] }): Promise<ToolsInUse[]> {
  const rows = await runningTools(reader, of);
  return [...Map.groupBy(rows, ({ task }) => task)].map(([taskId, [first, ...rest]]) => ({
    taskId,
    home: first!.home,
    isOpenHistory: first!.history === 'all',
    taskSeq: first!.seq,
    tools: [...new Set([first!, ...rest].map(({ name }) => name))],
    since: first!.at,
  }));
}
