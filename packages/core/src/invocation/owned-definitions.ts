// Triggers, manifests and their like belong to somebody: whose run, how many a member keeps, and where they go when their owner
// leaves or a file names them.

import type { Manifest, ProvokeKind } from '@parley/protocol';
import { type Actor, may, type MemberActor } from '../access/access.ts';

// The triggers that run, and the manifests that they may wake (SYS-9): asked when an event comes, in a dry run and in a
// replay.

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

// How much one member may keep here that all events of everybody are put to.

/** The limit of triggers, of manifests, of schedules, and of monitors, over the API. The operator limits those in files. */
export const mostOwned = 100;

/** `owned`: how many of the kind they have over the API. Those who may change everybody's keep the workspace's. */
export const mayOwnAnother = (actor: Actor, owned: number): boolean => owned < mostOwned || may('trigger.edit', actor).allowed;

// The member in whose name something ran has left, and nobody has asked for it in another's name (SYS-9). The runs stop,
// another member answers for the object, and objects of a file stay off until the file names a new owner.

export interface OwnedObject {
  kind: ProvokeKind;
  /** Whether it is on. */
  enabled: boolean;
  /** Whether it stands in a file. */
  filed: boolean;
  /** Whether its text, as it is kept, has it on; undefined: the text does not say. */
  says: boolean | undefined;
}

/** Kept as if its file had it on, and off. The file may go, come by another name or say otherwise; it stays so. */
export const isLeftOff = ({ kind, enabled, says }: Omit<OwnedObject, 'filed'>): boolean => kind !== 'manifest' && !enabled && says === true;

export interface OwnerHandover {
  to: 'heir' | 'first owner';
  enabled: boolean;
  /** The stored text has the object switched on. This field remembers that it stays off. */
  leftOff: boolean;
}

export function handOverObject({ kind, enabled, filed }: Omit<OwnedObject, 'says'>): OwnerHandover {
  // A manifest in a file cannot say whose it is, and what stands in files of others' uses it: it is the first owner's, as any.
  if (kind === 'manifest' && filed) return { to: 'first owner', enabled, leftOff: false };
  // An heir has not asked for it to be done in their name: they switch it on again, or do not. A source does nothing by
  // itself, and its monitors are the workspace's. Nor has the keeper of the file asked for it in another's name: the file
  // has to say so, also of objects that it has off.
  return { to: 'heir', enabled: enabled && kind === 'source', leftOff: filed };
}

/** The state of an object after its file was read. `names`: whether the file names an owner. */
export function asFiled(file: { says: boolean | undefined; names: boolean }, before: Omit<OwnedObject, 'filed'> | undefined) {
  const leftOff = !file.names && before !== undefined && isLeftOff(before);
  return { enabled: file.says !== false && !leftOff, leftOff };
}

// Ids that move between files: all that changed is looked at together, so that what one file gives up another may take, in
// whatever order they are read. Each is still taken whole or not at all: what stays as it was keeps its ids.

export interface FileClaim {
  file: string;
  /** The IDs in the file, in order. */
  ids: readonly string[];
  /** Nothing else is wrong with it. */
  whole: boolean;
}

export interface Clash {
  /** Which of its ids. */
  at: number;
  /** The file that has it; null: it is kept over the API. */
  by: string | null;
}

/** The files that cannot be taken as they are because of ids that others have. `heldBy`: where one stands now; undefined: nowhere. */
export function clashes(files: readonly FileClaim[], heldBy: (id: string) => string | null | undefined): Map<string, Clash[]> {
  const refused = new Map<string, Clash[]>();
  for (;;) {
    const taken = files.filter(({ file, whole }) => whole && !refused.has(file));
    const free = new Set(taken.map(({ file }) => file));
    const holders = new Map<string, string>();
    // The file that holds an id and keeps it comes before one that wants it; then the first.
    for (const { file, ids } of taken) for (const id of ids) if (heldBy(id) === file) holders.set(id, file);
    for (const { file, ids } of taken) for (const id of ids) if (!holders.has(id)) holders.set(id, file);
    const before = refused.size;
    for (const { file, ids } of files) {
      if (refused.has(file)) continue;
      const found = ids.flatMap((id, at): Clash[] => {
        const held = heldBy(id);
        if (held === file) return [];
        const by = held === undefined || (held !== null && free.has(held)) ? (holders.get(id) ?? file) : held;
        return by === file ? [] : [{ at, by }];
      });
      if (found.length > 0) refused.set(file, found);
    }
    // One that is refused keeps what it had: that may be what another was to take.
    if (refused.size === before) return refused;
  }
}
