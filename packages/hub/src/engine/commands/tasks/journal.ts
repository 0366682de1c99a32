// A turn is a journal (SYS-12): each step is written down as intended before it is taken and as done after it, with its
// result. Only the holder of the task's lease writes in it.

import { handsOut, type Hearers, isAudited, textsIn, approvalReasonFor } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import type { Spent, StepOutcome } from '../../../brains/brain.ts';
import { wantBy, wantRow } from '../../../store/port.ts';
import type { JournalRow, TaskRow } from '../../../store/tables.ts';
import type { CommandOf, Context, Handler, Tx } from '../../command.ts';
import { modeOf } from '../../steps/agents/agents.ts';
import { approvalFor, approverFor, usedApproval } from '../../steps/approvals/approvals.ts';
import { approverIn, auditedFact, auditWant, endAudit, putAudit } from '../../steps/facts/audit-entries.ts';
import { audienceOf, holdsPrivate, mustMayLeave } from '../../steps/conversations/egress.ts';
import { notify, aboutTask, append } from '../../steps/facts/append.ts';
import { endForBudget, askRequester, homeOf, moveTask, settleChain, chainLock } from '../../steps/tasks/tasks.ts';
import { tagOfTool } from '../../steps/tasks/notes.ts';
import { interruptAfterCall } from '../../steps/tasks/follow-ups.ts';
import { isTainted } from '../../steps/tasks/transitions.ts';
import { reserveStep, spend, charge } from '../../steps/budget/turn-budget.ts';
import { againOutcome, askAboutCall, settleUnknown } from '../../steps/approvals/unknown-outcomes.ts';
import { heldTask, isHalted, taskWants } from '../../steps/tasks/task-access.ts';
import type { WorkingSet } from '../../working-set.ts';

/** A step before it is taken, of a turn or of an attempt. */
export interface StepIntent {
  kind: JournalRow['kind'];
  name: string;
  readOnly: boolean;
  stepKey: string | null;
  /** JSON. */
  input: string;
  /** The call is only recorded, as one that comes to nothing: there is no such tool. */
  void?: boolean;
  /** The most it can cost: reserved before it is taken. */
  estimate?: number;
}

/** `result`: JSON. */
export interface StepResult {
  result: string;
  spent?: Spent;
}

export interface JournalCommands {
  'turn.intend': [
    StepIntent & { taskId: string; lease: number; agentId: string; turnId: string; n: number },
    /** Not `go`: it is not to be taken. A person is asked, or has said no; `short`: what may be spent is spent, and the task has ended. */
    { verdict: 'go' | 'pending' | 'denied' | 'short' },
  ];
  /** A step under way may cost more than was reserved for it. `short`: as for `turn.intend`. */
  'turn.reserve': [{ taskId: string; lease: number; agentId: string; estimate: number }, { verdict: 'go' | 'short' }];
  'turn.done': [StepResult & { taskId: string; lease: number; agentId: string; turnId: string; n: number }, void];
  /** Nobody knows whether the step happened, and it cannot be repeated: the task waits until a person answers. */
  'turn.unknown': [{ taskId: string; lease: number; agentId: string; turnId: string; n: number }, void];
  /** By the platform, and under no lease: losing the turn does not make it free. */
  'turn.cut_off': [{ taskId: string; turnId: string; n: number; known: StepOutcome }, void];
}

const intend: Handler<'turn.intend'> = {
  needs: (c) => [
    ...taskWants(c.taskId),
    wantRow('journal', c.turnId, c.n),
    wantRow('identities', c.agentId),
    wantBy('taints', 'task', c.taskId),
  ],
  decide: (c, tx) => {
    const task = heldTask(c, tx);
    if (task.state !== 'active') throw new ParleyError('task_not_active');
    // No step begins while everything is stopped.
    if (isHalted(tx)) throw new ParleyError('halted');
    if (handsOut(c)) mustMayLeave(textsIn(JSON.parse(c.input)).join('\n'), task, () => behindTool(c, task, tx), tx);
    const before = tx.get('journal', c.turnId, c.n);
    if (before) return { verdict: takeAgain(c, before, task, tx) };
    const verdict = callApproval(c, task, tx);
    if (verdict === 'pending' || verdict === 'denied') {
      refuse(c, task, verdict, tx);
      return { verdict };
    }
    if (!isAffordable(task, c.estimate ?? 0, tx)) return { verdict: 'short' };
    tx.insert('journal', stepRow(c.turnId, c, tx));
    const audited = isAudited(c, verdict === 'approved');
    const fact = append(tx, {
      type: 'turn.intended',
      ...aboutTask(task),
      data: { turn: c.turnId, n: c.n, kind: c.kind, name: c.name, ...(audited ? auditedFact : {}) },
    });
    if (audited) audit(c, task, verdict === 'approved', fact, tx);
    return { verdict: 'go' };
  },
};

/** A step of a turn or of an attempt, before it is taken. */
export const stepRow = (turnId: string, { n, kind, name, readOnly, stepKey, input }: StepIntent & { n: number }, { now }: Context) => ({
  turn_id: turnId,
  n,
  kind,
  name,
  read_only: readOnly ? 1 : 0,
  key: stepKey,
  input,
  result: null,
  intended_at: now,
  done_at: null,
});

export function stepUnderWay(turnId: string, n: number, set: WorkingSet): JournalRow {
  const step = set.get('journal', turnId, n);
  if (!step || step.done_at !== null) throw new ParleyError('internal', 'There is no such step under way.');
  return step;
}

/** A person has said to make it again: once, and from now on nobody knows again whether it happened. */
function takeAgain(c: CommandOf<'turn.intend'>, before: JournalRow, task: TaskRow, tx: Tx): 'go' | 'short' {
  if (before.result !== againOutcome) throw new ParleyError('internal', 'This step was intended before.');
  if (!isAffordable(task, c.estimate ?? 0, tx)) return 'short';
  tx.update('journal', before, { result: null, intended_at: tx.now });
  append(tx, { type: 'turn.repeated', ...aboutTask(task), data: { turn: c.turnId, n: c.n, name: c.name } });
  return 'go';
}

const auditId = ({ turnId, n }: { turnId: string; n: number }): string => `${turnId}:${n}`;

function audit(c: CommandOf<'turn.intend'>, task: TaskRow, approved: boolean, fact: number, tx: Tx): void {
  const approval = approved ? usedApproval(task.id, { name: c.name, input: toolInput(c) }, tx) : undefined;
  const approverId = approverIn(approval, tx);
  const { requester_id: forId } = tx.get('chains', task.chain_id)!;
  const who = { id: auditId(c), kind: 'tool', actorId: c.agentId, forId, approverId, outcome: 'started' } as const;
  const what = { name: c.name, subjectId: task.id, conversationId: task.conversation_id, chainId: task.chain_id };
  putAudit({ ...who, ...what, input: JSON.parse(c.input) as unknown }, fact, tx);
}

/** Reserved; or the task has ended, because there is too little. */
function isAffordable(task: TaskRow, estimate: number, tx: Tx): boolean {
  const exhausted = reserveStep(task, estimate, tx);
  if (exhausted) endForBudget(task, exhausted, tx);
  return exhausted === undefined;
}

const reserve: Handler<'turn.reserve'> = {
  needs: (c) => taskWants(c.taskId),
  decide: (c, tx) => {
    const task = heldTask(c, tx);
    if (isHalted(tx)) throw new ParleyError('halted');
    return { verdict: isAffordable(task, c.estimate, tx) ? 'go' : 'short' };
  },
};

/**
 * A tool was granted by the agent's owner, and works for the chain's first requester, who would get its input. Where others'
 * words may have chosen it and no person is asked, it could be anybody.
 */
function behindTool(c: CommandOf<'turn.intend'>, task: TaskRow, set: WorkingSet): Hearers {
  const owner = serverOwner(c, task, set);
  if (owner) return owner;
  const requester = set.get('chains', task.chain_id)!.requester_id;
  return requester === null || (c.readOnly && isTainted(task.id, set)) ? audienceOf([], set, true) : audienceOf([requester], set);
}

/** A call to a person's own server hands back to that person. Of any other server nobody knows whom it reaches. */
function serverOwner(c: CommandOf<'turn.intend'>, task: TaskRow, set: WorkingSet): Hearers | undefined {
  const own = tagOfTool(c.name, task.chain_id, set);
  return own && audienceOf([own.owner_id], set);
}

/** By the agent's mode, or after words from outside its requester's trust (SYS-13), a step waits for a person's approval of exactly this. */
function callApproval(c: CommandOf<'turn.intend'>, task: TaskRow, tx: Tx): 'go' | 'approved' | 'pending' | 'denied' {
  if (c.void) return 'go';
  const asks = approvalReasonFor(c, { mode: modeOf(c.agentId, tx), tainted: isTainted(task.id, tx) });
  const why =
    asks ?? (handsOut(c) && holdsPrivate(task.chain_id, () => serverOwner(c, task, tx) ?? audienceOf([], tx, true), tx) ? 'private' : null);
  if (why === null) return 'go';
  const input = toolInput(c);
  // The approver reads it.
  const approverId = approverFor(c.agentId, tx);
  if (approverId !== undefined) mustMayLeave(textsIn(JSON.parse(c.input)).join('\n'), task, () => audienceOf([approverId], tx), tx);
  const found = approvalFor({ task, agentId: c.agentId, name: c.name, input, why }, tx);
  return found === 'granted' ? 'approved' : found;
}

/** The input of any tool is bound as it is. */
function toolInput({ input: text }: CommandOf<'turn.intend'>): object {
  const input = JSON.parse(text) as unknown;
  return typeof input === 'object' && input !== null ? input : { input };
}

function refuse(c: CommandOf<'turn.intend'>, task: TaskRow, verdict: 'pending' | 'denied', tx: Tx): void {
  append(tx, {
    type: 'turn.refused',
    ...aboutTask(task),
    data: { turn: c.turnId, n: c.n, name: c.name, reason: verdict === 'pending' ? 'needs_approval' : 'denied' },
  });
}

const done: Handler<'turn.done'> = {
  needs: (c) => [...taskWants(c.taskId), wantRow('journal', c.turnId, c.n), auditWant(auditId(c))],
  decide: (c, tx) => {
    const task = heldTask(c, tx);
    const step = stepUnderWay(c.turnId, c.n, tx);
    tx.update('journal', step, { result: c.result, done_at: tx.now });
    endAudit(auditId(c), saysItFailed(c.result) ? 'failed' : 'done', tx);
    if (c.spent) spend(task, c.spent.micros, tx);
    append(tx, {
      type: 'turn.done',
      ...aboutTask(task),
      data: { turn: c.turnId, n: c.n, ...(c.spent ? { micros: c.spent.micros, ...c.spent.tokens } : {}) },
    });
    interruptAfterCall(task, step, tx);
  },
};

export const saysItFailed = (result: string): boolean => (JSON.parse(result) as { isError?: boolean } | null)?.isError === true;

const unknown: Handler<'turn.unknown'> = {
  needs: (c) => [...taskWants(c.taskId), wantRow('journal', c.turnId, c.n), auditWant(auditId(c))],
  decide: (c, tx) => {
    const task = heldTask(c, tx);
    const step = stepUnderWay(c.turnId, c.n, tx);
    endAudit(auditId(c), 'unknown', tx);
    // The turn does not end: resumed, it finds the person's answer in its journal.
    const checkpoint = askAboutCall({ task, agentId: c.agentId, step }, tx);
    if (checkpoint === undefined) {
      settleUnknown({ turn: step.turn_id, n: step.n }, 'leave', tx);
      askRequester(task, null, tx, { why: 'may_have_happened', step: step.name });
    } else {
      moveTask(task, 'await', {}, tx, { why: 'may_have_happened', step: step.name });
      settleChain(task.chain_id, tx);
    }
    const root = tx.get('chains', task.chain_id)!.requester_id;
    const home = homeOf(task.conversation_id, tx);
    // The approver has it before them already.
    if (root !== null && root !== checkpoint)
      notify(
        root,
        home.id,
        {
          kind: 'may_have_happened',
          conversation: task.conversation_id,
          message: task.message_id,
          task: task.id,
          agent: c.agentId,
          reason: step.name,
        },
        tx,
        task.chain_id,
      );
  },
};

/** A step that was cut off has cost something all the same (SYS-10): it is charged when its turn is nobody's any more, too. */
const cutOff: Handler<'turn.cut_off'> = {
  needs: (c) => [wantRow('tasks', c.taskId), wantRow('turns', c.turnId)],
  decide: (c, tx) => {
    const [task, turn] = [tx.get('tasks', c.taskId), tx.get('turns', c.turnId)];
    if (!task || !turn) return;
    tx.lock(chainLock(task.chain_id));
    const { micros, tokens, estimated } = c.known;
    charge(task, turn, micros, tx);
    append(tx, {
      type: 'turn.cut_off',
      member_id: turn.agent_id,
      subject_id: task.id,
      chain_id: task.chain_id,
      data: { turn: turn.id, n: c.n, micros, ...tokens, estimated },
    });
  },
};

export const journalHandlers = {
  'turn.intend': intend,
  'turn.reserve': reserve,
  'turn.done': done,
  'turn.unknown': unknown,
  'turn.cut_off': cutOff,
};
