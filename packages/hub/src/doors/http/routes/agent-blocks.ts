import type { AgentBlock } from '@parley/protocol';
import { noAgent, requireOf } from '../../../engine/command.ts';
import type { AgentBlockRow } from '../../../store/tables.ts';
import type { RouteHandlers } from '../route-context.ts';

const view = ({ agent_id, member_id, blocked_by, at }: AgentBlockRow): AgentBlock => ({
  agentId: agent_id,
  memberId: member_id,
  blockedBy: blocked_by,
  at,
});

export const agentBlockRoutes = {
  listBlocks: async ({ input, caller, hub }) => {
    const [agent] = await hub.store.rows('members', { id: input.params.memberId, kind: 'agent' });
    if (!agent) throw noAgent();
    requireOf('agent.edit', caller.actor, agent);
    return { blocks: (await hub.store.rows('agent_blocks', { agent_id: agent.id }, { order: ['at', 'member_id'] })).map(view) };
  },
  blockMember: async ({ input, caller, hub }) => {
    const { memberId: agentId, blockedId: memberId } = input.params;
    return view((await hub.engine.submit({ type: 'agent.block', by: caller.by, agentId, memberId })).block);
  },
  unblockMember: async ({ input, caller, hub }) => {
    const { memberId: agentId, blockedId: memberId } = input.params;
    await hub.engine.submit({ type: 'agent.unblock', by: caller.by, agentId, memberId });
    return {};
  },
} satisfies Partial<RouteHandlers>;
