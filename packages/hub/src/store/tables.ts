// The shape of everything the hub keeps. Statements, checksums, migrations' targets, backup, restore and `verify`
// are all driven by this description, so a new table is described here and nowhere else.
//
// All values are text or whole numbers in both engines, so that a row has the same bytes, and so the same checksum,
// wherever it is stored. JSON is kept as text for the same reason.

import type { ConversationKind, MemberKind, NotifyLevel, Role, TokenKind } from '@parley/protocol';
import { agentTables } from './agent-tables.ts';
import { attentionTables } from './attention-tables.ts';
import type { FactType } from './fact-data.ts';
import { peopleTables } from './people-tables.ts';
import { provokeTables } from './provoke-tables.ts';
import { type RowOf, table, type TableSpec, words } from './table.ts';
import type { TimerKind } from './timer-kinds.ts';
import { workTables } from './work-tables.ts';

export const tables = {
  members: table({
    columns: 'id, kind, handle, handle_fold, display_name, about, role, owner_id?, manager_id?, status, dnd_until int?, created_at int',
    words: words<{ kind: MemberKind; role: Role; status: 'active' | 'deactivated' | 'erased' }>(),
    key: 'id',
    lookups: { handle: 'unique handle_fold', owner: 'owner_id', role: 'role' },
  }),
  /**
   * `name_fold`: unique while the channel is not archived; null otherwise, so that an archived channel gives its name back.
   * `dm_key`: DMs: the sorted member ids, unique: the DM of a set of members is created once.
   */
  conversations: table({
    columns: `id, kind, name?, name_fold?, topic, visibility, floor, history, parent_id?, root_message_id?, dm_key?, created_by?,
      created_at int, archived_at int?`,
    words: words<{ kind: ConversationKind; visibility: 'public' | 'private'; floor: 'polite' | 'open'; history: 'all' | 'joined' }>(),
    key: 'id',
    lookups: { name: 'unique name_fold', dm: 'unique dm_key', root: 'unique root_message_id' },
  }),
  /** A private channel in use, by its name: whether it has it is known to those who are in it. */
  private_names: table({
    columns: 'name_fold, conversation_id',
    key: 'name_fold, conversation_id',
    lookups: { name: 'name_fold' },
  }),
  /** `joined_seq`: the place in the stream at which it joined; with `history: joined` nothing before it is shown. */
  memberships: table({
    columns: 'conversation_id, member_id, role, notify, joined_at int, joined_seq int',
    words: words<{ role: 'moderator' | 'participant'; notify: NotifyLevel }>(),
    key: 'conversation_id, member_id',
    lookups: { member: 'member_id', conversation: 'conversation_id' },
  }),
  /** `attachments`: JSON list of attachment ids. */
  messages: table({
    columns: `id, conversation_id, seq int, author_id?, body?, version int, reply_to?, attachments, thread_id?, created_at int,
      edited_at int?, deleted_at int?`,
    key: 'id',
  }),
  message_versions: table({
    columns: 'message_id, version int, body?, at int',
    key: 'message_id, version',
    lookups: { message: 'message_id' },
  }),
  reactions: table({
    columns: 'message_id, member_id, emoji, at int',
    key: 'message_id, member_id, emoji',
    lookups: { message: 'message_id' },
  }),
  reads: table({
    columns: 'conversation_id, member_id, seq int',
    key: 'conversation_id, member_id',
    lookups: { member: 'member_id' },
  }),
  tokens: table({
    columns: 'id, hash, kind, purpose, member_id, label, created_by?, created_at int, expires_at int?, revoked_at int?',
    words: words<{ kind: TokenKind; purpose: 'api' | 'session' }>(),
    key: 'id',
    lookups: { hash: 'unique hash', member: 'member_id', creator: 'created_by' },
  }),
  links: table({
    columns: 'id, hash, purpose, member_id?, role?, conversation_id?, created_by?, created_at int, expires_at int, used_at int?, used_by?',
    words: words<{ purpose: 'sign_in' | 'invite'; role: Role }>(),
    key: 'id',
    lookups: { hash: 'unique hash', member: 'member_id', creator: 'created_by', user: 'used_by' },
  }),
  attachments: table({
    columns: 'id, sha256, name, media_type, size int, uploaded_by, message_id?, created_at int, erased_at int?',
    key: 'id',
    lookups: { message: 'message_id', blob: 'sha256', uploader: 'uploaded_by' },
  }),
  /** An answer kept under its idempotency key, so that a repeat is answered and not done again. */
  requests: table({ columns: 'actor_id, key, command, result, at int', key: 'actor_id, key' }),
  /** `clock`: `wall`: a date. `running`: a duration that pauses while the hub is down or the machine sleeps. */
  timers: table({
    columns: 'id, kind, subject, clock, due_at int',
    words: words<{ kind: TimerKind; clock: 'wall' | 'running' }>(),
    key: 'id',
    lookups: { subject: 'unique kind, subject' },
  }),
  outbox: table({ columns: 'id, kind, payload, due_at int, attempts int, leased_until int, last_error?', key: 'id' }),
  ...workTables,
  ...attentionTables,
  ...agentTables,
  ...provokeTables,
  ...peopleTables,
  settings: table({ columns: 'key, value', key: 'key' }),
  /**
   * `scope`: the audience: the whole workspace, those in the conversation, or only `member_id`.
   * `data`: JSON; read it with `factData`.
   * `prev`: the checksum of the fact before: the chain that shows a fact removed, changed or put in between.
   */
  facts: table({
    columns: 'seq int, epoch, at int, type, actor_id?, scope, conversation_id?, member_id?, subject_id?, chain_id?, data, prev',
    words: words<{ type: FactType; scope: 'workspace' | 'conversation' | 'member' | 'record' }>(),
    key: 'seq',
    lookups: { subject: 'subject_id' },
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
