// What an agent is made of: written over the API, or taken from its files; and had again as it was.

import { foldHandle, type Identity, ParleyError } from '@parley/protocol';
import { wantBy } from '../../../store/port.ts';
import type { IdentityRow, MemberRow } from '../../../store/tables.ts';
import { actorOf, type CommandOf, type Context, type Handler, invalidField, mustBeSystem, noAgent, requireOf } from '../../command.ts';
import { agentChanged } from '../../steps/agents/agents.ts';
import { managerNamed, mustBeOurs, wholeOf, writeIdentity } from '../../steps/membership/agent-identities.ts';
import { giveAgent } from '../../steps/departure/agent-handovers.ts';
import { handleLock } from '../../steps/people/handles.ts';
import { folderPlace, memberMeant, pinMember, pinName } from '../../steps/people/meant-members.ts';
import { firstOwner, newMember, nobodyYet, person, rolesLock } from '../../steps/membership/members.ts';
import { aboutMember, agentLock, append } from '../../steps/facts/append.ts';
import type { WorkingSet } from '../../working-set.ts';

interface Written {
  member: MemberRow;
  row: IdentityRow;
}

export interface IdentityCommands {
  /** `version`: the one it was written over. */
  'identity.put': [{ agentId: string; version: number; identity: Identity }, Written];
  /** An earlier version again. Its handle stays: others write it by now. */
  'identity.restore': [{ agentId: string; version: number; earlier: number }, Written];
  /** As its files say; an agent that is not there yet is made. */
  'identity.load': [{ owner: string | undefined; identity: Identity }, Written];
  /** Its files are gone: it stays as it is, and is edited over the API from now on. */
  'identity.release': [{ agentId: string }, Record<string, never>];
}

const rowWants = (agentId: string) => [
  { table: 'members' as const, values: [agentId] },
  { table: 'agents' as const, values: [agentId] },
  { table: 'identities' as const, values: [agentId] },
];
const locksOf = (agentId: string): string[] => [agentLock(agentId), `member:${agentId}`, rolesLock];

function theirs(c: CommandOf<'identity.put' | 'identity.restore'>, set: WorkingSet, context: Context) {
  const actor = actorOf(c.by, set, context.now);
  const member = set.get('members', c.agentId);
  if (member?.kind !== 'agent' || member.status === 'erased') throw noAgent();
  requireOf('agent.edit', actor, member);
  mustBeOurs(member.id, member.handle, set);
  const version = set.get('identities', member.id)?.version ?? 0;
  if (c.version !== version)
    throw new ParleyError('version_conflict', 'The identity has changed since you read it. Read it again.', {
      problems: [{ field: 'version', message: `is ${version} by now` }],
    });
  return { actor, member };
}

const put: Handler<'identity.put'> = {
  locks: (c) => [...locksOf(c.agentId), handleLock(c.identity.profile.handle)],
  needs: (c) => rowWants(c.agentId),
  decide: (c, set, context) => {
    const { actor, member } = theirs(c, set, context);
    const { manager, ...rest } = c.identity;
    return writeIdentity(member, { ...rest, managerId: managerNamed(manager, set) }, { actor, source: 'api' }, set, context);
  },
};

const restore: Handler<'identity.restore'> = {
  locks: (c) => locksOf(c.agentId),
  needs: (c) => [...rowWants(c.agentId), { table: 'identity_versions', values: [c.agentId, c.earlier] }],
  decide: (c, set, context) => {
    const { actor, member } = theirs(c, set, context);
    const earlier = set.get('identity_versions', c.agentId, c.earlier);
    if (!earlier) throw new ParleyError('not_found', 'There is no such version.');
    const whole = wholeOf(earlier);
    // Its manager of that time may be gone.
    const managerId = whole.managerId !== null && set.get('members', whole.managerId)?.status === 'active' ? whole.managerId : null;
    const profile = { ...whole.profile, handle: member.handle };
    return writeIdentity(member, { ...whole, profile, managerId }, { actor, source: 'api' }, set, context);
  },
};

const load: Handler<'identity.load'> = {
  locks: (c) => [handleLock(c.identity.profile.handle), rolesLock],
  needs: (c) => [
    wantBy('members', 'handle', foldHandle(c.identity.profile.handle)),
    wantBy('roles', 'handle', foldHandle(c.identity.profile.handle)),
  ],
  decide: (c, set, context) => {
    const actor = mustBeSystem(c.by, set, context);
    const { manager, ...rest } = c.identity;
    const { handle } = rest.profile;
    const place = folderPlace(handle);
    const meant = memberMeant(place, handle, '^', set);
    if (meant.problem !== undefined) throw invalidField('handle', meant.problem);
    const [found] = set.find('members', 'handle', foldHandle(handle));
    if (found?.kind === 'human' || (!found && set.find('roles', 'handle', foldHandle(handle)).length > 0))
      throw invalidField('handle', 'the name of the folder is the handle of somebody else');
    if (found) context.lock(...locksOf(found.id));
    const owner = c.owner === undefined ? undefined : person(memberNamed(c.owner, 'owner', place, set, context), 'owner', set).id;
    const answers = owner ?? found?.owner_id ?? firstOwner(set);
    if (answers === null) throw invalidField('owner', nobodyYet);
    const member = found
      ? found.owner_id === answers
        ? found
        : giveAgent(found, { owner_id: answers, manager_id: null }, actor, set, context)
      : newMember({ kind: 'agent', role: 'member', ...rest.profile, ownerId: answers, managerId: null }, actor, set, context);
    pinName(place, `^${foldHandle(handle)}`, member.id, set, context);
    const managerId = manager === null ? null : memberNamed(manager, 'manager', place, set, context);
    return writeIdentity(member, { ...rest, managerId }, { actor, source: 'folder' }, set, context);
  },
};

function memberNamed(written: string, field: 'owner' | 'manager', place: string, set: WorkingSet, context: Context): string {
  const { id, problem } = pinMember(place, written, '@', set, context);
  if (problem !== undefined) throw invalidField(field, problem);
  if (id === undefined || set.get('members', id)?.status !== 'active') throw invalidField(field, 'is not a member');
  return id;
}

const release: Handler<'identity.release'> = {
  locks: (c) => [agentLock(c.agentId)],
  needs: (c) => [{ table: 'identities', values: [c.agentId] }],
  decide: (c, set, context) => {
    const actor = mustBeSystem(c.by, set, context);
    const row = set.get('identities', c.agentId);
    if (row?.source !== 'folder') return {};
    set.update('identities', row, { source: 'api' });
    append(set, context, { type: 'identity.released', actor, ...aboutMember(row.agent_id) });
    agentChanged(row.agent_id, set, context);
    return {};
  },
};

export const identityHandlers = {
  'identity.put': put,
  'identity.restore': restore,
  'identity.load': load,
  'identity.release': release,
};
