// The tables of agents at work. Described like all others; apart from them only to keep the files readable.

import type { TaskState } from '@parley/core';
import type { AddressedBy, Mode, TaskCause, TaskWordKind } from '@parley/protocol';
import { table, words } from './table.ts';

export const workTables = {
  /**
   * What a member that is an agent is besides. An agent without a row is a remote one that never connected.
   * `online`: 1: it can be reached now. A built-in one always can. -1: it is paused until its new owner accepts it.
   * `session`: counts its connections: what an earlier one still sends is refused.
   * `acked`: it has acknowledged every event up to this place in the stream.
   */
  agents: table({
    columns: 'member_id, brain, manifest_id?, relay_address?, max_concurrent int, asleep_until int?, online int, session int, acked int',
    words: words<{ brain: 'builtin' | 'model' | 'remote' }>(),
    key: 'member_id',
    lookups: { online: 'online' },
  }),
  /**
   * `requester_id`: the member who began it; others who join in later do not renew its time.
   * `runs_until`: in running time; one of the two is null.
   */
  chains: table({
    columns: `id, requester_id?, conversation_id, message_id, started_at int, ended_at int?, outer_at int, runs_until int?, left_ms int?,
      tasks int, turns int, micros int`,
    key: 'id',
  }),
  /**
   * `open`: 1 while it is: what is asked for again and again is what is still open.
   * `path`: JSON: agents from the root down to it, itself the last.
   * `outputs`: JSON: conversations its requester named for its words, beside where it was opened.
   * `lease`: of its present runner; raised whenever another takes it.
   * `asked_in`: where its question was asked, while it waits for the answer.
   * `waiting_since`: its agent is not there, or a person is to answer: since when.
   * Lookup `here`: what one member has asked for in one conversation: the question of every message.
   * Lookup `anyone`: `any_agent`: what is, or was, anyone's to take.
   */
  tasks: table({
    columns: `id, seq int, chain_id, parent_id?, agent_id?, requester_id?, conversation_id, message_id, state, open int, cause?,
      addressed_by, mode, depth int, path, outputs, lease int, answer_id?, asked_in?, waiting_since int?, created_at int, updated_at int,
      ended_at int?`,
    words: words<{ state: TaskState; cause: TaskCause; addressed_by: AddressedBy; mode: Mode }>(),
    key: 'id',
    lookups: {
      chain: 'chain_id, open',
      agent: 'agent_id, open',
      here: 'conversation_id, requester_id, open',
      requester: 'requester_id, open',
      conversation: 'conversation_id, open',
      message: 'message_id',
      parent: 'parent_id, open',
      anyone: 'addressed_by, open',
    },
  }),
  /** A message that belongs to a task: the agent's words, or what its requester added. */
  task_words: table({
    columns: 'message_id, task_id, kind',
    words: words<{ kind: TaskWordKind }>(),
    key: 'message_id, task_id',
    lookups: { task: 'task_id', message: 'message_id' },
  }),
  turns: table({
    columns: 'id, task_id, agent_id, lease int, state, started_at int, ended_at int?, reserved_micros int, spent_micros int',
    words: words<{ state: 'running' | 'done' | 'interrupted' }>(),
    key: 'id',
    lookups: { task: 'task_id, state', state: 'state' },
  }),
  /**
   * One step of a turn: intended before it is done, done with its result after.
   * `key`: ours, sent along so that the other side does it once; null: it takes none.
   * `result`: JSON; null: not known whether it happened.
   */
  journal: table({
    columns: 'turn_id, n int, kind, name, read_only int, key?, input, result?, intended_at int, done_at int?',
    words: words<{ kind: 'model' | 'tool' }>(),
    key: 'turn_id, n',
    lookups: { turn: 'turn_id' },
  }),
  /** A message of the task was deleted: calls made up to then are no longer repeated to its agent (IAC-6). */
  forgotten_calls: table({ columns: 'task_id, at int', key: 'task_id' }),
  /** The agent's owner has blocked a member for it (C2A-8). */
  agent_blocks: table({
    columns: 'agent_id, member_id, blocked_by?, at int',
    key: 'agent_id, member_id',
    lookups: { agent: 'agent_id', member: 'member_id' },
  }),
  purses: table({ columns: 'id, turns int, micros int', key: 'id' }),
};
