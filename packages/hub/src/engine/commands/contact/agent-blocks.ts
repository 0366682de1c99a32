// An agent's owner blocks a member for it, and unblocks them (C2A-8).

import { wantBy } from '../../../store/port.ts';
import type { AgentBlockRow, TaskRow } from '../../../store/tables.ts';
import { actorId, actorOf, type By, type Context, type Handler, invalidField, noAgent, requireOf } from '../../command.ts';
import { settleOffersFor } from '../../steps/offers/offers.ts';
import { aboutMember, agentLock, append } from '../../steps/facts/append.ts';
import { endTask, gatherWhole } from '../../steps/tasks/tasks.ts';
import { runningWants } from '../../steps/facts/timers.ts';
import type { WorkingSet } from '../../working-set.ts';

interface Pair {
  agentId: string;
  memberId: string;
}

export interface AgentBlockCommands {
  'agent.block': [Pair, { block: AgentBlockRow }];
  'agent.unblock': [Pair, Record<string, never>];
}

function editing(c: { by: By } & Pair, set: WorkingSet, context: Context) {
  const actor = actorOf(c.by, set, context.now);
  const agent = set.get('members', c.agentId);
  if (agent?.kind !== 'agent' || agent.status === 'erased') throw noAgent();
  requireOf('agent.edit', actor, agent);
  return { actor, agent };
}

const wants = (c: { by: By } & Pair) => [
  ...runningWants,
  { table: 'members' as const, values: [c.agentId] },
  { table: 'members' as const, values: [c.memberId] },
  { table: 'agent_blocks' as const, values: [c.agentId, c.memberId] },
  wantBy('tasks', 'agent', c.agentId, 1),
];

const block: Handler<'agent.block'> = {
  locks: (c) => [agentLock(c.agentId)],
  needs: wants,
  decide: (c, set, context) => {
    const { actor, agent } = editing(c, set, context);
    const member = set.get('members', c.memberId);
    if (!member || member.status === 'erased') throw invalidField('memberId', 'is not a member');
    if (member.id === agent.id) throw invalidField('memberId', 'is the agent itself');
    if (member.id === agent.owner_id) throw invalidField('memberId', 'is the agent’s owner');
    const before = set.get('agent_blocks', agent.id, member.id);
    if (before) return { block: before };
    const row: AgentBlockRow = { agent_id: agent.id, member_id: member.id, blocked_by: actorId(actor), at: context.now };
    set.insert('agent_blocks', row);
    append(set, context, { type: 'agent.blocked', actor, ...aboutMember(agent.id), data: { member: member.id } });
    // A request that waits would wake it later, also one that another agent made on the member's behalf.
    const open = set.find('tasks', 'agent', agent.id, 1);
    set.need(open.map(({ chain_id }) => ({ table: 'chains', values: [chain_id] })));
    const isBehind = (task: TaskRow): boolean => task.parent_id !== null && set.get('chains', task.chain_id)!.requester_id === member.id;
    const asked = open.filter((task) => task.requester_id === member.id || (isBehind(task) && task.addressed_by !== 'redirect'));
    gatherWhole(asked, set, context);
    for (const { id } of asked) endTask(set.get('tasks', id)!, 'cancelled', 'stopped', set, context, { by: actorId(actor) });
    settleOffersFor([agent.id], set, context);
    return { block: row };
  },
};

const unblock: Handler<'agent.unblock'> = {
  locks: (c) => [agentLock(c.agentId)],
  needs: wants,
  decide: (c, set, context) => {
    const { actor, agent } = editing(c, set, context);
    const row = set.get('agent_blocks', agent.id, c.memberId);
    if (!row) return {};
    set.remove('agent_blocks', row);
    append(set, context, { type: 'agent.unblocked', actor, ...aboutMember(agent.id), data: { member: c.memberId } });
    settleOffersFor([agent.id], set, context);
    return {};
  },
};

export const agentBlockHandlers = { 'agent.block': block, 'agent.unblock': unblock };
