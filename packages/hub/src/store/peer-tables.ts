// The tables of people's peers: ids and states. The words of a negotiation are in the peer's own store (ADR 0023).

import type { RequestLinkState } from '@parley/core/outside';
import { oneOf, table } from './table.ts';

export const peerTables = {
  /** Addresses of members' peers, so that a prompt can show a member's name. */
  peers: table({
    columns: { member_id: 'text', address: 'text', made_at: 'int' },
    key: ['member_id'],
    lookups: { address: { columns: ['address'] } },
  }),
  /** Links for people without an agent (A2C-11): ciphertext, which no key here opens. */
  request_links: table({
    columns: {
      /** 128 random bits: who does not have the link cannot guess it. */
      id: 'text',
      member_id: 'text',
      thread_id: 'text',
      state: oneOf<RequestLinkState['state']>(),
      /** Null once it is answered or revoked. */
      sealed: 'text?',
      /** A hash of the secret of the page that opened it. */
      opener: 'text?',
      /** Until the peer has it. */
      answer: 'text?',
      answer_hash: 'text?',
      made_at: 'int',
      expires_at: 'int',
      opened_at: 'int?',
      answered_at: 'int?',
    },
    key: ['id'],
    lookups: { member: { columns: ['member_id'] }, thread: { columns: ['member_id', 'thread_id'] } },
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
