import { ParleyError } from '@parley/protocol';
import { identityView, versionViews } from '../../../agents/identity.ts';
import { noAgent, require, requireOf } from '../../../engine/command.ts';
import type { MemberRow } from '../../../store/tables.ts';
import type { Caller, RouteHandlers, Services } from '../route-context.ts';

const shown = 50;

async function agentFor(hub: Services, caller: Caller, memberId: string): Promise<MemberRow> {
  const [member] = await hub.store.rows('members', { id: memberId, kind: 'agent', status: { '<>': 'erased' } });
  if (!member) throw noAgent();
  requireOf('identity.see', caller.actor, member);
  return member;
}

const view = (hub: Services, member: MemberRow) => identityView(hub.store, member, hub.folders.problemsOf(member.handle));

export const identityRoutes = {
  getIdentity: async ({ input, caller, hub }) => view(hub, await agentFor(hub, caller, input.params.memberId)),
  putIdentity: async ({ input, caller, hub }) => {
    const { version, ...identity } = input.body;
    const agentId = input.params.memberId;
    return view(hub, (await hub.engine.submit({ type: 'identity.put', by: caller.by, agentId, version, identity })).member);
  },
  listIdentityVersions: async ({ input, caller, hub }) => {
    const { id } = await agentFor(hub, caller, input.params.memberId);
    const rows = await hub.store.rows('identity_versions', { agent_id: id }, { order: 'version desc', limit: shown });
    return { versions: await versionViews(hub.store, rows) };
  },
  restoreIdentity: async ({ input, caller, hub }) => {
    const { memberId: agentId, version: earlier } = input.params;
    const { version } = input.body;
    return view(hub, (await hub.engine.submit({ type: 'identity.restore', by: caller.by, agentId, version, earlier })).member);
  },
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
    // Asked before it is sealed, and again where it is decided.
    require('secret.manage', caller.actor);
    const sealed = hub.keys.seal(name, input.body.value);
    const { secret } = await hub.engine.submit({ type: 'secret.set', by: caller.by, name, sealed, hosts: input.body.hosts ?? [] });
    return hub.keys.about(name, secret);
  },
  bindSecret: async ({ input, caller, hub }) => {
    const { name } = input.params;
    require('secret.bind', caller.actor);
    const known = (await hub.keys.list()).find((secret) => secret.name === name);
    if (!known) throw new ParleyError('not_found', 'There is no such secret.');
    await hub.engine.submit({ type: 'secret.bind', by: caller.by, name, hosts: input.body.hosts, external: known.from !== 'stored' });
    return (await hub.keys.list()).find((secret) => secret.name === name)!;
  },
  removeSecret: async ({ input, caller, hub }) => hub.engine.submit({ type: 'secret.remove', by: caller.by, name: input.params.name }),
} satisfies Partial<RouteHandlers>;
