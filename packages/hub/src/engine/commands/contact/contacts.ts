// `contact_agent` (IAC-1 … IAC-15). Problems and prohibitions are the text of its result: only a caller that no longer
// holds the task is refused. First whether there is anything to do, then whether it may, then the other's status, and last
// whether a person approves.

import {
  isFiller,
  agentStatus,
  type ParsedContactCall,
  contactResults,
  type ContactVerdict,
  isGrantedContact,
  mayContact,
  mayDelegate,
  mayStart,
  reachOf,
  readContact,
} from '@parley/core';
import { type ContactOutcome, MemberId, ParleyError } from '@parley/protocol';
import { wantBy, wantRow } from '../../../store/port.ts';
import type { MemberRow, MessageRow, TaskRow } from '../../../store/tables.ts';
import { agentIdOf, type CommandOf, type Handler, type Tx } from '../../command.ts';
import { approvalFor, approverFor, usedApproval } from '../../steps/approvals/approvals.ts';
import { approverIn } from '../../steps/facts/audit-entries.ts';
import { contactRulesOf, blockedWants, isBlocked } from '../../steps/people/contact-rules.ts';
import { askingBack, type ContactSubmission, dmLock, giveWork, notifyAgent } from '../../steps/contact/contacts.ts';
import { dmKey } from '../../steps/membership/conversations.ts';
import { sleepsTooLong } from '../../steps/contact/delegation-by-address.ts';
import { audienceOf, holdsPrivate, saidBefore, withheldIn, withOverseers } from '../../steps/conversations/egress.ts';
import { aboutTask, agentLock, append } from '../../steps/facts/append.ts';
import { isTainted } from '../../steps/tasks/transitions.ts';
import { guardWants, isEnded } from '../../steps/contact/loop-guard.ts';
import { agentOf, homeOf, isAsleep, isHere } from '../../steps/tasks/tasks.ts';
import { heldTask, isHalted, pathOf, taskWants } from '../../steps/tasks/task-access.ts';
import type { WorkingSet } from '../../working-set.ts';
import { compositionWants } from '../../steps/messages/composing-windows.ts';

export interface ContactCommands {
  'contact.start': [
    {
      taskId: string;
      lease: number;
      agentId?: string;
      action: string;
      targetId: string;
      message: string;
      context?: string | undefined;
      priority?: string | undefined;
    },
    /** The sub-task, the notification, or what the caller reads instead. */
    { task?: TaskRow; message?: MessageRow; result?: ContactOutcome },
  ];
}

type Start = CommandOf<'contact.start'>;
/** A text that is no id is nobody's, and is not looked for: not every database takes any text. */
const targetOf = (c: Start): string[] => (MemberId.safeParse(c.targetId).success ? [c.targetId] : []);

const start: Handler<'contact.start'> = {
  locks: (c) =>
    targetOf(c).flatMap((targetId) => [agentLock(targetId), ...(agentIdOf(c) === undefined ? [] : [dmLock([agentIdOf(c)!, targetId])])]),
  needs: (c) => {
    const callerIds = [agentIdOf(c) ?? []].flat();
    const targetIds = targetOf(c);
    const pairs = callerIds.flatMap((callerId) => targetIds.map((targetId) => [callerId, targetId]));
    return [
      ...taskWants(c.taskId),
      ...[...callerIds, ...targetIds].flatMap((id) => [wantRow('members', id), wantRow('agents', id)]),
      ...targetIds.map(blockedWants),
      ...pairs.flatMap((pair) => [wantRow('approved_pairs', ...pair), wantBy('conversations', 'dm', dmKey(pair))]),
      wantBy('taints', 'task', c.taskId),
      ...(c.action === 'notify' ? [1] : [1, 0]).map((open) => wantBy('tasks', 'parent', c.taskId, open)),
      ...callerIds.flatMap((id) => [wantBy('contact_rules', 'agent', id), wantRow('identities', id)]),
    ];
  },
  decide: (c, tx) => {
    const task = heldTask(c, tx);
    if (task.state !== 'active') throw new ParleyError('task_not_active');
    if (isHalted(tx)) throw new ParleyError('halted');
    const call = readContact(c);
    const [targetId] = targetOf(c);
    const target = targetId === undefined ? undefined : tx.get('members', targetId);
    const refused = (reason: string, text: string, status: ContactOutcome['status'] = 'refused') => {
      record(reason, target, task, tx);
      return { result: { text, status } };
    };
    if ('error' in call) return refused('bad_call', call.error);
    if (target?.kind !== 'agent' || target.status !== 'active') return refused('unknown', contactResults.unknown(c.targetId));
    if (target.id === task.agent_id) return refused('self', contactResults.self());
    const contacting: ContactSubmission = { caller: tx.get('members', task.agent_id!)!, target, task, call };
    // The rows that every outcome of the call needs: one by one each would be a round of its own.
    tx.need([
      wantRow('chains', task.chain_id),
      wantBy('tags', 'chain', task.chain_id),
      ...(call.action === 'notify' ? [] : [wantBy('tasks', 'chain', task.chain_id, 1)]),
      ...(call.action === 'notify' ? [] : guardWants(task.chain_id)),
      ...tx.find('conversations', 'dm', dmKey([contacting.caller.id, target.id])).flatMap(({ id }) => compositionWants(id)),
    ]);
    // An acknowledgement is no request (C2A-18), unless the other has asked and waits for it.
    if (call.action !== 'notify' && call.context === undefined && isFiller(call.message) && !askingBack(contacting, tx))
      return refused('filler', contactResults.nothingToAnswer(target.handle));
    const bounds = outOfBounds(contacting, tx);
    if (bounds !== undefined) return refused('bounds', bounds);
    if (call.action !== 'notify' && isEnded(task.chain_id, [task.agent_id, target.id], tx))
      return refused('no_progress', contactResults.ended(target.handle));
    if (isBlocked(target.id, [contacting.caller.id, tx.get('chains', task.chain_id)!.requester_id], tx))
      return refused('blocked', contactResults.forbidden(target.handle));
    const verdict = verdictOn(contacting, tx);
    if (!verdict.allowed) return refused(verdict.reason, contactResults.forbidden(target.handle));
    const unshared = notShared(contacting, verdict, tx);
    if (unshared !== undefined) return refused('not_shared', unshared);
    // Before anybody is asked, and before an approval is used up by a call that is not made then.
    const away = outOfReach(contacting, tx);
    if (away !== undefined) return refused('away', away);
    const yes = verdict.approval === null ? 'granted' : askForApproval(contacting, verdict.approval, tx);
    if (yes === 'pending') return refused('needs_approval', contactResults.waiting(), 'awaiting_approval');
    if (yes === 'denied') return refused('no', contactResults.denied(target.handle), 'denied');
    const approved = { ...contacting, approverId: approverOf(contacting, verdict, tx) };
    return call.action === 'notify' ? { message: notifyAgent(approved, tx) } : { task: giveWork(approved, tx) };
  },
};

/** The person's own values in it (SYS-6): for the other agent, and for the approver, who reads them. */
function notShared({ caller, target, task, call }: ContactSubmission, { approval }: ContactVerdict, set: WorkingSet): string | undefined {
  const approver = approval === null ? undefined : set.get('members', approverFor(caller.id, set) ?? '');
  for (const { id, handle } of approver ? [target, approver] : [target]) {
    const hearers = id === target.id ? [caller.id, id] : [id];
    const earlierTexts = () => saidBefore(task.id, set, call.message);
    const withheld = withheldIn(
      () => `${call.message}\n${call.context ?? ''}`,
      task.chain_id,
      () => audienceOf(hearers, set),
      set,
      { said: earlierTexts },
    );
    if (withheld) return contactResults.notShared(handle, withheld.field);
  }
  return undefined;
}

/** The chain's bounds (SYS-2). Going on with a sub-task that asked starts nothing. */
function outOfBounds({ task, target, call }: ContactSubmission, tx: Tx): string | undefined {
  if (call.action !== 'notify' && askingBack({ task, target }, tx)) return undefined;
  const link = { depth: task.depth, path: pathOf(task) };
  const { tasks } = tx.get('chains', task.chain_id)!;
  const start = mayStart(call.action, link, target.id, tasks, tx.limits);
  if (start.ok) return undefined;
  if (start.reason === 'circular') return contactResults.circular(target.handle);
  if (start.reason === 'chain_full') return contactResults.chainFull(tx.limits.maxTasks);
  return contactResults.tooDeep(tx.limits.maxDepth, mayDelegate(link, target.id, tasks, tx.limits).ok);
}

function verdictOn({ caller, target, task }: ContactSubmission, set: WorkingSet): ContactVerdict {
  return mayContact({
    caller: { id: caller.id, managerId: caller.manager_id, mode: set.get('identities', caller.id)?.mode ?? 'autonomous' },
    target: { id: target.id, managerId: target.manager_id },
    rules: contactRulesOf(caller.id, set),
    alwaysApproved: set.get('approved_pairs', caller.id, target.id) !== undefined,
    tainted: isTainted(task.id, set) && !isGranted(target, task, set),
    holdsPrivate: holdsPrivate(task.chain_id, () => withOverseers(audienceOf([caller.id, target.id], set), set), set),
  });
}

function isGranted(target: MemberRow, task: TaskRow, set: WorkingSet): boolean {
  const chain = set.get('chains', task.chain_id)!;
  const root = homeOf(chain.conversation_id, set);
  // A chain without a requester began in nobody's room either.
  const inRoot = chain.requester_id !== null && set.get('memberships', root.id, target.id) !== undefined;
  const { id, owner_id: ownerId, manager_id: managerId } = target;
  return isGrantedContact({ id, ownerId, managerId, inRoot }, { requesterId: chain.requester_id, path: pathOf(task) });
}

function askForApproval(
  { caller, target, task, call }: ContactSubmission,
  why: NonNullable<ContactVerdict['approval']>,
  tx: Tx,
): ReturnType<typeof approvalFor> {
  const input = asAsked(call, target.id);
  return approvalFor({ task, agentId: caller.id, name: 'contact_agent', input, why, pair: target.id }, tx);
}

/** The person who approved this call, or the pair for good; null: no approval was needed. */
function approverOf({ caller, target, task, call }: ContactSubmission, { approval }: ContactVerdict, set: WorkingSet): string | null {
  if (approval === null) return set.get('approved_pairs', caller.id, target.id)?.approved_by ?? null;
  return approverIn(usedApproval(task.id, { name: 'contact_agent', input: asAsked(call, target.id) }, set), set);
}

/** The call with the agent's own fields, so that the approver sees exactly what the agent sent. */
const asAsked = ({ action, message, context, priority }: ParsedContactCall, agentId: string): object => ({
  action,
  agentId,
  message,
  ...(context === undefined ? {} : { context }),
  ...(action === 'delegate' ? { priority } : {}),
});

/** Refuses by the other agent's status (IAC-15). The current work does not matter, so that no row of it is read. */
function outOfReach({ target, task, call }: ContactSubmission, tx: Tx): string | undefined {
  const agent = agentOf(target.id, tx);
  const reach = reachOf(agentStatus({ online: isHere(agent), asleep: isAsleep(agent, tx.now) }, []), call.action);
  if (reach === 'unavailable') return contactResults.unavailable(target.handle);
  const chain = tx.get('chains', task.chain_id)!;
  return reach === 'later' && sleepsTooLong(target.id, chain, tx) ? contactResults.asleep(target.handle) : undefined;
}

/** Records a refused attempt, without any of its words. */
function record(reason: string, target: MemberRow | undefined, task: TaskRow, tx: Tx): void {
  append(tx, { type: 'contact.refused', ...aboutTask(task), data: { reason, ...(target ? { target: target.id } : {}) } });
}

export const contactHandlers = { 'contact.start': start };
