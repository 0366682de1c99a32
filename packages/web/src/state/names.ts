import { nameShape } from '@parley/core';
import type { Conversation, Member, MyConversation } from '@parley/protocol';
import type { State } from './model.ts';

export const nameOf = (member: Member | undefined): string => member?.displayName ?? 'Someone';

/** By what a name or handle looks like, how many active members have it. Kept for as long as the members are the same. */
const looks = new WeakMap<State['members'], Map<string, number>>();
function looksIn(members: State['members']): Map<string, number> {
  const known = looks.get(members);
  if (known) return known;
  const counted = new Map<string, number>();
  for (const { displayName, handle, status } of Object.values(members)) {
    if (status !== 'active') continue;
    for (const look of new Set([displayName, handle].map(nameShape))) counted.set(look, (counted.get(look) ?? 0) + 1);
  }
  looks.set(members, counted);
  return counted;
}

/** Whether another member has a name or handle that looks the same: then the handle is shown beside it. */
export const looksLikeAnother = (member: Member | undefined, members: State['members']): boolean =>
  member !== undefined && (looksIn(members).get(nameShape(member.displayName)) ?? 0) > (member.status === 'active' ? 1 : 0);

/** A handle with the sign it is called by. */
export const calledAs = (member: Member | undefined): string =>
  member ? `${member.kind === 'agent' ? '^' : '@'}${member.handle}` : 'Somebody';

/** The name, with the handle where another member's looks the same. */
const distinctName = (member: Member | undefined, members: State['members']): string =>
  looksLikeAnother(member, members) ? `${nameOf(member)} (${calledAs(member)})` : nameOf(member);

/** The others in a DM, the first of whom gives it its face. */
export function othersIn(conversation: Conversation, myId: string): string[] {
  const others = conversation.memberIds.filter((id) => id !== myId);
  return others.length > 0 ? others : conversation.memberIds;
}

/** Agents among themselves, read from outside: one is not in it, and says nothing there. */
export const isOverseen = (conversation: MyConversation | undefined): boolean => conversation?.kind === 'dm' && !conversation.joined;

export function titleOf(conversation: Conversation, state: Pick<State, 'members' | 'myId'>): string {
  if (conversation.kind === 'channel') return conversation.name ?? 'channel';
  if (conversation.kind === 'thread') return 'Thread';
  return othersIn(conversation, state.myId)
    .map((id) => distinctName(state.members[id], state.members))
    .join(', ');
}

/** A handle from a name, as far as the alphabet of handles allows. */
export function suggestHandle(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '.')
    .slice(0, 32)
    .replaceAll(/^\.+|\.+$/g, '');
}

/** Channel names have no spaces; typing one means a dash. */
export const asChannelName = (typed: string): string =>
  typed
    .toLowerCase()
    .replaceAll(/\s+/g, '-')
    .replaceAll(/[^\p{L}\p{N}_-]/gu, '');
