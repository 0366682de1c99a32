// The triggers that run, and the manifests that they may wake (SYS-9): asked when an event comes, in a dry run and in a
// replay.

import type { Manifest } from '@parley/protocol';
import { type Actor, may, type MemberActor } from '../access/access.ts';

/** A member, as far as it matters here. */
export type Holder = Pick<MemberActor, 'id' | 'kind' | 'role' | 'active'>;
/** A trigger or a manifest: in whose name it is, and in which file, if in one. */
export interface OwnedDefinition {
  ownerId: string;
  file: string | null;
}

const actorFor = (holder: Holder): Actor => ({ type: 'member', ...holder, tokenKind: 'person' });

/** Whether what somebody made still runs as them: those who may make none have none. */
export const mayRun = (owner: Holder): boolean => may('trigger.create', actorFor(owner)).allowed;

/** Whether a part of the workspace's day is all that theirs may spend: not of those who answer for the workspace. */
export const isBounded = (owner: Holder): boolean => !may('agent.reach', actorFor(owner)).allowed;

/**
 * One's own; and among those who may grant tools and keys, each other's. A member's manifest would run with more rights than
 * the member has, and a member's trigger would reach more than it was granted. Objects of files may use each other, as the
 * operator keeps the files. `made`: the manifest's owner.
 */
export const mayUse = (
  manifest: OwnedDefinition,
  made: Holder | undefined,
  trigger: Pick<OwnedDefinition, 'file'>,
  owner: Holder,
): boolean =>
  manifest.ownerId === owner.id ||
  (manifest.file !== null && trigger.file !== null) ||
  [made, owner].every((one) => one !== undefined && may('agent.reach', actorFor(one)).allowed);

/** Whether a manifest gives more than words: tools, a model that costs money or is reached with a key, an address outside. */
export const reaches = ({ tools, model, deliver_to }: Pick<Manifest, 'tools' | 'model' | 'deliver_to'>): boolean =>
  tools.length > 0 || model.provider !== 'builtin' || (deliver_to !== undefined && 'webhook' in deliver_to);
