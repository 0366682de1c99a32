// The tables of accounts: which ways in are borrowed from another member, and which agents wait for a new owner.

import type { Role } from '@parley/protocol';
import type { TableSpec } from './tables.ts';

/**
 * Made in a session that another member's sign-in link opened, or that session itself. A token or link has its own id, a
 * trigger and the like `kind/id`.
 */
export interface BorrowedAccessRow {
  subject_id: string;
  kind: 'token' | 'link' | 'provoke';
  /** Whom it acts as. */
  member_id: string;
  /** Whose link it began with. */
  lender_id: string;
  /** The token or link that made it. */
  parent_id: string;
  at: number;
}

/** An agent waits for a person to accept it. `paused`: until then it begins nothing. */
export interface AgentHandoverRow {
  agent_id: string;
  /** Who is asked. */
  owner_id: string;
  paused: number;
  checkpoint_id: string;
  at: number;
}

/** How a handle looks, so that no other looks alike. */
export interface HandleSkeletonRow {
  skeleton: string;
  /** The member or team role that has it. */
  subject_id: string;
}

export interface LinkRow {
  id: string;
  hash: string;
  purpose: 'sign_in' | 'invite';
  member_id: string | null;
  role: Role | null;
  conversation_id: string | null;
  created_by: string | null;
  created_at: number;
  expires_at: number;
  used_at: number | null;
  used_by: string | null;
}

/** How many bytes of files a member keeps: a count that no upload has to make anew. */
export interface UploadTotalRow {
  member_id: string;
  bytes: number;
}

export interface AccountRows {
  upload_totals: UploadTotalRow;
  handle_skeletons: HandleSkeletonRow;
  agent_handovers: AgentHandoverRow;
  borrowed_access: BorrowedAccessRow;
}

export const accountTables = {
  agent_handovers: {
    columns: { agent_id: 'text', owner_id: 'text', paused: 'int', checkpoint_id: 'text', at: 'int' },
    key: ['agent_id'],
    lookups: { owner: { columns: ['owner_id'] } },
  },
  upload_totals: {
    columns: { member_id: 'text', bytes: 'int' },
    key: ['member_id'],
    lookups: {},
  },
  handle_skeletons: {
    columns: { skeleton: 'text', subject_id: 'text' },
    key: ['skeleton', 'subject_id'],
    lookups: { skeleton: { columns: ['skeleton'] }, subject: { columns: ['subject_id'] } },
  },
  borrowed_access: {
    columns: { subject_id: 'text', kind: 'text', member_id: 'text', lender_id: 'text', parent_id: 'text', at: 'int' },
    key: ['subject_id'],
    lookups: { member: { columns: ['member_id'] }, lender: { columns: ['lender_id'] }, parent: { columns: ['parent_id'] } },
  },
} as const satisfies { readonly [T in keyof AccountRows]: TableSpec<AccountRows[T]> };
