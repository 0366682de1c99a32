// An agent's identity: written over the API, or taken from its files; and restored from an earlier version.

import { foldHandle, type Identity, ParleyError } from '@parley/protocol';
import { wantBy, wantRow } from '../../../store/port.ts';
import type { IdentityRow, MemberRow } from '../../../store/tables.ts';
import { agentToChange, type CommandOf, type Handler, invalidField, mustBeSystem, type Tx } from '../../command.ts';
import { agentChanged } from '../../steps/agents/agents.ts';
import { managerNamed, mustBeOurs, wholeOf, writeIdentity } from '../../steps/membership/agent-identities.ts';
import { giveAgent } from '../../steps/departure/handovers.ts';
import { handleLock } from '../../steps/people/handles.ts';
import { folderPlace, memberMeant, pinMember, pinName } from '../../steps/people/meant-members.ts';
import { firstOwner, newMember, nobodyYet, person, rolesLock } from '../../steps/membership/members.ts';
import { aboutMember, agentLock, append } from '../../steps/facts/append.ts';

interface Written {
  member: MemberRow;
  row: IdentityRow;
}

export interface IdentityCommands {
  /** `version`: the one it was written over. */
  'identity.put': [{ agentId: string; version: number; identity: Identity }, Written];
  /** An earlier version again. The agent's handle stays: others write it by now. */
  'identity.restore': [{ agentId: string; version: number; earlier: number }, Written];
  /** Stores the identity from an agent's folder, and creates the agent if it is new. */
  'identity.load': [{ owner: string | undefined; identity: Identity }, Written];
  /** The agent's files are gone: the identity stays as it is, and is edited over the API from now on. */
  'identity.release': [{ agentId: string }, void];
}

const rowWants = (agentId: string) => [wantRow('members', agentId), wantRow('agents', agentId), wantRow('identities', agentId)];
const locksOf = (agentId: string): string[] => [agentLock(agentId), `member:${agentId}`, rolesLock];

function editableAgent(c: CommandOf<'identity.put' | 'identity.restore'>, tx: Tx) {
  const { actor, agent: member } = agentToChange('agent.edit', c, tx);
  mustBeOurs(member.id, member.handle, tx);
  const version = tx.get('identities', member.id)?.version ?? 0;
  if (c.version !== version)
    throw new ParleyError('version_conflict', 'The identity has changed since you read it. Read it again.', {
      problems: [{ field: 'version', message: `is ${version} by now` }],
    });
  return { actor, member };
}

const put: Handler<'identity.put'> = {
  locks: (c) => [...locksOf(c.agentId), handleLock(c.identity.profile.handle)],
  needs: (c) => rowWants(c.agentId),
  decide: (c, tx) => {
    const { actor, member } = editableAgent(c, tx);
    const { manager, ...rest } = c.identity;
    return writeIdentity(member, { ...rest, managerId: managerNamed(manager, tx) }, { actor, source: 'api' }, tx);
  },
};

const restore: Handler<'identity.restore'> = {
  locks: (c) => locksOf(c.agentId),
  needs: (c) => [...rowWants(c.agentId), wantRow('identity_versions', c.agentId, c.earlier)],
  decide: (c, tx) => {
    const { actor, member } = editableAgent(c, tx);
    const earlier = tx.get('identity_versions', c.agentId, c.earlier);
    if (!earlier) throw new ParleyError('not_found', 'There is no such version.');
    const whole = wholeOf(earlier);
    // The manager of that time may be gone.
    const managerId = whole.managerId !== null && tx.get('members', whole.managerId)?.status === 'active' ? whole.managerId : null;
    const profile = { ...whole.profile, handle: member.handle };
    return writeIdentity(member, { ...whole, profile, managerId }, { actor, source: 'api' }, tx);
  },
};

const load: Handler<'identity.load'> = {
  locks: (c) => [handleLock(c.identity.profile.handle), rolesLock],
  needs: (c) => [
    wantBy('members', 'handle', foldHandle(c.identity.profile.handle)),
    wantBy('roles', 'handle', foldHandle(c.identity.profile.handle)),
  ],
  decide: (c, tx) => {
    const actor = mustBeSystem(c.by, tx);
    const { manager, ...rest } = c.identity;
    const { handle } = rest.profile;
    const place = folderPlace(handle);
    const meaning = memberMeant(place, handle, '^', tx);
    if (meaning.problem !== undefined) throw invalidField('handle', meaning.problem);
    const [found] = tx.find('members', 'handle', foldHandle(handle));
    if (found?.kind === 'human' || (!found && tx.find('roles', 'handle', foldHandle(handle)).length > 0))
      throw invalidField('handle', 'the name of the folder is the handle of somebody else');
    if (found) tx.lock(...locksOf(found.id));
    const owner = c.owner === undefined ? undefined : person(memberNamed(c.owner, 'owner', place, tx), 'owner', tx).id;
    const answers = owner ?? found?.owner_id ?? firstOwner(tx);
    if (answers === null) throw invalidField('owner', nobodyYet);
    const member = found
      ? found.owner_id === answers
        ? found
        : giveAgent(found, { owner_id: answers, manager_id: null }, actor, tx)
      : newMember({ kind: 'agent', role: 'member', ...rest.profile, ownerId: answers, managerId: null }, actor, tx);
    pinName(place, `^${foldHandle(handle)}`, member.id, tx);
    const managerId = manager === null ? null : memberNamed(manager, 'manager', place, tx);
    return writeIdentity(member, { ...rest, managerId }, { actor, source: 'folder' }, tx);
  },
};

function memberNamed(written: string, field: 'owner' | 'manager', place: string, tx: Tx): string {
  const { id, problem } = pinMember(place, written, '@', tx);
  if (problem !== undefined) throw invalidField(field, problem);
  if (id === undefined || tx.get('members', id)?.status !== 'active') throw invalidField(field, 'is not a member');
  return id;
}

const release: Handler<'identity.release'> = {
  locks: (c) => [agentLock(c.agentId)],
  decide: (c, tx) => {
    const actor = mustBeSystem(c.by, tx);
    const row = tx.get('identities', c.agentId);
    if (row?.source !== 'folder') return;
    tx.update('identities', row, { source: 'api' });
    append(tx, { type: 'identity.released', actor, ...aboutMember(row.agent_id) });
    agentChanged(row.agent_id, tx);
  },
};

export const identityHandlers = { 'identity.put': put, 'identity.restore': restore, 'identity.load': load, 'identity.release': release };
