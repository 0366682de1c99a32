// The tables of people's peers: ids and states. The words of a negotiation are in the peer's own store (ADR 0023).

import type { RequestLinkState } from '@parley/core/outside';
import { table, words } from './table.ts';

export const peerTables = {
  /** Addresses of members' peers, so that a prompt can show a member's name. */
  peers: table({ columns: 'member_id, address, made_at int', key: 'member_id', lookups: { address: 'address' } }),
  /**
   * Links for people without an agent (A2C-11): ciphertext, which no key here opens.
   * `id`: 128 random bits: who does not have the link cannot guess it.
   * `sealed`: null once it is answered or revoked.
   * `opener`: a hash of the secret of the page that opened it.
   * `answer`: until the peer has it.
   */
  request_links: table({
    columns: `id, member_id, thread_id, state, sealed?, opener?, answer?, answer_hash?, made_at int, expires_at int, opened_at int?,
      answered_at int?`,
    words: words<{ state: RequestLinkState['state'] }>(),
    key: 'id',
    lookups: { member: 'member_id', thread: 'member_id, thread_id' },
  }),
  /**
   * Two people of one hub have a row each for the negotiation between them.
   * `task_id`: the task that opened it; null: the person did, or the other side.
   * `outcome`: the outcome was posted.
   */
  negotiations: table({
    columns: 'member_id, thread_id, task_id?, chain_id?, state, open int, outcome int, created_at int, updated_at int',
    key: 'member_id, thread_id',
    lookups: { member: 'member_id, open', task: 'task_id', chain: 'chain_id' },
  }),
  /** Shared spaces of a member's peer: counts, and the channel in which changes are mentioned. */
  spaces: table({
    columns: 'member_id, space_id, conversation_id?, moves int, noticed int, posted int, created_at int, updated_at int',
    key: 'member_id, space_id',
    lookups: { member: 'member_id' },
  }),
};
