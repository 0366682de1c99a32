// The targets that a manifest names (SYS-11): its agent, and where its result goes. A name means what it meant when the
// manifest was written: neither a rename nor a second channel of the name leads a result anywhere else.

import { ConversationId, foldHandle, type Manifest, MemberId } from '@parley/protocol';
import type { ConversationRow, MemberRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { channelsNamed, foldName } from '../membership/conversations.ts';
import { memberNow, objectPlace, pinName, pinOf } from '../people/meant-members.ts';
import { asActor } from '../tasks/task-access.ts';

type Names = Pick<Manifest, 'id' | 'handle' | 'deliver_to'>;

const placeOf = (manifestId: string): string => objectPlace('manifest', manifestId);
const agentName = (handle: string): string => `^${foldHandle(handle)}`;
const channelName = (name: string): string => `#${foldName(name.replace(/^#/, ''))}`;

const isMemberId = (name: string): boolean => MemberId.safeParse(name).success;

const agentNow = (name: string, set: WorkingSet): MemberRow | undefined => {
  const found = memberNow(name, set);
  return found?.kind === 'agent' ? found : undefined;
};

/** Whether it names an agent or a conversation by anything but its ID. */
export function namesTargets(manifest: Names): boolean {
  const { agents, conversations } = targetsOf(manifest);
  return !agents.every(isMemberId) || !conversations.every((name) => ConversationId.safeParse(name).success);
}

/** The targets as the author wrote them. */
const targetsOf = ({ handle, deliver_to: to }: Names): { agents: string[]; conversations: string[] } => ({
  agents: [...(handle === undefined ? [] : [handle]), ...(to && 'agent' in to ? [to.agent] : [])],
  conversations: to && 'conversation' in to ? [to.conversation] : [],
});

/**
 * Pins the manifest's names to what its owner means by them now. A pin stays while there is the manifest: an edit around a
 * name, or a file that is only touched, would lead the result to a stranger who took the name since. `isNew`: the pins of
 * an earlier manifest with the same ID do not count.
 */
export function pinTargets(manifest: Names, ownerId: string, isNew: boolean, tx: Tx): void {
  const { agents, conversations } = targetsOf(manifest);
  const place = placeOf(manifest.id);
  const owner = tx.get('members', ownerId);
  const pin = (name: string, id: string | undefined): void => {
    if (isNew || pinOf(place, name, tx) === undefined) pinName(place, name, id ?? null, tx);
  };
  for (const agent of agents) if (!isMemberId(agent)) pin(agentName(agent), agentNow(agent, tx)?.id);
  for (const name of conversations) if (owner && !isId(name, tx)) pin(channelName(name), conversationNow(name, owner, tx)?.id);
}

/** An agent that came later is meant if it is the manifest's owner's. */
export function agentMeant(manifestId: string, handle: string, set: WorkingSet): MemberRow | undefined {
  const pin = isMemberId(handle) ? undefined : pinOf(placeOf(manifestId), agentName(handle), set);
  const now = agentNow(handle, set);
  if (!pin) return now;
  if (pin.subject_id !== '') return set.get('members', pin.subject_id);
  return now && now.owner_id === ownerOf(manifestId, set) ? now : undefined;
}

/** A channel that came later is meant if the manifest's owner made it. `owner`: in whose name the result is posted. */
export function conversationMeant(manifestId: string, name: string, owner: MemberRow, set: WorkingSet): ConversationRow | undefined {
  if (isId(name, set)) return set.get('conversations', name);
  const pin = pinOf(placeOf(manifestId), channelName(name), set);
  if (pin && pin.subject_id !== '') return set.get('conversations', pin.subject_id);
  const now = conversationNow(name, owner, set);
  return !pin || now?.created_by === ownerOf(manifestId, set) ? now : undefined;
}

const ownerOf = (manifestId: string, set: WorkingSet): string | undefined => set.get('provoke_objects', 'manifest', manifestId)?.owner_id;

const isId = (name: string, set: WorkingSet): boolean => !name.startsWith('#') && set.get('conversations', name) !== undefined;

/**
 * `#ops` is a channel by name, as its owner sees it; without the sign it may be an id as well. A channel that they are in
 * comes first. Two channels of the name count as none: somebody may have made the second one to get the results of the
 * first.
 */
function conversationNow(name: string, owner: MemberRow, set: WorkingSet): ConversationRow | undefined {
  const { joined, open } = channelsNamed(name.replace(/^#/, ''), asActor(owner), set);
  const found = joined.length > 0 ? joined : open;
  return found.length === 1 ? found[0] : undefined;
}

/** The names that now mean something else than when the manifest was written. */
export function changedNames(manifest: Names, owner: MemberRow, set: WorkingSet): string[] {
  const { id } = manifest;
  const { agents, conversations } = targetsOf(manifest);
  const changed = (name: string, kind: string, meant: string | undefined, now: string | undefined): string[] => {
    if (now === undefined || now === meant) return [];
    const why =
      meant === undefined
        ? `${name} meant no ${kind} when the manifest was written; there is one now.`
        : `${name} is another ${kind} now; the manifest still means ${meant}.`;
    return [`${why} Write its ID, ${now}, if you mean that one.`];
  };
  const named = conversations.filter((name) => !isId(name, set));
  return [
    ...[...new Set(agents)].flatMap((name) => changed(name, 'agent', agentMeant(id, name, set)?.id, agentNow(name, set)?.id)),
    ...named.flatMap((name) =>
      changed(name, 'conversation', conversationMeant(id, name, owner, set)?.id, conversationNow(name, owner, set)?.id),
    ),
  ];
}
