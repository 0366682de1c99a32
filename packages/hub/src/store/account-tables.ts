// The tables of accounts: which ways in are borrowed from another member, which agents wait for a new owner, and what a person shares.

import { table, words } from './table.ts';

export const accountTables = {
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
  /** How many bytes of files a member keeps: a count that no upload has to make again. */
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
