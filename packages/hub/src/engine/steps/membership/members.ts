// Making and changing members.

import { type Actor, isReservedName, mixesAlphabets } from '@parley/core';
import { type MemberKind, ParleyError, type Role } from '@parley/protocol';
import type { MemberRow } from '../../../store/tables.ts';
import { actorId, invalidField, type Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { withApprovals } from '../approvals/approvals.ts';
import { enter } from './conversations.ts';
import { freeHandle, hideHandles, keepHandle } from '../people/handles.ts';
import { aboutMember, append, notify } from '../facts/append.ts';

/** Changes to who owns or heads the workspace are decided one at a time: two owners must not demote each other. */
export const rolesLock = 'roles';

/** A name is not unique; but nobody passes for the platform. */
function mustBeFree(displayName: string): void {
  if (isReservedName(displayName)) throw invalidField('displayName', 'is reserved: the platform speaks under it');
  if (mixesAlphabets(displayName))
    throw invalidField('displayName', 'must not mix Latin letters with those of another alphabet in one word');
}

export function newMember(
  input: {
    kind: MemberKind;
    handle: string;
    displayName: string;
    about: string;
    role: Role;
    ownerId: string | null;
    managerId: string | null;
    /** The member chose the handle: the actor only let them in. */
    byStranger?: true;
  },
  actor: Actor,
  tx: Tx,
): MemberRow {
  const handle_fold = freeHandle(input.handle, null, input.byStranger ? null : actor, tx);
  const member: MemberRow = {
    id: tx.ids.member(),
    kind: input.kind,
    handle: input.handle,
    handle_fold,
    display_name: input.displayName,
    about: input.about,
    role: input.role,
    owner_id: input.ownerId,
    manager_id: input.managerId,
    status: 'active',
    dnd_until: null,
    created_at: tx.now,
  };
  mustBeFree(member.display_name);
  tx.insert('members', member);
  keepHandle(member.id, member.handle, tx);
  append(tx, {
    type: 'member.added',
    actor,
    scope: 'workspace',
    subject_id: member.id,
    data: { kind: member.kind, role: member.role },
    access: { kind: member.kind, role: member.role },
  });
  // The channel everyone starts in. Guests see only what they are invited to; agents only where they are put.
  const home = tx.get('settings', 'default_channel');
  const channel = home && tx.get('conversations', JSON.parse(home.value) as string);
  if (channel && channel.archived_at === null && member.kind === 'human' && member.role !== 'guest') {
    enter(channel, member.id, member.role === 'owner' ? 'moderator' : 'participant', actor, tx);
  }
  return member;
}

/** The workspace has no member yet. */
export const nobodyYet = 'there is nobody yet who could answer for it: open the link that `npm start` printed first';

export function firstOwner(set: WorkingSet, but?: string): string | null {
  const owners = set.find('members', 'role', 'owner').filter((m) => m.kind === 'human' && m.status === 'active' && m.id !== but);
  return owners.toSorted((a, b) => a.created_at - b.created_at)[0]?.id ?? null;
}

export function person(id: string, field: string, set: WorkingSet): MemberRow {
  const member = set.get('members', id);
  if (!member || member.kind !== 'human' || member.status !== 'active') throw invalidField(field, 'is not an active person');
  // A guest may not manage an agent, so they cannot answer for one.
  if (member.role === 'guest') throw invalidField(field, 'is a guest');
  return member;
}

/** The line of managers must not lead back to the member. */
export function manager(id: string, below: string, set: WorkingSet, field = 'managerId'): string {
  const seen = new Set<string>();
  for (let at: string | null = id; at !== null && !seen.has(at);) {
    seen.add(at);
    if (at === below) throw invalidField(field, 'would make a member its own manager');
    const managerRow: MemberRow | undefined = set.get('members', at);
    if (!managerRow) throw invalidField(field, 'is not a member');
    at = managerRow.manager_id;
  }
  return id;
}

export function keepAnOwner(leaving: MemberRow, set: WorkingSet): void {
  const others = set.find('members', 'role', 'owner').filter((m) => m.id !== leaving.id && m.status === 'active');
  if (others.length === 0) throw new ParleyError('last_owner');
}

/** Changes of rights, of handles and of owners: the fields as they were and as they are. */
const accessFields = { role: 'role', handle: 'handle', status: 'status', owner_id: 'ownerId', manager_id: 'managerId' } as const;

function accessChange(member: MemberRow, next: Partial<MemberRow>, fields: readonly (keyof MemberRow)[]): object | undefined {
  const names = Object.entries(accessFields) as [keyof typeof accessFields, string][];
  const changed = names.filter(([field]) => fields.includes(field));
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map(([field, name]) => [name, { from: member[field], to: next[field] }]));
}

export function change(member: MemberRow, next: Partial<MemberRow>, actor: Actor, tx: Tx): MemberRow {
  const fields = (Object.keys(next) as (keyof MemberRow)[]).filter((field) => next[field] !== member[field]);
  if (fields.length === 0) return member;
  if (fields.includes('display_name')) mustBeFree(next.display_name!);
  if (fields.includes('handle')) {
    if (next.status === 'erased') hideHandles(member.id, tx);
    else keepHandle(member.id, next.handle!, tx);
    notifyOfHandle(member, actor, tx);
  }
  // Whether it was there is asked of later (C2A-32), and `verify` holds the row against both; all else is as it is today.
  const data = {
    fields,
    ...(fields.includes('status') ? { status: next.status } : {}),
    ...(fields.includes('role') ? { role: next.role } : {}),
  };
  const access = accessChange(member, next, fields);
  append(tx, { type: 'member.edited', actor, scope: 'workspace', ...aboutMember(member.id), data, access });
  const edit = () => tx.update('members', member, next);
  return member.kind === 'agent' && (fields.includes('owner_id') || fields.includes('manager_id'))
    ? withApprovals(member.id, edit, tx)
    : edit();
}

/** To the person concerned, unless they did it themselves. */
function notifyOfHandle({ id, kind, owner_id }: MemberRow, actor: Actor, tx: Tx): void {
  const person = kind === 'agent' ? owner_id : id;
  const by = actorId(actor);
  if (person === null || person === by) return;
  const data = { ...(kind === 'agent' ? { agent: id } : {}), ...(by === null ? {} : { member: by }) };
  notify(person, null, { kind: 'handle_changed', conversation: '', ...data }, tx);
}
