// Decides which triggers run at a hub and which manifests they may wake (SYS-9). An existing object keeps its owner; the
// caller would own a new one.

import { everyMember } from '@parley/sdk/pages';
import { type Holder, mayRun, mayUse, type OwnedDefinition } from '@parley/core';
import { type Agent, foldHandle, type Manifest, type Member, ParleyError, type StandingObject, type Trigger } from '@parley/protocol';
import type { HubAccess } from '../hub-access.ts';

export interface Owners {
  runs: (trigger: Trigger) => boolean;
  mayWake: (trigger: Trigger) => boolean;
  /** The ID of the trigger's owner. */
  ownerIdOf: (trigger: Trigger) => string;
  /** The mode of the agent that the trigger would wake, if the caller can see the agent. */
  modeFor: (trigger: Trigger, manifest: Manifest | undefined) => Agent['mode'] | undefined;
}

/** Without a hub there are no owners, so every trigger may wake every manifest. */
export const noOwners: Owners = { runs: () => true, mayWake: () => true, ownerIdOf: () => '', modeFor: () => undefined };

export async function ownersOf(
  access: HubAccess,
  triggers: readonly StandingObject[],
  manifests: readonly StandingObject[],
): Promise<Owners> {
  const [{ members }, caller, { agents }] = await Promise.all([everyMember(access), callerId(access), access.call('listAgents')]);
  const holders = new Map(
    members.map(({ id, kind, role, status }): [string, Holder] => [id, { id, kind, role, active: status === 'active' }]),
  );
  const ownId = caller ?? firstOwner(members) ?? '';
  const definitionsById = (objects: readonly StandingObject[]): ((id: string) => OwnedDefinition) => {
    const byId = new Map<string, OwnedDefinition>(objects.map((one) => [one.id, one]));
    return (id) => byId.get(id) ?? { ownerId: ownId, file: null };
  };
  const [triggerOf, manifestOf] = [definitionsById(triggers), definitionsById(manifests)];
  const ownerOf = ({ id }: Trigger): Holder | undefined => holders.get(triggerOf(id).ownerId);
  return {
    runs: (trigger) => {
      const owner = ownerOf(trigger);
      return owner !== undefined && mayRun(owner);
    },
    ownerIdOf: ({ id }) => triggerOf(id).ownerId,
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

/** The caller's member ID; undefined for the operator. */
const callerId = (access: HubAccess): Promise<string | undefined> =>
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
