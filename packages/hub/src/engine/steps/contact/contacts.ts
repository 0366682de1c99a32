// One agent contacts another (IAC-3, IAC-6, IAC-9, IAC-10): the pair's DM, the request in it, and the task that opens or continues.

import {
  askSeconds,
  type ParsedContactCall,
  type VerdictFields,
  exceptions,
  requestText,
  packVerdict,
  type MessageVerdicts,
} from '@parley/core';
import { verdictData } from '../../../store/fact-data.ts';
import type { ConversationRow, MemberRow, MessageRow, TaskRow } from '../../../store/tables.ts';
import type { Context, Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { wakeUp } from '../agents/agents.ts';
import { auditedFact, putAuditAt } from '../facts/audit-entries.ts';
import { addContact, contactOf, isContact } from '../tasks/callbacks.ts';
import { dmKey, newDm } from '../membership/conversations.ts';
import { endLoops } from './loop-guard.ts';
import { continueTask } from '../tasks/follow-ups.ts';
import { placeMessage } from '../messages/post-message.ts';
import { openTask, settleChain } from '../tasks/tasks.ts';
import { runningTime, setTimer } from '../facts/timers.ts';
import { asActor } from '../tasks/task-access.ts';

export interface ContactSubmission {
  caller: MemberRow;
  target: MemberRow;
  /** The caller's. */
  task: TaskRow;
  call: ParsedContactCall;
  /** The person who approved the contact. */
  approverId?: string | null;
}

export const dmLock = (ids: string[]): string => `dm:${dmKey(ids)}`;

/** Either agent's first contact creates it. */
function pairDm({ caller, target }: ContactSubmission, tx: Tx): ConversationRow {
  const ids = [caller.id, target.id];
  tx.lock(dmLock(ids));
  const [existing] = tx.find('conversations', 'dm', dmKey(ids));
  return existing ?? newDm(ids, asActor(caller), tx);
}

const reasonOf = { ask: 'agent_ask', delegate: 'agent_delegation', notify: 'notification' } as const;

/** The target gets work or only a stored message; nobody else is in the DM. */
function contactVerdicts({ caller, target, call }: ContactSubmission, dm: ConversationRow, context: Context): MessageVerdicts {
  const others: VerdictFields = { policy: 'must_not_respond', mode: 'tool_mailbox', reason: 'addressed_to_others', task: false };
  const own: VerdictFields = { ...others, mode: 'silent', reason: 'own_message' };
  const notifies = call.action === 'notify';
  const verdict: VerdictFields = notifies
    ? { ...others, reason: 'notification' }
    : { policy: 'must_respond', mode: 'buffered', reason: reasonOf[call.action], task: true };
  return {
    rules: context.rules,
    floor: dm.floor,
    words: {},
    ...(notifies ? { notification: true } : {}),
    to: { members: [target.id] },
    others: packVerdict(others),
    ...exceptions(others, [
      [caller.id, own],
      [target.id, verdict],
    ]),
  };
}

function postRequest(contacting: ContactSubmission, dm: ConversationRow, taskId: string | undefined, tx: Tx): MessageRow {
  const { caller, task, call } = contacting;
  const body = requestText(call.action, caller.handle, { ...call, taskId });
  const verdicts = verdictData(contactVerdicts(contacting, dm, tx));
  const data = { contact: call.action, ...(taskId === undefined ? {} : { task: taskId }), ...verdicts, ...auditedFact };
  const words = { actor: asActor(caller), conversation: dm, home: dm, body, chainId: task.chain_id, data };
  const message = placeMessage(words, tx);
  tx.insert('message_sources', { message_id: message.id, source: 'agent_contact' });
  audit(contacting, message, tx);
  return message;
}

/** The words are in the DM, where reading them is recorded; the log only says that there are some. */
function audit({ caller, target, task, call, approverId = null }: ContactSubmission, message: MessageRow, tx: Tx): void {
  const who = { id: message.id, kind: 'contact', actorId: caller.id, targetId: target.id, approverId } as const;
  const forId = tx.get('chains', task.chain_id)!.requester_id;
  const input = { action: call.action, ...(call.action === 'delegate' ? { priority: call.priority } : {}) };
  const what = { name: call.action, subjectId: task.id, conversationId: message.conversation_id, chainId: task.chain_id, input };
  putAuditAt({ ...who, ...what, forId, outcome: 'done' }, message.seq, tx);
}

export const notifyAgent = (contacting: ContactSubmission, tx: Tx): MessageRow =>
  postRequest(contacting, pairDm(contacting, tx), undefined, tx);

/** The sub-task of this agent that has asked back: the next message to the agent is the answer. */
export function askingBack({ task, target }: Pick<ContactSubmission, 'task' | 'target'>, set: WorkingSet): TaskRow | undefined {
  return set
    .find('tasks', 'parent', task.id, 1)
    .find(
      (child) =>
        child.agent_id === target.id && isContact(child) && child.state === 'waiting' && contactOf(child.id, set).state !== 'asked',
    );
}

export function giveWork(contacting: ContactSubmission, tx: Tx): TaskRow {
  const { caller, target, task, call } = contacting;
  const dm = pairDm(contacting, tx);
  const asking = askingBack(contacting, tx);
  const taskId = asking?.id ?? tx.ids.next('task');
  const message = postRequest(contacting, dm, taskId, tx);
  const until = call.action === 'ask' ? runningTime(tx) + askSeconds * 1000 : null;
  const contact = { action: call.action, priority: call.priority, state: 'pending', until, result_id: null, at: tx.now } as const;
  // The contact is stored before the task begins, so that the task is read as a contact from the start.
  if (asking) tx.update('contacts', contactOf(asking.id, tx), contact);
  else addContact({ task_id: taskId, parent_id: task.id, ...contact }, tx);
  setTimer('contact.until', taskId, 'running', until, tx, asking === undefined);
  if (asking) continueTask(asking, { id: message.id, authorId: caller.id, enters: 'at_once' }, tx);
  else open(contacting, dm, taskId, message, tx);
  // Somebody waits in the call: that is worth being woken for.
  if (call.action === 'ask') wakeUp([target.id], tx);
  settleChain(task.chain_id, tx);
  endLoops(message, task, asking ? [tx.get('tasks', asking.id)!] : [], tx);
  return tx.get('tasks', taskId)!;
}

function open({ caller, target, task, call }: ContactSubmission, dm: ConversationRow, id: string, message: MessageRow, tx: Tx): void {
  const request = { agentId: target.id, requesterId: caller.id, conversation: dm, home: dm, messageId: message.id };
  const addressedBy = call.action === 'ask' ? 'agent_ask' : 'agent_delegation';
  const within = { chainId: task.chain_id, parent: tx.get('tasks', task.id) };
  openTask({ id, ...request, addressedBy, mode: 'buffered', within, here: true }, tx);
}
