// The act of each kind of timer, and the clock that timers run by.

import { wantRow } from '../../../store/port.ts';
import { ParleyError } from '@parley/protocol';
import type { TimerKind } from '../../../store/timer-kinds.ts';
import { type Handler, mustBeSystem, type Tx } from '../../command.ts';
import { wakeUp } from '../../steps/agents/agents.ts';
import { sendDigest } from '../../steps/agents/mailbox-digests.ts';
import { approvalDue } from '../../steps/answers/approval-answers.ts';
import { makeReady } from '../../steps/attention/wake-agents.ts';
import { spend } from '../../steps/departure/borrowed-access.ts';
import { eraseAttachment } from '../../steps/departure/erase-message.ts';
import { aboutMember, append } from '../../steps/facts/append.ts';
import { putSetting, setting, haltNow } from '../../steps/facts/settings.ts';
import { runningTime, runningWants } from '../../steps/facts/timers.ts';
import { emitAbsence, fireSchedule } from '../../steps/invocations/timed-events.ts';
import { retryDue } from '../../steps/invocations/transitions.ts';
import { returnObligation } from '../../steps/obligations/obligations.ts';
import { expireClaim } from '../../steps/offers/claims.ts';
import { beginRound, expireOffer } from '../../steps/offers/offer-rounds.ts';
import { revoke } from '../../steps/people/tokens.ts';
import { stopWaiting } from '../../steps/tasks/callbacks.ts';
import { chainLock, endChain, endWait } from '../../steps/tasks/tasks.ts';

export interface TimerCommands {
  /**
   * `left`: it is not due yet by the clock of the database. One that is gone was fired, or taken away, by somebody else.
   * `early`: of a kind that is set again when it is not due, because the clock was set back.
   */
  'timer.fire': [{ timerId: string; early?: true }, { remains: boolean }];
  /** `from`: the wall at the last look, after which the gap was. */
  'clock.jump': [{ gapMs: number; from: number; at: number; why: 'jump' | 'downtime' }, { shiftMs: number }];
  /** `at`: by the hub's clock. */
  'hub.alive': [{ at: number }, void];
}

function endAsk(taskId: string, tx: Tx): void {
  const task = tx.get('tasks', taskId);
  if (!task) return;
  tx.lock(chainLock(task.chain_id));
  stopWaiting(taskId, tx);
}

type TimerAct = (subject: string, tx: Tx) => void;
const timerActs: Record<TimerKind, TimerAct> = {
  'token.expire': (tokenId, tx) => {
    const token = tx.get('tokens', tokenId);
    if (token) revoke(token, { type: 'platform' }, tx);
  },
  // The link is spent for good: it does not return when the clock goes back.
  'link.expire': (linkId, tx) => {
    const link = tx.get('links', linkId);
    if (link) spend(link, { type: 'platform' }, tx);
  },
  'claim.expire': expireClaim,
  'dnd.end': (memberId, tx) => {
    const member = tx.get('members', memberId);
    if (!member || member.dnd_until === null) return;
    tx.update('members', member, { dnd_until: null });
    append(tx, { type: 'member.edited', scope: 'member', ...aboutMember(memberId), data: { fields: ['dnd_until'] } });
  },
  'store.scrub': (_log, tx) => {
    const id = tx.ids.next('effect');
    tx.insert('outbox', { id, kind: 'store.scrub', payload: '{}', due_at: tx.now, attempts: 0, leased_until: 0, last_error: null });
  },
  'chain.deadline': (chainId, tx) => endChain(chainId, 'run_time', tx),
  'chain.outer': (chainId, tx) => endChain(chainId, 'outer_limit', tx),
  'agent.wake': (memberId, tx) => wakeUp([memberId], tx),
  'task.compose': (taskId, tx) => makeReady(taskId, tx),
  'task.wait': (taskId, tx) => endWait(taskId, tx),
  'round.ready': beginRound,
  'round.lapse': expireOffer,
  'digest.due': sendDigest,
  'contact.until': endAsk,
  'approval.due': approvalDue,
  'invocation.due': retryDue,
  'schedule.due': fireSchedule,
  'absence.due': emitAbsence,
  'obligation.due': (id, tx) => returnObligation(id, tx),
  'attachment.unposted': (id, tx) => {
    if (tx.get('attachments', id)?.message_id === null) eraseAttachment(id, tx);
  },
};

const fire: Handler<'timer.fire'> = {
  locks: (c) => [`timer:${c.timerId}`],
  needs: (c) => [wantRow('timers', c.timerId), ...runningWants],
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const timer = tx.get('timers', c.timerId);
    const now = timer?.clock === 'running' ? runningTime(tx) : tx.now;
    if (!timer || (timer.due_at > now && !c.early)) return { remains: timer !== undefined };
    // A newer hub on the same database may have set a kind that this one lacks: the timer stays for it.
    const act: TimerAct | undefined = timerActs[timer.kind];
    if (!act)
      throw new ParleyError(
        'internal',
        `Timer ${timer.id} has the kind ${timer.kind}, which this hub does not know. Start the hub’s newest version.`,
      );
    tx.remove('timers', timer);
    act(timer.subject, tx);
    return { remains: false };
  },
};

const jump: Handler<'clock.jump'> = {
  locks: () => ['clock'],
  needs: () => [...runningWants, wantRow('settings', 'hub.alive')],
  decide: (c, tx) => {
    const actor = mustBeSystem(c.by, tx);
    // While everything is stopped running time does not pass, and the release takes out the whole pause; a gap that ended
    // before is not part of it.
    const stopped = haltNow(tx);
    const stillStopped = stopped !== null && stopped.since < c.from + Math.abs(c.gapMs);
    const shiftMs = setting('clock.shift', tx, 0) + (stillStopped ? 0 : c.gapMs);
    putSetting('clock.shift', shiftMs, tx);
    putSetting('hub.alive', c.at, tx);
    append(tx, { type: 'clock.jumped', actor, data: { gapMs: c.gapMs, why: c.why } });
    return { shiftMs };
  },
};

const alive: Handler<'hub.alive'> = {
  locks: () => ['clock'],
  needs: () => [wantRow('settings', 'hub.alive')],
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    putSetting('hub.alive', c.at, tx);
  },
};

export const timerHandlers = { 'timer.fire': fire, 'clock.jump': jump, 'hub.alive': alive };
