// The shape of everything the hub keeps. Statements, checksums, migrations' targets, backup, restore and `verify`
// are all driven by this description, so a new table is described here and nowhere else.
//
// All values are text or whole numbers in both engines, so that a row has the same bytes, and so the same checksum,
// wherever it is stored. JSON is kept as text for the same reason.

import type { ConversationKind, MemberKind, NotifyLevel, Role, TokenKind } from '@parley/protocol';
import { type AccountRows, accountTables, type LinkRow } from './account-tables.ts';
import { type AgentRows, agentTables } from './agent-tables.ts';
import { type AttentionRows, attentionTables } from './attention-tables.ts';
import type { FactType } from './fact-data.ts';
import { type ProvokeRows, provokeTables } from './provoke-tables.ts';
import type { TimerKind } from './timer-kinds.ts';
import { type WorkRows, workTables } from './work-tables.ts';

export type { AgentHandoverRow, BorrowedAccessRow, LinkRow } from './account-tables.ts';
export type {
  ApprovalRow,
  AuditRow,
  ContactRow,
  ContactRuleRow,
  IdentityRow,
  IdentityVersionRow,
  SecretRow,
  ToolServerRow,
} from './agent-tables.ts';
export type { CheckpointRow, LeaveRow, MailboxRow, ObligationRow, OfferRow, RoleRow, RoundRow, WindowRow } from './attention-tables.ts';
export type { EventRow, InvocationRow, ProvokeObjectRow } from './provoke-tables.ts';
export type { AgentRow, ChainRow, JournalRow, TaskRow, TaskWordRow, TurnRow } from './work-tables.ts';

export interface MemberRow {
  id: string;
  kind: MemberKind;
  handle: string;
  handle_fold: string;
  display_name: string;
  about: string;
  role: Role;
  owner_id: string | null;
  manager_id: string | null;
  status: 'active' | 'deactivated' | 'erased';
  dnd_until: number | null;
  created_at: number;
}

export interface ConversationRow {
  id: string;
  kind: ConversationKind;
  name: string | null;
  /** Unique while the channel is not archived; null otherwise, so that an archived channel gives its name back. */
  name_fold: string | null;
  topic: string;
  visibility: 'public' | 'private';
  floor: 'polite' | 'open';
  history: 'all' | 'joined';
  parent_id: string | null;
  root_message_id: string | null;
  /** DMs: the sorted member ids, unique: the DM of a set of members is created once. */
  dm_key: string | null;
  created_by: string | null;
  created_at: number;
  archived_at: number | null;
}

export interface MembershipRow {
  conversation_id: string;
  member_id: string;
  role: 'moderator' | 'participant';
  notify: NotifyLevel;
  joined_at: number;
  /** The place in the stream at which it joined; with `history: joined` nothing before it is shown. */
  joined_seq: number;
}

export interface MessageRow {
  id: string;
  conversation_id: string;
  seq: number;
  author_id: string | null;
  body: string | null;
  version: number;
  reply_to: string | null;
  /** JSON list of attachment ids. */
  attachments: string;
  thread_id: string | null;
  created_at: number;
  edited_at: number | null;
  deleted_at: number | null;
}

export interface MessageVersionRow {
  message_id: string;
  version: number;
  body: string | null;
  at: number;
}

export interface ReactionRow {
  message_id: string;
  member_id: string;
  emoji: string;
  at: number;
}

export interface ReadRow {
  conversation_id: string;
  member_id: string;
  seq: number;
}

export interface TokenRow {
  id: string;
  hash: string;
  kind: TokenKind;
  purpose: 'api' | 'session';
  member_id: string;
  label: string;
  created_by: string | null;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

export interface AttachmentRow {
  id: string;
  sha256: string;
  name: string;
  media_type: string;
  size: number;
  uploaded_by: string;
  message_id: string | null;
  created_at: number;
  erased_at: number | null;
}

/** An answer kept under its idempotency key, so that a repeat is answered and not done again. */
export interface RequestRow {
  actor_id: string;
  key: string;
  command: string;
  result: string;
  at: number;
}

export interface TimerRow {
  id: string;
  kind: TimerKind;
  subject: string;
  /** `wall`: a date. `running`: a budget that stands still while the hub is down or the machine sleeps. */
  clock: 'wall' | 'running';
  due_at: number;
}

export interface OutboxRow {
  id: string;
  kind: string;
  payload: string;
  due_at: number;
  attempts: number;
  leased_until: number;
  last_error: string | null;
}

export interface SettingRow {
  key: string;
  value: string;
}

export interface FactRow {
  seq: number;
  epoch: string;
  at: number;
  type: FactType;
  actor_id: string | null;
  /** Who may be told: the whole workspace, those in the conversation, or only `member_id`. */
  scope: 'workspace' | 'conversation' | 'member' | 'record';
  conversation_id: string | null;
  member_id: string | null;
  subject_id: string | null;
  chain_id: string | null;
  /** JSON; read it with `factData`. */
  data: string;
  /** The checksum of the fact before: the chain that shows a fact removed, changed or put in between. */
  prev: string;
}

export interface Rows extends WorkRows, AttentionRows, AgentRows, ProvokeRows, AccountRows {
  members: MemberRow;
  conversations: ConversationRow;
  memberships: MembershipRow;
  messages: MessageRow;
  message_versions: MessageVersionRow;
  reactions: ReactionRow;
  reads: ReadRow;
  tokens: TokenRow;
  links: LinkRow;
  attachments: AttachmentRow;
  requests: RequestRow;
  timers: TimerRow;
  outbox: OutboxRow;
  settings: SettingRow;
  facts: FactRow;
}
export type TableName = keyof Rows;
export type AnyRow = Record<string, string | number | null>;

type ColumnType = 'text' | 'int' | 'text?' | 'int?';
export interface TableSpec<R> {
  columns: { readonly [K in keyof R]-?: ColumnType };
  key: readonly (keyof R & string)[];
  /** Named ways to find rows besides the key; `unique` ones are enforced by the database. */
  lookups: Readonly<Record<string, { columns: readonly (keyof R & string)[]; unique?: true }>>;
}

export const tables = {
  members: {
    columns: {
      id: 'text',
      kind: 'text',
      handle: 'text',
      handle_fold: 'text',
      display_name: 'text',
      about: 'text',
      role: 'text',
      owner_id: 'text?',
      manager_id: 'text?',
      status: 'text',
      dnd_until: 'int?',
      created_at: 'int',
    },
    key: ['id'],
    lookups: { handle: { columns: ['handle_fold'], unique: true }, owner: { columns: ['owner_id'] }, role: { columns: ['role'] } },
  },
  conversations: {
    columns: {
      id: 'text',
      kind: 'text',
      name: 'text?',
      name_fold: 'text?',
      topic: 'text',
      visibility: 'text',
      floor: 'text',
      history: 'text',
      parent_id: 'text?',
      root_message_id: 'text?',
      dm_key: 'text?',
      created_by: 'text?',
      created_at: 'int',
      archived_at: 'int?',
    },
    key: ['id'],
    lookups: {
      name: { columns: ['name_fold'], unique: true },
      dm: { columns: ['dm_key'], unique: true },
      root: { columns: ['root_message_id'], unique: true },
    },
  },
  memberships: {
    columns: { conversation_id: 'text', member_id: 'text', role: 'text', notify: 'text', joined_at: 'int', joined_seq: 'int' },
    key: ['conversation_id', 'member_id'],
    lookups: { member: { columns: ['member_id'] }, conversation: { columns: ['conversation_id'] } },
  },
  messages: {
    columns: {
      id: 'text',
      conversation_id: 'text',
      seq: 'int',
      author_id: 'text?',
      body: 'text?',
      version: 'int',
      reply_to: 'text?',
      attachments: 'text',
      thread_id: 'text?',
      created_at: 'int',
      edited_at: 'int?',
      deleted_at: 'int?',
    },
    key: ['id'],
    lookups: {},
  },
  message_versions: {
    columns: { message_id: 'text', version: 'int', body: 'text?', at: 'int' },
    key: ['message_id', 'version'],
    lookups: { message: { columns: ['message_id'] } },
  },
  reactions: {
    columns: { message_id: 'text', member_id: 'text', emoji: 'text', at: 'int' },
    key: ['message_id', 'member_id', 'emoji'],
    lookups: { message: { columns: ['message_id'] } },
  },
  reads: {
    columns: { conversation_id: 'text', member_id: 'text', seq: 'int' },
    key: ['conversation_id', 'member_id'],
    lookups: { member: { columns: ['member_id'] } },
  },
  tokens: {
    columns: {
      id: 'text',
      hash: 'text',
      kind: 'text',
      purpose: 'text',
      member_id: 'text',
      label: 'text',
      created_by: 'text?',
      created_at: 'int',
      expires_at: 'int?',
      revoked_at: 'int?',
    },
    key: ['id'],
    lookups: { hash: { columns: ['hash'], unique: true }, member: { columns: ['member_id'] }, creator: { columns: ['created_by'] } },
  },
  links: {
    columns: {
      id: 'text',
      hash: 'text',
      purpose: 'text',
      member_id: 'text?',
      role: 'text?',
      conversation_id: 'text?',
      created_by: 'text?',
      created_at: 'int',
      expires_at: 'int',
      used_at: 'int?',
      used_by: 'text?',
    },
    key: ['id'],
    lookups: {
      hash: { columns: ['hash'], unique: true },
      member: { columns: ['member_id'] },
      creator: { columns: ['created_by'] },
      user: { columns: ['used_by'] },
    },
  },
  attachments: {
    columns: {
      id: 'text',
      sha256: 'text',
      name: 'text',
      media_type: 'text',
      size: 'int',
      uploaded_by: 'text',
      message_id: 'text?',
      created_at: 'int',
      erased_at: 'int?',
    },
    key: ['id'],
    lookups: { message: { columns: ['message_id'] }, blob: { columns: ['sha256'] }, uploader: { columns: ['uploaded_by'] } },
  },
  requests: {
    columns: { actor_id: 'text', key: 'text', command: 'text', result: 'text', at: 'int' },
    key: ['actor_id', 'key'],
    lookups: {},
  },
  timers: {
    columns: { id: 'text', kind: 'text', subject: 'text', clock: 'text', due_at: 'int' },
    key: ['id'],
    lookups: { subject: { columns: ['kind', 'subject'], unique: true } },
  },
  outbox: {
    columns: { id: 'text', kind: 'text', payload: 'text', due_at: 'int', attempts: 'int', leased_until: 'int', last_error: 'text?' },
    key: ['id'],
    lookups: {},
  },
  ...workTables,
  ...attentionTables,
  ...agentTables,
  ...provokeTables,
  ...accountTables,
  settings: { columns: { key: 'text', value: 'text' }, key: ['key'], lookups: {} },
  facts: {
    columns: {
      seq: 'int',
      epoch: 'text',
      at: 'int',
      type: 'text',
      actor_id: 'text?',
      scope: 'text',
      conversation_id: 'text?',
      member_id: 'text?',
      subject_id: 'text?',
      chain_id: 'text?',
      data: 'text',
      prev: 'text',
    },
    key: ['seq'],
    lookups: { subject: { columns: ['subject_id'] } },
  },
} as const satisfies { readonly [T in TableName]: TableSpec<Rows[T]> };

export const tableNames = Object.keys(tables) as TableName[];
export const columnsOf = (table: TableName): string[] => Object.keys(tables[table].columns);
export const keyOf = (table: TableName): readonly string[] => tables[table].key;
export const specOf = (table: TableName): TableSpec<AnyRow> => tables[table];
