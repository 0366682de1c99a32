// The tables of people's peers: ids and states. The words of a negotiation are in the peer's own store (ADR 0023).

import { table } from './table.ts';

export const peerTables = {
  /** Addresses of members' peers, so that a prompt can show a member's name. */
  peers: table({
    columns: { member_id: 'text', address: 'text', made_at: 'int' },
    key: ['member_id'],
    lookups: { address: { columns: ['address'] } },
  }),
  /** Two people of one hub have a row each for the negotiation between them. */
  negotiations: table({
    columns: {
      member_id: 'text',
      thread_id: 'text',
      /** The task that opened it; null: the person did, or the other side. */
      task_id: 'text?',
      chain_id: 'text?',
      state: 'text',
      open: 'int',
      /** The outcome was posted. */
      outcome: 'int',
      created_at: 'int',
      updated_at: 'int',
    },
    key: ['member_id', 'thread_id'],
    lookups: {
      member: { columns: ['member_id', 'open'] },
      task: { columns: ['task_id'] },
      chain: { columns: ['chain_id'] },
    },
  }),
  /** Shared spaces of a member's peer: counts, and the channel in which changes are mentioned. */
  spaces: table({
    columns: {
      member_id: 'text',
      space_id: 'text',
      conversation_id: 'text?',
      moves: 'int',
      noticed: 'int',
      posted: 'int',
      created_at: 'int',
      updated_at: 'int',
    },
    key: ['member_id', 'space_id'],
    lookups: { member: { columns: ['member_id'] } },
  }),
};
