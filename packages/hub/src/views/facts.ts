// Facts as clients follow them. A fact holds ids; what they name is looked up when it is told, so that something
// deleted since is told as deleted.

import type { HeardFact } from '@parley/core';
import type { Checkpoint, Member, StreamFact } from '@parley/protocol';
import { formatCursor } from '@parley/protocol';
import { factData } from '../store/fact-data.ts';
import type { PlacedFact, Reader } from '../store/port.ts';
import type { Rows } from '../store/tables.ts';
import { rowsById } from '../store/where.ts';
import { checkpointViews } from './checkpoints.ts';
import { messagesById } from './messages.ts';
import { roleViews } from './team-roles.ts';
import { agentViews, haltView, noticeViews, taskViews } from './tasks.ts';
import { undamaged } from './undamaged.ts';
import { conversationView, membershipView, memberView } from './rows.ts';

export interface FactView {
  row: PlacedFact;
  /** Undefined: a fact that is kept, but told to nobody. */
  fact: StreamFact | undefined;
  /** The same as `hearing` takes it: with the conversation as it is now and the message's own place. */
  heard: HeardFact;
}

/** A fact that hangs on a damaged row is left out; `verify` names the row. */
export const factViews = async (reader: Reader, rows: PlacedFact[], isOnline: (memberId: string) => boolean): Promise<FactView[]> =>
  rows.length === 0 ? [] : undamaged(rows, (some) => tellAll(reader, some, isOnline));

async function tellAll(reader: Reader, rows: PlacedFact[], isOnline: (memberId: string) => boolean): Promise<FactView[]> {
  const subjects = (prefix: string) => [
    ...new Set(rows.filter((row) => row.type.startsWith(prefix) && row.subject_id !== null).map((row) => row.subject_id!)),
  ];
  // Where history begins on joining, what is told of an old message depends on it.
  const homes = rows
    .filter((row) => row.type.startsWith('task.') || (row.type.startsWith('message.') && row.type !== 'message.posted'))
    .map((row) => row.conversation_id!);
  const byId = async <T extends 'conversations' | 'members' | 'roles' | 'tasks'>(
    table: T,
    ids: string[],
  ): Promise<Map<string, Rows[T]>> => {
    const found = ids.length === 0 ? [] : await rowsById(reader, table, ids);
    return new Map(found.map((row) => [row.id, row]));
  };
  const taskSeqs = new Map<string, number>();
  const has = (type: string): boolean => rows.some((row) => row.type === type);
  const [messages, conversations, members, roles, tasks, agents, halt, notices, checkpoints] = await Promise.all([
    messagesById(reader, subjects('message.')),
    byId('conversations', [...new Set([...subjects('conversation.'), ...homes])]),
    byId('members', subjects('member.')),
    byId('roles', subjects('role.')).then(
      async (found) => new Map((await roleViews(reader, [...found.values()])).map((role) => [role.id, role])),
    ),
    byId('tasks', subjects('task.')).then(async (found) => {
      for (const task of found.values()) taskSeqs.set(task.id, task.seq);
      return new Map((await taskViews(reader, [...found.values()])).map((task) => [task.id, task]));
    }),
    byId('members', subjects('agent.')).then(async (found) => {
      const views = await agentViews(reader, [...found.values()], rows.at(-1)?.at ?? 0);
      return new Map(views.map((agent) => [agent.id, agent]));
    }),
    has('workspace.halted') ? haltView(reader) : undefined,
    noticeViews(reader, rows).then((found) => new Map(found.map((notice) => [notice.seq, notice]))),
    waitingFor(reader, subjects('checkpoint.')),
  ]);

  const dataOf = (row: PlacedFact): object | undefined => {
    const message = messages.get(row.subject_id!);
    switch (row.type) {
      case 'message.posted': {
        const { root, thread } = factData(row, row.type)!;
        return message && { message, rootMessageId: root ?? null, parentId: thread === undefined ? null : row.conversation_id };
      }
      case 'message.edited':
      case 'message.deleted':
      case 'message.reacted':
        return message && { message };
      case 'conversation.created':
      case 'conversation.edited': {
        const conversation = conversations.get(row.subject_id!);
        return conversation && { conversation: conversationView(conversation) };
      }
      case 'membership.added':
        return {
          membership: membershipView({
            conversation_id: row.conversation_id!,
            member_id: row.member_id!,
            role: factData(row, row.type)!.role,
            joined_at: row.at,
          }),
        };
      case 'membership.removed':
        return { conversationId: row.conversation_id, memberId: row.member_id };
      case 'member.added':
      case 'member.edited': {
        const member = members.get(row.subject_id!);
        // Told to many as one text, so it holds what everyone may see; `member` scope is told to the member alone.
        return member && { member: memberView(member, row.scope === 'member' ? member.id : null, isOnline(member.id)) satisfies Member };
      }
      case 'role.added':
      case 'role.edited': {
        const role = roles.get(row.subject_id!);
        return role && { role };
      }
      case 'role.removed':
        return { roleId: row.subject_id };
      case 'read.moved':
        return { conversationId: row.subject_id, readSeq: factData(row, row.type)!.seq };
      case 'notice':
        return { notice: notices.get(row.seq) };
      case 'checkpoint.opened':
      case 'checkpoint.closed': {
        const checkpoint = checkpoints.get(row.subject_id!);
        return checkpoint && { checkpoint };
      }
      case 'obligation.changed':
        return { obligationId: row.subject_id };
      case 'agent.changed': {
        const agent = agents.get(row.subject_id!);
        return agent && { agent };
      }
      case 'agent.left': {
        const { conversation: conversationId, parent } = factData(row, row.type)!;
        return { leave: { conversationId, parentId: parent ?? null, memberId: row.member_id, askedBy: row.actor_id, at: row.at } };
      }
      case 'agent.returned':
        return { conversationId: factData(row, row.type)!.conversation, memberId: row.member_id };
      case 'workspace.halted':
        return { halt };
      case 'notify.set':
        return { conversationId: row.conversation_id, level: factData(row, row.type)!.level };
      default: {
        // However it changed, what is told is how it stands.
        const task = row.type.startsWith('task.') ? tasks.get(row.subject_id!) : undefined;
        return task && { task };
      }
    }
  };
  return rows.map((row) => {
    const data = row.scope === 'record' ? undefined : dataOf(row);
    const type = row.type.startsWith('task.') && row.type !== 'task.opened' ? 'task.changed' : row.type;
    const fact = data && ({ type, cursor: formatCursor(row), at: row.at, actorId: row.actor_id, data } as StreamFact);
    const about = row.type.startsWith('conversation.') ? row.subject_id : row.conversation_id;
    const heard: HeardFact = {
      scope: row.scope,
      seq: row.seq,
      messageSeq: row.type.startsWith('message.') ? messages.get(row.subject_id!)?.seq : taskSeqs.get(row.subject_id ?? ''),
      conversation: conversations.get(about ?? ''),
    };
    return { row, fact, heard };
  });
}

async function waitingFor(reader: Reader, ids: string[]): Promise<Map<string, Checkpoint>> {
  if (ids.length === 0) return new Map();
  const rows = await reader.rows('checkpoints', { id: ids });
  return new Map((await checkpointViews(reader, rows)).map((checkpoint) => [checkpoint.id, checkpoint]));
}
