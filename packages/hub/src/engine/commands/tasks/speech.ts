// The one way an agent's words come in (PAP-1, PAP-16): said in a task it holds, where the task lets it, under the
// lease it was given. Everything else is refused with its reason, is not shown, and is recorded.

import { isAnyones, isOpen, longestGoodbye, mayDelegate, type Utterance } from '@parley/core';
import type { DeclareObligation } from '@parley/protocol';
import { verdictData } from '../../../store/fact-data.ts';
import { type Want, wantBy } from '../../../store/port.ts';
import type { ConversationRow, MemberRow, MessageRow, TaskRow } from '../../../store/tables.ts';
import { type Handler, invalidField, type Tx } from '../../command.ts';
import { blockWants } from '../../steps/people/agent-blocks.ts';
import { answeredIn, approvalWants } from '../../steps/approvals/approvals.ts';
import { untoldWants } from '../../steps/tasks/callbacks.ts';
import { claim, passOn } from '../../steps/offers/claims.ts';
import { compositionWants, endComposition } from '../../steps/messages/growing-requests.ts';
import { delegate } from '../../steps/contact/delegation-by-address.ts';
import { audienceIn, mustMayLeave } from '../../steps/conversations/egress.ts';
import { endLoops, later, mustAddContent, repliesTo } from '../../steps/contact/loop-guard.ts';
import { letPart, letSpeak } from '../../steps/tasks/floor-check.ts';
import { askedBy } from '../../steps/obligations/addressee.ts';
import { interpretMessage } from '../../steps/attention/attend-message.ts';
import type { IncomingMessage, MessageReading } from '../../steps/conversations/incoming-message.ts';
import { isMoreSaid } from '../../steps/tasks/turn-knowledge.ts';
import { sayGoodbye } from '../../steps/attention/leave-requests.ts';
import { namedIn } from '../../steps/conversations/addressable-members.ts';
import { takersOf } from '../../steps/offers/offers.ts';
import { agentLock } from '../../steps/facts/append.ts';
import { oblige } from '../../steps/obligations/obligations.ts';
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
      /** Null: it named none. Where it was asked to leave, that is its goodbye; anywhere else it is refused. */
      taskId: string | null;
      lease: number | undefined;
      kind: Exclude<Utterance, 'decline' | 'draft' | 'goodbye'>;
      body: string;
      conversationId?: string | undefined;
      replyTo?: string | undefined;
      /** Of progress: whom it wakes is waited for, so that a last word while they are at it is none yet. */
      waits?: true;
      /** It is held up until whom it asks has answered. */
      obligation?: DeclareObligation | undefined;
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

/** It is held while it is decided whether it may speak in it. */
function holdChain(taskId: string | null, tx: Tx): void {
  const task = taskId === null ? undefined : tx.get('tasks', taskId);
  if (task) tx.lock(chainLock(task.chain_id));
}

interface Words {
  agent: MemberRow;
  task: TaskRow;
  conversation: ConversationRow;
  body: string;
  replyTo: MessageRow | undefined;
  /** Its last words in the task. */
  final: boolean;
  /** A question to its requester. */
  asks?: boolean;
}

/** Says it, having decided what it means for the others. */
function speak(
  { agent, task, conversation, body, replyTo, final, asks }: Words,
  kind: Exclude<Utterance, 'draft' | 'goodbye'>,
  tx: Tx,
): { message: MessageRow; heeding: MessageReading } {
  const home = homeOf(conversation.id, tx);
  mustMayLeave(body, task, () => audienceIn(home, tx), tx);
  const author = { id: agent.id, kind: 'agent' } as const;
  const heard: IncomingMessage = {
    conversation,
    home,
    author,
    body,
    attachments: 0,
    replyTo,
    speaking: { task, final: final || asks === true },
  };
  const heeding = interpretMessage(heard, tx, tx.now);
  const message = placeMessage(
    {
      id: tx.ids.next('message'),
      actor: asActor(agent),
      conversation,
      home,
      chainId: task.chain_id,
      data: { task: task.id, ...verdictData(verdictsOf(heard, heeding, tx)) },
      body,
      replyTo: replyTo?.id,
    },
    tx,
  );
  endComposition(task, tx);
  tx.insert('task_words', { message_id: message.id, task_id: task.id, kind });
  return { message, heeding };
}

/** What is looked at for nearly every word, at once: missed one by one, each is a round to the database. */
const speakingWants = (task: TaskRow | undefined, agentId: string): Want[] =>
  task === undefined
    ? []
    : [
        { table: 'conversations', values: [task.conversation_id] },
        wantBy('leaves', 'conversation', task.conversation_id),
        { table: 'memberships', values: [task.conversation_id, agentId] },
        ...(task.requester_id === null
          ? []
          : ([
              { table: 'memberships', values: [task.conversation_id, task.requester_id] },
              { table: 'members', values: [task.requester_id] },
            ] satisfies Want[])),
        wantBy('compositions', 'task', task.id),
        blockWants(agentId),
        ...compositionWants(task.conversation_id),
        wantBy('task_words', 'task', task.id),
        { table: 'messages', values: [task.message_id] },
        wantBy('contacts', 'parent', task.id, 'ended'),
        wantBy('contacts', 'parent', task.id, 'asked'),
        wantBy('tags', 'chain', task.chain_id),
        { table: 'chains', values: [task.chain_id] },
        wantBy('tasks', 'chain', task.chain_id, 1),
      ];

/** What is anyone's belongs to the first that claims or answers: to answer it is to claim it (PAP-4). */
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
    if (c.taskId === null) return { message: part(agent, c.conversationId, c.body, tx) };
    holdChain(c.taskId, tx);
    tx.need(speakingWants(tx.get('tasks', c.taskId), agent.id));
    const lease = claimBySpeaking(c.taskId, agent, tx) ?? c.lease;
    const { task, conversation } = letSpeak(agent, { ...c, lease }, tx, tx.now);
    const replyTo = c.replyTo === undefined ? undefined : tx.get('messages', c.replyTo);
    if (c.replyTo !== undefined && replyTo?.conversation_id !== conversation.id)
      throw invalidField('replyTo', 'is not a message of this conversation');
    const replied = repliesTo(c.kind, c.body, task, conversation, tx);
    const mayBeShown = c.kind === 'progress' && !c.obligation && replied.length === 0;
    const shown = mayBeShown ? shownBefore(task, conversation.id, c.body, tx) : undefined;
    if (shown) {
      if (c.waits) waitForWoken(task.id, shown.id, tx);
      return { message: shown };
    }
    mustAddContent(c.kind, agent, c.body, replied, tx);
    const more = c.kind === 'answer' && (isMoreSaid(task, tx) || answeredIn(task, tx));
    // Its pending results would come to nobody: it is not over yet.
    const held = c.kind === 'answer' && !more ? waitsFor(task, tx) : undefined;
    const final = c.kind === 'answer';
    const asks = c.kind === 'question';
    const words = { agent, task, conversation, body: c.body, replyTo, final, asks };
    const { message, heeding } = speak(words, more || held ? 'progress' : c.kind, tx);
    delegate({ agent, task, conversation, message, final, asks, wakesEach: c.waits === true }, heeding, tx);
    if (c.waits) waitForWoken(task.id, message.id, tx);
    if (c.obligation) {
      // The reminded member reads it, as the words are.
      mustMayLeave(c.obligation.defaultAction, task, () => audienceIn(homeOf(conversation.id, tx), tx), tx);
      const recipientId = askedBy(c.kind, task, message, tx);
      mayOblige(task, recipientId, tx);
      oblige({ declared: c.obligation, authorId: agent.id, recipientId, message, taskId: task.id }, tx);
    }
    // What has ended with an answer cannot go round any further.
    if (c.kind !== 'answer' && endLoops(message, task, replied, tx)) return { message };
    const now = tx.get('tasks', task.id)!;
    if (more) answerMore(now, tx);
    else if (held) hold(now, held, tx);
    else if (c.kind === 'answer') endTask(now, { state: 'completed', cause: 'answered', answerId: message.id }, tx);
    else if (c.kind === 'question') ask(now, message, tx);
    else tx.update('tasks', now, { updated_at: tx.now });
    return { message };
  },
};

/**
 * The same progress in the same task is shown once (C2A-20). Words that delegate ask again once the sub-task that they made is
 * over: then they are new, and the loop guard counts them.
 */
function shownBefore(task: TaskRow, conversationId: string, body: string, set: WorkingSet): MessageRow | undefined {
  const words = set.find('task_words', 'task', task.id).filter(({ kind }) => kind === 'progress');
  set.need(words.map(({ message_id }) => ({ table: 'messages', values: [message_id] })));
  const same = words
    .flatMap(({ message_id }) => set.get('messages', message_id) ?? [])
    .filter((message) => message.conversation_id === conversationId && message.body === body && message.deleted_at === null)
    .toSorted(later);
  const last = same.at(-1);
  if (!last || !/[\^@]/.test(body)) return last;
  const made = [1, 0].flatMap((open) => set.find('tasks', 'parent', task.id, open)).filter(({ message_id }) => message_id === last.id);
  if (made.length > 0) return made.some(({ state }) => isOpen(state)) ? last : undefined;
  // It was refused: whom it calls was perhaps asleep, and is not any more.
  return same.length < mostTries && callsAgent(task, conversationId, body, set) ? undefined : last;
}

/** So often are words shown that call an agent and get none. */
const mostTries = 3;

function callsAgent(task: TaskRow, conversationId: string, body: string, set: WorkingSet): boolean {
  const { present, roles } = namedIn(body, homeOf(conversationId, set), set);
  return roles.size > 0 || [...present.values()].some(({ id, kind }) => kind === 'agent' && id !== task.agent_id);
}

/** A reminder is a turn of another agent: only one that could be given work can be made to owe an answer, or who gave this. */
function mayOblige(task: TaskRow, recipientId: string, tx: Tx): void {
  if (recipientId === task.requester_id || tx.get('members', recipientId)?.kind !== 'agent') return;
  // Delegated by these very words, or before: it is counted already.
  if (tx.find('tasks', 'parent', task.id, 1).some(({ agent_id }) => agent_id === recipientId)) return;
  const { tasks } = tx.get('chains', task.chain_id)!;
  const allowed = mayDelegate({ depth: task.depth, path: pathOf(task) }, recipientId, tasks, tx.limits);
  if (!allowed.ok) throw invalidField('obligation', 'names an agent that this task may not ask');
}

/** One brief word on leaving, and no second. */
function part(agent: MemberRow, conversationId: string | undefined, body: string, tx: Tx): MessageRow {
  const conversation = letPart(agent, conversationId, tx, tx.now);
  if (body.length > longestGoodbye) throw invalidField('body', `a goodbye has at most ${longestGoodbye} characters`);
  return sayGoodbye(agent, conversation, tx.get('leaves', conversation.id, agent.id)!, body, tx);
}

/** A requester who said more is answered too: the answer so far is on the way, and another turn gets all of it. */
function answerMore(task: TaskRow, tx: Tx): void {
  endTurns(task.id, tx);
  moveTask(task, 'yield', {}, tx, { why: 'more_said' });
  settleChain(task.chain_id, tx);
}

function ask(task: TaskRow, message: MessageRow, tx: Tx): void {
  endTurns(task.id, tx);
  askRequester(task, message.conversation_id, tx, { message: message.id });
}

const decline: Handler<'task.decline'> = {
  needs: (c) => taskWants(c.taskId),
  decide: (c, tx) => {
    const agent = agentActing(c.by, c.agentId, tx);
    holdChain(c.taskId, tx);
    const { task, conversation } = letSpeak(agent, { kind: 'decline', taskId: c.taskId, lease: c.lease }, tx, tx.now);
    const words = { agent, task, conversation, body: c.reason, replyTo: undefined, final: true };
    const { message, heeding } = speak(words, 'decline', tx);
    delegate({ agent, task, conversation, message, final: true }, heeding, tx);
    const now = tx.get('tasks', task.id)!;
    // What anyone could take is the next one's to take.
    const next = passOn(now, tx) ?? endTask(now, { state: 'declined', cause: c.outcome, answerId: message.id }, tx);
    return { task: next, message };
  },
};

export const speechHandlers = { 'task.say': say, 'task.decline': decline };
