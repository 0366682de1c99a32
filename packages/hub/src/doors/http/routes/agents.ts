import { may } from '@parley/core';
import { type Agent, ParleyError } from '@parley/protocol';
import { problemsOf, problemSight } from '../../../agents/agent-problems.ts';
import { identityOf, identityView, versionViews } from '../../../agents/identity.ts';
import { agentViews } from '../../../views/agents.ts';
import { undamaged } from '../../../views/row-views.ts';
import { asIs, type Caller, command, isAgent, readerFor, type RouteHandlers, type Services } from '../route-context.ts';
import { visibleMembers, withoutWords } from './members.ts';
import { noAgent, require, requireOf } from '../../../engine/command.ts';
import type { MemberRow } from '../../../store/tables.ts';

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

const mostListed = 50;

async function agentFor(hub: Services, caller: Caller, memberId: string): Promise<MemberRow> {
  const [member] = await hub.store.rows('members', { id: memberId, kind: 'agent', status: { '<>': 'erased' } });
  if (!member) throw noAgent();
  requireOf('identity.see', caller.actor, member);
  return member;
}

const view = (hub: Services, member: MemberRow) => identityView(hub.store, member, hub.folders.problemsOf(member.handle));
const showIdentity = ({ member }: { member: MemberRow }, { hub }: { hub: Services }) => view(hub, member);

export const agentRoutes = {
  listAgents: async ({ caller, hub }) => {
    // Inside a task, whom it may contact, and it is tainted by what is said of them; outside one, no word of anybody's.
    const inTask = isAgent(caller) && caller.taskId !== undefined;
    const members = inTask
      ? await readerFor(hub, caller).agents()
      : await visibleMembers(hub, caller, await hub.store.rows('members', { kind: 'agent', status: 'active' }, { order: 'handle_fold' }));
    const views = await undamaged(members, (some) => agentViews(hub.store, some, hub.clock.now(), seesWaking(caller)));
    const agents = inTask ? views : views.map((agent) => withoutWords(caller, agent));
    const owned = await hub.tools.ownedServers();
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
  editAgent: command(
    'agent.edit',
    async ({ member }, { hub, caller }) => (await agentViews(hub.store, [member], hub.clock.now(), seesWaking(caller)))[0]!,
    ({ params, body }) => ({ ...params, change: body }),
  ),

  getIdentity: async ({ input, caller, hub }) => view(hub, await agentFor(hub, caller, input.params.memberId)),
  putIdentity: command('identity.put', showIdentity, ({ params, body: { version, ...identity } }) => ({
    agentId: params.memberId,
    version,
    identity,
  })),
  listIdentityVersions: async ({ input, caller, hub }) => {
    const { id } = await agentFor(hub, caller, input.params.memberId);
    const rows = await hub.store.rows('identity_versions', { agent_id: id }, { order: 'version desc', limit: mostListed });
    return { versions: await versionViews(hub.store, rows) };
  },
  restoreIdentity: command('identity.restore', showIdentity, ({ params: { memberId: agentId, version: earlier }, body: { version } }) => ({
    agentId,
    version,
    earlier,
  })),
  listAgentFolders: async ({ caller, hub }) => {
    require('identity.see', caller.actor);
    return { folders: hub.folders.all() };
  },

  listSecrets: async ({ caller, hub }) => {
    require('secret.manage', caller.actor);
    return { secrets: await hub.keys.list() };
  },
  setSecret: async ({ input, caller, hub }) => {
    const { name } = input.params;
    // The permission is checked before the secret is sealed, and again by the command.
    require('secret.manage', caller.actor);
    const sealed = hub.keys.seal(name, input.body.value);
    const { secret } = await hub.engine.submit({ type: 'secret.set', by: caller.by, name, sealed, hosts: input.body.hosts ?? [] });
    return hub.keys.about(name, secret);
  },
  bindSecret: async ({ input, caller, hub }) => {
    const { name } = input.params;
    require('secret.bind', caller.actor);
    const secretRow = (await hub.keys.list()).find((secret) => secret.name === name);
    if (!secretRow) throw new ParleyError('not_found', 'There is no such secret.');
    await hub.engine.submit({ type: 'secret.bind', by: caller.by, name, hosts: input.body.hosts, external: secretRow.from !== 'stored' });
    return (await hub.keys.list()).find((secret) => secret.name === name)!;
  },
  removeSecret: command('secret.remove', asIs),
} satisfies Partial<RouteHandlers>;
