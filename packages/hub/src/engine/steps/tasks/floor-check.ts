// The floor's question (PAP-1), with the facts it is asked about. An agent that may not speak is refused with the reason.

import { type Floor, mayHoldAny, maySpeak, type Utterance } from '@parley/core';
import { type Store, wantRow } from '../../../store/port.ts';
import type { ConversationRow, MemberRow, TaskRow } from '../../../store/tables.ts';
import { RecordedRefusal } from '../../command.ts';
import { readRows } from '../../decision-reads.ts';
import type { WorkingSet } from '../../working-set.ts';
import { audienceIn, mustMayLeave } from '../conversations/egress.ts';
import { aboutTask } from '../facts/append.ts';
import { hasGoodbye, leaveRequestsIn } from '../conversations/participants.ts';
import { homeOf } from './tasks.ts';
import { asActor, isHalted, seesTask, tasksOn, taskWants } from './task-access.ts';

export interface SpeechRequest {
  kind: Utterance;
  /** Null: it named none. */
  taskId: string | null;
  lease: number | undefined;
  /** By default the conversation where the task was opened. */
  conversationId?: string | undefined;
  replyTo?: string | undefined;
}

export interface GrantedSpeech {
  task: TaskRow;
  conversation: ConversationRow;
}

export function letSpeak(agent: MemberRow, wanted: SpeechRequest, set: WorkingSet, now: number): GrantedSpeech {
  const { task, conversation } = letSay(agent, wanted, set, now);
  return { task: task!, conversation };
}

const goodbyeRequest = (conversationId: string | undefined): SpeechRequest => ({
  kind: 'goodbye',
  taskId: null,
  lease: undefined,
  conversationId,
});

/** Lets an agent that was asked to leave say goodbye, in no task (C2A-16). */
export const letSayGoodbye = (agent: MemberRow, conversationId: string | undefined, set: WorkingSet, now: number): ConversationRow =>
  letSay(agent, goodbyeRequest(conversationId), set, now).conversation;

export const mayPart = (agent: MemberRow, conversation: ConversationRow, set: WorkingSet, now: number): boolean =>
  decide(agent, goodbyeRequest(conversation.id), set, now).verdict.ok;

function decide(agent: MemberRow, wanted: SpeechRequest, set: WorkingSet, now: number) {
  const named = wanted.taskId === null ? undefined : set.get('tasks', wanted.taskId);
  const task = named && seesTask(named, agent.id, set) ? named : undefined;
  const conversationId = wanted.conversationId ?? task?.conversation_id;
  const conversation = conversationId === undefined ? undefined : set.get('conversations', conversationId);
  const verdict = maySpeak({
    kind: wanted.kind,
    agentId: agent.id,
    where: conversation && floorAt(agent, task, conversation, set, now),
    task: task && {
      agentId: task.agent_id,
      requesterId: task.requester_id,
      conversationId: task.conversation_id,
      messageId: task.message_id,
      outputs: JSON.parse(task.outputs) as string[],
      state: task.state,
      lease: task.lease,
    },
    lease: wanted.lease,
    halted: conversation !== undefined && isHalted(set),
    repliesToOwnWork: task && conversation && isOwnWork(wanted.replyTo, task, conversation, set),
  });
  return { verdict, task, conversation };
}

/** Undefined: there is no such message here. */
function isOwnWork(messageId: string | undefined, task: TaskRow, { id }: ConversationRow, set: WorkingSet): boolean | undefined {
  const message = messageId === undefined ? undefined : set.get('messages', messageId);
  if (message?.conversation_id !== id) return undefined;
  if (message.author_id === task.agent_id) return true;
  return tasksOn(message.id, set).some(({ agent_id, parent_id }) => agent_id === task.agent_id || parent_id === task.id);
}

function letSay(agent: MemberRow, wanted: SpeechRequest, set: WorkingSet, now: number) {
  const { verdict, task, conversation } = decide(agent, wanted, set, now);
  if (verdict.ok) return { task, conversation: conversation! };
  // The refused try is a fact, though none of its words are kept.
  const conversation_id = conversation ? (conversation.parent_id ?? conversation.id) : null;
  const about = { conversation_id, ...(task ? aboutTask(task) : {}), member_id: agent.id };
  const fact = { type: 'post.refused', actor: asActor(agent), ...about, data: { reason: verdict.reason } } as const;
  // Deleted, edited, stopped, answered: the refused agent learns how it ended.
  throw new RecordedRefusal(verdict.reason, fact, verdict.reason === 'task_over' ? (task?.cause ?? undefined) : undefined);
}

function floorAt(agent: MemberRow, task: TaskRow | undefined, conversation: ConversationRow, set: WorkingSet, now: number): Floor {
  const home = homeOf(conversation.id, set);
  const isIn = (memberId: string): boolean => set.get('memberships', home.id, memberId) !== undefined;
  const leaveRequests = leaveRequestsIn(conversation, set).get(agent.id);
  return {
    id: conversation.id,
    rootMessageId: conversation.root_message_id,
    pair: conversation.dm_key?.split(',') ?? null,
    agentIn: isIn(agent.id),
    requesterIn: typeof task?.requester_id === 'string' && isIn(task.requester_id),
    archived: home.archived_at !== null,
    // The goodbye belongs in the conversation of the request: an agent that left a room says nothing in its threads.
    left: leaveRequests && { goodbye: leaveRequests.some((row) => row.conversation_id === conversation.id && hasGoodbye(row, now)) },
  };
}

export interface DraftRequest {
  agentId: string;
  taskId: string;
  lease: number;
}

/** A draft is shown and kept nowhere: it is asked about as any word is, but asking writes nothing. */
export function letDraft(store: Store, { agentId, taskId, lease }: DraftRequest, text: string): Promise<GrantedSpeech> {
  return readRows(store, [wantRow('members', agentId), ...taskWants(taskId)], (set) => {
    // Time counts only for a goodbye, which has no draft.
    const spoken = letSpeak(set.get('members', agentId)!, { kind: 'draft', taskId, lease }, set, 0);
    // A draft grows letter by letter: text that may end in a withheld value is not shown up to its last letter.
    mustMayLeave(text, spoken.task, () => audienceIn(homeOf(spoken.conversation.id, set), set), set, mayHoldAny);
    return spoken;
  });
}
