// One-time links: invitations and sign-in links.

import { wantRow } from '../../../store/port.ts';
import { type Actor, relationsToMember } from '@parley/core';
import { type Role, ParleyError } from '@parley/protocol';
import type { FactData } from '../../../store/fact-data.ts';
import type { LinkRow } from '../../../store/tables.ts';
import { actorId, actorOf, type Handler, invalidField, memberFacts, require, requireSeen, type Tx } from '../../command.ts';
import { borrowedWants, lenderOf, recordBorrowed, spend } from '../../steps/departure/borrowed-access.ts';
import { mustBeHigher, withdrawPromotions } from '../../steps/departure/promotions.ts';
import { openCheckpoint } from '../../steps/facts/checkpoints.ts';
import { append } from '../../steps/facts/append.ts';
import { setTimer } from '../../steps/facts/timers.ts';
import { isBounded } from '../../steps/triggers/triggers-in-force.ts';
import { mustSee, accessTo } from '../../steps/facts/conversation-access.ts';

export interface LinkCommands {
  'link.invite': [{ hash: string; role: Role; conversationId?: string | undefined; expiresInSeconds: number }, { link: LinkRow }];
  /** `role`: a higher one, which the person gets by opening it. */
  'link.sign_in': [{ hash: string; memberId: string; role?: Role | undefined; expiresInSeconds: number }, { link: LinkRow }];
  'link.revoke': [{ linkId: string }, void];
}

/** Goes into the fact and the audit log. */
const factFields = (data: FactData['link.created'], { id }: LinkRow) => ({ data, access: { link: id, ...data } });

const noInvitation = 'There is no such invitation, or it is not yours.';

type LinkKind = Pick<LinkRow, 'purpose'> & Partial<LinkRow>;

function newLink(c: { hash: string; expiresInSeconds: number }, kind: LinkKind, by: Actor, tx: Tx): LinkRow {
  const expires_at = tx.now + c.expiresInSeconds * 1000;
  const unused = { member_id: null, role: null, conversation_id: null, used_at: null, used_by: null };
  const made = { id: tx.ids.next('link'), hash: c.hash, created_by: actorId(by), created_at: tx.now, expires_at };
  const link: LinkRow = { ...unused, ...made, ...kind };
  tx.insert('links', link);
  setTimer('link.expire', link.id, 'wall', expires_at, tx, true);
  return link;
}

const mostInvitations = 50;

/** Owners and admins answer for whom they let in. */
function mustHaveRoom(memberId: string, tx: Tx): void {
  if (!isBounded(tx.get('members', memberId)!)) return;
  tx.lock(`invitations:${memberId}`);
  const open = tx
    .find('links', 'creator', memberId)
    .filter(({ purpose, used_at, expires_at }) => purpose === 'invite' && used_at === null && expires_at > tx.now);
  if (open.length >= mostInvitations)
    throw new ParleyError(
      'forbidden',
      `You have ${mostInvitations} open invitations, the limit for a member. Take one back, or ask an owner or admin to invite.`,
      { reason: 'member.invite:quota' },
    );
}

const invite: Handler<'link.invite'> = {
  needs: (c) => borrowedWants(c.by),
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    require(c.role === 'admin' ? 'member.invite_admin' : 'member.invite', actor);
    if (actor.type === 'member') mustHaveRoom(actor.id, tx);
    // Only the operator makes an owner by link: the very first one.
    if (c.role === 'owner' && actor.type !== 'operator') throw invalidField('role', 'owners are made by owners, not by a link');
    if (c.conversationId !== undefined) {
      const { conversation, relations } = accessTo(actor, c.conversationId, tx);
      if (actor.type === 'member') mustSee(actor, relations);
      if (conversation.kind !== 'channel') throw invalidField('conversationId', 'is not a channel');
      require('conversation.add', actor, relations);
    } else if (c.role === 'guest') throw invalidField('conversationId', 'a guest is invited to a channel');
    const link = newLink(c, { purpose: 'invite', role: c.role, conversation_id: c.conversationId ?? null }, actor, tx);
    if (actor.type === 'member') recordBorrowed(c.by, { subject_id: link.id, kind: 'link', member_id: actor.id }, tx);
    append(tx, { type: 'link.created', actor, subject_id: link.id, ...factFields({ purpose: 'invite', role: c.role }, link) });
    return { link };
  },
};

const signIn: Handler<'link.sign_in'> = {
  needs: (c) => [...borrowedWants(c.by), wantRow('members', c.memberId)],
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    const member = tx.get('members', c.memberId);
    // The permission is checked first, so that a caller without it does not learn who exists.
    require('link.sign_in', actor, member ? relationsToMember(actor, memberFacts(member)) : []);
    if (!member || member.kind !== 'human' || member.status !== 'active') throw invalidField('memberId', 'is not an active person');
    if (c.role !== undefined) {
      require('member.set_role', actor, relationsToMember(actor, memberFacts(member), { newRole: c.role }));
      mustBeHigher(c.role, member);
      withdrawPromotions(member.id, actor, tx);
    }
    const role = c.role ?? null;
    const link = newLink(c, { purpose: 'sign_in', member_id: member.id, role }, actor, tx);
    const data = { purpose: 'sign_in', ...(role === null ? {} : { role }) } as const;
    append(tx, { type: 'link.created', actor, member_id: member.id, subject_id: link.id, ...factFields(data, link) });
    recordBorrowed(c.by, { subject_id: link.id, kind: 'link', member_id: member.id }, tx);
    if (actor.type === 'member' && actor.id !== member.id) askAbout(link, lenderOf(c.by, tx) ?? actor.id, tx);
    return { link };
  },
};

/** A member with a session learns that another can come in as them. A newcomer has no other way to come in. */
function askAbout(link: LinkRow, lenderId: string, tx: Tx): void {
  if (tx.find('tokens', 'member', link.member_id!).length === 0) return;
  openCheckpoint({ kind: 'sign_in_link', for: link.member_id!, subjectId: link.id, data: { from: lenderId } }, tx);
}

const revokeLink: Handler<'link.revoke'> = {
  locks: (c) => [`link:${c.linkId}`],
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    const link = tx.get('links', c.linkId);
    if (!link) throw new ParleyError('not_found', noInvitation);
    requireSeen('link.revoke', actor, link.created_by !== null && link.created_by === actorId(actor) ? ['author'] : [], noInvitation);
    spend(link, actor, tx);
  },
};

export const linkHandlers = { 'link.invite': invite, 'link.sign_in': signIn, 'link.revoke': revokeLink };
