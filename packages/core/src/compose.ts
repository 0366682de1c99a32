// Who would be woken by this text, before it is sent (SYS-3). The composer runs it in the browser on what the author
// may see; the hub decides with the same functions on what only it knows.

import { type ConversationKind, foldHandle } from '@parley/protocol';
import { type Address, addresses, type Directory, isPassedOver, nearest, sigilOf, type UnreadCause } from './address.ts';
import { attend, type Listener, type Said, type Verdict } from './attention.ts';
import { isSentAway } from './leave.ts';
import { directoryOf, type Present } from './present.ts';
import { saying } from './wording.ts';

export interface Room {
  kind: ConversationKind;
  floor: 'polite' | 'open';
  members: readonly Present[];
}

export interface Preview {
  addresses: Address[];
  /** One for every agent in the room, by handle. */
  verdicts: ReadonlyMap<string, Verdict>;
  /** Handles that nobody here has, with the nearest one somebody has. */
  unknown: { handle: string; start: number; end: number; nearest: string | undefined; cause: UnreadCause | undefined }[];
}

export const roomKind = (kind: ConversationKind, people: number): Said['conversation']['kind'] =>
  kind !== 'dm' ? 'channel' : people > 2 ? 'group_dm' : 'dm';

export interface Circumstances {
  attachments?: number;
  /** What the room does not say of an agent: that it was asked to leave, that its task goes on here, that it takes part in the thread. */
  standing?: (handle: string) => Partial<Listener>;
  /** What the text does not say of itself; the path holds folded handles. */
  about?: Pick<Said, 'urgent' | 'notification' | 'path' | 'final'>;
}

const none: readonly string[] = [];

export function preview(room: Room, author: string, text: string, { attachments = 0, standing, about }: Circumstances = {}): Preview {
  const known = directoryOf(room.members);
  const found = addresses(text, known);
  const fold = foldHandle(author);
  let people = 0;
  for (const { kind } of room.members) if (kind !== 'role') people++;
  const { said } = saying(
    {
      authorId: fold,
      authorKind: known.get(fold)?.kind === 'agent' ? 'agent' : 'human',
      conversation: { kind: roomKind(room.kind, people), floor: room.floor },
      addresses: found,
      ...about,
    },
    text,
    attachments,
  );
  const verdicts = new Map<string, Verdict>();
  for (const { handle, kind, roles } of room.members) {
    if (kind !== 'agent') continue;
    const id = foldHandle(handle);
    // Only who is named can be meant; the words are not read for everyone in the room.
    const leaving = found.some((address) => address.kind === 'agent' && address.handle === handle) && isSentAway(text, handle);
    const listener: Listener = { id, handle, leaving, roles: roles ?? none };
    verdicts.set(handle, attend(said, standing ? { ...listener, ...standing(handle) } : listener));
  }
  const strangers = found.filter((address) => address.kind === 'unknown');
  // After `^` only an agent can have been meant.
  const agents: Directory = strangers.length === 0 ? known : new Map([...known].filter(([, { kind }]) => kind !== 'human'));
  const unknown = strangers.map(({ handle, start, end, cause }) => ({
    handle,
    start,
    end,
    nearest: isPassedOver(cause) ? undefined : nearest(handle, sigilOf(text[start]!) === '^' ? agents : known),
    cause,
  }));
  return { addresses: found, verdicts, unknown };
}
