// Chains as they are shown, in a constant number of reads however many there are.

import { requestTitle } from '@parley/core';
import type { Chain } from '@parley/protocol';
import { factData } from '../store/fact-data.ts';
import type { Reader } from '../store/port.ts';
import type { ChainRow, TaskRow } from '../store/tables.ts';
import type { ProvokedIn } from './chain-events.ts';
import { runningClock, taskViews, timerOf } from './tasks.ts';

/**
 * Steps they may not see are there, but hidden: the requester of a chain may know that a step was taken. `readable`: ids of the
 * tasks whose request they may read as well.
 */
export async function chainViews(
  reader: Reader,
  chains: ChainRow[],
  tasks: TaskRow[],
  seen: ReadonlySet<TaskRow>,
  readable: ReadonlySet<string>,
  provoked: ProvokedIn,
  viewerId: string | null,
): Promise<Chain[]> {
  const visibleTasks = tasks.filter((task) => seen.has(task));
  const [views, titles, clock, tokens, reserved, negotiations] = await Promise.all([
    taskViews(reader, visibleTasks).then((found) => new Map(found.map((view) => [view.id, view]))),
    titlesOf(
      reader,
      visibleTasks.filter((task) => readable.has(task.id)).map((task) => task.message_id),
    ),
    runningClock(reader),
    tokensOf(reader, tasks),
    reservedOf(reader, tasks),
    negotiationsIn(reader, chains, new Set(visibleTasks.map(({ id }) => id)), viewerId),
  ]);
  const stepsOf = Map.groupBy(tasks, (task) => task.chain_id);
  return chains.map((chain) => ({
    id: chain.id,
    requesterId: chain.requester_id,
    startedAt: chain.started_at,
    endedAt: chain.ended_at,
    outerAt: chain.outer_at,
    turns: chain.turns,
    // A budget counts both as gone; a reader sees that a reservation is not spent.
    micros: Math.max(0, chain.micros - (reserved.get(chain.id) ?? 0)),
    reservedMicros: reserved.get(chain.id) ?? 0,
    tokens: tokens.get(chain.id) ?? { input: 0, output: 0 },
    timer: chain.ended_at === null ? timerOf(chain, clock) : null,
    steps: (stepsOf.get(chain.id) ?? []).map((task) => {
      const view = views.get(task.id);
      if (!view) return { hidden: true as const, id: task.id, parentId: task.parent_id, state: task.state };
      const title = readable.has(task.id) ? (titles.get(task.message_id) ?? null) : null;
      return { ...view, title, invocationId: provoked.openedBy.get(task.id) ?? null };
    }),
    provoked: provoked.steps.get(chain.id) ?? [],
    negotiations: negotiations.get(chain.id) ?? [],
  }));
}

/** Others learn that the task waits for one, and whether it still does. */
async function negotiationsIn(
  reader: Reader,
  chains: readonly ChainRow[],
  taskIds: ReadonlySet<string>,
  viewerId: string | null,
): Promise<Map<string, Chain['negotiations']>> {
  const rows = await reader.rows('negotiations', { chain_id: chains.map(({ id }) => id) }, { order: 'created_at' });
  const visibleRows = rows.filter(({ task_id }) => taskIds.has(task_id!));
  const grouped = Map.groupBy(visibleRows, ({ chain_id }) => chain_id!);
  return new Map(
    [...grouped].map(([chainId, all]) => [
      chainId,
      all.map(({ member_id, task_id, thread_id, state, open, created_at }) => ({
        taskId: task_id!,
        threadId: member_id === viewerId ? thread_id : null,
        state: member_id === viewerId ? state : null,
        open: open === 1,
        createdAt: created_at,
      })),
    ]),
  );
}

/** The tokens of each chain, from the facts that settled or cut off the steps of its turns. */
async function tokensOf(reader: Reader, tasks: readonly TaskRow[]): Promise<Map<string, Chain['tokens']>> {
  const rows = await reader.rows('facts', { subject_id: tasks.map(({ id }) => id), type: ['turn.done', 'turn.cut_off'] });
  const sums = new Map<string, Chain['tokens']>();
  for (const fact of rows) {
    const { input = 0, output = 0 } = factData(fact, 'turn.done', 'turn.cut_off')!;
    const sum = sums.get(fact.chain_id!) ?? { input: 0, output: 0 };
    sums.set(fact.chain_id!, { input: sum.input + input, output: sum.output + output });
  }
  return sums;
}

/** The unspent reservations of running turns, by chain. */
async function reservedOf(reader: Reader, tasks: readonly TaskRow[]): Promise<Map<string, number>> {
  const open = new Map(tasks.filter((task) => task.open === 1).map(({ id, chain_id }) => [id, chain_id]));
  const rows = await reader.rows('turns', { task_id: [...open.keys()], state: 'running' });
  const sums = new Map<string, number>();
  for (const { task_id, reserved_micros, spent_micros } of rows) {
    const chainId = open.get(task_id)!;
    sums.set(chainId, (sums.get(chainId) ?? 0) + Math.max(0, reserved_micros - spent_micros));
  }
  return sums;
}

async function titlesOf(reader: Reader, ids: string[]): Promise<Map<string, string>> {
  const messageIds = [...new Set(ids)];
  const [messages, sources] = await Promise.all([
    reader.rows('messages', { id: messageIds }),
    reader.rows('message_sources', { message_id: messageIds }),
  ]);
  const contacts = new Set(sources.flatMap((row) => (row.source === 'agent_contact' ? row.message_id : [])));
  return new Map(messages.flatMap(({ id, body }) => (body === null ? [] : [[id, requestTitle(body, contacts.has(id))] as const])));
}
