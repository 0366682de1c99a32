// Agents come and go, sleep and wake.

import type { Actor, BehaviourMode } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import type { AgentRow, MemberRow } from '../../../store/tables.ts';
import { actorOf, agentIdOf, type Context, type Handler, invalidField, mustBeSystem, noAgent, requireOf } from '../../command.ts';
import { agentChanged, putAgent } from '../../steps/agents/agents.ts';
import { giveBrain } from '../../steps/agents/brains.ts';
import { aboutMember, agentLock, append } from '../../steps/facts/append.ts';
import { blankIdentity, isToldByPost, madeOf, mustBeOurs, wholeNow, writeIdentity } from '../../steps/membership/agent-identities.ts';
import { settleOffersFor } from '../../steps/offers/offers.ts';
import { arrive, type ArrivalResult, depart, presenceWants } from '../../steps/agents/presence.ts';
import { agentOf } from '../../steps/tasks/tasks.ts';
import { setTimer } from '../../steps/facts/timers.ts';
import type { WorkingSet } from '../../working-set.ts';

export interface AgentCommands {
  /** A connection was made: it is the one that counts from now on. */
  'agent.connect': [{ holds?: readonly { taskId: string; lease: number }[] | undefined }, ArrivalResult];
  /** It ended. Does nothing when a later one has taken its place. */
  'agent.disconnect': [{ agentId: string; session: number }, Record<string, never>];
  /** Whether the webhook of a webhook agent answers. */
  'agent.answers': [{ agentId: string; answers: boolean }, { agent: AgentRow }];
  /** It has everything up to here. */
  'agent.ack': [{ session: number; cursor: number; agentId?: string }, { acked: number }];
  'agent.edit': [
    {
      memberId: string;
      change: {
        brain?: AgentRow['brain'] | undefined;
        maxConcurrent?: number | undefined;
        asleepUntil?: number | null | undefined;
        mode?: BehaviourMode | undefined;
      };
    },
    { member: MemberRow; agent: AgentRow },
  ];
}

const connect: Handler<'agent.connect'> = {
  locks: (c) => ('memberId' in c.by ? [agentLock(c.by.memberId)] : []),
  needs: (c) => ('memberId' in c.by ? [...presenceWants(c.by.memberId)] : []),
  decide: (c, set, context) => {
    const actor = actorOf(c.by, set, context.now);
    if (actor.type !== 'member' || actor.kind !== 'agent')
      throw new ParleyError('forbidden', 'Only agents connect here.', { reason: 'agent.connect:not_an_agent' });
    const before = agentOf(actor.id, set);
    if (before.brain !== 'remote')
      throw new ParleyError('forbidden', 'This agent runs inside the hub.', { reason: `agent.connect:${before.brain}` });
    if (isTold(actor.id, set))
      throw new ParleyError('forbidden', 'This agent gets its deliveries over its webhook.', { reason: 'agent.connect:webhook' });
    return arrive(before, new Map(c.holds?.map(({ taskId, lease }) => [taskId, lease])), set, context);
  },
};

const disconnect: Handler<'agent.disconnect'> = {
  locks: (c) => [agentLock(c.agentId)],
  needs: (c) => presenceWants(c.agentId),
  decide: (c, set, context) => {
    mustBeSystem(c.by, set, context);
    const agent = agentOf(c.agentId, set);
    if (agent.session === c.session && agent.online === 1) depart(agent, set, context);
    return {};
  },
};

function isTold(agentId: string, set: WorkingSet): boolean {
  const row = set.get('identities', agentId);
  return row !== undefined && isToldByPost(madeOf(row));
}

const answers: Handler<'agent.answers'> = {
  locks: (c) => [agentLock(c.agentId)],
  needs: (c) => presenceWants(c.agentId),
  decide: (c, set, context) => {
    mustBeSystem(c.by, set, context);
    if (!isTold(c.agentId, set)) throw new ParleyError('forbidden');
    const agent = agentOf(c.agentId, set);
    if (c.answers && agent.online === 0) return { agent: arrive(agent, new Map(), set, context).agent };
    if (!c.answers && agent.online === 1) depart(agent, set, context);
    return { agent: agentOf(c.agentId, set) };
  },
};

const ack: Handler<'agent.ack'> = {
  locks: (c) => [agentLock(agentIdOf(c) ?? '')],
  needs: (c) => [{ table: 'agents', values: [agentIdOf(c) ?? ''] }],
  decide: (c, set, context) => {
    const actor = actorOf(c.by, set, context.now);
    const id = actor.type === 'member' ? actor.id : c.agentId;
    if (id === undefined) throw new ParleyError('forbidden');
    const agent = agentOf(id, set);
    if (agent.session !== c.session) throw new ParleyError('stale_lease', 'Another connection of this agent has taken over.');
    // It never moves back: an old acknowledgement that arrives late says nothing new.
    if (c.cursor <= agent.acked) return { acked: agent.acked };
    return { acked: putAgent(agent, { acked: c.cursor }, set).acked };
  },
};

const edit: Handler<'agent.edit'> = {
  locks: (c) => [agentLock(c.memberId)],
  needs: (c) => [
    { table: 'members', values: [c.memberId] },
    { table: 'agents', values: [c.memberId] },
  ],
  decide: (c, set, context) => {
    const actor = actorOf(c.by, set, context.now);
    const member = set.get('members', c.memberId);
    if (member?.kind !== 'agent' || member.status === 'erased') throw noAgent();
    requireOf('agent.edit', actor, member);
    const { brain, maxConcurrent, asleepUntil, mode } = c.change;
    if (brain !== undefined && brain !== agentOf(member.id, set).brain) changeBrain(member, brain, actor, set, context);
    if (mode !== undefined) changeMode(member, mode, actor, set, context);
    const agent = putAgent(
      agentOf(member.id, set),
      {
        ...(maxConcurrent === undefined ? {} : { max_concurrent: maxConcurrent }),
        ...(asleepUntil === undefined ? {} : { asleep_until: asleepUntil }),
      },
      set,
    );
    if (asleepUntil !== undefined) setTimer('agent.wake', member.id, 'wall', asleepUntil, set, context);
    append(set, context, { type: 'agent.edited', actor, ...aboutMember(member.id), data: c.change });
    if (asleepUntil !== undefined) settleOffersFor([member.id], set, context);
    agentChanged(member.id, set, context);
    return { member, agent };
  },
};

/** One that has an identity has it there; any other is what its row says. */
function changeBrain(member: MemberRow, kind: AgentRow['brain'], actor: Actor, set: WorkingSet, context: Context): void {
  mustBeOurs(member.id, member.handle, set);
  if (kind === 'model') throw invalidField('brain', 'the model is part of its identity: set it there');
  const row = set.get('identities', member.id);
  const { brain } = blankIdentity(kind);
  if (row) writeIdentity(member, { ...wholeNow(member, row, set), brain }, { actor, source: 'api' }, set, context);
  else giveBrain(member.id, brain, undefined, set, context);
}

function changeMode(member: MemberRow, mode: BehaviourMode, actor: Actor, set: WorkingSet, context: Context): void {
  mustBeOurs(member.id, member.handle, set);
  const now = wholeNow(member, set.get('identities', member.id), set);
  if (now.mode !== mode) writeIdentity(member, { ...now, mode }, { actor, source: 'api' }, set, context);
}

export const agentHandlers = {
  'agent.connect': connect,
  'agent.disconnect': disconnect,
  'agent.answers': answers,
  'agent.ack': ack,
  'agent.edit': edit,
};
