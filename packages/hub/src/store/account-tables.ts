// The tables of accounts: which ways in are borrowed from another member, and which agents wait for a new owner.

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

export interface AccountRows {
  agent_handovers: AgentHandoverRow;
  borrowed_access: BorrowedAccessRow;
}

const describe = <R>(spec: TableSpec<R>): TableSpec<R> => spec;

export const accountTables: { readonly [T in keyof AccountRows]: TableSpec<AccountRows[T]> } = {
  agent_handovers: describe<AgentHandoverRow>({
    columns: { agent_id: 'text', owner_id: 'text', paused: 'int', checkpoint_id: 'text', at: 'int' },
    key: ['agent_id'],
    lookups: { owner: { columns: ['owner_id'] } },
  }),
  borrowed_access: describe<BorrowedAccessRow>({
    columns: { subject_id: 'text', kind: 'text', member_id: 'text', lender_id: 'text', parent_id: 'text', at: 'int' },
    key: ['subject_id'],
    lookups: { member: { columns: ['member_id'] }, lender: { columns: ['lender_id'] }, parent: { columns: ['parent_id'] } },
  }),
};
