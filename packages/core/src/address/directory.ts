// Who can be addressed in a room.

import type { MemberKind } from '@parley/protocol';
import { type Directory, directory } from './address.ts';

export interface DirectoryEntry {
  handle: string;
  kind: MemberKind | 'role';
  /** Handles of roles it holds; they can be called even if the room does not list them. */
  roles?: readonly string[] | undefined;
}

/** Everyone who can be addressed in a room: those in it, and the roles they hold. */
export function directoryOf(members: readonly DirectoryEntry[]): Directory {
  const all: Pick<DirectoryEntry, 'handle' | 'kind'>[] = [];
  for (const { roles } of members) if (roles) for (const handle of roles) all.push({ handle, kind: 'role' });
  return directory(all.length === 0 ? members : [...all, ...members]);
}
