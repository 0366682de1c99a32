// The tables of attention: who is called by a role, who has left, what is still being written, what is on offer, what
// is owed and what waits for a person. Rows are there only while there is something to say, so that a message in a
// room of thousands costs no more for them.

import type { AskedState, TaintSource } from '@parley/core';
import type { Signal } from '@parley/protocol';
import { oneOf, table } from './table.ts';

export const attentionTables = {
  /** A handle that several members answer to. It shares one namespace with theirs. */
  roles: table({
    columns: { id: 'text', handle: 'text', handle_fold: 'text', about: 'text', created_at: 'int' },
    key: ['id'],
    lookups: { handle: { columns: ['handle_fold'], unique: true } },
  }),
  role_holders: table({
    columns: { role_id: 'text', member_id: 'text' },
    key: ['role_id', 'member_id'],
    lookups: { role: { columns: ['role_id'] }, member: { columns: ['member_id'] } },
  }),
  /** Whose holders may take a task; what `^ANY` asked for has none. */
  task_roles: table({
    columns: { task_id: 'text', role_id: 'text' },
    key: ['task_id'],
    lookups: { role: { columns: ['role_id'] } },
  }),
  /** An agent that was asked to leave a conversation, and comes back when it is called by name. */
  leaves: table({
    columns: {
      conversation_id: 'text',
      member_id: 'text',
      /** The message that asked; null: the page's button. */
      message_id: 'text?',
      asked_by: 'text?',
      at: 'int',
      /** The one word it had about it. */
      goodbye_id: 'text?',
    },
    key: ['conversation_id', 'member_id'],
    lookups: { conversation: { columns: ['conversation_id'] }, member: { columns: ['member_id'] } },
  }),
  /** A signal on an agent's words in an open task. Kept so that the agent gets it once. */
  signals: table({
    columns: {
      message_id: 'text',
      member_id: 'text',
      signal: oneOf<Signal>(),
      task_id: 'text',
      /** Of the fact that tells it. */
      seq: 'int',
      at: 'int',
    },
    key: ['message_id', 'member_id', 'signal'],
    lookups: { task: { columns: ['task_id'] } },
  }),
  /** A task whose requester may still be writing: its turn begins at `ready_at`, which each piece moves on. */
  windows: table({ columns: { task_id: 'text', since: 'int', ready_at: 'int' }, key: ['task_id'] }),
  /** A request, or an answer to an agent's question, that its author's next words belong to while nobody has acted on it (C2A-28). */
  compositions: table({
    columns: {
      task_id: 'text',
      /** Where it is written. */
      conversation_id: 'text',
      requester_id: 'text',
      /** When its first piece came. */
      since: 'int',
      /** How often its turn was restarted by a piece that came later. */
      restarts: 'int',
    },
    key: ['conversation_id', 'task_id'],
    lookups: { conversation: { columns: ['conversation_id'] }, task: { columns: ['task_id'], unique: true } },
  }),
  /**
   * What became of a message with each agent that could take it: who has it has until `until` to say something, and who let
   * it go is not asked again.
   */
  offers: table({
    columns: {
      message_id: 'text',
      agent_id: 'text',
      /** In which place it was asked. */
      n: 'int',
      state: oneOf<AskedState>(),
      until: 'int?',
      task_id: 'text?',
    },
    key: ['message_id', 'agent_id'],
    lookups: { message: { columns: ['message_id'] }, agent: { columns: ['agent_id', 'state'] } },
  }),
  /**
   * A person's message that goes round on an open floor, or did; who was asked is in `offers`. The pieces its author wrote it
   * in have rows of their own that name the first. `ready_at`: its author may be writing until then, and nobody is asked yet.
   */
  rounds: table({
    columns: {
      message_id: 'text',
      first_id: 'text',
      conversation_id: 'text',
      author_id: 'text',
      /** 1: it asks something. If one of the fragments does, their author gets a notice when nobody takes them. */
      asks: 'int',
      since: 'int',
      ready_at: 'int?',
      /** 1: it is being written, or somebody is to be asked. */
      open: 'int',
    },
    key: ['message_id'],
    lookups: { open: { columns: ['open'] }, author: { columns: ['author_id', 'open'] }, first: { columns: ['first_id'] } },
  }),
  /** How far an agent has read its mailbox, and how often it wants a digest. */
  mailboxes: table({
    columns: { conversation_id: 'text', member_id: 'text', seq: 'int', digest_ms: 'int?', digest_seq: 'int' },
    key: ['conversation_id', 'member_id'],
    lookups: { member: { columns: ['member_id'] } },
  }),
  /** Somebody is held up until somebody else has answered; only who is held up can say that they no longer are. */
  obligations: table({
    columns: {
      id: 'text',
      seq: 'int',
      author_id: 'text',
      delegate_id: 'text?',
      recipient_id: 'text',
      /** Who is reminded now: the recipient, then those above. */
      holder_id: 'text',
      level: 'int',
      conversation_id: 'text',
      message_id: 'text',
      task_id: 'text?',
      blocks: oneOf<'halted' | 'degraded' | 'none'>(),
      /** What the author does should nobody answer. */
      default_action: 'text',
      interval_ms: 'int',
      returns: 'int',
      extended: 'int',
      /** The one it was opened back from, by `unclear`. */
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
  }),
  /** Something waits for a person. */
  checkpoints: table({
    columns: {
      id: 'text',
      seq: 'int',
      kind: 'text',
      /** Who is asked. */
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
  }),
  /** A task that has been given words from outside its requester's trust: from then on (SYS-13). */
  taints: table({
    columns: { task_id: 'text', kind: oneOf<TaintSource['kind']>(), at: 'int' },
    key: ['task_id', 'kind'],
    lookups: { task: { columns: ['task_id'] } },
  }),
  /** Its author marked it so; every other message has no row. */
  urgent_messages: table({ columns: { message_id: 'text' }, key: ['message_id'] }),
};
