import { isAnyones, may } from '@parley/core';
import { type Chain, ParleyError } from '@parley/protocol';
import { removedDemos } from '../../../demo/demo.ts';
import { conversationWants, accessTo } from '../../../engine/steps/facts/conversation-access.ts';
import { readRows } from '../../../engine/decision-reads.ts';
import { isOverseenDm } from '../../../store/reads/conversations.ts';
import { latestNotices } from '../../../store/reads/facts.ts';
import { latestRequested, latestTasks, type TaskFilter } from '../../../store/reads/tasks.ts';
import type { ObligationRow, TaskRow } from '../../../store/tables.ts';
import { chainViews } from '../../../views/chains.ts';
import { provokedIn } from '../../../views/chain-events.ts';
import { obligationsOf, obligationView } from '../../../views/obligations.ts';
import { noticeViews } from '../../../views/notices.ts';
import { startedTask, taskViews } from '../../../views/tasks.ts';
import { undamaged } from '../../../views/row-views.ts';
import { asIs, type Caller, command, isAgent, memberOf, overseerOf, type RouteHandlers, type Services } from '../route-context.ts';
import { seesAll } from './provoke-objects.ts';

const noTaskError = (): ParleyError => new ParleyError('not_found', 'There is no such task, or you may not see it.');

/** Only a missing row counts as unknown; an unreachable database is an error. */
const noneIfUnknown = (error: unknown): undefined => {
  if (!(error instanceof ParleyError && error.code === 'not_found')) throw error;
};

interface Sight {
  /** The tasks that the caller can see: as a reader of the conversation, as an agent that has or could claim it, or as the requester. */
  seen: TaskRow[];
  /** The IDs of those whose request the caller may read. An agent reads inside a task or not at all (SYS-9). */
  readable: ReadonlySet<string>;
}

const visible = async (hub: Services, caller: Caller, tasks: TaskRow[]): Promise<TaskRow[]> =>
  (await sightOfTasks(hub, caller, tasks)).seen;

async function sightOfTasks(hub: Services, caller: Caller, tasks: TaskRow[]): Promise<Sight> {
  /** The sequence number from which each conversation is readable. */
  const readable = new Map<string, number>();
  await Promise.all(
    [...new Set(tasks.map((task) => task.conversation_id))].map(async (id) => {
      const place = await readRows(hub.store, conversationWants(id), (set) => accessTo(caller.actor, id, set)).catch(noneIfUnknown);
      if (place && may('conversation.read', caller.actor, place.relations).allowed) readable.set(id, place.historyCutoff);
    }),
  );
  const reads = (task: TaskRow): boolean => task.seq >= (readable.get(task.conversation_id) ?? Number.MAX_SAFE_INTEGER);
  const seen = tasks.filter((task) => {
    if (caller.memberId !== null && [task.agent_id, task.requester_id].includes(caller.memberId)) return true;
    // An offer that anyone could take is no secret to those who were too late for it.
    return isAgent(caller) ? isAnyones(task.addressed_by) && reads(task) : reads(task);
  });
  return { seen, readable: new Set(isAgent(caller) ? [] : seen.filter(reads).map((task) => task.id)) };
}

async function one(hub: Services, caller: Caller, taskId: string): Promise<TaskRow> {
  const [task] = await visible(hub, caller, await hub.store.rows('tasks', { id: taskId }));
  if (!task) throw noTaskError();
  return task;
}

/** The same rule as for events and invocations: owners and admins see all, others only what runs as them. */
function sightOfProvoked(caller: Caller): (memberId: string | null) => boolean {
  const all = seesAll(caller);
  const own = may('trigger.see', caller.actor, ['owner']).allowed ? caller.memberId : null;
  return (id) => all || (own !== null && id === own);
}

/** Someone who sees none of a chain's steps does not learn that there is such a chain. */
async function chainsFor(hub: Services, caller: Caller, ids: string[]): Promise<Chain[]> {
  if (ids.length === 0) return [];
  const [chains, tasks] = await Promise.all([
    hub.store.rows('chains', { id: ids }),
    hub.store.rows('tasks', { chain_id: ids }, { order: 'seq' }),
  ]);
  const { seen, readable } = await sightOfTasks(hub, caller, tasks);
  const provoked = await provokedIn(hub.store, ids, sightOfProvoked(caller));
  const shows = [...provoked.steps].filter(([, steps]) => steps.some((step) => !('hidden' in step)));
  const chainIds = new Set([...seen.map((task) => task.chain_id), ...shows.map(([id]) => id)]);
  const views = await chainViews(
    hub.store,
    chains.filter((chain) => chainIds.has(chain.id)),
    tasks,
    new Set(seen),
    readable,
    provoked,
    caller.memberId,
  );
  return ids.flatMap((id) => views.find((view) => view.id === id) ?? []);
}

const viewOf = async (hub: Services, task: TaskRow) => (await taskViews(hub.store, [task]))[0]!;
const showTask = ({ task }: { task: TaskRow }, { hub }: { hub: Services }) => viewOf(hub, task);

/** Narrows the read to tasks that the caller could see. `overseen` adds the exchanges of agents that they answer for. */
function filterFor(caller: Caller, filter: TaskFilter, overseen: boolean): TaskFilter {
  if (isAgent(caller)) return { ...filter, agentId: memberOf(caller) };
  const { memberId } = caller;
  if (memberId === null) return filter;
  const dms = overseen ? isOverseenDm('h', overseerOf(caller)) : undefined;
  return { ...filter, viewer: { memberId, browses: may('workspace.browse', caller.actor).allowed, dms } };
}

/** Tasks are read so many at a time until enough of them are seen, and in no more pages than this, full or not. */
const [tasksAtOnce, mostPages] = [100, 10];

/** The latest that the caller sees, until `isEnough` says so. */
async function latestSeen(
  hub: Services,
  caller: Caller,
  filter: TaskFilter,
  isEnough: (seen: readonly TaskRow[]) => boolean,
): Promise<TaskRow[]> {
  const seen: TaskRow[] = [];
  let before: Pick<TaskRow, 'seq' | 'id'> | undefined;
  for (let page = 0; page < mostPages && !isEnough(seen); page++) {
    const { rows, next } = await latestTasks(hub.store, filter, { before, limit: tasksAtOnce });
    seen.push(...(await visible(hub, caller, rows)));
    if (!next) return seen;
    before = next;
  }
  if (!filter.viewer || isEnough(seen)) return seen;
  const own = await latestRequested(hub.store, filter, filter.viewer.memberId, { before, limit: tasksAtOnce });
  return [...seen, ...(await visible(hub, caller, own))];
}

const showObligation = ({ obligation: row }: { obligation: ObligationRow }, { caller }: { caller: Caller }) =>
  obligationView(row, !isAgent(caller) && [row.author_id, row.delegate_id, row.recipient_id].includes(caller.memberId));

export const taskRoutes = {
  listTasks: async ({ input, caller, hub }) => {
    const { limit, ...filter } = input.query;
    const latest = await latestSeen(hub, caller, filterFor(caller, filter, false), (seen) => seen.length >= limit);
    const visiblePage = latest.slice(0, limit).reverse();
    return { tasks: await undamaged(visiblePage, (some) => taskViews(hub.store, some)) };
  },
  getTask: async ({ input, caller, hub }) => viewOf(hub, await one(hub, caller, input.params.taskId)),
  startTask: async ({ input, caller, hub }) => {
    await one(hub, caller, input.params.taskId);
    return startedTask(hub.store, await hub.engine.submit({ type: 'task.begin', by: caller.by, ...input.params }));
  },
  declineTask: command('task.decline', showTask, ({ params, body: { lease, ...words } }) => ({ ...params, lease, ...words })),
  claimMessage: command('round.claim', (claim, { hub }) => startedTask(hub.store, claim)),
  passMessage: command('round.pass', asIs),
  stopTask: command('task.stop', showTask),
  redirectTask: command('task.redirect', showTask),

  listChains: async ({ input, caller, hub }) => {
    const { limit, ...filter } = input.query;
    const removed = filter.conversationId === undefined ? await removedDemos(hub.store) : new Set();
    const chainsOf = (tasks: readonly TaskRow[]): string[] => [
      ...new Set(tasks.flatMap((task) => (removed.has(task.conversation_id) ? [] : task.chain_id))),
    ];
    const visibleTasks = await latestSeen(hub, caller, filterFor(caller, filter, true), (tasks) => chainsOf(tasks).length >= limit);
    return { chains: await chainsFor(hub, caller, chainsOf(visibleTasks).slice(0, limit)) };
  },
  getChain: async ({ input, caller, hub }) => {
    const [chain] = await chainsFor(hub, caller, [input.params.chainId]);
    if (!chain) throw new ParleyError('not_found', 'There is no such chain, or you may not see it.');
    return chain;
  },

  listNotices: async ({ input, caller, hub }) => {
    const me = memberOf(caller);
    const rows = await latestNotices(hub.store, me, input.query.after, 500);
    const all = await noticeViews(hub.store, rows.reverse());
    const { conversationId } = input.query;
    return { notices: conversationId === undefined ? all : all.filter((notice) => notice.conversationId === conversationId) };
  },

  listObligations: async ({ input, caller, hub }) => {
    const { owe, blocking } = input.query;
    const side = owe ? 'owe' : blocking ? 'blocking' : 'waiting';
    return { obligations: await obligationsOf(hub.store, memberOf(caller), side, isAgent(caller) ? 'agent' : 'human') };
  },
  signalObligation: command('obligation.signal', showObligation),
  dischargeObligation: command('obligation.discharge', showObligation),
} satisfies Partial<RouteHandlers>;
