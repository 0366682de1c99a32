// An agent's owner blocks a member for it, and unblocks them (C2A-8).

import { wantBy, wantRow } from '../../../store/port.ts';
import type { AgentBlockRow, TaskRow } from '../../../store/tables.ts';
import { actorId, agentToChange, type By, type Handler, invalidField } from '../../command.ts';
import { settleOffersFor } from '../../steps/offers/offers.ts';
import { aboutMember, agentLock, append } from '../../steps/facts/append.ts';
import { endTask, gatherWhole } from '../../steps/tasks/tasks.ts';
import { runningWants } from '../../steps/facts/timers.ts';

interface Pair {
  agentId: string;
  memberId: string;
}

export interface AgentBlockCommands {
  'agent.block': [Pair, { block: AgentBlockRow }];
  'agent.unblock': [Pair, void];
}

const wants = (c: { by: By } & Pair) => [
  ...runningWants,
  wantRow('members', c.agentId),
  wantRow('members', c.memberId),
  wantRow('agent_blocks', c.agentId, c.memberId),
  wantBy('tasks', 'agent', c.agentId, 1),
];

const block: Handler<'agent.block'> = {
  locks: (c) => [agentLock(c.agentId)],
  needs: wants,
  decide: (c, tx) => {
    const { actor, agent } = agentToChange('agent.edit', c, tx);
    const member = tx.get('members', c.memberId);
    if (!member || member.status === 'erased') throw invalidField('memberId', 'is not a member');
    if (member.id === agent.id) throw invalidField('memberId', 'is the agent itself');
    if (member.id === agent.owner_id) throw invalidField('memberId', 'is the agent’s owner');
    const before = tx.get('agent_blocks', agent.id, member.id);
    if (before) return { block: before };
    const row: AgentBlockRow = { agent_id: agent.id, member_id: member.id, blocked_by: actorId(actor), at: tx.now };
    tx.insert('agent_blocks', row);
    append(tx, { type: 'agent.blocked', actor, ...aboutMember(agent.id), data: { member: member.id } });
    // A request that waits would wake it later, also one that another agent made on the member's behalf.
    const open = tx.find('tasks', 'agent', agent.id, 1);
    tx.need(open.map(({ chain_id }) => wantRow('chains', chain_id)));
    const isBehind = (task: TaskRow): boolean => task.parent_id !== null && tx.get('chains', task.chain_id)!.requester_id === member.id;
    const refusedTasks = open.filter((task) => task.requester_id === member.id || (isBehind(task) && task.addressed_by !== 'redirect'));
    gatherWhole(refusedTasks, tx);
    for (const { id } of refusedTasks) endTask(tx.get('tasks', id)!, { state: 'cancelled', cause: 'stopped', by: actorId(actor) }, tx);
    settleOffersFor([agent.id], tx);
    return { block: row };
  },
};

const unblock: Handler<'agent.unblock'> = {
  locks: (c) => [agentLock(c.agentId)],
  needs: wants,
  decide: (c, tx) => {
    const { actor, agent } = agentToChange('agent.edit', c, tx);
    const row = tx.get('agent_blocks', agent.id, c.memberId);
    if (!row) return;
    tx.remove('agent_blocks', row);
    append(tx, { type: 'agent.unblocked', actor, ...aboutMember(agent.id), data: { member: c.memberId } });
    settleOffersFor([agent.id], tx);
  },
};

export const agentBlockHandlers = { 'agent.block': block, 'agent.unblock': unblock };
