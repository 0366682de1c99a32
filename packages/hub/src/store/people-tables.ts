// The tables of people: their peers, of which only ids and states are here, since the words of a negotiation are in the peer's
// own store (ADR 0023); and their accounts: which ways in are borrowed from another member, which agents wait for a new owner,
// and what a person shares.

import type { RequestLinkState } from '@parley/core/outside';
import { table, words } from './table.ts';

export const peopleTables = {
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
  /**
   * An agent waits for a person to accept it. `paused`: until then it begins nothing.
   * `owner_id`: who is asked.
   */
  agent_handovers: table({
    columns: 'agent_id, owner_id, paused int, checkpoint_id, at int',
    key: 'agent_id',
    lookups: { owner: 'owner_id' },
  }),
  /**
   * A person's sharing tiers inside the hub, as their peer reported them (SYS-6). No row: the defaults.
   * `data`: JSON: tiers by field, and by member and field.
   */
  sharing_rules: table({ columns: 'member_id, data, version int, at int', key: 'member_id' }),
  /** The total bytes of a member's files, stored so that no upload has to count them. */
  upload_totals: table({ columns: 'member_id, bytes int', key: 'member_id' }),
  /**
   * How a handle looks, so that no other looks alike.
   * `subject_id`: the member or team role that has it.
   */
  handle_skeletons: table({
    columns: 'skeleton, subject_id',
    key: 'skeleton, subject_id',
    lookups: { skeleton: 'skeleton', subject: 'subject_id' },
  }),
  /**
   * Whom or what a name in a file or a manifest meant when it was first read (SYS-11).
   * `place`: `tools:SERVER`, `agents:HANDLE`, or kind and ID of an object about events: `trigger:ID`.
   * `name`: in lower case, with its sign: `@ann`, `^scribe`, `#ops`.
   * `subject_id`: empty: it meant nobody.
   */
  name_pins: table({ columns: 'place, name, subject_id, at int', key: 'place, name' }),
  /**
   * Made in a session that another member's sign-in link opened, or that session itself. A token or link has its own id, a
   * trigger and the like `kind/id`.
   * `member_id`: whom it acts as.
   * `lender_id`: whose link it began with.
   * `parent_id`: the token or link that made it.
   */
  borrowed_access: table({
    columns: 'subject_id, kind, member_id, lender_id, parent_id, at int',
    words: words<{ kind: 'token' | 'link' | 'provoke' }>(),
    key: 'subject_id',
    lookups: { member: 'member_id', lender: 'lender_id', parent: 'parent_id' },
  }),
};
