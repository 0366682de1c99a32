// An invocation is run: begun under a lease, its steps written down before and after they are taken (SYS-12), and released
// when its runner has to let go. Only the holder of the lease writes.

import { wantRow } from '../../../store/port.ts';
import { audits, hasActed, isAuditedCall, movedInvocation, textsIn } from '@parley/core';
import { type EventSender, ParleyError } from '@parley/protocol';
import { storedState, wordOf } from '../../../store/stored-values.ts';
import type { InvocationRow, JournalRow, MemberRow, ProvokeObjectRow } from '../../../store/tables.ts';
import { type By, type CommandOf, type Handler, mustBeSystem, type Tx } from '../../command.ts';
import { approverIn, auditedFact, endAudit, putAudit } from '../../steps/facts/audit-entries.ts';
import { audienceOf, mustMayLeave } from '../../steps/conversations/egress.ts';
import { endIdleNotices, notifyIdle } from '../../steps/triggers/idle-triggers.ts';
import { isUsable, mayRun } from '../../steps/triggers/triggers-in-force.ts';
import { drawFor, type KnownCost, payBack, raise, settleStep } from '../../steps/invocations/costs.ts';
import { closeInvocation, invocationFact, invocationLock, moveInvocation } from '../../steps/invocations/transitions.ts';
import { asideText, auditIdOf, finishedSteps, forgetSteps, journalId, leftOpen, takenIn } from '../../steps/invocations/journal.ts';
import { failAttempt } from '../../steps/invocations/attempt-ends.ts';
import { askForApproval, modeAsks, noAgent } from '../../steps/invocations/invocation-approvals.ts';
import { actingAgent, manifestOf } from '../../steps/invocations/acting-agent.ts';
import { recordedSender } from '../../steps/triggers/recorded-sender.ts';
import { chainLock } from '../../steps/tasks/tasks.ts';
import { isHalted } from '../../steps/tasks/task-access.ts';
import { runningWants } from '../../steps/facts/timers.ts';
import type { WorkingSet } from '../../working-set.ts';
import { saysItFailed, type StepIntent, type StepResult, stepRow, stepUnderWay } from '../tasks/journal.ts';

/** The runner's input, in text as it is kept. */
export interface BegunInvocation {
  invocation: InvocationRow;
  manifest: string;
  event: string;
  sender: EventSender;
  owner: string;
  /** Calls that changed something, as earlier attempts made them: they are not made again. */
  finished: JournalRow[];
}

export interface InvocationCommands {
  /** Null: it is not there to be begun, or came to its end instead. */
  'invocation.begin': [{ invocationId: string }, { begun: BegunInvocation | null }];
  /** `known`: an earlier attempt did it, so that it is not taken and only written down. */
  'invocation.intend': [StepIntent & { invocationId: string; lease: number; n: number; known: boolean }, { verdict: 'go' }];
  /** The call of the model that is under way is made again: it may cost so much in all. */
  'invocation.reserve': [{ invocationId: string; lease: number; n: number; micros: number }, { verdict: 'go' }];
  'invocation.done': [StepResult & { invocationId: string; lease: number; n: number }, void];
  /** Everything was stopped, or the hub goes down: no attempt was lost by it, unless something was begun outside and not finished. */
  'invocation.yield': [{ invocationId: string; lease: number; known?: readonly KnownCost[] }, void];
}

export const onInvocation = {
  locks: (c: { invocationId: string }) => [invocationLock(c.invocationId)],
  needs: (c: { invocationId: string }) => [wantRow('invocations', c.invocationId), ...runningWants],
};

/** Only the holder of the lease may send these. */
export function heldInvocation(c: { by: By; invocationId: string; lease: number }, tx: Tx): InvocationRow {
  mustBeSystem(c.by, tx);
  const row = tx.get('invocations', c.invocationId);
  if (!row) throw new ParleyError('not_found', 'There is no such invocation.');
  if (row.state !== 'running' || row.lease !== c.lease) throw new ParleyError('stale_lease');
  tx.lock(chainLock(row.chain_id));
  return row;
}

const begin: Handler<'invocation.begin'> = {
  ...onInvocation,
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const row = tx.get('invocations', c.invocationId);
    if (row?.state !== 'queued') return { begun: null };
    if (isHalted(tx)) throw new ParleyError('halted');
    tx.lock(chainLock(row.chain_id));
    const trigger = tx.get('provoke_objects', 'trigger', row.trigger_id);
    const owner = tx.get('members', row.owner_id);
    if (!owner || !mayRun(owner)) {
      const error = owner?.status === 'active' ? 'Its owner may no longer have triggers.' : 'Its owner is not there any more.';
      closeInvocation(row, 'cancelled', { error }, tx, 'owner_gone');
      return { begun: null };
    }
    const off = switchedOff(row, trigger, owner, tx);
    if (!trigger || off !== undefined) {
      if (trigger && isOn(trigger)) notifyIdle(trigger, owner, tx);
      closeInvocation(row, 'cancelled', { error: off! }, tx, 'disabled');
      return { begun: null };
    }
    const manifest = manifestOf(row, tx);
    if (!manifest) {
      closeInvocation(row, 'cancelled', { error: 'Its manifest is not kept any more.' }, tx, 'gone');
      return { begun: null };
    }
    const agent = actingAgent(manifest, owner, tx);
    if (agent && row.checkpoint_id === null && modeAsks(agent.id, manifest, tx)) {
      ask(row, trigger, tx);
      return { begun: null };
    }
    const startedRow = tx.update('invocations', row, {
      state: storedState(movedInvocation(wordOf(row.state), 'running')),
      lease: row.lease + 1,
      attempt: row.attempt + 1,
      agent_id: agent?.id ?? row.agent_id,
      started_at: row.started_at ?? tx.now,
    });
    putAttempt(startedRow, tx);
    invocationFact('running', startedRow, { lease: startedRow.lease }, tx);
    if (!agent) failAttempt(startedRow, manifest, 'failed', noAgent(manifest), tx);
    else if (drawFor(startedRow, agent.id, { turns: 1, micros: 0 }, tx))
      failAttempt(startedRow, manifest, 'failed', 'Budget exhausted.', tx);
    else {
      endIdleNotices(tx.get('provoke_objects', 'manifest', row.manifest_id)!, owner, tx);
      const event = tx.get('events', row.event_ref)!;
      const finished = finishedSteps(row, tx);
      const sender = recordedSender(event, event.by_id === null ? undefined : tx.get('members', event.by_id));
      const whole = { event: event.body, sender, owner: owner.handle, finished };
      return { begun: { invocation: startedRow, manifest: JSON.stringify(manifest), ...whole } };
    }
    return { begun: null };
  },
};

const isOn = ({ removed_at, enabled }: ProvokeObjectRow): boolean => removed_at === null && enabled === 1;

/** Switching one of them off is the quickest way to stop what it does, what waits for its turn included. */
function switchedOff(row: InvocationRow, trigger: ProvokeObjectRow | undefined, owner: MemberRow, set: WorkingSet): string | undefined {
  if (!trigger || !isOn(trigger)) return 'The trigger was switched off or removed.';
  if (isUsable(set.get('provoke_objects', 'manifest', row.manifest_id), trigger, owner, set)) return undefined;
  return 'Its manifest was switched off or removed, or is not its owner’s to use.';
}

/** The version in force is the one that will run: nobody approves an older one any more. */
function ask(row: InvocationRow, trigger: ProvokeObjectRow, tx: Tx): void {
  const manifest = tx.get('provoke_objects', 'manifest', row.manifest_id);
  const event = tx.get('events', row.event_ref)!;
  if (!manifest || manifest.removed_at !== null)
    return void closeInvocation(row, 'cancelled', { error: 'Its manifest was removed.' }, tx, 'gone');
  const waiting = askForApproval({ invocation: row, event, trigger, manifest }, tx, 'mode');
  if (waiting.state === 'awaiting_approval') invocationFact('awaiting_approval', waiting, {}, tx);
}

/** An attempt that was returned starts again under the same number. */
function putAttempt({ id, attempt, lease }: InvocationRow, tx: Tx): void {
  const fresh = { state: 'running', error: null, micros: 0, tool_calls: 0, started_at: tx.now, ended_at: null };
  const before = tx.get('invocation_attempts', id, attempt);
  if (before) tx.update('invocation_attempts', before, { ...fresh, lease });
  else tx.insert('invocation_attempts', { invocation_id: id, n: attempt, lease, ...fresh });
}

const intend: Handler<'invocation.intend'> = {
  ...onInvocation,
  decide: (c, tx) => {
    const row = heldInvocation(c, tx);
    if (isHalted(tx)) throw new ParleyError('halted');
    // Nobody knows whose words chose it, and no person is asked: anybody could hear it (SYS-6).
    if (c.kind === 'tool' && !c.void && !c.known)
      mustMayLeave(textsIn(JSON.parse(c.input)).join('\n'), row, () => audienceOf([], tx, true), tx);
    const { estimate = 0 } = c;
    const exhausted = drawFor(row, row.agent_id!, { turns: 0, micros: estimate }, tx);
    if (exhausted) throw new ParleyError('budget_exhausted', undefined, { reason: exhausted });
    // The reservation of a model call is settled when it is done.
    const input = c.kind === 'model' ? asideText(estimate) : c.known ? 'null' : c.input;
    // A call that is not made again changes nothing.
    const step = stepRow(journalId(row), { ...c, input, stepKey: null, readOnly: c.readOnly || c.known }, tx);
    tx.insert('journal', { ...step, done_at: c.known ? tx.now : null });
    if (c.kind === 'tool') {
      const attempt = tx.get('invocation_attempts', row.id, row.attempt)!;
      tx.update('invocation_attempts', attempt, { tool_calls: attempt.tool_calls + 1 });
      tx.update('invocations', row, { tool_calls: row.tool_calls + 1 });
    }
    if (audits(row.risk)) audit(c, row, tx);
    return { verdict: 'go' };
  },
};

/** From medium risk on each step is a fact, and each call of a tool stands in the audit log with its arguments (PRV-11). */
function audit(c: CommandOf<'invocation.intend'>, row: InvocationRow, tx: Tx): void {
  const audited = isAuditedCall(c) && !c.known;
  const data = { n: c.n, kind: c.kind, name: c.name, ...(audited ? auditedFact : {}) };
  const fact = invocationFact(c.known ? 'known' : 'intended', row, data, tx);
  if (!audited) return;
  const approverId = row.checkpoint_id === null ? null : approverIn({ id: row.checkpoint_id }, tx);
  const who = { id: auditIdOf(row, c.n), kind: 'tool', actorId: row.agent_id, forId: row.owner_id, approverId } as const;
  const what = {
    name: c.name,
    subjectId: row.id,
    chainId: row.chain_id,
    input: JSON.parse(c.input) as unknown,
    outcome: 'started',
  } as const;
  putAudit({ ...who, ...what }, fact, tx);
}

const reserve: Handler<'invocation.reserve'> = {
  ...onInvocation,
  decide: (c, tx) => {
    const row = heldInvocation(c, tx);
    if (isHalted(tx)) throw new ParleyError('halted');
    const exhausted = raise(row, stepUnderWay(journalId(row), c.n, tx), c.micros, tx);
    if (exhausted) throw new ParleyError('budget_exhausted', undefined, { reason: exhausted });
    return { verdict: 'go' };
  },
};

const done: Handler<'invocation.done'> = {
  ...onInvocation,
  decide: (c, tx) => {
    const row = heldInvocation(c, tx);
    const step = stepUnderWay(journalId(row), c.n, tx);
    const failed = saysItFailed(c.result);
    // A step that changed something is not done again by another attempt; a call that failed is the reason for another
    // attempt.
    const isKept = hasActed([{ kind: step.kind, readOnly: step.read_only === 1 }]) && !failed;
    tx.update('journal', step, { ...(isKept ? { result: c.result } : { input: 'null' }), done_at: tx.now });
    if (c.spent) settleStep(row, step, c.spent.micros, tx);
    if (audits(row.risk)) endAudit(auditIdOf(row, c.n), failed ? 'failed' : 'done', tx);
    if (audits(row.risk) || c.spent)
      invocationFact('done', row, { n: c.n, ...(c.spent ? { micros: c.spent.micros, ...c.spent.tokens } : {}) }, tx);
  },
};

const giveBack: Handler<'invocation.yield'> = {
  ...onInvocation,
  decide: (c, tx) => {
    const row = heldInvocation(c, tx);
    payBack(row, c.known ?? [], tx);
    const steps = tx.find('journal', 'turn', journalId(row));
    // That is for its attempts to say.
    if (steps.some((step) => tx.provoke.core.wouldBeRepeated(takenIn(step)))) {
      failAttempt(row, manifestOf(row, tx), 'crashed', 'It was stopped.', tx);
      return;
    }
    leftOpen(row, tx);
    forgetSteps(row, tx);
    const attempt = tx.get('invocation_attempts', row.id, row.attempt)!;
    tx.update('invocation_attempts', attempt, { state: 'yielded', ended_at: tx.now });
    moveInvocation(tx.get('invocations', row.id)!, 'queued', { attempt: row.attempt - 1 }, tx, 'yielded');
  },
};

export const invocationHandlers = {
  'invocation.begin': begin,
  'invocation.intend': intend,
  'invocation.reserve': reserve,
  'invocation.done': done,
  'invocation.yield': giveBack,
};
