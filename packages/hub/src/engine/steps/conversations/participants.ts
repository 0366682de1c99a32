// The agents that take part in a conversation, and those that were asked to leave.

// Which agents take part in the thread something is said in: looked up only where somebody's verdict hangs on it, in a
// number of look-ups that does not depend on who is there.

import { participantIds, type MessageFacts, maySayGoodbye } from '@parley/core';
import { type Want, wantBy, wantRow } from '../../../store/port.ts';
import type { ConversationRow, LeaveRow } from '../../../store/tables.ts';
import type { WorkingSet } from '../../working-set.ts';
import { activeIn } from './addressable-members.ts';
import type { IncomingMessage } from './incoming-message.ts';

/** Ids of those still here. */
export const participantsFor = ({ conversation, home }: IncomingMessage, said: MessageFacts, set: WorkingSet): Set<string> =>
  conversation.kind === 'thread' && matters(said) ? threadParticipants(conversation, home, set) : new Set();

/** The first of what it needs; who takes part is known only then. */
export const participantWants = ({ id, kind, root_message_id: root }: ConversationRow): Want[] =>
  kind !== 'thread' || root === null
    ? []
    : [
        wantBy('tasks', 'conversation', id, 0),
        wantBy('tasks', 'conversation', id, 1),
        wantBy('tasks', 'message', root),
        wantRow('messages', root),
      ];

export function threadParticipants(conversation: ConversationRow, home: ConversationRow, set: WorkingSet): Set<string> {
  const { id, kind, root_message_id: rootMessageId } = conversation;
  if (kind !== 'thread' || rootMessageId === null) return new Set();
  set.need(participantWants(conversation));
  const tasks = [
    ...set.find('tasks', 'conversation', id, 0),
    ...set.find('tasks', 'conversation', id, 1),
    ...set.find('tasks', 'message', rootMessageId),
  ].map((task) => ({ agentId: task.agent_id, conversationId: task.conversation_id, messageId: task.message_id }));
  const ids = [...participantIds(tasks, set.get('messages', rootMessageId)?.author_id ?? null, { id, kind, rootMessageId })];
  const agents = activeIn(home, ids, set).filter(({ kind }) => kind === 'agent');
  const leaveRequests = leaveRequestsIn(conversation, set);
  return new Set(agents.map((agent) => agent.id)).difference(leaveRequests);
}

/** The addresses are decided without it; an unaddressed question of a person needs it, and so does an open floor. */
function matters(said: MessageFacts): boolean {
  if (said.conversation.kind !== 'channel' || said.addresses.some(({ kind }) => kind !== 'unknown') || said.filler) return false;
  return (said.authorKind === 'human' && said.clearQuestion === true) || (said.conversation.floor === 'open' && said.status !== true);
}

// Leave requests of a conversation, from the rows.

/** A thread, and where it hangs: who left that left all of it. */
const placesOf = (conversation: ConversationRow): string[] =>
  conversation.parent_id === null ? [conversation.id] : [conversation.id, conversation.parent_id];

export const leftWants = (conversation: ConversationRow): Want[] =>
  placesOf(conversation).map((id) => wantBy('leaves', 'conversation', id));

/** The rows of leave requests here, by the agent that was asked. */
export function leaveRequestsIn(conversation: ConversationRow, set: WorkingSet): Map<string, LeaveRow[]> {
  const rows = set.each(placesOf(conversation), (id) => set.find('leaves', 'conversation', id)).flat();
  return rows.length === 0 ? new Map<string, LeaveRow[]>() : Map.groupBy(rows, (row) => row.member_id);
}

export const hasGoodbye = (row: LeaveRow, now: number): boolean => maySayGoodbye({ at: row.at, said: row.goodbye_id !== null }, now);
