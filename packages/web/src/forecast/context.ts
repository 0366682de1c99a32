import { directory, directoryOf } from '@parley/core';
import type { Directory } from '@parley/core';
import type { MemberKind, MyConversation } from '@parley/protocol';
import { createContext, use, useEffect, useMemo } from 'react';
import { useSelect, useWorkspace } from '../state/context.ts';
import { roomOf } from './room.ts';
import type { Here } from './room.ts';

/** Whose names mean somebody where the messages below are said. */
export const BookContext = createContext<Directory>(directory([]));
export const useBook = (): Directory => use(BookContext);

/** Who is in the conversation; fetched where it is not known yet, and undefined until then. */
export function useRoom(home: MyConversation): { room: Here | undefined; book: Directory } {
  const { refreshMemberships } = useWorkspace();
  const members = useSelect((state) => state.members);
  const roles = useSelect((state) => state.roles);
  const memberships = useSelect((state) => state.memberships[home.id]);
  // Of a DM it is known who is in it, but not who of several was asked to leave.
  const missing = (home.kind === 'channel' || home.memberIds.length > 2) && memberships === undefined;
  useEffect(() => {
    // Without it nothing is highlighted or foretold; what is said is heard all the same.
    if (missing) refreshMemberships(home.id).catch(() => {});
  }, [missing, home.id, refreshMemberships]);
  const room = useMemo(() => roomOf(home, memberships, members, roles), [home, memberships, members, roles]);
  // By value: every message would be read again whenever somebody comes or goes online.
  const names = room ? [...directoryOf(room.members).values()].map(({ kind, handle }) => `${kind} ${handle}`).join('\n') : '';
  const book = useMemo(() => directory(names.split('\n').map(asEntry)), [names]);
  return { room, book };
}

function asEntry(line: string): { kind: MemberKind | 'role'; handle: string } {
  const [kind = '', handle = ''] = line.split(' ');
  return { kind: kind as MemberKind | 'role', handle };
}
