// The only way for an agent to speak (PAP-1, PAP-16): in a task that it holds, where the task lets it, under its current
// lease. Other words are refused with a reason, recorded, and not shown.

import { isAnyones, isOpen, longestGoodbye, mayDelegate, type Utterance } from '@parley/core';
import type { DeclareObligation } from '@parley/protocol';
import { verdictData } from '../../../store/fact-data.ts';
import { type Want, wantBy, wantRow } from '../../../store/port.ts';
import type { ConversationRow, MemberRow, MessageRow, TaskRow } from '../../../store/tables.ts';
import { type Handler, invalidField, type Tx } from '../../command.ts';
import { blockWants } from '../../steps/people/contact-rules.ts';
import { answeredIn, approvalWants } from '../../steps/approvals/approvals.ts';
import { untoldWants } from '../../steps/tasks/callbacks.ts';
import { claim, passOn } from '../../steps/offers/claims.ts';
import { compositionWants, endComposition } from '../../steps/messages/composing-windows.ts';
import { delegate } from '../../steps/contact/delegation-by-address.ts';
import { audienceIn, mustMayLeave } from '../../steps/conversations/egress.ts';
import { endLoops, later, mustAddContent, repliesTo } from '../../steps/contact/loop-guard.ts';
import { letSayGoodbye, letSpeak } from '../../steps/tasks/floor-check.ts';
import { askedBy, oblige } from '../../steps/obligations/obligations.ts';
import { interpretMessage } from '../../steps/attention/attend-message.ts';
import type { IncomingMessage, MessageReading } from '../../steps/conversations/incoming-message.ts';
import { isMoreSaid } from '../../steps/tasks/turn-knowledge.ts';
import { sayGoodbye } from '../../steps/attention/leave-requests.ts';
import { namedIn } from '../../steps/conversations/addressable-members.ts';
import { takersOf } from '../../steps/offers/offers.ts';
import { agentLock } from '../../steps/facts/append.ts';
import { verdictsOf } from '../../steps/messages/verdicts.ts';
import { placeMessage } from '../../steps/messages/post-message.ts';
import { hold, waitForWoken, waitsFor } from '../../steps/tasks/pending-work.ts';
import { askRequester, chainLock, endTask, homeOf, moveTask, settleChain } from '../../steps/tasks/tasks.ts';
import { endTurns } from '../../steps/budget/turn-budget.ts';
import { agentActing, asActor, isHalted, pathOf, taskWants } from '../../steps/tasks/task-access.ts';
import type { WorkingSet } from '../../working-set.ts';
import { beginWants, chainWants, start } from './tasks.ts';

export interface SpeechCommands {
  'task.say': [
    {
      /** Null: words outside of any task. They are the goodbye of an agent that was asked to leave, and refused otherwise. */
      taskId: string | null;
      lease: number | undefined;
      kind: Exclude<Utterance, 'decline' | 'draft' | 'goodbye'>;
      body: string;
      conversationId?: string | undefined;
      replyTo?: string | undefined;
      /** For progress: the task cannot be completed before the agents that these words wake are done. */
      waits?: true;
      /** The words ask a member who owes an answer from now on. */
      obligation?: DeclareObligation | undefined;
      agentId?: string;
    },
    { message: MessageRow },
  ];
  /** The agent cannot or will not do the task, and says why (PAP-14). */
  'task.decline': [
    { taskId: string; lease: number | undefined; outcome: 'declined' | 'blocked'; reason: string; agentId?: string },
    { task: TaskRow; message: MessageRow },
  ];
}

/** No other command moves the chain's tasks while this one decides whether the agent may speak. */
function lockChain(taskId: string | null, tx: Tx): void {
  const task = taskId === null ? undefined : tx.get('tasks', taskId);
  if (task) tx.lock(chainLock(task.chain_id));
}

interface Words {
  agent: MemberRow;
  task: TaskRow;
  conversation: ConversationRow;
  body: string;
  replyTo: MessageRow | undefined;
  /** The agent's last words in the task. */
  final: boolean;
  /** The words ask the requester. */
  asks?: boolean;
}

/** Stores the message with the verdicts for the other agents. Waking them is the caller's part. */
function speak(
  { agent, task, conversation, body, replyTo, final, asks }: Words,
  kind: Exclude<Utterance, 'draft' | 'goodbye'>,
  tx: Tx,
): { message: MessageRow; reading: MessageReading } {
  const home = homeOf(conversation.id, tx);
  mustMayLeave(body, task, () => audienceIn(home, tx), tx);
  const author = { id: agent.id, kind: 'agent' } as const;
  const incoming: IncomingMessage = {
    conversation,
    home,
    author,
    body,
    attachments: 0,
    replyTo,
    speaking: { task, final: final || asks === true },
  };
  const reading = interpretMessage(incoming, tx, tx.now);
  const message = placeMessage(
    {
      id: tx.ids.next('message'),
      actor: asActor(agent),
      conversation,
      home,
      chainId: task.chain_id,
      data: { task: task.id, ...verdictData(verdictsOf(incoming, reading, tx)) },
      body,
      replyTo: replyTo?.id,
    },
    tx,
  );
  endComposition(task, tx);
  tx.insert('task_words', { message_id: message.id, task_id: task.id, kind });
  return { message, reading };
}

/** The rows that nearly all words need, loaded at once: each would cost a round to the database on its own. */
const speakingWants = (task: TaskRow | undefined, agentId: string): Want[] =>
  task === undefined
    ? []
    : [
        wantRow('conversations', task.conversation_id),
        wantBy('leaves', 'conversation', task.conversation_id),
        wantRow('memberships', task.conversation_id, agentId),
        ...(task.requester_id === null
          ? []
          : [wantRow('memberships', task.conversation_id, task.requester_id), wantRow('members', task.requester_id)]),
        wantBy('compositions', 'task', task.id),
        blockWants(agentId),
        ...compositionWants(task.conversation_id),
        wantBy('task_words', 'task', task.id),
        wantRow('messages', task.message_id),
        wantBy('contacts', 'parent', task.id, 'ended'),
        wantBy('contacts', 'parent', task.id, 'asked'),
        wantBy('tags', 'chain', task.chain_id),
        wantRow('chains', task.chain_id),
        wantBy('tasks', 'chain', task.chain_id, 1),
      ];

/** An agent that answers a task offered to several claims it by that (PAP-4). Returns the lease of the claimed turn. */
function claimBySpeaking(taskId: string, agent: MemberRow, tx: Tx): number | undefined {
  const task = tx.get('tasks', taskId);
  if (task?.agent_id !== null || !isAnyones(task.addressed_by) || !isOpen(task.state)) return undefined;
  tx.lock(agentLock(agent.id));
  tx.need([...untoldWants(taskId), ...beginWants(taskId, agent.id), ...chainWants(task)]);
  const takers = takersOf([task], tx, tx.now, { among: [agent.id], claiming: true, lock: tx.lock });
  if (isHalted(tx) || !takers.get(task.id)!.includes(agent.id)) return undefined;
  return start(claim(task, agent.id, tx), agent, { claimed: true }, tx).turn?.lease;
}

const say: Handler<'task.say'> = {
  needs: (c) => [
    ...(c.taskId === null ? [] : [...taskWants(c.taskId), ...approvalWants(c.taskId)]),
    ...(c.taskId === null ? [] : [wantBy('contacts', 'parent', c.taskId, 'pending')]),
  ],
  decide: (c, tx) => {
    const agent = agentActing(c.by, c.agentId, tx);
    if (c.taskId === null) return { message: goodbye(agent, c.conversationId, c.body, tx) };
    lockChain(c.taskId, tx);
    tx.need(speakingWants(tx.get('tasks', c.taskId), agent.id));
    const lease = claimBySpeaking(c.taskId, agent, tx) ?? c.lease;
    const { task, conversation } = letSpeak(agent, { ...c, lease }, tx, tx.now);
    const replyTo = c.replyTo === undefined ? undefined : tx.get('messages', c.replyTo);
    if (c.replyTo !== undefined && replyTo?.conversation_id !== conversation.id)
      throw invalidField('replyTo', 'is not a message of this conversation');
    const repliedTo = repliesTo(c.kind, c.body, task, conversation, tx);
    const mayBeShown = c.kind === 'progress' && !c.obligation && repliedTo.length === 0;
    const shownText = mayBeShown ? shownBefore(task, conversation.id, c.body, tx) : undefined;
    if (shownText) {
      if (c.waits) waitForWoken(task.id, shownText.id, tx);
      return { message: shownText };
    }
    mustAddContent(c.kind, agent, c.body, repliedTo, tx);
    const final = c.kind === 'answer';
    const hasFollowUp = final && (isMoreSaid(task, tx) || answeredIn(task, tx));
    // With results still to come, the task stays open: a completed task would get none of them.
    const pending = final && !hasFollowUp ? waitsFor(task, tx) : undefined;
    const asks = c.kind === 'question';
    const words = { agent, task, conversation, body: c.body, replyTo, final, asks };
    const { message, reading } = speak(words, hasFollowUp || pending ? 'progress' : c.kind, tx);
    delegate({ agent, task, conversation, message, final, asks, wakesEach: c.waits === true }, reading, tx);
    if (c.waits) waitForWoken(task.id, message.id, tx);
    if (c.obligation) {
      // The reminded member reads the default action like a message.
      mustMayLeave(c.obligation.defaultAction, task, () => audienceIn(homeOf(conversation.id, tx), tx), tx);
      const recipientId = askedBy(c.kind, task, message, tx);
      mayOblige(task, recipientId, tx);
      oblige({ declared: c.obligation, authorId: agent.id, recipientId, message, taskId: task.id }, tx);
    }
    // An answered task has ended, and with it any loop.
    if (!final && endLoops(message, task, repliedTo, tx)) return { message };
    const current = tx.get('tasks', task.id)!;
    if (hasFollowUp) continueWithFollowUp(current, tx);
    else if (pending) hold(current, pending, tx);
    else if (final) endTask(current, { state: 'completed', cause: 'answered', answerId: message.id }, tx);
    else if (asks) waitForRequester(current, message, tx);
    else tx.update('tasks', current, { updated_at: tx.now });
    return { message };
  },
};

/**
 * The earlier message, when the same progress was already shown in the task (C2A-20). Words that delegate count as new once
 * the sub-task that they made has ended: then they ask again, and the loop guard counts them.
 */
function shownBefore(task: TaskRow, conversationId: string, body: string, set: WorkingSet): MessageRow | undefined {
  const words = set.find('task_words', 'task', task.id).filter(({ kind }) => kind === 'progress');
  set.need(words.map(({ message_id }) => wantRow('messages', message_id)));
  const same = words
    .flatMap(({ message_id }) => set.get('messages', message_id) ?? [])
    .filter((message) => message.conversation_id === conversationId && message.body === body && message.deleted_at === null)
    .toSorted(later);
  const last = same.at(-1);
  if (!last || !/[\^@]/.test(body)) return last;
  const subTasks = [1, 0].flatMap((open) => set.find('tasks', 'parent', task.id, open)).filter(({ message_id }) => message_id === last.id);
  if (subTasks.length > 0) return subTasks.some(({ state }) => isOpen(state)) ? last : undefined;
  // Nobody took the work. The agent that the words call may have been asleep, and awake by now.
  return same.length < mostShown && callsAgent(task, conversationId, body, set) ? undefined : last;
}

/** How often the same words are shown when they call an agent and get none. */
const mostShown = 3;

function callsAgent(task: TaskRow, conversationId: string, body: string, set: WorkingSet): boolean {
  const { present, roles } = namedIn(body, homeOf(conversationId, set), set);
  return roles.size > 0 || [...present.values()].some(({ id, kind }) => kind === 'agent' && id !== task.agent_id);
}

/** A reminder costs an agent a turn. So an agent can owe an answer only when the task could delegate to it, or came from it. */
function mayOblige(task: TaskRow, recipientId: string, tx: Tx): void {
  if (recipientId === task.requester_id || tx.get('members', recipientId)?.kind !== 'agent') return;
  // The task has delegated to this agent already, perhaps by these very words.
  if (tx.find('tasks', 'parent', task.id, 1).some(({ agent_id }) => agent_id === recipientId)) return;
  const { tasks } = tx.get('chains', task.chain_id)!;
  const allowed = mayDelegate({ depth: task.depth, path: pathOf(task) }, recipientId, tasks, tx.limits);
  if (!allowed.ok) throw invalidField('obligation', 'names an agent that this task may not ask');
}

/** Posts the one brief goodbye of an agent that was asked to leave. */
function goodbye(agent: MemberRow, conversationId: string | undefined, body: string, tx: Tx): MessageRow {
  const conversation = letSayGoodbye(agent, conversationId, tx, tx.now);
  if (body.length > longestGoodbye) throw invalidField('body', `a goodbye has at most ${longestGoodbye} characters`);
  return sayGoodbye(agent, conversation, tx.get('leaves', conversation.id, agent.id)!, body, tx);
}

/** The requester said more meanwhile: the answer is shown as progress, and another turn reads all of it. */
function continueWithFollowUp(task: TaskRow, tx: Tx): void {
  endTurns(task.id, tx);
  moveTask(task, 'yield', {}, tx, { why: 'more_said' });
  settleChain(task.chain_id, tx);
}

function waitForRequester(task: TaskRow, message: MessageRow, tx: Tx): void {
  endTurns(task.id, tx);
  askRequester(task, message.conversation_id, tx, { message: message.id });
}

const decline: Handler<'task.decline'> = {
  needs: (c) => taskWants(c.taskId),
  decide: (c, tx) => {
    const agent = agentActing(c.by, c.agentId, tx);
    lockChain(c.taskId, tx);
    const { task, conversation } = letSpeak(agent, { kind: 'decline', taskId: c.taskId, lease: c.lease }, tx, tx.now);
    const words = { agent, task, conversation, body: c.reason, replyTo: undefined, final: true };
    const { message, reading } = speak(words, 'decline', tx);
    delegate({ agent, task, conversation, message, final: true }, reading, tx);
    const current = tx.get('tasks', task.id)!;
    // A task that several could take passes to the next agent.
    const next = passOn(current, tx) ?? endTask(current, { state: 'declined', cause: c.outcome, answerId: message.id }, tx);
    return { task: next, message };
  },
};

export const speechHandlers = { 'task.say': say, 'task.decline': decline };
