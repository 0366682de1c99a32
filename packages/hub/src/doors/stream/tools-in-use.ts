// Which tools agents are using now, by name: read from the journals of running turns, so that every hub and every page that
// opens in the middle of a call knows it.

import { inList } from '../../engine/look.ts';
import type { Reader } from '../../store/port.ts';

/** Steps of the platform's own that stand in a journal like tools. */
const ownSteps = "('context', 'say')";

export interface ToolsInUse {
  taskId: string;
  /** The conversation it is in, or its thread hangs in. */
  home: string;
  /** Who joined later may read what came before. */
  isOpenHistory: boolean;
  taskSeq: number;
  tools: string[];
  since: number;
}

/** Of these tasks, or of every active task in these conversations. A task that uses no tool is not among them. */
export async function toolsInUse(reader: Reader, of: { taskIds: string[] } | { homes: string[] }): Promise<ToolsInUse[]> {
  const list = inList('taskIds' in of ? of.taskIds : of.homes);
  const rows = await reader.all<{ task: string; seq: number; home: string; history: string; name: string; at: number }>(
    `select t.id as task, t.seq as seq, h.id as home, h.history as history, j.name as name, j.intended_at as at
     from tasks t
       join conversations c on c.id = t.conversation_id
       join conversations h on h.id = coalesce(c.parent_id, c.id)
       join turns u on u.task_id = t.id and u.state = 'running'
       join journal j on j.turn_id = u.id and j.kind = 'tool' and j.done_at is null and j.name not in ${ownSteps}
     where t.open = 1 and t.state = 'active' and ${'taskIds' in of ? 't.id' : 'h.id'} in ${list.sql}
     order by j.intended_at, j.n`,
    list.params,
  );
  return [...Map.groupBy(rows, ({ task }) => task)].map(([taskId, [first, ...rest]]) => ({
    taskId,
    home: first!.home,
    isOpenHistory: first!.history === 'all',
    taskSeq: first!.seq,
    tools: [...new Set([first!, ...rest].map(({ name }) => name))],
    since: first!.at,
  }));
}
