// The outcome of a `contact_agent` sub-task, for the one above (IAC-3, IAC-6, IAC-7). The caller of an `ask` waits in the
// call, and finds it by the contact's row. A delegating task resumes, once for each result, in the order they came.

import { closedSilently, delegationFailed, delegationResult, type EndState, failureReasons, isOpen, withheldResult } from '@parley/core';
import { factData, verdictData } from '../../../store/fact-data.ts';
import { type Want, wantBy, wantRow } from '../../../store/port.ts';
import type { ContactRow, ConversationRow, MessageRow, TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { homeOf } from './chains.ts';
import { audienceIn, withheldIn } from '../conversations/egress.ts';
import { moveTask, taskFact } from './transitions.ts';
import { append } from '../facts/append.ts';
import { liesBefore } from '../facts/conversation-access.ts';
import { goodbyeVerdicts } from '../messages/verdicts.ts';
import { placeMessage } from '../messages/post-message.ts';
import { setTimer } from '../facts/timers.ts';

/** Delegated by `contact_agent`: its row says how it stands with the caller. */
export const isContact = ({ addressed_by }: Pick<TaskRow, 'addressed_by'>): boolean =>
  addressed_by === 'agent_ask' || addressed_by === 'agent_delegation';

export const contactOf = (taskId: string, set: WorkingSet): ContactRow => set.get('contacts', taskId)!;

/** Woken by words in a channel whose author waits for it. */
const isWokenIn = (task: TaskRow, set: WorkingSet): boolean =>
  task.parent_id !== null && set.get('contacts', task.id)?.action === 'channel';

/** Rows that the end of such tasks needs, loaded at once. */
export const contactWants = (tasks: readonly TaskRow[]): Want[] => [
  ...tasks.filter(({ parent_id }) => parent_id !== null).map(({ id }) => wantRow('contacts', id)),
  ...tasks
    .filter(isContact)
    .flatMap(({ id, agent_id }) => [wantBy('timers', 'subject', 'contact.until', id), wantRow('members', agent_id!)]),
];

/** The task above, if it called this one. */
export const callerOf = (task: TaskRow, set: WorkingSet): TaskRow[] =>
  isContact(task) ? [set.get('tasks', task.parent_id!) ?? []].flat() : [];

type NewContact = Pick<ContactRow, 'task_id' | 'parent_id' | 'action' | 'state'> & Partial<ContactRow>;

export const addContact = (contact: NewContact, tx: Tx): void =>
  tx.insert('contacts', { priority: 'normal', until: null, result_id: null, at: tx.now, ...contact });

function setContact(contact: ContactRow, change: Partial<ContactRow>, tx: Tx): void {
  if (contact.until !== null) setTimer('contact.until', contact.task_id, 'running', null, tx);
  tx.update('contacts', contact, { ...change, until: null });
}

/** No task is left that could get the result. */
export function dropContact(task: TaskRow, tx: Tx): void {
  if (!isContact(task) && !isWokenIn(task, tx)) return;
  const contact = contactOf(task.id, tx);
  if (contact.state === 'given') return;
  setContact(contact, { state: 'late' }, tx);
  // The caller that waits learns of the sub-task, which may go on without a word.
  if (contact.state === 'pending' && contact.action === 'ask') waitEnded('contact.dropped', task, tx);
}

function waitEnded(type: 'contact.dropped' | 'contact.timed_out', task: TaskRow, tx: Tx): void {
  append(tx, { type, member_id: task.requester_id, subject_id: task.id, chain_id: task.chain_id });
}

/**
 * The caller has said its last word without the answer: that comes late, and is kept in the DM (IAC-3). A sub-task that waits
 * for a reply ends, as nobody is left to give it.
 */
export function outlivesParent(child: TaskRow, end: EndState, tx: Tx): boolean {
  if ((end !== 'completed' && end !== 'declined') || !isContact(child) || child.state === 'waiting') return false;
  if (contactOf(child.id, tx).action !== 'ask') return false;
  dropContact(child, tx);
  return true;
}

/** The caller has waited for the answer as long as anybody does; the task goes on. */
export function stopWaiting(taskId: string, tx: Tx): void {
  const contact = tx.get('contacts', taskId);
  if (contact?.state !== 'pending' || contact.action !== 'ask') return;
  const task = tx.get('tasks', taskId)!;
  tx.update('contacts', contact, { state: 'late', until: null });
  waitEnded('contact.timed_out', task, tx);
}

/** The result in the agent's words if it declined with a message, else in the platform's. */
function failureOf(child: TaskRow, set: WorkingSet): string {
  const answerText = child.answer_id === null ? null : (set.get('messages', child.answer_id)?.body ?? null);
  if (child.state === 'declined' && answerText !== null) return answerText;
  const [reason] = set.appended(child.id).flatMap((fact) => factData(fact, 'task.fail')?.reason ?? []);
  return reason ?? failureReasons[child.cause!];
}

/** The words between two agents need not be for everyone in the conversation where the work was asked for. */
function resultText(child: TaskRow, home: ConversationRow, set: WorkingSet): string {
  const name = set.get('members', child.agent_id!)!.handle;
  const text = ownText(name, child, set);
  const audience = () => audienceIn(home, set);
  const withheld = withheldIn(() => text, child.chain_id, audience, set);
  if (!withheld) return text;
  // A withheld failure is still reported as a failure (IAC-7).
  const wording = child.state === 'completed' ? delegationResult : delegationFailed;
  return wording(name, child.id, withheldResult(withheld.field));
}

function ownText(name: string, child: TaskRow, set: WorkingSet): string {
  if (child.state !== 'completed') return delegationFailed(name, child.id, failureOf(child, set));
  if (child.answer_id === null) return delegationResult(name, child.id, closedSilently);
  const answer = set.get('messages', child.answer_id)?.body ?? null;
  return answer === null ? delegationFailed(name, child.id, failureReasons.answered) : delegationResult(name, child.id, answer);
}

/** Posts it where the task was opened; it calls nobody, whatever it holds. */
export function postResult(task: TaskRow, resultId: string, body: string, tx: Tx): MessageRow {
  const conversation = tx.get('conversations', task.conversation_id)!;
  const home = homeOf(conversation.id, tx);
  const data = { task: task.id, result: resultId, ...verdictData(goodbyeVerdicts(task.agent_id!, { home }, tx)) };
  const message = placeMessage({ actor: { type: 'platform' }, conversation, home, body, chainId: task.chain_id, data }, tx);
  tx.insert('message_sources', { message_id: message.id, source: 'delegation_result' });
  return message;
}

export const waitsForOthers = ({ state }: TaskRow): boolean => state === 'awaiting_delegation' || state === 'awaiting_approval';

/** The child has ended. */
export function callBack(parent: TaskRow, child: TaskRow, tx: Tx): void {
  const contact = contactOf(child.id, tx);
  if (contact.state === 'late') return;
  if (contact.action === 'ask') return setContact(contact, { state: 'given' }, tx);
  const message = postResult(parent, child.id, resultText(child, homeOf(parent.conversation_id, tx), tx), tx);
  setContact(contact, { state: 'ended', result_id: message.id }, tx);
  if (waitsForOthers(parent)) moveTask(parent, 'resume', {}, tx, { of: child.id });
}

/**
 * The child asks its caller: in the call that still waits for it, or in another turn. `question`: null, it asked without
 * words.
 */
export function passQuestion(parent: TaskRow, child: TaskRow, question: string | null, tx: Tx): void {
  const contact = contactOf(child.id, tx);
  if (contact.state === 'late') return;
  if (contact.action === 'ask') return setContact(contact, { state: 'given', result_id: question }, tx);
  setContact(contact, { state: 'asked', result_id: question }, tx);
  if (waitsForOthers(parent)) moveTask(parent, 'resume', {}, tx, { of: child.id });
}

const inOrder = (messages: readonly MessageRow[]): MessageRow[] => messages.toSorted((a, b) => (liesBefore(a.seq, b.seq) ? -1 : 1));

/** The child has ended, or asks, in a conversation that its parent reads: the parent only needs another turn. */
export function recordForWaker(child: TaskRow, set: WorkingSet): void {
  if (isWokenIn(child, set)) set.update('contacts', contactOf(child.id, set), { state: isOpen(child.state) ? 'asked' : 'ended' });
}

export const undeliveredResults = (parentId: string, set: WorkingSet): ContactRow[] =>
  (['ended', 'asked'] as const)
    .flatMap((state) => set.find('contacts', 'parent', parentId, state))
    .filter(({ action }) => action !== 'ask');

export const untoldWants = (parentId: string): Want[] =>
  (['ended', 'asked'] as const).map((state) => wantBy('contacts', 'parent', parentId, state));

/** The turn begins, and its agent gets all of the results. */
function deliverToWaker(contacts: readonly ContactRow[], set: WorkingSet): void {
  set.each(contacts, (contact) => set.update('contacts', contact, { state: deliveredState(set.get('tasks', contact.task_id)!) }));
}

/** An open one gets another outcome in the end. */
const deliveredState = ({ state }: Pick<TaskRow, 'state'>): 'pending' | 'given' => (isOpen(state) ? 'pending' : 'given');

/** A negotiation posts its result only at its end. */
const endedNegotiation = ({ task_id }: ContactRow) => ({ id: task_id, state: 'completed' }) as const;

/** A turn of the parent begins: it gets the first of the undelivered results, and no more. */
export function deliverNext(parent: TaskRow, tx: Tx): void {
  const came = undeliveredResults(parent.id, tx);
  const { woken = [], waiting = [] } = Object.groupBy(came, ({ action }) => (action === 'channel' ? 'woken' : 'waiting'));
  deliverToWaker(woken, tx);
  if (waiting.length === 0) return;
  const messages = waiting.flatMap(({ result_id }) => result_id ?? []);
  tx.need([
    ...messages.flatMap((id) => [wantRow('messages', id), wantRow('task_words', id, parent.id)]),
    ...waiting.flatMap(({ task_id, action }) => (action === 'negotiation' ? [] : [wantRow('tasks', task_id)])),
  ]);
  const [first] = inOrder(messages.map((id) => tx.get('messages', id)!));
  // A sub-task that signals it is held up has no words anywhere: it comes before all that have.
  const contact = waiting.find(({ result_id }) => result_id === null) ?? waiting.find(({ result_id }) => result_id === first!.id)!;
  const message = contact.result_id;
  const child = contact.action === 'negotiation' ? endedNegotiation(contact) : tx.get('tasks', contact.task_id)!;
  tx.update('contacts', contact, { state: deliveredState(child) });
  if (message !== null && !tx.get('task_words', message, parent.id))
    tx.insert('task_words', { message_id: message, task_id: parent.id, kind: 'result' });
  taskFact('task.result', parent, tx, { child: child.id, state: child.state, ...(message === null ? {} : { message }) });
}
