// The tables of accounts: which ways in are borrowed from another member, which agents wait for a new owner, and what a person shares.

import { oneOf, table } from './table.ts';

export const accountTables = {
  /** An agent waits for a person to accept it. `paused`: until then it begins nothing. */
  agent_handovers: table({
    columns: {
      agent_id: 'text',
      /** Who is asked. */
      owner_id: 'text',
      paused: 'int',
      checkpoint_id: 'text',
      at: 'int',
    },
    key: ['agent_id'],
    lookups: { owner: { columns: ['owner_id'] } },
  }),
  /** A person's sharing tiers inside the hub, as their peer reported them (SYS-6). No row: the defaults. */
  sharing_rules: table({
    columns: {
      member_id: 'text',
      /** JSON: tiers by field, and by member and field. */
      data: 'text',
      version: 'int',
      at: 'int',
    },
    key: ['member_id'],
  }),
  /** How many bytes of files a member keeps: a count that no upload has to make again. */
  upload_totals: table({
    columns: { member_id: 'text', bytes: 'int' },
    key: ['member_id'],
  }),
  /** How a handle looks, so that no other looks alike. */
  handle_skeletons: table({
    columns: {
      skeleton: 'text',
      /** The member or team role that has it. */
      subject_id: 'text',
    },
    key: ['skeleton', 'subject_id'],
    lookups: { skeleton: { columns: ['skeleton'] }, subject: { columns: ['subject_id'] } },
  }),
  /** Whom or what a name in a file or a manifest meant when it was first read (SYS-11). */
  name_pins: table({
    columns: {
      /** `tools:SERVER`, `agents:HANDLE`, or kind and ID of an object about events: `trigger:ID`. */
      place: 'text',
      /** In lower case, with its sign: `@ann`, `^scribe`, `#ops`. */
      name: 'text',
      /** Empty: it meant nobody. */
      subject_id: 'text',
      at: 'int',
    },
    key: ['place', 'name'],
  }),
  /**
   * Made in a session that another member's sign-in link opened, or that session itself. A token or link has its own id, a
   * trigger and the like `kind/id`.
   */
  borrowed_access: table({
    columns: {
      subject_id: 'text',
      kind: oneOf<'token' | 'link' | 'provoke'>(),
      /** Whom it acts as. */
      member_id: 'text',
      /** Whose link it began with. */
      lender_id: 'text',
      /** The token or link that made it. */
      parent_id: 'text',
      at: 'int',
    },
    key: ['subject_id'],
    lookups: { member: { columns: ['member_id'] }, lender: { columns: ['lender_id'] }, parent: { columns: ['parent_id'] } },
  }),
};
