// What the hub asks of itself: its first start, timers that come due, effects that were performed, clocks that jump.

import { shortenText } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { wantBy } from '../../../store/port.ts';
import type { OutboxRow } from '../../../store/tables.ts';
import type { TimerKind } from '../../../store/timer-kinds.ts';
import { type Context, type Handler, mustBeSystem } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { putAgent, wakeUp } from '../../steps/agents/agents.ts';
import { approvalDue } from '../../steps/answers/answer-approval.ts';
import { expireClaim } from '../../steps/offers/claims.ts';
import { enter, newChannel } from '../../steps/membership/conversations.ts';
import { eraseAttachment } from '../../steps/departure/erase-message.ts';
import { keepHandle } from '../../steps/people/handles.ts';
import { retryDue } from '../../steps/invocations/transitions.ts';
import { tellDigest } from '../../steps/agents/mailboxes.ts';
import { emitAbsence } from '../../steps/invocations/absence-events.ts';
import { fireSchedule } from '../../steps/invocations/schedules.ts';
import { returnObligation } from '../../steps/obligations/obligations.ts';
import { aboutMember, append } from '../../steps/facts/append.ts';
import { newMember } from '../../steps/membership/members.ts';
import { makeReady } from '../../steps/attention/begin-work.ts';
import { beginRound, expireOffer } from '../../steps/offers/offer-rounds.ts';
import { stopWaiting } from '../../steps/tasks/callbacks.ts';
import { putSetting, setting, stoppedNow } from '../../steps/facts/settings.ts';
import { agentOf, chainLock, endChain, endWait } from '../../steps/tasks/tasks.ts';
import { runningTime, runningWants } from '../../steps/facts/timers.ts';
import { revoke } from '../../steps/people/tokens.ts';

export interface SystemCommands {
  /** The first start: a channel, and agents that work with no key and no network. `founded`: it was this one. */
  'workspace.found': [{ name: string; agents: { handle: string; displayName: string; about: string }[] }, { founded: boolean }];
  /** Members and team roles of before schema 8: how their handles look was not stored. */
  'handles.index': [{ subjectIds: string[] }, Record<string, never>];
  /** Private channels of before schema 8: they held their names against everyone. */
  'channels.release_names': [{ conversationIds: string[] }, Record<string, never>];
  /**
   * `left`: it is not due yet by the clock of the database. One that is gone was fired, or taken away, by somebody else.
   * `early`: of a kind that is set anew when it is not due, because the clock was set back.
   */
  'timer.fire': [{ timerId: string; early?: true }, { left: boolean }];
  /** `from`: the wall at the last look, after which the gap was. */
  'clock.jump': [{ gapMs: number; from: number; at: number; why: 'jump' | 'downtime' }, { shiftMs: number }];
  /** `at`: by the hub's clock. */
  'hub.alive': [{ at: number }, Record<string, never>];
  'outbox.lease': [{ id: string; forMs: number }, { effect: OutboxRow | null }];
  'outbox.done': [{ id: string }, Record<string, never>];
  /** The clock was set back: no effect waits for a time that it was at by mistake. */
  'outbox.sooner': [{ id: string; withinMs: number }, Record<string, never>];
  'outbox.failed': [{ id: string; error: string; retryInMs: number }, Record<string, never>];
  'requests.purge': [{ requests: { actorId: string; key: string }[] }, Record<string, never>];
}

const found: Handler<'workspace.found'> = {
  locks: () => ['workspace'],
  needs: () => [{ table: 'settings', values: ['workspace.name'] }, wantBy('conversations', 'name', 'general')],
  decide: (c, set, context) => {
    const actor = mustBeSystem(c.by, set, context);
    if (set.get('settings', 'workspace.name')) return { founded: false };
    putSetting('workspace.name', c.name, set);
    const general = newChannel(
      { name: 'general', topic: 'Where everyone starts', visibility: 'public', floor: 'polite', history: 'all' },
      actor,
      set,
      context,
    );
    putSetting('default_channel', general.id, set);
    for (const agent of c.agents) {
      const member = newMember({ ...agent, kind: 'agent', role: 'member', ownerId: null, managerId: null }, actor, set, context);
      putAgent(agentOf(member.id, set), { brain: 'builtin' }, set);
      enter(general, member.id, 'participant', actor, set, context);
    }
    append(set, context, { type: 'workspace.founded', actor, scope: 'workspace' });
    return { founded: true };
  },
};

const indexHandles: Handler<'handles.index'> = {
  locks: () => ['workspace'],
  needs: (c) =>
    c.subjectIds.flatMap((id) => [
      { table: 'members', values: [id] },
      { table: 'roles', values: [id] },
      wantBy('handle_skeletons', 'subject', id),
    ]),
  decide: (c, set, context) => {
    mustBeSystem(c.by, set, context);
    for (const id of c.subjectIds) {
      const subject = set.get('members', id) ?? set.get('roles', id);
      if (subject) keepHandle(id, subject.handle, set);
    }
    return {};
  },
};

const releaseNames: Handler<'channels.release_names'> = {
  locks: () => ['workspace'],
  needs: (c) => c.conversationIds.map((id) => ({ table: 'conversations', values: [id] })),
  decide: (c, set, context) => {
    mustBeSystem(c.by, set, context);
    for (const id of c.conversationIds) {
      const row = set.get('conversations', id);
      if (row?.visibility === 'private') set.update('conversations', row, { name_fold: null });
    }
    return {};
  },
};

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
    const stopped = stoppedNow(set);
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

const lease: Handler<'outbox.lease'> = {
  locks: (c) => [`effect:${c.id}`],
  needs: (c) => [{ table: 'outbox', values: [c.id] }],
  decide: (c, set, context) => {
    mustBeSystem(c.by, set, context);
    const effect = set.get('outbox', c.id);
    if (!effect || effect.due_at > context.now || effect.leased_until > context.now) return { effect: null };
    return { effect: set.update('outbox', effect, { leased_until: context.now + c.forMs, attempts: effect.attempts + 1 }) };
  },
};

const done: Handler<'outbox.done'> = {
  locks: (c) => [`effect:${c.id}`],
  needs: (c) => [{ table: 'outbox', values: [c.id] }],
  decide: (c, set, context) => {
    const actor = mustBeSystem(c.by, set, context);
    const effect = set.get('outbox', c.id);
    if (!effect) return {};
    set.remove('outbox', effect);
    append(set, context, {
      type: 'effect.performed',
      actor,
      subject_id: effect.id,
      data: { kind: effect.kind, attempts: effect.attempts },
    });
    return {};
  },
};

const failed: Handler<'outbox.failed'> = {
  locks: (c) => [`effect:${c.id}`],
  needs: (c) => [{ table: 'outbox', values: [c.id] }],
  decide: (c, set, context) => {
    mustBeSystem(c.by, set, context);
    const effect = set.get('outbox', c.id);
    if (effect) set.update('outbox', effect, { due_at: context.now + c.retryInMs, leased_until: 0, last_error: shortenText(c.error, 500) });
    return {};
  },
};

const sooner: Handler<'outbox.sooner'> = {
  locks: (c) => [`effect:${c.id}`],
  needs: (c) => [{ table: 'outbox', values: [c.id] }],
  decide: (c, set, context) => {
    mustBeSystem(c.by, set, context);
    const effect = set.get('outbox', c.id);
    if (!effect) return {};
    const latest = context.now + c.withinMs;
    const payload = JSON.parse(effect.payload) as { until?: string };
    // Until when it is tried, where that is written with it.
    const until =
      payload.until === undefined ? {} : { until: String(Math.min(Number(payload.until), context.now + context.limits.outerMs)) };
    set.update('outbox', effect, {
      due_at: Math.min(effect.due_at, latest),
      leased_until: Math.min(effect.leased_until, latest),
      payload: JSON.stringify({ ...payload, ...until }),
    });
    return {};
  },
};

/** Kept answers older than this are forgotten; a client that retries after a week starts anew. */
export const requestKeptMs = 7 * 24 * 3600 * 1000;

const purge: Handler<'requests.purge'> = {
  locks: () => ['requests'],
  needs: (c) => c.requests.map((r) => ({ table: 'requests' as const, values: [r.actorId, r.key] })),
  decide: (c, set, context) => {
    mustBeSystem(c.by, set, context);
    for (const { actorId, key } of c.requests) {
      const row = set.get('requests', actorId, key);
      if (row && row.at < context.now - requestKeptMs) set.remove('requests', row);
    }
    return {};
  },
};

export const systemHandlers = {
  'workspace.found': found,
  'handles.index': indexHandles,
  'channels.release_names': releaseNames,
  'timer.fire': fire,
  'clock.jump': jump,
  'hub.alive': alive,
  'outbox.lease': lease,
  'outbox.done': done,
  'outbox.sooner': sooner,
  'outbox.failed': failed,
  'requests.purge': purge,
};
