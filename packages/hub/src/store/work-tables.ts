// The tables of agents at work. Described like all others; apart from them only to keep the files readable.

import type { TaskState } from '@parley/core';
import type { AddressedBy, Mode, TaskCause, TaskWordKind } from '@parley/protocol';
import { oneOf, oneOfOrNull, table } from './table.ts';

export const workTables = {
  /** What a member that is an agent is besides. An agent without a row is a remote one that never connected. */
  agents: table({
    columns: {
      member_id: 'text',
      brain: oneOf<'builtin' | 'model' | 'remote'>(),
      manifest_id: 'text?',
      relay_address: 'text?',
      max_concurrent: 'int',
      asleep_until: 'int?',
      /** 1: it can be reached now. A built-in one always can. -1: it is paused until its new owner accepts it. */
      online: 'int',
      /** Counts its connections: what an earlier one still sends is refused. */
      session: 'int',
      /** It has acknowledged every event up to this place in the stream. */
      acked: 'int',
    },
    key: ['member_id'],
    lookups: { online: { columns: ['online'] } },
  }),
  chains: table({
    columns: {
      id: 'text',
      /** The member who began it; others who join in later do not renew its time. */
      requester_id: 'text?',
      conversation_id: 'text',
      message_id: 'text',
      started_at: 'int',
      ended_at: 'int?',
      outer_at: 'int',
      /** In running time; one of the two is null. */
      runs_until: 'int?',
      left_ms: 'int?',
      tasks: 'int',
      turns: 'int',
      micros: 'int',
    },
    key: ['id'],
  }),
  tasks: table({
    columns: {
      id: 'text',
      seq: 'int',
      chain_id: 'text',
      parent_id: 'text?',
      agent_id: 'text?',
      requester_id: 'text?',
      conversation_id: 'text',
      message_id: 'text',
      state: oneOf<TaskState>(),
      /** 1 while it is: what is asked for again and again is what is still open. */
      open: 'int',
      cause: oneOfOrNull<TaskCause>(),
      addressed_by: oneOf<AddressedBy>(),
      mode: oneOf<Mode>(),
      depth: 'int',
      /** JSON: agents from the root down to it, itself the last. */
      path: 'text',
      /** JSON: conversations its requester named for its words, beside where it was opened. */
      outputs: 'text',
      /** Of its present runner; raised whenever another takes it. */
      lease: 'int',
      answer_id: 'text?',
      /** Where its question was asked, while it waits for the answer. */
      asked_in: 'text?',
      /** Its agent is not there, or a person is to answer: since when. */
      waiting_since: 'int?',
      created_at: 'int',
      updated_at: 'int',
      ended_at: 'int?',
    },
    key: ['id'],
    lookups: {
      chain: { columns: ['chain_id', 'open'] },
      agent: { columns: ['agent_id', 'open'] },
      /** What one member has asked for in one conversation: the question of every message. */
      here: { columns: ['conversation_id', 'requester_id', 'open'] },
      requester: { columns: ['requester_id', 'open'] },
      conversation: { columns: ['conversation_id', 'open'] },
      message: { columns: ['message_id'] },
      parent: { columns: ['parent_id', 'open'] },
      /** `any_agent`: what is, or was, anyone's to take. */
      anyone: { columns: ['addressed_by', 'open'] },
    },
  }),
  /** A message that belongs to a task: the agent's words, or what its requester added. */
  task_words: table({
    columns: { message_id: 'text', task_id: 'text', kind: oneOf<TaskWordKind>() },
    key: ['message_id', 'task_id'],
    lookups: { task: { columns: ['task_id'] }, message: { columns: ['message_id'] } },
  }),
  turns: table({
    columns: {
      id: 'text',
      task_id: 'text',
      agent_id: 'text',
      lease: 'int',
      state: oneOf<'running' | 'done' | 'interrupted'>(),
      started_at: 'int',
      ended_at: 'int?',
      reserved_micros: 'int',
      spent_micros: 'int',
    },
    key: ['id'],
    lookups: { task: { columns: ['task_id', 'state'] }, state: { columns: ['state'] } },
  }),
  /** One step of a turn: intended before it is done, done with its result after. */
  journal: table({
    columns: {
      turn_id: 'text',
      n: 'int',
      kind: oneOf<'model' | 'tool'>(),
      name: 'text',
      read_only: 'int',
      /** Ours, sent along so that the other side does it once; null: it takes none. */
      key: 'text?',
      input: 'text',
      /** JSON; null: not known whether it happened. */
      result: 'text?',
      intended_at: 'int',
      done_at: 'int?',
    },
    key: ['turn_id', 'n'],
    lookups: { turn: { columns: ['turn_id'] } },
  }),
  /** A message of the task was deleted: calls made up to then are no longer repeated to its agent (IAC-6). */
  forgotten_calls: table({ columns: { task_id: 'text', at: 'int' }, key: ['task_id'] }),
  /** The agent's owner has blocked a member for it (C2A-8). */
  agent_blocks: table({
    columns: { agent_id: 'text', member_id: 'text', blocked_by: 'text?', at: 'int' },
    key: ['agent_id', 'member_id'],
    lookups: { agent: { columns: ['agent_id'] }, member: { columns: ['member_id'] } },
  }),
  purses: table({ columns: { id: 'text', turns: 'int', micros: 'int' }, key: ['id'] }),
};
