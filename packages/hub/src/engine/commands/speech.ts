// The one way an agent's words come in (PAP-1, PAP-16): said in a task it holds, where the task lets it, under the
// lease it was given. Everything else is refused with its reason, is not shown, and is recorded.

import { isOpen, maySpeak, type Utterance } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import type { ConversationRow, MemberRow, MessageRow, TaskRow } from '../../store/tables.ts';
import { byWants, type Context, type Handler, invalid, RecordedRefusal } from '../command.ts';
import { dmKey } from '../steps/conversations.ts';
import { delegate } from '../steps/delegate.ts';
import { isMoreSaid } from '../steps/known.ts';
import { placeMessage } from '../steps/say.ts';
import { chainLock, endTask, homeOf, moveTask, resultFor, settleChain } from '../steps/tasks.ts';
import { endTurns } from '../steps/turns.ts';
import { agentActing, asActor, isHalted, taskWants } from '../steps/work.ts';
import type { WorkingSet } from '../working-set.ts';

export interface SpeechCommands {
  'task.say': [
    {
      /** Null: it named none. */
      taskId: string | null;
      lease: number | undefined;
      kind: Utterance;
      body: string;
      conversationId?: string | undefined;
      replyTo?: string | undefined;
      agentId?: string;
    },
    { message: MessageRow },
  ];
  /** Cannot, or will not, because: its last word in the task (PAP-14). */
  'task.decline': [
    { taskId: string; lease: number | undefined; outcome: 'declined' | 'blocked'; reason: string; agentId?: string },
    { task: TaskRow; message: MessageRow },
  ];
}

/** Where it was opened, the thread on its request, the pair's DM, and what its requester named and may still post to. */
function isGranted(task: TaskRow, conversation: ConversationRow, kind: Utterance, set: WorkingSet): boolean {
  if (conversation.id === task.conversation_id) return true;
  if ((JSON.parse(task.outputs) as string[]).includes(conversation.id)) {
    // Asked elsewhere, a question would find nobody who knows of it.
    const home = conversation.parent_id ?? conversation.id;
    return kind !== 'question' && set.get('memberships', home, task.requester_id ?? '') !== undefined;
  }
  if (conversation.kind === 'thread' && conversation.root_message_id === task.message_id) return true;
  return conversation.dm_key !== null && conversation.dm_key === dmKey([task.agent_id ?? '', task.requester_id ?? '']);
}

function letSpeak(
  agent: MemberRow,
  c: { taskId: string | null; lease: number | undefined; kind: Utterance; conversationId?: string | undefined },
  set: WorkingSet,
  context: Context,
): { task: TaskRow; conversation: ConversationRow } {
  const task = c.taskId === null ? undefined : set.get('tasks', c.taskId);
  if (task) context.lock(chainLock(task.chain_id));
  const conversationId = c.conversationId ?? task?.conversation_id;
  const conversation = conversationId === undefined ? undefined : set.get('conversations', conversationId);
  const granted = task && conversation && isGranted(task, conversation, c.kind, set) ? [conversation.id] : [];
  const verdict = maySpeak({
    agentId: agent.id,
    conversationId: conversation?.id ?? '',
    task: task && { agentId: task.agent_id, state: task.state, lease: task.lease, grants: granted },
    lease: c.lease,
    halted: task !== undefined && isHalted(set),
  });
  if (!verdict.ok) throw refusal(verdict.reason, agent, task, conversation);
  const home = homeOf(conversation!.id, set);
  // Taken out of a room that its requester had named; the task goes on where it is.
  if (!set.get('memberships', home.id, agent.id)) throw refusal('task_elsewhere', agent, task, conversation);
  if (home.archived_at !== null) throw new ParleyError('archived');
  return { task: task!, conversation: conversation! };
}

/** It tried: that is a fact, though nothing of what it wanted to say is kept. */
const refusal = (
  code: ConstructorParameters<typeof RecordedRefusal>[0],
  agent: MemberRow,
  task: TaskRow | undefined,
  conversation: ConversationRow | undefined,
): RecordedRefusal =>
  new RecordedRefusal(code, {
    type: 'post.refused',
    actor: asActor(agent),
    scope: 'record',
    member_id: agent.id,
    conversation_id: conversation ? (conversation.parent_id ?? conversation.id) : null,
    subject_id: task?.id ?? null,
    chain_id: task?.chain_id ?? null,
    data: { reason: code },
  });

function speak(
  agent: MemberRow,
  task: TaskRow,
  conversation: ConversationRow,
  kind: Utterance | 'decline',
  words: { body: string; replyTo?: string | undefined },
  set: WorkingSet,
  context: Context,
): MessageRow {
  const message = placeMessage(
    {
      id: context.ids.next('message'),
      actor: asActor(agent),
      conversation,
      home: homeOf(conversation.id, set),
      chainId: task.chain_id,
      data: { task: task.id },
      ...words,
    },
    set,
    context,
  );
  set.insert('task_words', { message_id: message.id, task_id: task.id, kind });
  return message;
}

const say: Handler<'task.say'> = {
  locks: () => [],
  needs: (c) => [...byWants(c.by), ...(c.taskId === null ? [] : taskWants(c.taskId))],
  decide: (c, set, context) => {
    const agent = agentActing(c.by, c.agentId, set, context);
    const { task, conversation } = letSpeak(agent, c, set, context);
    const replyTo = c.replyTo === undefined ? undefined : set.get('messages', c.replyTo);
    if (c.replyTo !== undefined && replyTo?.conversation_id !== conversation.id)
      throw invalid('replyTo', 'is not a message of this conversation');
    const more = c.kind === 'answer' && isMoreSaid(task, set);
    const message = speak(agent, task, conversation, more ? 'progress' : c.kind, c, set, context);
    delegate({ agent, task, conversation, message, final: c.kind === 'answer', replyTo }, set, context);
    const now = set.get('tasks', task.id)!;
    if (more) answerMore(now, set, context);
    else if (c.kind === 'answer') endTask(now, 'completed', 'answered', set, context, { answerId: message.id });
    else if (c.kind === 'question') ask(now, message, set, context);
    else set.update('tasks', now, { updated_at: context.now });
    return { message };
  },
};

/** Whoever said more is answered too: what was said so far is on the way, and another turn is given all of it. */
function answerMore(task: TaskRow, set: WorkingSet, context: Context): void {
  endTurns(task.id, set, context);
  moveTask(task, 'yield', {}, set, context, { why: 'more_said' });
  settleChain(task.chain_id, set, context);
}

/** The task waits for its requester. Is that an agent, the task above is told and can answer. */
function ask(task: TaskRow, message: MessageRow, set: WorkingSet, context: Context): void {
  endTurns(task.id, set, context);
  const waiting = moveTask(task, 'ask', { asked_in: message.conversation_id }, set, context, { message: message.id });
  const above = task.parent_id === null ? undefined : set.get('tasks', task.parent_id);
  if (above && isOpen(above.state)) resultFor(above, waiting, set, context);
  settleChain(task.chain_id, set, context);
}

const decline: Handler<'task.decline'> = {
  locks: () => [],
  needs: (c) => [...byWants(c.by), ...taskWants(c.taskId)],
  decide: (c, set, context) => {
    const agent = agentActing(c.by, c.agentId, set, context);
    const task = set.get('tasks', c.taskId);
    if (!task) throw refusal('agent_without_task', agent, undefined, undefined);
    context.lock(chainLock(task.chain_id));
    const conversation = set.get('conversations', task.conversation_id)!;
    if (task.agent_id !== agent.id) throw refusal('task_of_another', agent, task, conversation);
    if (!isOpen(task.state)) throw refusal('task_over', agent, task, conversation);
    // What was never begun has no lease: an agent can say no to it all the same.
    if (task.lease > 0 && c.lease !== task.lease) throw refusal('stale_lease', agent, task, conversation);
    if (isHalted(set)) throw refusal('halted', agent, task, conversation);
    if (homeOf(conversation.id, set).archived_at !== null) throw new ParleyError('archived');
    const message = speak(agent, task, conversation, 'decline', { body: c.reason }, set, context);
    return { task: endTask(task, 'declined', c.outcome, set, context, { answerId: message.id }), message };
  },
};

export const speechHandlers = { 'task.say': say, 'task.decline': decline };
