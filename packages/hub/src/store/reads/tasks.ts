// Reads about tasks, their turns and their offers that take more than one table.

import type { Reader } from '../port.ts';
import type { ConversationRow, JournalRow, RoundRow, TaskRow, ApprovalRow } from '../tables.ts';
import { allOf, type Sql } from '../where.ts';
import { isReadable, type Viewer } from './conversations.ts';
import { storedState } from '../stored-values.ts';

const inHome = 'conversation_id in (select id from conversations where id = ? or parent_id = ?)';

/** The open tasks of a conversation and its threads. */
export const openTasksIn = (reader: Reader, homeId: string): Promise<TaskRow[]> =>
  reader.rows('tasks', `where open = 1 and ${inHome} order by seq limit 100`, [homeId, homeId]);

/** Used by the scheduler: one entry for each agent with open tasks, and one for each task without an agent. */
export const openWork = (reader: Reader): Promise<{ agent_id: string | null; id: string }[]> =>
  reader.all(
    `select agent_id, min(id) as id from tasks where open = 1 and agent_id is not null group by agent_id
     union all select agent_id, id from tasks where open = 1 and agent_id is null`,
  );

/** The agent's tasks in these states, without those whose composing window is open. */
export const tasksToBegin = (reader: Reader, agentId: string, states: TaskRow['state'][]): Promise<TaskRow[]> =>
  reader.rows('tasks', 'where agent_id = ? and open = 1 and state in {list} and id not in (select task_id from windows)', [
    agentId,
    states,
  ]);

/** Tasks without an agent in the conversations that the agent is in. */
export const unclaimedTasks = (reader: Reader, agentId: string): Promise<{ id: string }[]> =>
  reader.all(
    `select t.id as id from tasks t join conversations c on c.id = t.conversation_id
     where t.open = 1 and t.agent_id is null and coalesce(c.parent_id, c.id) in (select conversation_id from memberships where member_id = ?)
     order by t.seq`,
    [agentId],
  );

/** The agents among these that run in the hub, the least busy first. */
export const leastBusy = (reader: Reader, agentIds: readonly string[]): Promise<{ id: string }[]> =>
  reader.all(
    `select a.member_id as id from agents a join members m on m.id = a.member_id
     where a.brain <> 'remote' and a.member_id in {list}
     order by (select count(*) from tasks t where t.agent_id = a.member_id and t.open = 1), m.handle_fold`,
    [agentIds],
  );

/** The texts of a message on an open floor and of those its author added to it. */
export const roundTexts = (reader: Reader, firstId: string): Promise<{ body: string | null }[]> =>
  reader.all('select m.body as body from messages m join rounds r on r.message_id = m.id where r.first_id = ? order by m.seq', [firstId]);

/** The handles of the agents that a message woke from within a task. */
export const handlesWokenBy = (reader: Reader, taskId: string, messageId: string): Promise<{ handle: string }[]> =>
  reader.all(
    'select m.handle as handle from tasks t join members m on m.id = t.agent_id where t.parent_id = ? and t.message_id = ? order by m.handle_fold',
    [taskId, messageId],
  );

/** Whether a message is an unclaimed task, or is offered to the agent in an offer round. */
export async function isOffered(reader: Reader, messageId: string, agentId: string): Promise<boolean> {
  const offers = await reader.all(
    `select id from tasks where message_id = ? and agent_id is null and open = 1
     union all select message_id as id from offers where message_id = ? and agent_id = ? and state = 'open'`,
    [messageId, messageId, agentId],
  );
  return offers.length > 0;
}

/** The result messages of a task's contacts, with the agents whose words they are. */
export const contactResults = (reader: Reader, taskId: string): Promise<{ message: string | null; agent: string | null }[]> =>
  reader.all('select c.result_id as message, t.agent_id as agent from contacts c join tasks t on t.id = c.task_id where c.parent_id = ?', [
    taskId,
  ]);

/** The questions that were asked in these tasks, in the order they were asked. */
export const questionsIn = (reader: Reader, taskIds: readonly string[]): Promise<{ task: string; message: string }[]> =>
  reader.all(
    `select w.task_id as task, w.message_id as message from task_words w join messages m on m.id = w.message_id
     where w.task_id in {list} and w.kind = 'question' order by m.seq`,
    [taskIds],
  );

export type ToolStep = Pick<JournalRow, 'kind' | 'name' | 'input' | 'result' | 'read_only' | 'intended_at' | 'done_at'>;

/** The tool calls of a task's turns other than `turnId`, in the order they were made. */
export const toolSteps = (reader: Reader, taskId: string, agentId: string, turnId = ''): Promise<ToolStep[]> =>
  reader.all(
    `select j.kind as kind, j.name as name, j.input as input, j.result as result, j.read_only as read_only,
      j.intended_at as intended_at, j.done_at as done_at
     from journal j join turns t on t.id = j.turn_id
     where t.task_id = ? and t.agent_id = ? and t.id <> ? and j.kind = 'tool' order by j.intended_at, t.lease, j.n`,
    [taskId, agentId, turnId],
  );

export const openTasksOf = (reader: Reader, agentId: string, homeId: string): Promise<TaskRow[]> =>
  reader.rows('tasks', `where agent_id = ? and open = 1 and ${inHome} order by seq`, [agentId, homeId, homeId]);

export async function countOpenTasks(reader: Reader, homeId: string): Promise<number> {
  const [open] = await reader.all<{ n: number }>(`select count(*) as n from tasks where open = 1 and ${inHome}`, [homeId, homeId]);
  return open!.n;
}

/** The number of open tasks of each agent in a conversation; agents without any are left out. */
export const openTaskCounts = (reader: Reader, conversationId: string, agentIds: readonly string[]): Promise<{ id: string; n: number }[]> =>
  reader.all(
    'select agent_id as id, count(*) as n from tasks where open = 1 and conversation_id = ? and agent_id in {list} group by agent_id',
    [conversationId, agentIds],
  );

/** Bytes of text by id: of all that was said in each task, in up to two parts, and of each message. */
export function textSizes(
  reader: Reader,
  taskIds: readonly string[],
  messageIds: readonly string[],
): Promise<{ id: string; size: number }[]> {
  const size = 'sum(coalesce(octet_length(m.body), 0)) as size';
  return reader.all(
    `select t.id as id, ${size} from tasks t join messages m on m.id = t.message_id where t.id in {list} group by t.id
     union all select w.task_id as id, ${size} from task_words w join messages m on m.id = w.message_id where w.task_id in {list} group by w.task_id
     union all select m.id as id, ${size} from messages m where m.id in {list} group by m.id`,
    [taskIds, taskIds, messageIds],
  );
}

export interface TaskFilter {
  state: 'open' | 'all';
  conversationId?: string | undefined;
  agentId?: string | undefined;
  /** A person: only the tasks they asked for or could see in conversations. */
  viewer?: (Viewer & { dms: Sql | undefined }) | undefined;
}

/** A viewer gets what they see of so many tasks at a time: there may be many more in conversations that they cannot read. */
const lookedAt = 2000;

type Place = Pick<TaskRow, 'seq' | 'id'>;
export interface TaskPage {
  before: Place | undefined;
  limit: number;
}

const open: Sql = { sql: 'open = 1', params: [] };
const ended: Sql = { sql: 'open = 0', params: [] };

const askedFor = ({ state, conversationId, agentId }: TaskFilter, before: Place | undefined): Sql =>
  allOf([
    ...(state === 'open' ? [open] : []),
    ...(before ? [{ sql: '(seq, id) < (?, ?)', params: [before.seq, before.id] }] : []),
    ...(conversationId === undefined ? [] : [{ sql: inHome, params: [conversationId, conversationId] }]),
    ...(agentId === undefined ? [] : [{ sql: 'agent_id = ?', params: [agentId] }]),
  ]);

function newest(reader: Reader, conditions: Sql[], limit: number): Promise<TaskRow[]> {
  const { sql, params } = allOf(conditions);
  return reader.rows('tasks', `where ${sql || '1 = 1'} order by seq desc, id desc limit ?`, [...params, limit]);
}

/** The latest before a place. `next`: the place that the next page goes on before. */
export async function latestTasks(
  reader: Reader,
  filter: TaskFilter,
  { before, limit }: TaskPage,
): Promise<{ rows: TaskRow[]; next: Place | undefined }> {
  const { viewer, state } = filter;
  const condition = askedFor(filter, before);
  const conditions = [condition];
  let oldest: Place | undefined;
  if (viewer) {
    const readable = isReadable('tasks.conversation_id', viewer, viewer.dms && { or: viewer.dms });
    conditions.push({ sql: `(requester_id = ? or ${readable.sql})`, params: [viewer.memberId, ...readable.params] });
  }
  if (viewer && state === 'all') {
    [oldest] = await reader.all<Place>(
      `select seq, id from tasks where ${condition.sql || '1 = 1'} order by seq desc, id desc limit 1 offset ${lookedAt - 1}`,
      condition.params,
    );
    conditions.push({ sql: '(seq, id) >= (?, ?)', params: [oldest?.seq ?? 0, oldest?.id ?? ''] });
  }
  const rows = await newest(reader, conditions, limit);
  return { rows, next: rows.length === limit ? rows.at(-1) : oldest };
}

/** The latest that the member asked for, however many are newer. */
export async function latestRequested(
  reader: Reader,
  filter: TaskFilter,
  memberId: string,
  { before, limit }: TaskPage,
): Promise<TaskRow[]> {
  const own = { sql: 'requester_id = ?', params: [memberId] };
  const condition = askedFor(filter, before);
  const lists = await Promise.all([open, ended].map((state) => newest(reader, [own, condition, state], limit)));
  return lists
    .flat()
    .toSorted((a, b) => b.seq - a.seq || (a.id < b.id ? 1 : -1))
    .slice(0, limit);
}

/** The homes of the conversations in which each chain has steps, with the latest step there. */
export const homesOfChains = (
  reader: Reader,
  chainIds: readonly string[],
): Promise<(Pick<ConversationRow, 'id' | 'kind' | 'visibility' | 'history' | 'dm_key'> & { chain: string; seq: number })[]> =>
  reader.all(
    `select t.chain_id as chain, h.id as id, h.kind as kind, h.visibility as visibility, h.history as history, h.dm_key as dm_key,
       max(t.seq) as seq
     from tasks t join conversations c on c.id = t.conversation_id join conversations h on h.id = coalesce(c.parent_id, c.id)
     where t.chain_id in {list} group by t.chain_id, h.id, h.kind, h.visibility, h.history, h.dm_key`,
    [chainIds],
  );

export interface RunningTool {
  task: string;
  seq: number;
  home: string;
  history: string;
  name: string;
  at: number;
}

/** The tool calls under way in these tasks, or in these conversations and their threads; `context` and `say` are no tools. */
export const runningTools = (reader: Reader, of: { taskIds: string[] } | { homes: string[] }): Promise<RunningTool[]> =>
  reader.all(
    `select t.id as task, t.seq as seq, h.id as home, h.history as history, j.name as name, j.intended_at as at
     from tasks t
       join conversations c on c.id = t.conversation_id
       join conversations h on h.id = coalesce(c.parent_id, c.id)
       join turns u on u.task_id = t.id and u.state = 'running'
       join journal j on j.turn_id = u.id and j.kind = 'tool' and j.done_at is null and j.name not in ('context', 'say')
     where t.open = 1 and t.state = 'active' and ${'taskIds' in of ? 't.id' : 'h.id'} in {list}
     order by j.intended_at, j.n`,
    ['taskIds' in of ? of.taskIds : of.homes],
  );

/** The tasks whose composing window is open and that the member asked for in this conversation. */
export const composingTasks = (
  reader: Reader,
  memberId: string,
  { id, root_message_id }: Pick<ConversationRow, 'id' | 'root_message_id'>,
): Promise<{ id: string }[]> =>
  reader.all(
    `select t.id as id from windows w join tasks t on t.id = w.task_id
     where t.requester_id = ? and (coalesce(t.asked_in, t.conversation_id) = ? or t.message_id = ?)`,
    [memberId, id, root_message_id ?? ''],
  );

/** The states that each agent's open tasks are in. */
export const openTaskStates = (reader: Reader, agentIds: readonly string[]): Promise<{ agent_id: string; state: TaskRow['state'] }[]> =>
  reader.all('select distinct agent_id, state from tasks where open = 1 and agent_id in {list}', [agentIds]);

/** The tasks that a message opened, or was added to as a follow-up. */
export async function tasksOfMessage(reader: Reader, messageId: string): Promise<TaskRow[]> {
  // Two reads: for an `or` of both PostgreSQL would read all tasks.
  const words = await reader.rows('task_words', { message_id: messageId, kind: 'follow_up' });
  const [opened, added] = await Promise.all([
    reader.rows('tasks', { message_id: messageId }),
    words.length === 0 ? [] : reader.rows('tasks', { id: words.map(({ task_id }) => task_id) }),
  ]);
  const all = new Map([...opened, ...added].map((task) => [task.id, task]));
  return [...all.values()].toSorted((a, b) => a.seq - b.seq);
}

/** The offer round that a message began or was added to. */
export async function roundOf(reader: Reader, messageId: string): Promise<RoundRow | undefined> {
  const [round] = await reader.rows('rounds', 'where message_id = (select first_id from rounds where message_id = ?)', [messageId]);
  return round;
}

/** The approvals of a task that were answered or have expired, without those that a turn other than `turnId` has used. */
export const answeredApprovals = (reader: Reader, taskId: string, agentId: string, turnId = ''): Promise<ApprovalRow[]> =>
  reader.rows(
    'approvals',
    `where task_id = ? and agent_id = ? and input <> 'null' and why <> 'unknown'
       and (state in ('approved', 'denied', ?) or (state = 'used' and used_in = ?)) order by answered_at, id`,
    [taskId, agentId, storedState('expired'), turnId],
  );
