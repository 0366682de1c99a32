// Whose triggers run at a hub, and which manifests they may wake (SYS-9): an existing object keeps its owner, and a new one
// would be the asker's.

import { everyMember } from '@parley/sdk/pages';
import { type Holder, mayRun, mayUse, type OwnedDefinition } from '@parley/core';
import { type Agent, foldHandle, type Manifest, type Member, ParleyError, type StandingObject, type Trigger } from '@parley/protocol';
import type { HubAccess } from '../hub-access.ts';

export interface Owners {
  runs: (trigger: Trigger) => boolean;
  mayWake: (trigger: Trigger) => boolean;
  /** Whose it is. */
  whose: (trigger: Trigger) => string;
  /** Of the agent that it would wake, where one is seen. */
  modeFor: (trigger: Trigger, manifest: Manifest | undefined) => Agent['mode'] | undefined;
}

/** Without a hub nobody has anything: all of it is for all. */
export const noOwners: Owners = { runs: () => true, mayWake: () => true, whose: () => '', modeFor: () => undefined };

export async function ownersOf(
  access: HubAccess,
  triggers: readonly StandingObject[],
  manifests: readonly StandingObject[],
): Promise<Owners> {
  const [{ members }, asker, { agents }] = await Promise.all([everyMember(access), whoAsks(access), access.call('listAgents')]);
  const holders = new Map(
    members.map(({ id, kind, role, status }): [string, Holder] => [id, { id, kind, role, active: status === 'active' }]),
  );
  const mine = asker ?? firstOwner(members) ?? '';
  const keptAs = (objects: readonly StandingObject[]): ((id: string) => OwnedDefinition) => {
    const byId = new Map<string, OwnedDefinition>(objects.map((one) => [one.id, one]));
    return (id) => byId.get(id) ?? { ownerId: mine, file: null };
  };
  const [triggerOf, manifestOf] = [keptAs(triggers), keptAs(manifests)];
  const ownerOf = ({ id }: Trigger): Holder | undefined => holders.get(triggerOf(id).ownerId);
  return {
    runs: (trigger) => {
      const owner = ownerOf(trigger);
      return owner !== undefined && mayRun(owner);
    },
    whose: ({ id }) => triggerOf(id).ownerId,
    modeFor: (trigger, manifest) =>
      manifest &&
      agents.find(({ id, handle, manifestId, ownerId }) =>
        manifest.handle === undefined
          ? manifestId === manifest.id && ownerId === triggerOf(trigger.id).ownerId
          : id === manifest.handle || foldHandle(handle) === foldHandle(manifest.handle),
      )?.mode,
    mayWake: (trigger) => {
      const owner = ownerOf(trigger);
      const manifest = manifestOf(trigger.agent);
      return owner !== undefined && mayUse(manifest, holders.get(manifest.ownerId), triggerOf(trigger.id), owner);
    },
  };
}

/** Nobody in particular, for the operator. */
const whoAsks = (access: HubAccess): Promise<string | undefined> =>
  access.call('getSession').then(
    ({ me }) => me.id,
    (error: unknown) => {
      if (error instanceof ParleyError) return undefined;
      throw error;
    },
  );

const firstOwner = (members: readonly Member[]): string | undefined =>
  members
    .filter(({ role, kind, status }) => role === 'owner' && kind === 'human' && status === 'active')
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))[0]?.id;
