// The members of a room who can be addressed: only those whose names are written, and everyone only when everyone is
// called. The cost of a message follows who is addressed, not who is present.

import {
  type Address,
  directory,
  nearestHandle,
  resolve,
  roomKind,
  type MessageFacts,
  type WrittenAddress,
  writtenAddresses,
} from '@parley/core';
import { foldHandle } from '@parley/protocol';
import { wantRow } from '../../../store/port.ts';
import type { ConversationRow, MemberRow, RoleRow } from '../../../store/tables.ts';
import type { WorkingSet } from '../../working-set.ts';

/** A message that names more different members than this is a list, not a request; the rest of the names are text. */
const maxNames = 100;
/** Handles that are looked through for the nearest to one nobody has. */
const maxNearby = 500;
const groupNames = new Set(['all', 'any']);

export interface NamedMembers {
  addresses: Address[];
  /** The named members who are here, by folded handle. */
  present: Map<string, MemberRow>;
  /** Members of the workspace who are not in this conversation. */
  elsewhere: Map<string, MemberRow>;
  /** Roles that somebody here holds, with those who do. */
  roles: Map<string, RoleHolders>;
  /** Roles that nobody here holds. */
  vacant: Set<string>;
}

export interface RoleHolders {
  role: RoleRow;
  holders: MemberRow[];
}

export function namedIn(text: string, home: ConversationRow, set: WorkingSet): NamedMembers {
  const found = writtenAddresses(text);
  if (found.length === 0) return { addresses: [], present: new Map(), elsewhere: new Map(), roles: new Map(), vacant: new Set() };
  // Handles have only certain letters, so nobody can have this one.
  const namesOf = ({ name, short, cause, ifHere }: WrittenAddress): string[] =>
    cause === 'look_alike' && !ifHere ? [] : [name, ...(short === undefined ? [] : [short])].map(foldHandle);
  const folds = [...new Set(found.flatMap(namesOf))].filter((fold) => !groupNames.has(fold)).slice(0, maxNames);
  const present = new Map<string, MemberRow>();
  const elsewhere = new Map<string, MemberRow>();
  set.need(folds.flatMap((fold) => (['members', 'roles'] as const).map((table) => ({ table, lookup: 'handle', values: [fold] }))));
  const members = folds.flatMap((fold) => set.find('members', 'handle', fold)).filter((member) => member.status === 'active');
  set.need(members.map((member) => wantRow('memberships', home.id, member.id)));
  for (const member of members) (set.get('memberships', home.id, member.id) ? present : elsewhere).set(member.handle_fold, member);
  const { roles, vacant } = rolesNamed(folds, home, set);
  const looked = new Set([...folds, ...groupNames]);
  const addressables = directory([
    ...present.values(),
    ...[...roles.values()].map(({ role }) => ({ handle: role.handle, kind: 'role' as const })),
  ]);
  const addresses = resolve(
    found.filter((one) => namesOf(one).every((fold) => looked.has(fold))),
    addressables,
  );
  return { addresses, present, elsewhere, roles, vacant };
}

function rolesNamed(folds: readonly string[], home: ConversationRow, set: WorkingSet): Pick<NamedMembers, 'roles' | 'vacant'> {
  const called = folds.flatMap((fold) => set.find('roles', 'handle', fold));
  const holders = set.each(called, ({ id }) => {
    const ids = set.find('role_holders', 'role', id).map(({ member_id }) => member_id);
    return activeIn(home, ids, set);
  });
  const roles = new Map<string, RoleHolders>();
  const vacant = new Set<string>();
  called.forEach((role, i) => {
    if (holders[i]!.length > 0) roles.set(role.handle_fold, { role, holders: holders[i]! });
    else vacant.add(role.handle_fold);
  });
  return { roles, vacant };
}

/** The active members of the room, of these. */
export function activeIn(home: ConversationRow, memberIds: readonly string[], set: WorkingSet): MemberRow[] {
  set.need(memberIds.flatMap((id) => [wantRow('members', id), wantRow('memberships', home.id, id)]));
  const members = memberIds.flatMap((id) => set.get('members', id) ?? []);
  return members.filter(({ id, status }) => status === 'active' && set.get('memberships', home.id, id) !== undefined);
}

/** The kind of a conversation for its members: of two, of one person with several agents, or a room. */
export function kindOf(home: ConversationRow, set: WorkingSet): MessageFacts['conversation']['kind'] {
  const ids = home.dm_key?.split(',') ?? [];
  const agents = set.each(ids, (id) => set.get('members', id)?.kind).filter((kind) => kind === 'agent').length;
  return roomKind(home.kind, ids.length - agents, agents);
}

/** Every active agent in the conversation. */
export function agentsIn(home: ConversationRow, set: WorkingSet): MemberRow[] {
  return agentsOf([home], set)
    .get(home.id)!
    .map((id) => set.get('members', id)!);
}

/** The IDs of the agents of several conversations, in the order of their handles. */
export function agentsOf(homes: Iterable<ConversationRow>, set: WorkingSet): Map<string, string[]> {
  const membersOf = (id: string): string[] => set.find('memberships', 'conversation', id).map(({ member_id }) => member_id);
  const joined = new Map(set.each(new Set([...homes].map(({ id }) => id)), (id) => [id, membersOf(id)] as const));
  // A room may have thousands: they are asked for as one list.
  set.need([...new Set([...joined.values()].flat())].map((id) => wantRow('members', id)));
  const active = (memberIds: string[]): MemberRow[] =>
    memberIds.map((id) => set.get('members', id)!).filter((member) => member.kind === 'agent' && member.status === 'active');
  const byHandle = (a: MemberRow, b: MemberRow): number => (a.handle_fold < b.handle_fold ? -1 : 1);
  const idsOf = (members: MemberRow[]): string[] => members.toSorted(byHandle).map(({ id }) => id);
  return new Map([...joined].map(([id, memberIds]) => [id, idsOf(active(memberIds))]));
}

/** The member here with the most similar handle. Kept as an ID: a handle in a fact would outlive its owner. */
export function nearestHere(address: Address, sigil: string, home: ConversationRow, set: WorkingSet): string | undefined {
  const joined = set.find('memberships', 'conversation', home.id).slice(0, maxNearby);
  set.need(joined.map(({ member_id }) => wantRow('members', member_id)));
  const near = joined
    .map(({ member_id }) => set.get('members', member_id)!)
    .filter((member) => member.status === 'active' && (sigil === '@' || member.kind === 'agent'));
  const handle = nearestHandle(address.handle, directory(near));
  return near.find((member) => member.handle === handle)?.id;
}
