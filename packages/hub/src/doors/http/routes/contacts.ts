import { ParleyError, type AgentBlock } from '@parley/protocol';
import { require, noAgent, requireOf } from '../../../engine/command.ts';
import { contactsOf, matrixOf } from '../../../views/contacts.ts';
import type { Caller, RouteHandlers, Services } from '../route-context.ts';
import { visibleMembers } from './members.ts';
import type { AgentBlockRow } from '../../../store/tables.ts';

async function agentsSeen(hub: Services, caller: Caller) {
  require('contact.see', caller.actor);
  return visibleMembers(hub, caller, await hub.store.rows('members', { kind: 'agent', status: 'active' }, { order: 'handle_fold' }));
}

async function contactsView(hub: Services, caller: Caller, agentId: string) {
  const agents = new Set((await agentsSeen(hub, caller)).map(({ id }) => id));
  if (!agents.has(agentId)) throw new ParleyError('not_found', 'There is no such agent.');
  return contactsOf(hub.store, agentId, (id) => agents.has(id));
}

const blockView = ({ agent_id, member_id, blocked_by, at }: AgentBlockRow): AgentBlock => ({
  agentId: agent_id,
  memberId: member_id,
  blockedBy: blocked_by,
  at,
});

export const contactRoutes = {
  getContacts: ({ input, caller, hub }) => contactsView(hub, caller, input.params.memberId),
  setContactRule: async ({ input, caller, hub }) => {
    const { memberId: agentId, target } = input.params;
    await hub.engine.submit({ type: 'contact.rule', by: caller.by, agentId, target, ...input.body });
    return contactsView(hub, caller, agentId);
  },
  clearContactRule: async ({ input, caller, hub }) => {
    const { memberId: agentId, target } = input.params;
    await hub.engine.submit({ type: 'contact.clear', by: caller.by, agentId, target });
    return contactsView(hub, caller, agentId);
  },
  getContactMatrix: async ({ input, caller, hub }) => {
    const { from, limit } = input.query;
    const agents = await agentsSeen(hub, caller);
    if (from !== undefined && !agents.some(({ id }) => id === from)) throw new ParleyError('not_found', 'There is no such agent.');
    // The agent in question is always among them, wherever it is in the list.
    const listedAgents = agents.filter(({ id }, n) => n < limit || id === from);
    return { ...(await matrixOf(hub.store, listedAgents, from)), more: agents.length > listedAgents.length };
  },

  listBlocks: async ({ input, caller, hub }) => {
    const [agent] = await hub.store.rows('members', { id: input.params.memberId, kind: 'agent' });
    if (!agent) throw noAgent();
    requireOf('agent.edit', caller.actor, agent);
    return { blocks: (await hub.store.rows('agent_blocks', { agent_id: agent.id }, { order: ['at', 'member_id'] })).map(blockView) };
  },
  blockMember: async ({ input, caller, hub }) => {
    const { memberId: agentId, blockedId: memberId } = input.params;
    return blockView((await hub.engine.submit({ type: 'agent.block', by: caller.by, agentId, memberId })).block);
  },
  unblockMember: ({ input, caller, hub }) => {
    const { memberId: agentId, blockedId: memberId } = input.params;
    return hub.engine.submit({ type: 'agent.unblock', by: caller.by, agentId, memberId });
  },
} satisfies Partial<RouteHandlers>;
