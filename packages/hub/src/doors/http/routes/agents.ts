import { may } from '@parley/core';
import type { Agent } from '@parley/protocol';
import { problemsOf, problemSight } from '../../../agents/agent-problems.ts';
import { identityOf } from '../../../agents/identity.ts';
import { agentViews } from '../../../views/agents.ts';
import { undamaged } from '../../../views/undamaged-views.ts';
import { type Caller, isAgent, readerFor, type RouteHandlers, type Services } from '../route-context.ts';
import { visibleMembers, withoutWords } from './members.ts';

/** A member who may see triggers may see which of them wake an agent. */
const seesWaking =
  ({ actor, memberId }: Caller) =>
  (ownerId: string): boolean =>
    may('trigger.see', actor, ownerId === memberId ? ['owner'] : []).allowed;

async function privateTools({ store }: Services, { id }: Agent, owned: ReadonlySet<string>): Promise<string[]> {
  if (owned.size === 0) return [];
  const { tools } = await identityOf(store, id);
  const names = new Set(tools.map((reference) => reference.replace('mcp://', '').split('/')[0]!));
  return [...names].filter((name) => owned.has(name));
}

export const agentRoutes = {
  listAgents: async ({ caller, hub }) => {
    // Inside a task, whom it may contact, and it is tainted by what is said of them; outside one, no word of anybody's.
    const inTask = isAgent(caller) && caller.taskId !== undefined;
    const members = inTask
      ? await readerFor(hub, caller).agents()
      : await visibleMembers(hub, caller, await hub.store.rows('members', { kind: 'agent', status: 'active' }, { order: 'handle_fold' }));
    const views = await undamaged(members, (some) => agentViews(hub.store, some, hub.clock.now(), seesWaking(caller)));
    const agents = inTask ? views : views.map((agent) => withoutWords(caller, agent));
    const owned = await hub.tools.owned();
    const sight = await problemSight(caller, hub.tools);
    return {
      agents: await Promise.all(
        agents.map(async (agent) => ({
          ...agent,
          privateTools: await privateTools(hub, agent, owned),
          ...(await problemsOf(hub, agent, sight)),
        })),
      ),
    };
  },
  editAgent: async ({ input, caller, hub }) => {
    const { memberId } = input.params;
    const { member } = await hub.engine.submit({ type: 'agent.edit', by: caller.by, memberId, change: input.body });
    return (await agentViews(hub.store, [member], hub.clock.now(), seesWaking(caller)))[0]!;
  },
} satisfies Partial<RouteHandlers>;
