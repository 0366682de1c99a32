// A higher access role takes effect when the person opens a link that the promoter got (SYS-11). All who came in before them are out
// then: an account can have been made, or shared, by somebody else.

import { type Actor, isHigherRole, may, relationsToMember } from '@parley/core';
import type { Manifest, Role } from '@parley/protocol';
import { wantBy, type Want } from '../../../store/port.ts';
import type { LinkRow, MemberRow } from '../../../store/tables.ts';
import { invalidField, memberFacts, type Tx } from '../../command.ts';
import { bodyOf } from '../invocations/stored-definitions.ts';
import { namedAgent } from '../invocations/acting-agent.ts';
import { endBorrowedFrom, spend, switchOff } from './borrowed-access.ts';
import { endTokensMadeBy } from './agent-handovers.ts';
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

/** A manifest that sends an agent which was not this member's to send has never run. The new role alone does not start it. */
function switchOffForeign(member: MemberRow, giver: Actor, tx: Tx): void {
  for (const row of tx.find('provoke_objects', 'owner', member.id)) {
    if (row.kind !== 'manifest' || row.removed_at !== null) continue;
    const manifest = bodyOf(row) as Manifest;
    if (manifest.handle !== undefined && !namedAgent(manifest, member, tx)) switchOff('manifest', row.id, giver, tx);
  }
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
  switchOffForeign(member, giver, tx);
  return change(tx.get('members', member.id)!, { role: link.role! }, giver, tx);
}
