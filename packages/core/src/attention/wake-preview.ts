// The preview of who would be woken by a text (SYS-3). The composer runs it in the browser on what the author may see; the
// hub decides with the same functions on what only it knows.

import { type ConversationKind, foldHandle } from '@parley/protocol';
import {
  type Address,
  addressesIn,
  type Directory,
  isPassedOver,
  nearestHandle,
  sigilOf,
  type UnreadCause,
  directoryOf,
  type DirectoryEntry,
} from '../address/address.ts';
import { attend, type Listener, type MessageFacts, type Verdict } from './attend.ts';
import { isSentAway } from '../classify/leave-request.ts';
import { readWording } from './message-wording.ts';

export interface PreviewRoom {
  kind: ConversationKind;
  floor: 'polite' | 'open';
  members: readonly DirectoryEntry[];
}

export interface WakePreview {
  addresses: Address[];
  /** One for every agent in the room, by handle. */
  verdicts: ReadonlyMap<string, Verdict>;
  /** Handles that nobody here has, with the nearest one somebody has. */
  unknown: { handle: string; start: number; end: number; nearest: string | undefined; cause: UnreadCause | undefined }[];
}

/** A DM of several people is a room: nobody in it is meant unless they are called. */
export function roomKind(kind: ConversationKind, people: number, agents: number): MessageFacts['conversation']['kind'] {
  if (kind !== 'dm') return 'channel';
  if (people + agents <= 2) return 'dm';
  return people === 1 ? 'group_dm' : 'channel';
}

export interface Circumstances {
  attachments?: number;
  /** Facts about an agent that the room does not hold: a leave request, a task that goes on here, a part in the thread. */
  standing?: (handle: string) => Partial<Listener>;
  /** Facts about the message that its text does not hold; the path has folded handles. */
  about?: Pick<MessageFacts, 'urgent' | 'notification' | 'path' | 'final' | 'continued'>;
}

const none: readonly string[] = [];

export function preview(
  room: PreviewRoom,
  author: string,
  text: string,
  { attachments = 0, standing, about }: Circumstances = {},
): WakePreview {
  const known = directoryOf(room.members);
  const found = addressesIn(text, known);
  const fold = foldHandle(author);
  const count = (of: DirectoryEntry['kind']): number => room.members.filter(({ kind }) => kind === of).length;
  const agentHandles = room.members.filter(({ kind }) => kind === 'agent').map(({ handle }) => handle);
  const standings = new Map(standing ? agentHandles.map((handle) => [handle, standing(handle)]) : []);
  const continued = [...standings.values()].some(({ continuing }) => continuing !== undefined);
  const { said } = readWording(
    {
      authorId: fold,
      authorKind: known.get(fold)?.kind === 'agent' ? 'agent' : 'human',
      conversation: { kind: roomKind(room.kind, count('human'), agentHandles.length), floor: room.floor },
      addresses: found,
      continued,
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
    verdicts.set(handle, attend(said, { ...listener, ...standings.get(handle) }));
  }
  const strangers = found.filter((address) => address.kind === 'unknown');
  // After `^` only an agent can have been meant.
  const agents: Directory = strangers.length === 0 ? known : new Map([...known].filter(([, { kind }]) => kind !== 'human'));
  const unknown = strangers.map(({ handle, start, end, cause }) => ({
    handle,
    start,
    end,
    nearest: isPassedOver(cause) ? undefined : nearestHandle(handle, sigilOf(text[start]!) === '^' ? agents : known),
    cause,
  }));
  return { addresses: found, verdicts, unknown };
}
