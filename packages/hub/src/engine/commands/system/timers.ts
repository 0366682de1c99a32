// What each kind of timer does when its time has come, and the clock that timers run by.

import { ParleyError } from '@parley/protocol';
import type { TimerKind } from '../../../store/timer-kinds.ts';
import { type Context, type Handler, mustBeSystem } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { wakeUp } from '../../steps/agents/agents.ts';
import { tellDigest } from '../../steps/agents/mailbox-digests.ts';
import { approvalDue } from '../../steps/answers/answer-approval.ts';
import { makeReady } from '../../steps/attention/begin-work.ts';
import { spend } from '../../steps/departure/borrowed-access.ts';
import { eraseAttachment } from '../../steps/departure/erase-message.ts';
import { aboutMember, append } from '../../steps/facts/append.ts';
import { putSetting, setting, haltNow } from '../../steps/facts/settings.ts';
import { runningTime, runningWants } from '../../steps/facts/timers.ts';
import { emitAbsence } from '../../steps/invocations/absence-events.ts';
import { fireSchedule } from '../../steps/invocations/schedules.ts';
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
  'timer.fire': [{ timerId: string; early?: true }, { left: boolean }];
  /** `from`: the wall at the last look, after which the gap was. */
  'clock.jump': [{ gapMs: number; from: number; at: number; why: 'jump' | 'downtime' }, { shiftMs: number }];
  /** `at`: by the hub's clock. */
  'hub.alive': [{ at: number }, Record<string, never>];
}

function endAsk(taskId: string, set: WorkingSet, context: Context): void {
  const task = set.get('tasks', taskId);
  if (!task) return;
  context.lock(chainLock(task.chain_id));
  stopWaiting(taskId, set, context);
}

type TimerAct = (subject: string, set: WorkingSet, context: Context) => void;
/** What each kind of timer does when its time has come. */
const timerActs: Record<TimerKind, TimerAct> = {
  'token.expire': (tokenId, set, context) => {
    const token = set.get('tokens', tokenId);
    if (token) revoke(token, { type: 'platform' }, set, context);
  },
  // For good: it does not come back when the clock goes back.
  'link.expire': (linkId, set, context) => {
    const link = set.get('links', linkId);
    if (link) spend(link, { type: 'platform' }, set, context);
  },
  'claim.expire': expireClaim,
  'dnd.end': (memberId, set, context) => {
    const member = set.get('members', memberId);
    if (!member || member.dnd_until === null) return;
    set.update('members', member, { dnd_until: null });
    append(set, context, { type: 'member.edited', scope: 'member', ...aboutMember(memberId), data: { fields: ['dnd_until'] } });
  },
  'store.scrub': (_log, set, context) => {
    const id = context.ids.next('effect');
    set.insert('outbox', { id, kind: 'store.scrub', payload: '{}', due_at: context.now, attempts: 0, leased_until: 0, last_error: null });
  },
  'chain.deadline': (chainId, set, context) => endChain(chainId, 'run_time', set, context),
  'chain.outer': (chainId, set, context) => endChain(chainId, 'outer_limit', set, context),
  'agent.wake': (memberId, set, context) => wakeUp([memberId], set, context),
  'task.compose': (taskId, set, context) => makeReady(taskId, set, context),
  'task.wait': (taskId, set, context) => endWait(taskId, set, context),
  'round.ready': beginRound,
  'round.lapse': expireOffer,
  'digest.due': tellDigest,
  'contact.until': endAsk,
  'approval.due': approvalDue,
  'invocation.due': retryDue,
  'schedule.due': fireSchedule,
  'absence.due': emitAbsence,
  'obligation.due': (id, set, context) => returnObligation(id, set, context),
  'attachment.unposted': (id, set, context) => {
    if (set.get('attachments', id)?.message_id === null) eraseAttachment(id, set, context);
  },
};

const fire: Handler<'timer.fire'> = {
  locks: (c) => [`timer:${c.timerId}`],
  needs: (c) => [{ table: 'timers', values: [c.timerId] }, ...runningWants],
  decide: (c, set, context) => {
    mustBeSystem(c.by, set, context);
    const timer = set.get('timers', c.timerId);
    const now = timer?.clock === 'running' ? runningTime(set, context) : context.now;
    if (!timer || (timer.due_at > now && !c.early)) return { left: timer !== undefined };
    // A newer hub on the same database may have set a kind that this one lacks: the timer stays for it.
    const act: TimerAct | undefined = timerActs[timer.kind];
    if (!act)
      throw new ParleyError(
        'internal',
        `Timer ${timer.id} has the kind ${timer.kind}, which this hub does not know. Start the hub’s newest version.`,
      );
    set.remove('timers', timer);
    act(timer.subject, set, context);
    return { left: false };
  },
};

const jump: Handler<'clock.jump'> = {
  locks: () => ['clock'],
  needs: () => [...runningWants, { table: 'settings', values: ['hub.alive'] }],
  decide: (c, set, context) => {
    const actor = mustBeSystem(c.by, set, context);
    // While everything is stopped running time stands, and its release takes out all of it; what was over before is not in that.
    const stopped = haltNow(set);
    const stands = stopped !== null && stopped.since < c.from + Math.abs(c.gapMs);
    const shiftMs = setting('clock.shift', set, 0) + (stands ? 0 : c.gapMs);
    putSetting('clock.shift', shiftMs, set);
    putSetting('hub.alive', c.at, set);
    append(set, context, { type: 'clock.jumped', actor, data: { gapMs: c.gapMs, why: c.why } });
    return { shiftMs };
  },
};

const alive: Handler<'hub.alive'> = {
  locks: () => ['clock'],
  needs: () => [{ table: 'settings', values: ['hub.alive'] }],
  decide: (c, set, context) => {
    mustBeSystem(c.by, set, context);
    putSetting('hub.alive', c.at, set);
    return {};
  },
};

export const timerHandlers = {
  'timer.fire': fire,
  'clock.jump': jump,
  'hub.alive': alive,
};
