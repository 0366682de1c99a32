// Rows as they are shown: one function per kind of thing.

import { signalOf } from '@parley/core';
import type {
  Attachment,
  Conversation,
  DigestSetting,
  Invitation,
  Leave,
  Member,
  Membership,
  Message,
  Reaction,
  Token,
  Halt,
  CalledRole,
} from '@parley/protocol';
import type { ListEntry } from '../store/table.ts';
import type {
  AttachmentRow,
  ConversationRow,
  LeaveRow,
  LinkRow,
  MailboxRow,
  MemberRow,
  MembershipRow,
  MessageRow,
  ReactionRow,
  TokenRow,
  RoleRow,
} from '../store/tables.ts';
import { type Reader, CorruptRowError } from '../store/port.ts';
import type { HaltSetting } from '../engine/steps/facts/settings.ts';
import { activeHolders } from '../store/reads/members.ts';

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name;

const clientNames = new Map<string, [column: string, name: string][]>();

function namesOf(list: string): [column: string, name: string][] {
  let names = clientNames.get(list);
  if (!names) {
    const columns = list.split(',').map((column) => column.trim());
    names = columns.map((column) => [column, column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())]);
    clientNames.set(list, names);
  }
  return names;
}

/** The listed columns: `created_at` as `createdAt`. A column that is not listed never leaves the hub. */
export function showColumns<R extends object, const List extends string>(
  row: R,
  list: List & (ListEntry<List> extends keyof R ? unknown : never),
): { [Column in ListEntry<List> & keyof R & string as CamelCase<Column>]: R[Column] } {
  const view: Record<string, unknown> = {};
  for (const [column, name] of namesOf(list)) view[name] = row[column as keyof R];
  return view as { [Column in ListEntry<List> & keyof R & string as CamelCase<Column>]: R[Column] };
}

export function memberView(row: MemberRow, viewerId: string | null, online: boolean): Member {
  const own = { online, dndUntil: row.id === viewerId ? row.dnd_until : null };
  return { ...showColumns(row, 'id, kind, handle, display_name, about, role, owner_id, manager_id, status, created_at'), ...own };
}

export function conversationView(row: ConversationRow): Conversation {
  const columns = 'id, kind, name, topic, visibility, floor, history, parent_id, root_message_id, created_by, created_at, archived_at';
  return { ...showColumns(row, columns), memberIds: row.dm_key?.split(',') ?? [] };
}

export function membershipView(row: Omit<MembershipRow, 'notify' | 'joined_seq'>): Membership {
  return showColumns(row, 'conversation_id, member_id, role, joined_at');
}

export function leaveView(row: LeaveRow, parentId: string | null): Leave {
  return { conversationId: row.conversation_id, parentId, memberId: row.member_id, askedBy: row.asked_by, at: row.at };
}

export function attachmentView(row: AttachmentRow): Attachment {
  return { id: row.id, name: row.name, mediaType: row.media_type, size: row.size, sha256: row.sha256, erased: row.erased_at !== null };
}

export function tokenView(row: TokenRow, openedBy: string | null = null, callerTokenId: string | null = null): Token {
  const columns = 'id, kind, purpose, member_id, label, created_at, expires_at, revoked_at';
  return { ...showColumns(row, columns), current: row.id === callerTokenId, openedBy };
}

export function invitationView(row: LinkRow): Invitation {
  return { id: row.id, role: row.role!, conversationId: row.conversation_id, createdBy: row.created_by, expiresAt: row.expires_at };
}

export interface MessageParts {
  attachments: AttachmentRow[];
  reactions: ReactionRow[];
  thread: { replies: number; lastAt: number | null };
  task: Message['task'];
  urgent?: boolean;
  source?: Message['source'];
}
export const noParts: MessageParts = { attachments: [], reactions: [], thread: { replies: 0, lastAt: null }, task: null };

export function messageView(row: MessageRow, parts: MessageParts = noParts): Message {
  return {
    id: row.id,
    conversationId: row.conversation_id,
    seq: row.seq,
    authorId: row.author_id,
    body: row.body,
    version: row.version,
    replyTo: row.reply_to,
    attachments: parts.attachments.map(attachmentView),
    reactions: reactionViews(parts.reactions),
    threadId: row.thread_id,
    threadReplies: parts.thread.replies,
    threadLastAt: parts.thread.lastAt,
    task: parts.task,
    source: parts.source ?? null,
    ...(parts.urgent && row.deleted_at === null ? { urgent: true } : {}),
    createdAt: row.created_at,
    editedAt: row.edited_at,
    deletedAt: row.deleted_at,
  };
}

export const digestSetting = (row: MailboxRow): DigestSetting => ({
  conversationId: row.conversation_id,
  memberId: row.member_id,
  everyMs: row.digest_ms,
});

function reactionViews(rows: ReactionRow[]): Reaction[] {
  // The order of the first reactions, so that chips do not jump.
  const inOrder = rows.toSorted((a, b) => a.at - b.at || (a.member_id < b.member_id ? -1 : 1));
  return [...Map.groupBy(inOrder, ({ emoji }) => emoji)].map(([emoji, same]) => ({
    emoji,
    memberIds: same.map(({ member_id }) => member_id),
    signal: signalOf(emoji) ?? null,
  }));
}

// Tokens that were opened by another member's link, or made in such a session.

/** For each token, the member whose link it began with. */
export async function lendersOf(reader: Reader, tokens: readonly TokenRow[]): Promise<Map<string, string>> {
  const rows = await reader.rows('borrowed_access', { subject_id: tokens.map(({ id }) => id) });
  return new Map(rows.map((row) => [row.subject_id, row.lender_id]));
}

/**
 * For lists: an entry that hangs on a damaged row is left out, so that it hides no other. Part of an entry is never left out:
 * an agent without its identity, or a task without its taint, would be shown as something that it is not.
 */
export async function undamaged<R, V>(rows: readonly R[], views: (rows: R[]) => Promise<V[]>): Promise<V[]> {
  try {
    return await views([...rows]);
  } catch (error) {
    if (!(error instanceof CorruptRowError)) throw error;
    return rows.length < 2 ? [] : (await Promise.all(rows.map((row) => undamaged([row], views)))).flat();
  }
}

// Settings of the workspace, and among them whether everything is stopped.

export async function settingOf<T>(reader: Reader, key: string, fallback: T): Promise<T> {
  const [row] = await reader.rows('settings', { key });
  return row ? (JSON.parse(row.value) as T) : fallback;
}

export async function haltView(reader: Reader): Promise<Halt> {
  const halted = await settingOf<HaltSetting | null>(reader, 'halted', null);
  return { halted: halted !== null, since: halted?.since ?? null, by: halted?.by ?? null };
}

// Roles as they are shown, in a constant number of reads.

/** Roles with their active holders, in the order in which they became members. */
export async function roleViews(reader: Reader, roles: RoleRow[]): Promise<CalledRole[]> {
  if (roles.length === 0) return [];
  const holderRows = await activeHolders(
    reader,
    roles.map(({ id }) => id),
  );
  const holders = Map.groupBy(holderRows, ({ role }) => role);
  return roles.map(({ id, handle, about, created_at: createdAt }) => ({
    id,
    handle,
    about,
    holderIds: (holders.get(id) ?? []).map(({ member }) => member),
    createdAt,
  }));
}
