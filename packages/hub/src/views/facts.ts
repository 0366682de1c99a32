// Facts as clients follow them. A fact holds ids; the objects are read when it is sent, so that something deleted since is
// sent as deleted.

import type { HeardFact } from '@parley/core';
import { type Member, type StreamFact, formatCursor } from '@parley/protocol';
import { actingMember, factData, type FactType } from '../store/fact-data.ts';
import type { PlacedFact, Reader } from '../store/port.ts';
import { rowsById } from '../store/where.ts';
import { checkpointViews } from './checkpoints.ts';
import { messagesById } from './messages.ts';
import { roleViews, haltView, undamaged, conversationView, membershipView, memberView } from './row-views.ts';
import { agentViews } from './agents.ts';
import { noticeViews } from './notices.ts';
import { taskViews } from './tasks.ts';

export interface FactView {
  row: PlacedFact;
  /** Undefined: a fact that is kept, but told to nobody. */
  fact: StreamFact | undefined;
  /** The same as `hearing` takes it: with the conversation as it is now and the message's own place. */
  heard: HeardFact;
}

/** A fact that hangs on a damaged row is left out; `verify` names the row. */
export const factViews = async (reader: Reader, rows: PlacedFact[], isOnline: (memberId: string) => boolean): Promise<FactView[]> =>
  rows.length === 0 ? [] : undamaged(rows, (some) => viewAll(reader, some, isOnline));

async function viewAll(reader: Reader, rows: PlacedFact[], isOnline: (memberId: string) => boolean): Promise<FactView[]> {
  const subjects = { ...(await subjectsOf(reader, rows)), isOnline };
  const { message, conversation, taskRow } = subjects;
  return rows.map((row) => {
    const describe = row.type.startsWith('task.') ? subject('task') : describers[row.type];
    const data = row.scope === 'record' ? undefined : describe?.(row, subjects);
    const type = row.type.startsWith('task.') && row.type !== 'task.opened' ? 'task.changed' : row.type;
    const fact = data && ({ type, cursor: formatCursor(row), at: row.at, actorId: actingMember(row), data } as StreamFact);
    const about = row.type.startsWith('conversation.') ? row.subject_id : row.conversation_id;
    const messageSeq = (row.type.startsWith('message.') ? message : taskRow).get(row.subject_id ?? '')?.seq;
    return { row, fact, heard: { scope: row.scope, seq: row.seq, messageSeq, conversation: conversation.get(about ?? '') } };
  });
}

type Subjects = Awaited<ReturnType<typeof subjectsOf>> & { isOnline: (memberId: string) => boolean };

/** All rows that the facts name, by ID. */
async function subjectsOf(reader: Reader, rows: PlacedFact[]) {
  const named = (prefix: string) => [...new Set(rows.flatMap((row) => (row.type.startsWith(prefix) ? (row.subject_id ?? []) : [])))];
  const read = async <T extends 'checkpoints' | 'conversations' | 'members' | 'roles' | 'tasks'>(table: T, ids: string[]) =>
    ids.length === 0 ? [] : rowsById(reader, table, ids);
  // With history from joining, the view of an old message depends on the time of joining.
  const homes = rows
    .filter((row) => row.type.startsWith('task.') || (row.type.startsWith('message.') && row.type !== 'message.posted'))
    .map((row) => row.conversation_id!);
  const taskRows = read('tasks', named('task.'));
  const [message, conversations, members, roles, tasks, agents, halt, notices, checkpoints] = await Promise.all([
    messagesById(reader, named('message.')),
    read('conversations', [...new Set([...named('conversation.'), ...homes])]),
    read('members', named('member.')),
    read('roles', named('role.')).then((found) => roleViews(reader, found)),
    taskRows.then((found) => taskViews(reader, found)),
    read('members', named('agent.')).then((found) => agentViews(reader, found, rows.at(-1)?.at ?? 0)),
    rows.some((row) => row.type === 'workspace.halted') ? haltView(reader) : undefined,
    noticeViews(reader, rows),
    read('checkpoints', named('checkpoint.')).then((found) => checkpointViews(reader, found)),
  ]);
  return {
    message,
    conversation: byId(conversations),
    member: byId(members),
    role: byId(roles),
    taskRow: byId(await taskRows),
    task: byId(tasks),
    agent: byId(agents),
    halt,
    notice: new Map(notices.map((notice) => [notice.seq, notice])),
    checkpoint: byId(checkpoints),
  };
}

const byId = <T extends { id: string }>(all: readonly T[]): Map<string, T> => new Map(all.map((one) => [one.id, one]));

/** Undefined: its subject is gone, and with it the description. */
type Describe = (row: PlacedFact, subjects: Subjects) => object | undefined;

const subject =
  (name: 'agent' | 'checkpoint' | 'message' | 'role' | 'task'): Describe =>
  (row, subjects) => {
    const view = subjects[name].get(row.subject_id!);
    return view && { [name]: view };
  };

const describeConversation: Describe = (row, subjects) => {
  const conversation = subjects.conversation.get(row.subject_id!);
  return conversation && { conversation: conversationView(conversation) };
};

const describeMember: Describe = (row, subjects) => {
  const member = subjects.member.get(row.subject_id!);
  // Many get it as one text, so it holds what everyone may see; only the member itself gets a fact of scope `member`.
  return member && { member: memberView(member, row.scope === 'member' ? member.id : null, subjects.isOnline(member.id)) satisfies Member };
};

const describers: { readonly [T in FactType]?: Describe } = {
  'message.posted': (row, subjects) => {
    const message = subjects.message.get(row.subject_id!);
    const { root, thread } = factData(row, 'message.posted')!;
    return message && { message, rootMessageId: root ?? null, parentId: thread === undefined ? null : row.conversation_id };
  },
  'message.edited': subject('message'),
  'message.deleted': subject('message'),
  'message.reacted': subject('message'),
  'conversation.created': describeConversation,
  'conversation.edited': describeConversation,
  'membership.added': (row) => {
    const { role } = factData(row, 'membership.added')!;
    return { membership: membershipView({ conversation_id: row.conversation_id!, member_id: row.member_id!, role, joined_at: row.at }) };
  },
  'membership.removed': (row) => ({ conversationId: row.conversation_id, memberId: row.member_id }),
  'member.added': describeMember,
  'member.edited': describeMember,
  'role.added': subject('role'),
  'role.edited': subject('role'),
  'role.removed': (row) => ({ roleId: row.subject_id }),
  'read.moved': (row) => ({ conversationId: row.subject_id, readSeq: factData(row, 'read.moved')!.seq }),
  notice: (row, subjects) => ({ notice: subjects.notice.get(row.seq) }),
  'checkpoint.opened': subject('checkpoint'),
  'checkpoint.closed': subject('checkpoint'),
  'space.changed': (row) => ({ spaceId: row.subject_id }),
  'negotiation.changed': (row) => ({ threadId: row.subject_id }),
  'obligation.changed': (row) => ({ obligationId: row.subject_id }),
  'agent.changed': subject('agent'),
  'agent.left': (row) => {
    const { conversation: conversationId, parent } = factData(row, 'agent.left')!;
    return { leave: { conversationId, parentId: parent ?? null, memberId: row.member_id, askedBy: actingMember(row), at: row.at } };
  },
  'agent.returned': (row) => ({ conversationId: factData(row, 'agent.returned')!.conversation, memberId: row.member_id }),
  'workspace.halted': (_row, { halt }) => ({ halt }),
  'notify.set': (row) => ({ conversationId: row.conversation_id, level: factData(row, 'notify.set')!.level }),
};
