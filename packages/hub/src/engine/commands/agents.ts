// Agents come and go, sleep and wake; and everything can be stopped at once (SYS-10).

import { relationsToMember } from '@parley/core';
import type { Halt } from '@parley/protocol';
import { ParleyError } from '@parley/protocol';
import type { AgentRow, MemberRow, TaskRow } from '../../store/tables.ts';
import { actorId, actorOf, byWants, type Context, type Handler, memberFacts, require } from '../command.ts';
import { agentChanged, putAgent } from '../steps/agents.ts';
import { append } from '../steps/place.ts';
import { gatherClaims, goneWith } from '../steps/claims.ts';
import { resumeDigests } from '../steps/mailboxes.ts';
import { agentLock, settleOffersFor } from '../steps/offers.ts';
import { putSetting, setting, stoppedNow } from '../steps/settings.ts';
import { agentOf, gatherTasks, moveTask, setWaiting, settleChain } from '../steps/tasks.ts';
import { endTurns } from '../steps/turns.ts';
import { runningWants, setTimer } from '../steps/timers.ts';
import type { WorkingSet } from '../working-set.ts';

export interface AgentCommands {
  /** A connection was made: it is the one that counts from now on. */
  'agent.connect': [object, { agent: AgentRow }];
  /** It ended. Does nothing when a later one has taken its place. */
  'agent.disconnect': [{ agentId: string; session: number }, Record<string, never>];
  /** It has everything up to here. */
  'agent.ack': [{ session: number; cursor: number }, { acked: number }];
  'agent.edit': [
    {
      memberId: string;
      change: { brain?: AgentRow['brain'] | undefined; maxConcurrent?: number | undefined; asleepUntil?: number | null | undefined };
    },
    { member: MemberRow; agent: AgentRow },
  ];
  'workspace.halt': [{ halted: boolean }, { halt: Halt }];
}

/** Its tasks run out of time only while it is there. */
function tasksOf(agentId: string, set: WorkingSet, context: Context): TaskRow[] {
  const tasks = set.find('tasks', 'agent', agentId, 1);
  gatherTasks(tasks, set, context);
  return tasks;
}

const connect: Handler<'agent.connect'> = {
  locks: (c) => ('operator' in c.by ? [] : [agentLock(c.by.memberId)]),
  needs: (c) => [
    ...byWants(c.by),
    ...('operator' in c.by
      ? []
      : [
          { table: 'agents' as const, values: [c.by.memberId] },
          { table: 'tasks' as const, lookup: 'agent', values: [c.by.memberId, 1] },
          { table: 'mailboxes' as const, lookup: 'member', values: [c.by.memberId] },
        ]),
  ],
  decide: (c, set, context) => {
    const actor = actorOf(c.by, set, context.now);
    if (actor.type === 'operator' || actor.kind !== 'agent')
      throw new ParleyError('forbidden', 'Only agents connect here.', { reason: 'agent.connect:not_an_agent' });
    const before = agentOf(actor.id, set);
    if (before.brain !== 'remote')
      throw new ParleyError('forbidden', 'This agent runs inside the hub.', { reason: `agent.connect:${before.brain}` });
    const tasks = tasksOf(actor.id, set, context);
    const agent = putAgent(before, { online: 1, session: before.session + 1, asleep_until: null }, set);
    for (const task of tasks) {
      // What it was at when it was lost it gets again, under a new lease.
      const now = task.state === 'active' ? moveTask(task, 'yield', {}, set, context, { why: 'reconnected' }) : task;
      if (now.state === 'queued' && now.waiting_since !== null) setWaiting(now, false, set, context);
    }
    for (const chainId of new Set(tasks.map((task) => task.chain_id))) settleChain(chainId, set, context);
    settleOffersFor([actor.id], set, context);
    resumeDigests(actor.id, set, context);
    agentChanged(actor.id, set, context);
    return { agent };
  },
};

const disconnect: Handler<'agent.disconnect'> = {
  locks: (c) => [agentLock(c.agentId)],
  needs: (c) => [
    { table: 'agents', values: [c.agentId] },
    { table: 'tasks', lookup: 'agent', values: [c.agentId, 1] },
  ],
  decide: (c, set, context) => {
    const actor = actorOf(c.by, set, context.now);
    if (actor.type !== 'operator') throw new ParleyError('forbidden');
    const agent = agentOf(c.agentId, set);
    if (agent.session !== c.session || agent.online === 0) return {};
    const tasks = tasksOf(c.agentId, set, context);
    putAgent(agent, { online: 0 }, set);
    settleOffersFor([c.agentId], set, context);
    gatherClaims(tasks, set, context);
    for (const task of tasks) {
      if (goneWith(task, set, context)) continue;
      if (task.state === 'active') moveTask(task, 'yield', {}, set, context, { why: 'disconnected' });
      else if (task.state === 'queued' && task.waiting_since === null) setWaiting(task, true, set, context);
    }
    for (const chainId of new Set(tasks.map((task) => task.chain_id))) settleChain(chainId, set, context);
    agentChanged(c.agentId, set, context);
    return {};
  },
};

const ack: Handler<'agent.ack'> = {
  locks: (c) => ('operator' in c.by ? [] : [agentLock(c.by.memberId)]),
  needs: (c) => [...byWants(c.by), ...('operator' in c.by ? [] : [{ table: 'agents' as const, values: [c.by.memberId] }])],
  decide: (c, set, context) => {
    const actor = actorOf(c.by, set, context.now);
    if (actor.type === 'operator') throw new ParleyError('forbidden');
    const agent = agentOf(actor.id, set);
    if (agent.session !== c.session) throw new ParleyError('stale_lease', 'Another connection of this agent has taken over.');
    // It never moves back: an old acknowledgement that arrives late says nothing new.
    if (c.cursor <= agent.acked) return { acked: agent.acked };
    return { acked: putAgent(agent, { acked: c.cursor }, set).acked };
  },
};

/** It is to think with something else: what it is at is begun anew by that. */
function handBack(agentId: string, set: WorkingSet, context: Context): void {
  for (const task of tasksOf(agentId, set, context)) {
    if (task.state !== 'active') continue;
    endTurns(task.id, set, context);
    moveTask(task, 'yield', {}, set, context, { why: 'brain' });
  }
}

const edit: Handler<'agent.edit'> = {
  locks: (c) => [agentLock(c.memberId)],
  needs: (c) => [...byWants(c.by), { table: 'members', values: [c.memberId] }, { table: 'agents', values: [c.memberId] }],
  decide: (c, set, context) => {
    const actor = actorOf(c.by, set, context.now);
    const member = set.get('members', c.memberId);
    if (member?.kind !== 'agent' || member.status === 'erased') throw new ParleyError('not_found', 'There is no such agent.');
    require('agent.edit', actor, relationsToMember(actor, memberFacts(member)));
    const { brain, maxConcurrent, asleepUntil } = c.change;
    const before = agentOf(member.id, set);
    const changes = brain !== undefined && brain !== before.brain;
    if (changes) handBack(member.id, set, context);
    const agent = putAgent(
      before,
      {
        // Whoever ran it so far is no longer the one.
        ...(changes ? { brain, online: 0, session: before.session + 1 } : {}),
        ...(maxConcurrent === undefined ? {} : { max_concurrent: maxConcurrent }),
        ...(asleepUntil === undefined ? {} : { asleep_until: asleepUntil }),
      },
      set,
    );
    if (asleepUntil !== undefined) setTimer('agent.wake', member.id, 'wall', asleepUntil, set, context);
    append(set, context, { type: 'agent.edited', actor, scope: 'record', member_id: member.id, subject_id: member.id, data: c.change });
    if (changes)
      for (const chainId of new Set(set.find('tasks', 'agent', member.id, 1).map((task) => task.chain_id)))
        settleChain(chainId, set, context);
    if (changes || asleepUntil !== undefined) settleOffersFor([member.id], set, context);
    agentChanged(member.id, set, context);
    return { member, agent };
  },
};

const halt: Handler<'workspace.halt'> = {
  locks: () => ['halt', 'clock'],
  needs: (c) => [...byWants(c.by), ...runningWants],
  decide: (c, set, context) => {
    const actor = actorOf(c.by, set, context.now);
    require(c.halted ? 'workspace.halt' : 'workspace.release', actor);
    const before = stoppedNow(set);
    const after = c.halted ? (before ?? { since: context.now, by: actorId(actor) }) : null;
    if (after !== before) {
      // While everything was stopped no agent could work: that time is nobody's.
      if (before && !after) putSetting('clock.shift', setting('clock.shift', set, 0) + context.now - before.since, set);
      putSetting('halted', after, set);
      append(set, context, { type: 'workspace.halted', actor, scope: 'workspace', data: { halted: c.halted } });
    }
    return { halt: { halted: after !== null, since: after?.since ?? null, by: after?.by ?? null } };
  },
};

export const agentHandlers = {
  'agent.connect': connect,
  'agent.disconnect': disconnect,
  'agent.ack': ack,
  'agent.edit': edit,
  'workspace.halt': halt,
};
