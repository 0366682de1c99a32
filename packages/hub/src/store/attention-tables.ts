// The tables of attention: who is called by a role, who has left, what is still being written, what is on offer, what
// is owed and what waits for a person. Rows are there only while there is something to say, so that a message in a
// room of thousands costs no more for them.

import type { AskedState, TaintSource } from '@parley/core';
import type { Signal } from '@parley/protocol';
import type { TableSpec } from './tables.ts';

/** A handle that several members answer to. It shares one namespace with theirs. */
export interface RoleRow {
  id: string;
  handle: string;
  handle_fold: string;
  about: string;
  created_at: number;
}

export interface RoleHolderRow {
  role_id: string;
  member_id: string;
}

/** Whose holders may take a task; what `^ANY` asked for has none. */
export interface TaskRoleRow {
  task_id: string;
  role_id: string;
}

/** An agent that was asked to leave a conversation, and comes back when it is called by name. */
export interface LeaveRow {
  conversation_id: string;
  member_id: string;
  /** The message that asked; null: the page's button. */
  message_id: string | null;
  asked_by: string | null;
  at: number;
  /** The one word it had about it. */
  goodbye_id: string | null;
}

/** Told to an agent: somebody signalled on what it said in an open task. Kept so that it is told once. */
export interface SignalRow {
  message_id: string;
  member_id: string;
  signal: Signal;
  task_id: string;
  /** Of the fact that tells it. */
  seq: number;
  at: number;
}

/** A task whose requester may still be writing: its turn begins at `ready_at`, which each piece moves on. */
export interface WindowRow {
  task_id: string;
  since: number;
  ready_at: number;
}

/** A request, or an answer to an agent's question, that its author's next words belong to while nobody has acted on it (C2A-28). */
export interface CompositionRow {
  task_id: string;
  /** Where it is written. */
  conversation_id: string;
  requester_id: string;
  /** When its first piece came. */
  since: number;
  /** How often its turn was restarted by a piece that came later. */
  restarts: number;
}

/**
 * What became of a message with each agent that could take it: who has it has until `until` to say something, and who let
 * it go is not asked again.
 */
export interface OfferRow {
  message_id: string;
  agent_id: string;
  /** In which place it was asked. */
  n: number;
  state: AskedState;
  until: number | null;
  task_id: string | null;
}

/**
 * A person's message that goes round on an open floor, or did; who was asked is in `offers`. The pieces its author wrote it
 * in have rows of their own that name the first. `ready_at`: its author may be writing until then, and nobody is asked yet.
 */
export interface RoundRow {
  message_id: string;
  first_id: string;
  conversation_id: string;
  author_id: string;
  /** 1: it asks something. Does one of the pieces, their author is told when nobody takes them. */
  asks: number;
  since: number;
  ready_at: number | null;
  /** 1: it is being written, or somebody is to be asked. */
  open: number;
}

/** How far an agent has read what is not put before it, and how often it wants to be told of it in sum. */
export interface MailboxRow {
  conversation_id: string;
  member_id: string;
  seq: number;
  digest_ms: number | null;
  digest_seq: number;
}

/** Somebody is held up until somebody else has answered; only who is held up can say that they no longer are. */
export interface ObligationRow {
  id: string;
  seq: number;
  author_id: string;
  delegate_id: string | null;
  recipient_id: string;
  /** Who is reminded now: the recipient, then those above. */
  holder_id: string;
  level: number;
  conversation_id: string;
  message_id: string;
  task_id: string | null;
  blocks: 'halted' | 'degraded' | 'none';
  /** What the author does should nobody answer. */
  default_action: string;
  interval_ms: number;
  returns: number;
  extended: number;
  /** The one it was opened back from, by `unclear`. */
  reciprocal_of: string | null;
  open: number;
  next_at: number | null;
  created_at: number;
  discharged_at: number | null;
  discharged_by: string | null;
}

/** Something waits for a person. */
export interface CheckpointRow {
  id: string;
  seq: number;
  kind: string;
  /** Who is asked. */
  member_id: string;
  conversation_id: string | null;
  message_id: string | null;
  chain_id: string | null;
  subject_id: string | null;
  data: string;
  open: number;
  created_at: number;
  closed_at: number | null;
  closed_by: string | null;
  choice: string | null;
}

/** A task that has been given words from outside its requester's trust: from then on (SYS-13). */
export interface TaintRow {
  task_id: string;
  kind: TaintSource['kind'];
  at: number;
}

/** Its author marked it so; every other message has no row. */
export interface UrgentMessageRow {
  message_id: string;
}

export interface AttentionRows {
  roles: RoleRow;
  role_holders: RoleHolderRow;
  task_roles: TaskRoleRow;
  leaves: LeaveRow;
  signals: SignalRow;
  windows: WindowRow;
  compositions: CompositionRow;
  offers: OfferRow;
  rounds: RoundRow;
  mailboxes: MailboxRow;
  obligations: ObligationRow;
  checkpoints: CheckpointRow;
  taints: TaintRow;
  urgent_messages: UrgentMessageRow;
}

export const attentionTables = {
  roles: {
    columns: { id: 'text', handle: 'text', handle_fold: 'text', about: 'text', created_at: 'int' },
    key: ['id'],
    lookups: { handle: { columns: ['handle_fold'], unique: true } },
  },
  role_holders: {
    columns: { role_id: 'text', member_id: 'text' },
    key: ['role_id', 'member_id'],
    lookups: { role: { columns: ['role_id'] }, member: { columns: ['member_id'] } },
  },
  task_roles: {
    columns: { task_id: 'text', role_id: 'text' },
    key: ['task_id'],
    lookups: { role: { columns: ['role_id'] } },
  },
  leaves: {
    columns: { conversation_id: 'text', member_id: 'text', message_id: 'text?', asked_by: 'text?', at: 'int', goodbye_id: 'text?' },
    key: ['conversation_id', 'member_id'],
    lookups: { conversation: { columns: ['conversation_id'] }, member: { columns: ['member_id'] } },
  },
  signals: {
    columns: { message_id: 'text', member_id: 'text', signal: 'text', task_id: 'text', seq: 'int', at: 'int' },
    key: ['message_id', 'member_id', 'signal'],
    lookups: { task: { columns: ['task_id'] } },
  },
  windows: { columns: { task_id: 'text', since: 'int', ready_at: 'int' }, key: ['task_id'], lookups: {} },
  compositions: {
    columns: { task_id: 'text', conversation_id: 'text', requester_id: 'text', since: 'int', restarts: 'int' },
    key: ['conversation_id', 'task_id'],
    lookups: { conversation: { columns: ['conversation_id'] }, task: { columns: ['task_id'], unique: true } },
  },
  offers: {
    columns: { message_id: 'text', agent_id: 'text', n: 'int', state: 'text', until: 'int?', task_id: 'text?' },
    key: ['message_id', 'agent_id'],
    lookups: { message: { columns: ['message_id'] }, agent: { columns: ['agent_id', 'state'] } },
  },
  rounds: {
    columns: {
      message_id: 'text',
      first_id: 'text',
      conversation_id: 'text',
      author_id: 'text',
      asks: 'int',
      since: 'int',
      ready_at: 'int?',
      open: 'int',
    },
    key: ['message_id'],
    lookups: { open: { columns: ['open'] }, author: { columns: ['author_id', 'open'] }, first: { columns: ['first_id'] } },
  },
  mailboxes: {
    columns: { conversation_id: 'text', member_id: 'text', seq: 'int', digest_ms: 'int?', digest_seq: 'int' },
    key: ['conversation_id', 'member_id'],
    lookups: { member: { columns: ['member_id'] } },
  },
  obligations: {
    columns: {
      id: 'text',
      seq: 'int',
      author_id: 'text',
      delegate_id: 'text?',
      recipient_id: 'text',
      holder_id: 'text',
      level: 'int',
      conversation_id: 'text',
      message_id: 'text',
      task_id: 'text?',
      blocks: 'text',
      default_action: 'text',
      interval_ms: 'int',
      returns: 'int',
      extended: 'int',
      reciprocal_of: 'text?',
      open: 'int',
      next_at: 'int?',
      created_at: 'int',
      discharged_at: 'int?',
      discharged_by: 'text?',
    },
    key: ['id'],
    lookups: {
      holder: { columns: ['holder_id', 'open'] },
      author: { columns: ['author_id', 'open'] },
      delegate: { columns: ['delegate_id', 'open'] },
      message: { columns: ['message_id'] },
      reciprocal: { columns: ['reciprocal_of'] },
    },
  },
  checkpoints: {
    columns: {
      id: 'text',
      seq: 'int',
      kind: 'text',
      member_id: 'text',
      conversation_id: 'text?',
      message_id: 'text?',
      chain_id: 'text?',
      subject_id: 'text?',
      data: 'text',
      open: 'int',
      created_at: 'int',
      closed_at: 'int?',
      closed_by: 'text?',
      choice: 'text?',
    },
    key: ['id'],
    lookups: { member: { columns: ['member_id', 'open'] }, subject: { columns: ['subject_id'] } },
  },
  taints: {
    columns: { task_id: 'text', kind: 'text', at: 'int' },
    key: ['task_id', 'kind'],
    lookups: { task: { columns: ['task_id'] } },
  },
  urgent_messages: { columns: { message_id: 'text' }, key: ['message_id'], lookups: {} },
} as const satisfies { readonly [T in keyof AttentionRows]: TableSpec<AttentionRows[T]> };
