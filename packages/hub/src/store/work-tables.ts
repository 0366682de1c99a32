// The tables of agents at work. Described like all others; apart from them only to keep the files readable.

import type { TaskState } from '@parley/core';
import type { AddressedBy, Mode, TaskCause, TaskWordKind } from '@parley/protocol';
import type { TableSpec } from './tables.ts';

/** What a member that is an agent is besides. An agent without a row is a remote one that never connected. */
export interface AgentRow {
  member_id: string;
  brain: 'builtin' | 'model' | 'remote';
  manifest_id: string | null;
  relay_address: string | null;
  max_concurrent: number;
  asleep_until: number | null;
  /** 1: it can be reached now. A built-in one always can. -1: it is paused until its new owner accepts it. */
  online: number;
  /** Counts its connections: what an earlier one still sends is refused. */
  session: number;
  /** It has everything it was told up to this place in the stream. */
  acked: number;
}

export interface ChainRow {
  id: string;
  /** Who began it; whoever else joins in later does not renew its time. */
  requester_id: string | null;
  conversation_id: string;
  message_id: string;
  started_at: number;
  ended_at: number | null;
  outer_at: number;
  /** In running time; one of the two is null. */
  runs_until: number | null;
  left_ms: number | null;
  tasks: number;
  turns: number;
  micros: number;
}

export interface TaskRow {
  id: string;
  seq: number;
  chain_id: string;
  parent_id: string | null;
  agent_id: string | null;
  requester_id: string | null;
  conversation_id: string;
  message_id: string;
  state: TaskState;
  /** 1 while it is: what is asked for again and again is what is still open. */
  open: number;
  cause: TaskCause | null;
  addressed_by: AddressedBy;
  mode: Mode;
  depth: number;
  /** JSON: agents from the root down to it, itself the last. */
  path: string;
  /** JSON: conversations its requester named for its words, beside where it was opened. */
  outputs: string;
  /** Of its present runner; raised whenever another takes it. */
  lease: number;
  answer_id: string | null;
  /** Where its question was asked, while it waits for the answer. */
  asked_in: string | null;
  /** Its agent is not there, or a person is to answer: since when. */
  waiting_since: number | null;
  created_at: number;
  updated_at: number;
  ended_at: number | null;
}

/** A message that belongs to a task: the agent's words, or what its requester added. */
export interface TaskWordRow {
  message_id: string;
  task_id: string;
  kind: TaskWordKind;
}

export interface TurnRow {
  id: string;
  task_id: string;
  agent_id: string;
  lease: number;
  state: 'running' | 'done' | 'interrupted';
  started_at: number;
  ended_at: number | null;
  reserved_micros: number;
  spent_micros: number;
}

/** One step of a turn: intended before it is done, done with its result after. */
export interface JournalRow {
  turn_id: string;
  n: number;
  kind: 'model' | 'tool';
  name: string;
  read_only: number;
  /** Ours, sent along so that the other side does it once; null: it takes none. */
  key: string | null;
  input: string;
  /** JSON; null: not known whether it happened. */
  result: string | null;
  intended_at: number;
  done_at: number | null;
}

/** A message of the task was deleted: calls made up to then are no longer repeated to its agent (IAC-6). */
export interface ForgottenCallsRow {
  task_id: string;
  at: number;
}

/** The agent's owner has blocked a member for it (C2A-8). */
export interface AgentBlockRow {
  agent_id: string;
  member_id: string;
  blocked_by: string | null;
  at: number;
}

export interface PurseRow {
  id: string;
  turns: number;
  micros: number;
}

export interface WorkRows {
  agents: AgentRow;
  chains: ChainRow;
  tasks: TaskRow;
  task_words: TaskWordRow;
  turns: TurnRow;
  journal: JournalRow;
  forgotten_calls: ForgottenCallsRow;
  agent_blocks: AgentBlockRow;
  purses: PurseRow;
}

export const workTables = {
  agents: {
    columns: {
      member_id: 'text',
      brain: 'text',
      manifest_id: 'text?',
      relay_address: 'text?',
      max_concurrent: 'int',
      asleep_until: 'int?',
      online: 'int',
      session: 'int',
      acked: 'int',
    },
    key: ['member_id'],
    lookups: { online: { columns: ['online'] } },
  },
  chains: {
    columns: {
      id: 'text',
      requester_id: 'text?',
      conversation_id: 'text',
      message_id: 'text',
      started_at: 'int',
      ended_at: 'int?',
      outer_at: 'int',
      runs_until: 'int?',
      left_ms: 'int?',
      tasks: 'int',
      turns: 'int',
      micros: 'int',
    },
    key: ['id'],
    lookups: {},
  },
  tasks: {
    columns: {
      id: 'text',
      seq: 'int',
      chain_id: 'text',
      parent_id: 'text?',
      agent_id: 'text?',
      requester_id: 'text?',
      conversation_id: 'text',
      message_id: 'text',
      state: 'text',
      open: 'int',
      cause: 'text?',
      addressed_by: 'text',
      mode: 'text',
      depth: 'int',
      path: 'text',
      outputs: 'text',
      lease: 'int',
      answer_id: 'text?',
      asked_in: 'text?',
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
  },
  task_words: {
    columns: { message_id: 'text', task_id: 'text', kind: 'text' },
    key: ['message_id', 'task_id'],
    lookups: { task: { columns: ['task_id'] }, message: { columns: ['message_id'] } },
  },
  turns: {
    columns: {
      id: 'text',
      task_id: 'text',
      agent_id: 'text',
      lease: 'int',
      state: 'text',
      started_at: 'int',
      ended_at: 'int?',
      reserved_micros: 'int',
      spent_micros: 'int',
    },
    key: ['id'],
    lookups: { task: { columns: ['task_id', 'state'] }, state: { columns: ['state'] } },
  },
  journal: {
    columns: {
      turn_id: 'text',
      n: 'int',
      kind: 'text',
      name: 'text',
      read_only: 'int',
      key: 'text?',
      input: 'text',
      result: 'text?',
      intended_at: 'int',
      done_at: 'int?',
    },
    key: ['turn_id', 'n'],
    lookups: { turn: { columns: ['turn_id'] } },
  },
  forgotten_calls: { columns: { task_id: 'text', at: 'int' }, key: ['task_id'], lookups: {} },
  agent_blocks: {
    columns: { agent_id: 'text', member_id: 'text', blocked_by: 'text?', at: 'int' },
    key: ['agent_id', 'member_id'],
    lookups: { agent: { columns: ['agent_id'] }, member: { columns: ['member_id'] } },
  },
  purses: { columns: { id: 'text', turns: 'int', micros: 'int' }, key: ['id'], lookups: {} },
} as const satisfies { readonly [T in keyof WorkRows]: TableSpec<WorkRows[T]> };
