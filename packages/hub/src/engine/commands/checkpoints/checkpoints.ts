// A person answers what waits for them.

import { wantRow } from '../../../store/port.ts';
import {
  type Actor,
  may,
  isOpen,
  isPeerPrompt,
  isPersonal,
  isUnknownChoice,
  needsWholeView,
  type Relation,
  textsIn,
  approvalReasonFor,
} from '@parley/core';
import { ParleyError } from '@parley/protocol';
import type { CheckpointRow } from '../../../store/tables.ts';
import { actorId, actorOf, type By, type Handler, invalidField, requireSeen, type Tx } from '../../command.ts';
import { answerApproval, answerUnknown } from '../../steps/answers/approval-answers.ts';
import { borrowedWants, end, lenderOf } from '../../steps/departure/borrowed-access.ts';
import { choicesFor, close, dataOf, inboxLock, promptAnswered } from '../../steps/facts/checkpoints.ts';
import { answerHandover } from '../../steps/departure/handovers.ts';
import { asksToRun } from '../../steps/invocations/invocation-approvals.ts';
import { deactivate } from '../../steps/departure/deactivate-member.ts';
import { endedBetween } from '../../steps/contact/loop-guard.ts';
import { taskWants, agentActing, mustBeHolder, taskFor } from '../../steps/tasks/task-access.ts';
import type { WorkingSet } from '../../working-set.ts';
import { taskHandlers } from '../tasks/tasks.ts';
import { modeOf } from '../../steps/agents/agents.ts';
import { approvalFor, approvalWants, approverFor } from '../../steps/approvals/approvals.ts';
import { audienceOf, mustMayLeave } from '../../steps/conversations/egress.ts';

export interface CheckpointCommands {
  'checkpoint.close': [
    { checkpointId: string; choice: string; seen?: string | undefined; turns?: number | undefined; instruction?: string | undefined },
    /** `refused`: the choice no longer fits the question, so the hub asked anew; the words give the reason. */
    { checkpoint: CheckpointRow; already: boolean; refused?: string },
  ];
  /** Whether the caller may answer this prompt of their peer. The answer goes to the peer, and never into a row. */
  'checkpoint.answer': [{ checkpointId: string }, { checkpoint: CheckpointRow }];
  /** The peer has stored the answer. */
  'checkpoint.answered': [{ checkpointId: string }, { checkpoint: CheckpointRow }];
  'task.read': [{ taskId: string; agentId: string; name: string; input: object }, { verdict: 'granted' | 'pending' | 'denied' }];
}

/** Everyone who may answer one may see it. */
export const noCheckpoint = 'There is no such checkpoint, or it is not yours.';

const closeOne: Handler<'checkpoint.close'> = {
  needs: (c) => [...borrowedWants(c.by), wantRow('checkpoints', c.checkpointId)],
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    const row = tx.get('checkpoints', c.checkpointId);
    if (!row) throw new ParleyError('not_found', noCheckpoint);
    tx.lock(inboxLock(row.member_id));
    const relations: Relation[] = row.member_id === actorId(actor) ? ['self'] : [];
    requireSeen('checkpoint.close', actor, relations, noCheckpoint);
    if (isPeerPrompt(row.kind)) {
      mustBeOwnPrompt(c.by, row, actor, tx);
      throw new ParleyError('invalid_request', 'This is a prompt of your peer. Answer it with POST /checkpoints/:checkpointId/answer.');
    }
    if (isPersonal(row.kind)) mustBeTheirs(c.by, row, actor, tx);
    const choices = choicesFor(row);
    if (!Object.hasOwn(choices, c.choice)) throw invalidField('choice', `must be one of ${Object.keys(choices).join(', ')}`);
    // Answered is answered: a second tap, or another device, changes nothing.
    if (row.open === 0) return { checkpoint: row, already: true };
    if (row.kind === 'approval') {
      if (c.choice !== 'deny') mustHaveSeen(row.id, c.seen, tx);
      if (!answerApproval(row, c.choice, actor, tx)) return { checkpoint: tx.get('checkpoints', row.id)!, already: true };
    }
    if (row.kind === 'may_have_happened' && isUnknownChoice(c.choice)) {
      if (c.choice === 'again') mustHaveSeen(row.id, c.seen, tx);
      answerUnknown(row, c.choice, actor, tx);
    }
    if (row.kind === 'agent_handover') {
      const refused = answerHandover(row, c.choice, actor, tx, (agent) => deactivate(agent, actor, tx));
      if (refused !== undefined) return { checkpoint: tx.get('checkpoints', row.id)!, already: false, refused };
    }
    if (row.kind === 'sign_in_link' && c.choice === 'revoke') end([row.subject_id!], actor, tx);
    if (row.kind === 'no_progress') answerLoop(row, c, tx);
    return { checkpoint: close(tx.get('checkpoints', row.id)!, actorId(actor), c.choice, tx), already: false };
  },
};

/** A call can be padded until what matters is out of sight: nobody approves what they were not shown. */
function mustHaveSeen(id: string, seen: string | undefined, set: WorkingSet): void {
  const approval = set.get('approvals', id);
  if (!approval || seen === approval.digest) return;
  const call = { agent: '', name: approval.name, ...(approval.target_id === null ? {} : { target: '?' }) };
  const input = JSON.parse(approval.input) as { eventRef?: string } | null;
  const isLong = asksToRun(approval)
    ? needsWholeView({ ...call, woken: true }, { ...input, event: eventOf(input?.eventRef, set) })
    : needsWholeView(call, input);
  if (isLong) throw new ParleyError('unseen');
}

function eventOf(ref: string | undefined, set: WorkingSet): unknown {
  const row = ref === undefined ? undefined : set.get('events', ref);
  return row && (JSON.parse(row.body) as unknown);
}

/** The number of turns, unless the person chooses another. */
const turnsAllowed = 10;

/** Two agents that repeated themselves: their work is stopped, or goes on, or takes another direction (C2A-20). */
function answerLoop(
  row: CheckpointRow,
  c: { by: By; choice: string; turns?: number | undefined; instruction?: string | undefined },
  tx: Tx,
): void {
  const data = dataOf(row);
  const taskId = data.task;
  if (taskId === undefined || data.agents === undefined) return;
  if (c.choice === 'redirect' && c.instruction === undefined) throw invalidField('instruction', 'must say what the agent is to do instead');
  tx.need(taskWants(taskId));
  const isOver = !isOpen(tx.get('tasks', taskId)!.state);
  if (c.choice === 'stop') {
    const command = { type: 'task.stop', by: c.by, taskId } as const;
    if (!isOver) taskHandlers['task.stop'].decide(command, tx);
    return;
  }
  if (c.choice === 'redirect') {
    const command = { type: 'task.redirect', by: c.by, taskId, instruction: c.instruction! } as const;
    taskHandlers['task.redirect'].decide(command, tx);
  }
  const [upper, lower] = data.agents;
  const lifted = endedBetween(row.chain_id!, [upper!, lower!], tx).map(({ id }) => id);
  const allowed = c.choice === 'go_on' ? (c.turns ?? turnsAllowed) : 0;
  tx.update('checkpoints', row, { data: JSON.stringify({ ...data, lifted, allowed }) });
}

/** The member who made a sign-in link may not answer for it in the other member's name. */
function mustBeTheirs(by: By, row: CheckpointRow, actor: Actor, set: WorkingSet): void {
  if (actor.type === 'operator') return;
  if (row.member_id !== actorId(actor))
    throw new ParleyError('forbidden', 'Only the member who is asked can answer this.', { reason: 'checkpoint.close:not_related' });
  if (lenderOf(by, set) !== undefined && lenderOf(by, set) === dataOf(row).from)
    throw new ParleyError('forbidden', 'This session was opened by the link in question. Answer from a session of your own.', {
      reason: 'checkpoint.close:borrowed',
    });
}

/** For the person alone: to admins, the operator and borrowed sessions it is not there. */
function mustBeOwnPrompt(by: By, row: CheckpointRow | undefined, actor: Actor, set: WorkingSet): asserts row is CheckpointRow {
  const isOwn = row !== undefined && isPeerPrompt(row.kind) && row.member_id === actorId(actor) && lenderOf(by, set) === undefined;
  if (!isOwn || !may('peer.use', actor, ['self']).allowed) throw new ParleyError('not_found', noCheckpoint);
}

const answer: Handler<'checkpoint.answer'> = {
  decide: (c, tx) => {
    const row = tx.get('checkpoints', c.checkpointId);
    mustBeOwnPrompt(c.by, row, actorOf(c.by, tx, tx.now), tx);
    return { checkpoint: row };
  },
};

const closeAnswered: Handler<'checkpoint.answered'> = {
  needs: (c) => [...borrowedWants(c.by), wantRow('checkpoints', c.checkpointId)],
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    const row = tx.get('checkpoints', c.checkpointId);
    mustBeOwnPrompt(c.by, row, actor, tx);
    tx.lock(inboxLock(row.member_id));
    // The report of the peer may have closed it already.
    const isAnswered = row.open === 0 && row.choice !== null;
    return { checkpoint: isAnswered ? row : close(row, actorId(actor), promptAnswered, tx) };
  },
};

/**
 * A read that an agent makes by itself, on its line or over HTTP, and not as a tool of its turn. The agent's mode asks for an
 * approval as it does in a turn (IAC-12): an approval covers this read, and is used up by it.
 */
const read: Handler<'task.read'> = {
  needs: (c) => [...taskWants(c.taskId), ...approvalWants(c.taskId), wantRow('identities', c.agentId)],
  decide: (c, tx) => {
    const agent = agentActing(c.by, c.agentId, tx);
    const task = taskFor(c.taskId, tx);
    mustBeHolder(task, agent.id, tx);
    if (!isOpen(task.state)) throw new ParleyError('task_over');
    const why = approvalReasonFor({ kind: 'tool', name: c.name, readOnly: true }, { mode: modeOf(agent.id, tx), tainted: false });
    if (why === null) return { verdict: 'granted' };
    // The approver reads the search text.
    const approverId = approverFor(agent.id, tx);
    if (approverId !== undefined) mustMayLeave(textsIn(c.input).join('\n'), task, () => audienceOf([approverId], tx), tx);
    return { verdict: approvalFor({ task, agentId: agent.id, name: c.name, input: c.input, why }, tx) };
  },
};

export const checkpointHandlers = {
  'checkpoint.close': closeOne,
  'checkpoint.answer': answer,
  'checkpoint.answered': closeAnswered,
  'task.read': read,
};
