// A higher access role takes effect when the person opens a link that the promoter got (SYS-11). All who came in before them are out
// then: an account can have been made, or shared, by somebody else.

import { type Actor, isHigherRole, may, relationsToMember } from '@parley/core';
import type { Role } from '@parley/protocol';
import { wantBy, type Want } from '../../../store/port.ts';
import type { LinkRow, MemberRow } from '../../../store/tables.ts';
import { invalidField, memberFacts, type Tx } from '../../command.ts';
import { endBorrowedFrom, spend, switchOff } from './borrowed-access.ts';
import { endTokensMadeBy } from './handovers.ts';
import { notify } from '../facts/append.ts';
import { change, rolesLock } from '../membership/members.ts';
import { revokeAll } from '../people/tokens.ts';

/** An offer of a role: a sign-in link that names one. */
const isPromotion = (link: LinkRow): boolean => link.purpose === 'sign_in' && link.role !== null;

export const mustBeHigher = (role: Role, member: MemberRow): void => {
  if (!isHigherRole(role, member.role)) throw invalidField('role', `must be higher than ${member.role}, the role of now`);
};

export const mustNotBeHigher = (role: Role, member: MemberRow): void => {
  if (isHigherRole(role, member.role))
    throw invalidField(
      'role',
      `is higher than ${member.role}: a higher role takes effect when the person opens a link. Make one with POST /sign-in-links and hand it to them`,
    );
};

export const mayPromote = (actor: Actor, member: MemberRow, role: Role): boolean =>
  may('member.set_role', actor, relationsToMember(actor, memberFacts(member), { newRole: role })).allowed;

/** The role was decided anew: earlier offers no longer count. */
export function withdrawPromotions(memberId: string, actor: Actor, tx: Tx): void {
  for (const link of tx.find('links', 'member', memberId)) if (isPromotion(link)) spend(link, actor, tx);
}

const waysIn = (memberId: string): Want[] => [
  wantBy('tokens', 'member', memberId),
  wantBy('tokens', 'creator', memberId),
  wantBy('links', 'member', memberId),
  wantBy('links', 'creator', memberId),
  wantBy('provoke_objects', 'owner', memberId),
];

/** Links that sign in as this member. */
export function spendSignInLinks(memberId: string, actor: Actor, tx: Tx): void {
  for (const link of tx.find('links', 'member', memberId)) spend(link, actor, tx);
}

/**
 * The new role alone starts nothing: an admin's triggers name anybody's manifests, an admin's manifests are anybody's to name, and an
 * admin's schedules speak for the workspace. Somebody else may have planted them in the account.
 */
function switchOffPlanted(member: MemberRow, giver: Actor, tx: Tx): void {
  const planted = tx
    .find('provoke_objects', 'owner', member.id)
    .filter(({ removed_at, file, enabled }) => removed_at === null && file === null && enabled === 1);
  for (const { kind, id } of planted) switchOff(kind, id, giver, tx);
  if (planted.length > 0) notify(member.id, null, { kind: 'triggers_off', conversation: '' }, tx);
}

/** The person has opened the link. `giver`: whose act the new role is. */
export function promote(member: MemberRow, link: LinkRow, giver: Actor, tx: Tx): MemberRow {
  tx.lock(rolesLock, `member:${member.id}`);
  tx.need(waysIn(member.id));
  revokeAll(member.id, giver, tx);
  endTokensMadeBy(member.id, () => true, giver, tx);
  endBorrowedFrom(member.id, giver, tx);
  spendSignInLinks(member.id, giver, tx);
  for (const made of tx.find('links', 'creator', member.id)) spend(made, giver, tx);
  if (link.role !== 'member') switchOffPlanted(member, giver, tx);
  return change(tx.get('members', member.id)!, { role: link.role! }, giver, tx);
}
