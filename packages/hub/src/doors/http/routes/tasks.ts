import { isAnyones, may, type TaskReason, taskReasons, type Verdict } from '@parley/core';
import { type Explanation, type Notice, ParleyError, type Preview } from '@parley/protocol';
import { conversationWants, placeFor } from '../../../engine/steps/place.ts';
import { type Heard, hear, type Heeding } from '../../../engine/steps/heed.ts';
import { invalid } from '../../../engine/command.ts';
import { inList, look } from '../../../engine/look.ts';
import { isHere } from '../../../engine/steps/tasks.ts';
import { agentPurse } from '../../../engine/steps/turns.ts';
import type { ConversationRow, MemberRow, MessageRow, TaskRow } from '../../../store/tables.ts';
import { chainView, noticeViews, taskViews } from '../../../views/tasks.ts';
import { wordsByMessage } from '../../../views/words.ts';
import { type Caller, isAgent, memberOf, type RouteHandlers, type Services, sightOf } from '../context.ts';

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
  | 'explainMessage'
  | 'previewMessage'
  | 'listTasks'
  | 'getTask'
  | 'startTask'
  | 'declineTask'
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

  previewMessage: async ({ input, caller, hub }) => {
    const { conversation, home, floorSeq } = await sightOf(hub, caller, input.params.conversationId);
    const [replyTo] = input.body.replyTo === undefined ? [] : await hub.store.rows('messages', 'where id = ?', [input.body.replyTo]);
    if (input.body.replyTo !== undefined && (replyTo?.conversation_id !== conversation.id || replyTo.seq < floorSeq))
      throw invalid('replyTo', 'is not a message of this conversation');
    const heard: Heard = { conversation, home, author: authorOf(caller), body: input.body.body, attachments: 0, replyTo };
    const { agents, quiet, others } = await explain(hub, heard, undefined);
    const woken = agents.filter(({ policy }) => policy === 'must_respond').map(({ agentId }) => agentId);
    return { floor: home.floor, agents, quiet, others, mayChange: await mayChange(hub, woken, conversation.id) };
  },
  explainMessage: async ({ input, caller, hub }) => {
    const [message] = await hub.store.rows('messages', 'where id = ?', [input.params.messageId]);
    const unseen = new ParleyError('not_found', 'There is no such message, or you may not see it.');
    if (!message) throw unseen;
    const { conversation, home, floorSeq } = await sightOf(hub, caller, message.conversation_id);
    if (message.seq < floorSeq) throw unseen;
    const { agents, quiet, others } = await explain(hub, await asHeard(hub, message, conversation, home), message);
    return { messageId: message.id, floor: home.floor, agents, quiet, others, notices: await noticesOn(hub, caller, message.id) };
  },
};

const authorOf = (caller: Caller): Heard['author'] => ({
  id: memberOf(caller),
  kind: caller.actor.type === 'member' ? caller.actor.kind : 'human',
});

async function asHeard(hub: Services, message: MessageRow, conversation: ConversationRow, home: ConversationRow): Promise<Heard> {
  const [author] = message.author_id === null ? [] : await hub.store.rows('members', 'where id = ?', [message.author_id]);
  const [replyTo] = message.reply_to === null ? [] : await hub.store.rows('messages', 'where id = ?', [message.reply_to]);
  const word = (await wordsByMessage(hub.store, [message.id])).get(message.id);
  const [task] = word ? await hub.store.rows('tasks', 'where id = ?', [word.task_id]) : [];
  return {
    conversation,
    home,
    author: { id: message.author_id ?? '', kind: author?.kind ?? 'human' },
    body: message.body ?? '',
    attachments: (JSON.parse(message.attachments) as string[]).length,
    replyTo,
    ...(task && word && task.agent_id === message.author_id ? { speaking: { task, final: word.kind === 'answer' } } : {}),
  };
}

type Explained = Omit<Verdict, 'reason'> & { reason: TaskReason };

/** So many agents are listed one by one; of the rest it is enough to know that they stay quiet. */
const listed = 50;

/** The tasks a message made are what was decided then; for all other agents the same code decides again. */
async function explain(
  hub: Services,
  heard: Heard,
  message: MessageRow | undefined,
): Promise<Pick<Explanation, 'agents' | 'quiet' | 'others'>> {
  const heeding: Heeding = await look(hub.store, conversationWants(heard.conversation.id), (set) => hear(heard, set));
  const tasks = message ? await tasksOn(hub, message.id) : [];
  const taskOf = new Map(tasks.flatMap((task) => (task.agent_id === null ? [] : [[task.agent_id, task] as const])));
  const members = await hub.store.rows(
    'members',
    `where kind = 'agent' and status = 'active' and id in (select member_id from memberships where conversation_id = ? and joined_seq <= ?) order by handle_fold limit ${listed + 1000}`,
    [heard.home.id, message?.seq ?? Number.MAX_SAFE_INTEGER],
  );
  const called = new Map(heeding.called.map(({ agent, verdict }) => [agent.id, verdict]));
  const list = inList([...taskOf.keys()].filter((id) => !members.some((member) => member.id === id)));
  const gone = await hub.store.rows('members', `where id in ${list.sql}`, list.params);
  const verdictOf = (agent: MemberRow): Explained => {
    const task = taskOf.get(agent.id);
    if (task) return { policy: 'must_respond', mode: task.mode, reason: task.addressed_by, task: true };
    const verdict = called.get(agent.id) ?? heeding.others;
    // It made no task then: whatever the name means today, it was not this agent's.
    return message && verdict.task ? heeding.others : verdict;
  };
  const first = [...gone, ...members].toSorted((a, b) => Number(verdictOf(b).task) - Number(verdictOf(a).task));
  const views = new Map((await taskViews(hub.store, tasks)).map((view) => [view.agentId, view]));
  return {
    agents: first.slice(0, listed).map((agent) => {
      const verdict = verdictOf(agent);
      const { policy, mode, reason } = verdict;
      const task = views.get(agent.id) ?? null;
      return {
        agentId: agent.id,
        handle: agent.handle,
        policy,
        mode,
        reason,
        text: sentence(reason, agent.handle),
        task,
      };
    }),
    quiet: Math.max(0, first.length - listed),
    others: {
      policy: heeding.others.policy,
      mode: heeding.others.mode,
      reason: heeding.others.reason,
      text: sentence(heeding.others.reason, 'they'),
    },
  };
}

const sentence = (reason: TaskReason, handle: string): string =>
  taskReasons[reason].replaceAll('{agent}', handle === 'they' ? 'the agent' : `^${handle}`);

/** Of those it would wake: whether they are here, what is ahead of it, and whether they may still have a turn today. */
async function mayChange(hub: Services, agentIds: string[], conversationId: string): Promise<Preview['mayChange']> {
  if (agentIds.length === 0) return [];
  const now = hub.clock.now();
  const list = inList(agentIds);
  const purses = inList(agentIds.map((id) => agentPurse(id, now)));
  const [agents, ahead, drawn] = await Promise.all([
    hub.store.rows('agents', `where member_id in ${list.sql}`, list.params),
    hub.store.all<{ id: string; n: number }>(
      `select agent_id as id, count(*) as n from tasks where open = 1 and conversation_id = ? and agent_id in ${list.sql} group by agent_id`,
      [conversationId, ...list.params],
    ),
    hub.store.rows('purses', `where id in ${purses.sql}`, purses.params),
  ]);
  const most = hub.limits.budgets.agent_day.turns;
  return agentIds.map((agentId) => {
    const agent = agents.find((row) => row.member_id === agentId);
    return {
      agentId,
      offline: !isHere(agent),
      sleeping: (agent?.asleep_until ?? 0) > now,
      ahead: ahead.find((row) => row.id === agentId)?.n ?? 0,
      spent: (drawn.find((row) => row.id === agentPurse(agentId, now))?.turns ?? 0) >= most,
    };
  });
}

/** Opened by the message, or added to by it. */
async function tasksOn(hub: Services, messageId: string): Promise<TaskRow[]> {
  const opened = await hub.store.rows('tasks', 'where message_id = ? order by seq', [messageId]);
  const added = await hub.store.rows('tasks', "where id in (select task_id from task_words where message_id = ? and kind = 'follow_up')", [
    messageId,
  ]);
  return [...opened, ...added];
}

async function noticesOn(hub: Services, caller: Caller, messageId: string): Promise<Notice[]> {
  if (caller.memberId === null) return [];
  const rows = await hub.store.rows('facts', "where member_id = ? and subject_id = ? and type = 'notice' order by seq", [
    caller.memberId,
    messageId,
  ]);
  return noticeViews(hub.store, rows);
}
