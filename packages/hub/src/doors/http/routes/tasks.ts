import { isAnyones, may } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { conversationWants, placeFor } from '../../../engine/steps/place.ts';
import { look } from '../../../engine/look.ts';
import type { TaskRow } from '../../../store/tables.ts';
import { chainView, noticeViews, taskViews } from '../../../views/tasks.ts';
import { type Caller, isAgent, memberOf, type RouteHandlers, type Services } from '../context.ts';

const missing = (): ParleyError => new ParleyError('not_found', 'There is no such task, or you may not see it.');

/** Only what is not there is not seen; a database that is away has not said so. */
const noneIfUnknown = (error: unknown): undefined => {
  if (!(error instanceof ParleyError && error.code === 'not_found')) throw error;
};

/** Those who may read where it is; the agent that has it, or could; and who asked for it. */
async function visible(hub: Services, caller: Caller, tasks: TaskRow[]): Promise<TaskRow[]> {
  /** From which place on. */
  const readable = new Map<string, number>();
  for (const id of new Set(tasks.map((task) => task.conversation_id))) {
    const place = await look(hub.store, conversationWants(id), (set) => placeFor(caller.actor, id, set)).catch(noneIfUnknown);
    if (place && may('conversation.read', caller.actor, place.relations).allowed) readable.set(id, place.floorSeq);
  }
  const reads = (task: TaskRow): boolean => task.seq >= (readable.get(task.conversation_id) ?? Number.MAX_SAFE_INTEGER);
  return tasks.filter((task) => {
    if (caller.memberId !== null && [task.agent_id, task.requester_id].includes(caller.memberId)) return true;
    // What was anyone's to take is no secret to those who were too late for it.
    return isAgent(caller) ? isAnyones(task.addressed_by) && reads(task) : reads(task);
  });
}

async function one(hub: Services, caller: Caller, taskId: string): Promise<TaskRow> {
  const [task] = await visible(hub, caller, await hub.store.rows('tasks', 'where id = ?', [taskId]));
  if (!task) throw missing();
  return task;
}

const shown = async (hub: Services, task: TaskRow) => (await taskViews(hub.store, [task]))[0]!;

type TaskRoutes =
  | 'listTasks'
  | 'getTask'
  | 'startTask'
  | 'declineTask'
  | 'claimMessage'
  | 'passMessage'
  | 'stopTask'
  | 'redirectTask'
  | 'getChain'
  | 'listNotices';

export const taskRoutes: Pick<RouteHandlers, TaskRoutes> = {
  listTasks: async ({ input, caller, hub }) => {
    const { state, conversationId, agentId, limit } = input.query;
    const mine = isAgent(caller) ? memberOf(caller) : agentId;
    const where = ['1 = 1', ...(state === 'open' ? ['open = 1'] : [])];
    const params: unknown[] = [];
    if (caller.memberId !== null && !isAgent(caller)) {
      // What others do in private is not read only to be left out again: there may be more of it than of anything else.
      const open = may('workspace.browse', caller.actor).allowed ? "or (h.kind = 'channel' and h.visibility = 'public')" : '';
      where.push(
        `(requester_id = ? or conversation_id in (select c.id from conversations c join conversations h on h.id = coalesce(c.parent_id, c.id)
           where h.id in (select conversation_id from memberships where member_id = ?) ${open}))`,
      );
      params.push(caller.memberId, caller.memberId);
    }
    if (conversationId !== undefined) {
      where.push('conversation_id in (select id from conversations where id = ? or parent_id = ?)');
      params.push(conversationId, conversationId);
    }
    if (mine !== undefined) {
      where.push('agent_id = ?');
      params.push(mine);
    }
    const rows = await hub.store.rows('tasks', `where ${where.join(' and ')} order by seq desc limit 1000`, params);
    const seen = (await visible(hub, caller, rows)).slice(0, limit).reverse();
    return { tasks: await taskViews(hub.store, seen) };
  },
  getTask: async ({ input, caller, hub }) => shown(hub, await one(hub, caller, input.params.taskId)),
  startTask: async ({ input, caller, hub }) => {
    await one(hub, caller, input.params.taskId);
    const { task, turn } = await hub.engine.submit({ type: 'task.begin', by: caller.by, ...input.params });
    if (!turn) throw new ParleyError('budget_exhausted');
    return { task: await shown(hub, task), lease: task.lease };
  },
  declineTask: async ({ input, caller, hub }) => {
    const { lease, outcome, reason } = input.body;
    const { task } = await hub.engine.submit({ type: 'task.decline', by: caller.by, ...input.params, lease, outcome, reason });
    return shown(hub, task);
  },
  claimMessage: async ({ input, caller, hub }) => {
    const { task, turn } = await hub.engine.submit({ type: 'round.claim', by: caller.by, ...input.params });
    if (!turn) throw new ParleyError('budget_exhausted');
    return { task: await shown(hub, task), lease: task.lease };
  },
  passMessage: async ({ input, caller, hub }) => hub.engine.submit({ type: 'round.pass', by: caller.by, ...input.params }),
  stopTask: async ({ input, caller, hub }) =>
    shown(hub, (await hub.engine.submit({ type: 'task.stop', by: caller.by, ...input.params })).task),
  redirectTask: async ({ input, caller, hub }) =>
    shown(hub, (await hub.engine.submit({ type: 'task.redirect', by: caller.by, ...input.params, ...input.body })).task),

  getChain: async ({ input, caller, hub }) => {
    const [chain] = await hub.store.rows('chains', 'where id = ?', [input.params.chainId]);
    const tasks = await hub.store.rows('tasks', 'where chain_id = ? order by seq', [input.params.chainId]);
    const seen = new Set((await visible(hub, caller, tasks)).map((task) => task.id));
    // Who sees none of its steps does not learn that there is such a chain.
    if (!chain || seen.size === 0) throw new ParleyError('not_found', 'There is no such chain, or you may not see it.');
    return chainView(hub.store, chain, tasks, (task) => seen.has(task.id));
  },

  listNotices: async ({ input, caller, hub }) => {
    const me = memberOf(caller);
    const rows = await hub.store.rows('facts', "where member_id = ? and type = 'notice' and seq > ? order by seq desc limit 500", [
      me,
      input.query.after,
    ]);
    const all = await noticeViews(hub.store, rows.reverse());
    const { conversationId } = input.query;
    return { notices: conversationId === undefined ? all : all.filter((notice) => notice.conversationId === conversationId) };
  },
};
