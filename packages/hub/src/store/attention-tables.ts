// The tables of attention: who is called by a role, who has left, what is still being written, what is on offer, what
// is owed and what waits for a person. Rows are there only while there is something to say, so that a message in a
// room of thousands costs no more for them.

import type { AskedState, TaintSource } from '@parley/core';
import type { Signal } from '@parley/protocol';
import { table, words } from './table.ts';

export const attentionTables = {
  /** A handle that several members answer to. It shares one namespace with theirs. */
  roles: table({
    columns: 'id, handle, handle_fold, about, created_at int',
    key: 'id',
    lookups: { handle: 'unique handle_fold' },
  }),
  role_holders: table({
    columns: 'role_id, member_id',
    key: 'role_id, member_id',
    lookups: { role: 'role_id', member: 'member_id' },
  }),
  /** Whose holders may take a task; what `^ANY` asked for has none. */
  task_roles: table({ columns: 'task_id, role_id', key: 'task_id', lookups: { role: 'role_id' } }),
  /**
   * An agent that was asked to leave a conversation, and comes back when it is called by name.
   * `message_id`: the message that asked; null: the page's button.
   * `goodbye_id`: the one word it had about it.
   */
  leaves: table({
    columns: 'conversation_id, member_id, message_id?, asked_by?, at int, goodbye_id?',
    key: 'conversation_id, member_id',
    lookups: { conversation: 'conversation_id', member: 'member_id' },
  }),
  /**
   * A signal on an agent's words in an open task. Kept so that the agent gets it once.
   * `seq`: of the fact that tells it.
   */
  signals: table({
    columns: 'message_id, member_id, signal, task_id, seq int, at int',
    words: words<{ signal: Signal }>(),
    key: 'message_id, member_id, signal',
    lookups: { task: 'task_id' },
  }),
  /** A task whose requester may still be writing: its turn begins at `ready_at`, which each piece moves on. */
  windows: table({ columns: 'task_id, since int, ready_at int', key: 'task_id' }),
  /**
   * A request, or an answer to an agent's question, that its author's next words belong to while nobody has acted on it
   * (C2A-28).
   * `conversation_id`: where it is written.
   * `since`: when its first piece came.
   * `restarts`: how often its turn was restarted by a piece that came later.
   */
  compositions: table({
    columns: 'task_id, conversation_id, requester_id, since int, restarts int',
    key: 'conversation_id, task_id',
    lookups: { conversation: 'conversation_id', task: 'unique task_id' },
  }),
  /**
   * What became of a message with each agent that could take it: who has it has until `until` to say something, and who let it
   * go is not asked again.
   * `n`: in which place it was asked.
   */
  offers: table({
    columns: 'message_id, agent_id, n int, state, until int?, task_id?',
    words: words<{ state: AskedState }>(),
    key: 'message_id, agent_id',
    lookups: { message: 'message_id', agent: 'agent_id, state' },
  }),
  /**
   * A person's message that goes round on an open floor, or did; who was asked is in `offers`. The pieces its author wrote it
   * in have rows of their own that name the first. `ready_at`: its author may be writing until then, and nobody is asked yet.
   * `asks`: 1: it asks something. If one of the fragments does, their author gets a notice when nobody takes them.
   * `open`: 1: it is being written, or somebody is to be asked.
   */
  rounds: table({
    columns: 'message_id, first_id, conversation_id, author_id, asks int, since int, ready_at int?, open int',
    key: 'message_id',
    lookups: { open: 'open', author: 'author_id, open', first: 'first_id' },
  }),
  /** The position to which an agent has read its mailbox, and the interval of its digests. */
  mailboxes: table({
    columns: 'conversation_id, member_id, seq int, digest_ms int?, digest_seq int',
    key: 'conversation_id, member_id',
    lookups: { member: 'member_id' },
  }),
  /**
   * Somebody is held up until somebody else has answered; only who is held up can say that they no longer are.
   * `holder_id`: who is reminded now: the recipient, then those above.
   * `default_action`: what the author does should nobody answer.
   * `reciprocal_of`: the one it was opened back from, by `unclear`.
   */
  obligations: table({
    columns: `id, seq int, author_id, delegate_id?, recipient_id, holder_id, level int, conversation_id, message_id, task_id?, blocks,
      default_action, interval_ms int, returns int, extended int, reciprocal_of?, open int, next_at int?, created_at int,
      discharged_at int?, discharged_by?`,
    words: words<{ blocks: 'halted' | 'degraded' | 'none' }>(),
    key: 'id',
    lookups: {
      holder: 'holder_id, open',
      author: 'author_id, open',
      delegate: 'delegate_id, open',
      message: 'message_id',
      reciprocal: 'reciprocal_of',
    },
  }),
  /**
   * Something waits for a person.
   * `member_id`: who is asked.
   */
  checkpoints: table({
    columns: `id, seq int, kind, member_id, conversation_id?, message_id?, chain_id?, subject_id?, data, open int, created_at int,
      closed_at int?, closed_by?, choice?`,
    key: 'id',
    lookups: { member: 'member_id, open', subject: 'subject_id' },
  }),
  /** A task that has been given words from outside its requester's trust: from then on (SYS-13). */
  taints: table({
    columns: 'task_id, kind, at int',
    words: words<{ kind: TaintSource['kind'] }>(),
    key: 'task_id, kind',
    lookups: { task: 'task_id' },
  }),
  /** Its author marked it so; every other message has no row. */
  urgent_messages: table({ columns: 'message_id', key: 'message_id' }),
};
