// The member in whose name something ran has left, and nobody has asked for it in another's name (SYS-9). The runs stop,
// another member answers for the object, and objects of a file stay off until the file names a new owner.

import type { ProvokeKind } from '@parley/protocol';

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
