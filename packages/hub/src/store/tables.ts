// The shape of everything the hub keeps. Statements, checksums, migrations' targets, backup, restore and `verify`
// are all driven by this description, so a new table is described here and nowhere else.
//
// All values are text or whole numbers in both engines, so that a row has the same bytes, and so the same checksum,
// wherever it is stored. JSON is kept as text for the same reason.

import type { ConversationKind, MemberKind, NotifyLevel, Role, TokenKind } from '@parley/protocol';
import { accountTables } from './account-tables.ts';
import { agentTables } from './agent-tables.ts';
import { attentionTables } from './attention-tables.ts';
import type { FactType } from './fact-data.ts';
import { peerTables } from './peer-tables.ts';
import { provokeTables } from './provoke-tables.ts';
import { oneOf, oneOfOrNull, type RowOf, table, type TableSpec } from './table.ts';
import type { TimerKind } from './timer-kinds.ts';
import { workTables } from './work-tables.ts';

export const tables = {
  members: table({
    columns: {
      id: 'text',
      kind: oneOf<MemberKind>(),
      handle: 'text',
      handle_fold: 'text',
      display_name: 'text',
      about: 'text',
      role: oneOf<Role>(),
      owner_id: 'text?',
      manager_id: 'text?',
      status: oneOf<'active' | 'deactivated' | 'erased'>(),
      dnd_until: 'int?',
      created_at: 'int',
    },
    key: ['id'],
    lookups: { handle: { columns: ['handle_fold'], unique: true }, owner: { columns: ['owner_id'] }, role: { columns: ['role'] } },
  }),
  conversations: table({
    columns: {
      id: 'text',
      kind: oneOf<ConversationKind>(),
      name: 'text?',
      /** Unique while the channel is not archived; null otherwise, so that an archived channel gives its name back. */
      name_fold: 'text?',
      topic: 'text',
      visibility: oneOf<'public' | 'private'>(),
      floor: oneOf<'polite' | 'open'>(),
      history: oneOf<'all' | 'joined'>(),
      parent_id: 'text?',
      root_message_id: 'text?',
      /** DMs: the sorted member ids, unique: the DM of a set of members is created once. */
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
  }),
  /** A private channel in use, by its name: whether it has it is known to those who are in it. */
  private_names: table({
    columns: { name_fold: 'text', conversation_id: 'text' },
    key: ['name_fold', 'conversation_id'],
    lookups: { name: { columns: ['name_fold'] } },
  }),
  memberships: table({
    columns: {
      conversation_id: 'text',
      member_id: 'text',
      role: oneOf<'moderator' | 'participant'>(),
      notify: oneOf<NotifyLevel>(),
      joined_at: 'int',
      /** The place in the stream at which it joined; with `history: joined` nothing before it is shown. */
      joined_seq: 'int',
    },
    key: ['conversation_id', 'member_id'],
    lookups: { member: { columns: ['member_id'] }, conversation: { columns: ['conversation_id'] } },
  }),
  messages: table({
    columns: {
      id: 'text',
      conversation_id: 'text',
      seq: 'int',
      author_id: 'text?',
      body: 'text?',
      version: 'int',
      reply_to: 'text?',
      /** JSON list of attachment ids. */
      attachments: 'text',
      thread_id: 'text?',
      created_at: 'int',
      edited_at: 'int?',
      deleted_at: 'int?',
    },
    key: ['id'],
  }),
  message_versions: table({
    columns: { message_id: 'text', version: 'int', body: 'text?', at: 'int' },
    key: ['message_id', 'version'],
    lookups: { message: { columns: ['message_id'] } },
  }),
  reactions: table({
    columns: { message_id: 'text', member_id: 'text', emoji: 'text', at: 'int' },
    key: ['message_id', 'member_id', 'emoji'],
    lookups: { message: { columns: ['message_id'] } },
  }),
  reads: table({
    columns: { conversation_id: 'text', member_id: 'text', seq: 'int' },
    key: ['conversation_id', 'member_id'],
    lookups: { member: { columns: ['member_id'] } },
  }),
  tokens: table({
    columns: {
      id: 'text',
      hash: 'text',
      kind: oneOf<TokenKind>(),
      purpose: oneOf<'api' | 'session'>(),
      member_id: 'text',
      label: 'text',
      created_by: 'text?',
      created_at: 'int',
      expires_at: 'int?',
      revoked_at: 'int?',
    },
    key: ['id'],
    lookups: { hash: { columns: ['hash'], unique: true }, member: { columns: ['member_id'] }, creator: { columns: ['created_by'] } },
  }),
  links: table({
    columns: {
      id: 'text',
      hash: 'text',
      purpose: oneOf<'sign_in' | 'invite'>(),
      member_id: 'text?',
      role: oneOfOrNull<Role>(),
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
  }),
  attachments: table({
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
  }),
  /** An answer kept under its idempotency key, so that a repeat is answered and not done again. */
  requests: table({
    columns: { actor_id: 'text', key: 'text', command: 'text', result: 'text', at: 'int' },
    key: ['actor_id', 'key'],
  }),
  timers: table({
    columns: {
      id: 'text',
      kind: oneOf<TimerKind>(),
      subject: 'text',
      /** `wall`: a date. `running`: a duration that pauses while the hub is down or the machine sleeps. */
      clock: oneOf<'wall' | 'running'>(),
      due_at: 'int',
    },
    key: ['id'],
    lookups: { subject: { columns: ['kind', 'subject'], unique: true } },
  }),
  outbox: table({
    columns: { id: 'text', kind: 'text', payload: 'text', due_at: 'int', attempts: 'int', leased_until: 'int', last_error: 'text?' },
    key: ['id'],
  }),
  ...workTables,
  ...attentionTables,
  ...agentTables,
  ...provokeTables,
  ...peerTables,
  ...accountTables,
  settings: table({ columns: { key: 'text', value: 'text' }, key: ['key'] }),
  facts: table({
    columns: {
      seq: 'int',
      epoch: 'text',
      at: 'int',
      type: oneOf<FactType>(),
      actor_id: 'text?',
      /** The audience: the whole workspace, those in the conversation, or only `member_id`. */
      scope: oneOf<'workspace' | 'conversation' | 'member' | 'record'>(),
      conversation_id: 'text?',
      member_id: 'text?',
      subject_id: 'text?',
      chain_id: 'text?',
      /** JSON; read it with `factData`. */
      data: 'text',
      /** The checksum of the fact before: the chain that shows a fact removed, changed or put in between. */
      prev: 'text',
    },
    key: ['seq'],
    lookups: { subject: { columns: ['subject_id'] } },
  }),
};

type Tables = typeof tables;
export type TableName = keyof Tables;
export type Rows = { [T in TableName]: RowOf<Tables[T]> };
export type AnyRow = Record<string, string | number | null>;
export type AbsenceKeyRow = Rows['absence_keys'];
export type AgentBlockRow = Rows['agent_blocks'];
export type AgentHandoverRow = Rows['agent_handovers'];
export type AgentRow = Rows['agents'];
export type ApprovalRow = Rows['approvals'];
export type AttachmentRow = Rows['attachments'];
export type AuditRow = Rows['audit_entries'];
export type BorrowedAccessRow = Rows['borrowed_access'];
export type ChainRow = Rows['chains'];
export type CheckpointRow = Rows['checkpoints'];
export type CompositionRow = Rows['compositions'];
export type ContactRow = Rows['contacts'];
export type ContactRuleRow = Rows['contact_rules'];
export type ConversationRow = Rows['conversations'];
export type EventRow = Rows['events'];
export type FactRow = Rows['facts'];
export type HandleSkeletonRow = Rows['handle_skeletons'];
export type IdentityRow = Rows['identities'];
export type IdentityVersionRow = Rows['identity_versions'];
export type InvocationRow = Rows['invocations'];
export type JournalRow = Rows['journal'];
export type LeaveRow = Rows['leaves'];
export type LinkRow = Rows['links'];
export type MailboxRow = Rows['mailboxes'];
export type MemberRow = Rows['members'];
export type MembershipRow = Rows['memberships'];
export type MessageRow = Rows['messages'];
export type NamePinRow = Rows['name_pins'];
export type NegotiationRow = Rows['negotiations'];
export type ObligationRow = Rows['obligations'];
export type OfferRow = Rows['offers'];
export type OutboxRow = Rows['outbox'];
export type ProvokeObjectRow = Rows['provoke_objects'];
export type ProvokeVersionRow = Rows['provoke_versions'];
export type RequestLinkRow = Rows['request_links'];
export type ReactionRow = Rows['reactions'];
export type RoleRow = Rows['roles'];
export type RoundRow = Rows['rounds'];
export type SecretRow = Rows['secrets'];
export type SpaceRow = Rows['spaces'];
export type TagRow = Rows['tags'];
export type TaskRow = Rows['tasks'];
export type TaskWordRow = Rows['task_words'];
export type ThrottleStartRow = Rows['throttle_starts'];
export type TimerRow = Rows['timers'];
export type TokenRow = Rows['tokens'];
export type ToolServerRow = Rows['tool_servers'];
export type TurnRow = Rows['turns'];
export type UploadTotalRow = Rows['upload_totals'];
export type WindowRow = Rows['windows'];
export type ProvokeObjectKind = ProvokeObjectRow['kind'];

export const tableNames = Object.keys(tables) as TableName[];
export const columnsOf = (table: TableName): string[] => Object.keys(tables[table].columns);
export const keyOf = (table: TableName): readonly string[] => tables[table].key;
export const specOf = (table: TableName): TableSpec => tables[table];
