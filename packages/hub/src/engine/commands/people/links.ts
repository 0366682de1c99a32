// One-time links: invitations and sign-in links, and the sessions they open.

import { type Actor, may, relationsToMember } from '@parley/core';
import type { Role } from '@parley/protocol';
import { ParleyError } from '@parley/protocol';
import { wantBy } from '../../../store/port.ts';
import type { LinkRow, MemberRow, TokenRow } from '../../../store/tables.ts';
import { actorId, actorOf, type Context, type Handler, invalidField, memberFacts, require, requireSeen } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { borrowedWants, lenderOf, recordBorrowed, recordSession, spend } from '../../steps/departure/borrowed-access.ts';
import { openCheckpoint } from '../../steps/facts/checkpoints.ts';
import { enter } from '../../steps/membership/conversations.ts';
import { handleLock } from '../../steps/people/handles.ts';
import { firstOwner, newMember } from '../../steps/membership/members.ts';
import { append } from '../../steps/facts/append.ts';
import { mustSee, placeFor } from '../../steps/facts/conversation-access.ts';
import { setTimer } from '../../steps/facts/timers.ts';
import { newToken } from '../../steps/people/tokens.ts';

export interface LinkCommands {
  'link.invite': [{ hash: string; role: Role; conversationId?: string | undefined; expiresInSeconds: number }, { link: LinkRow }];
  'link.sign_in': [{ hash: string; memberId: string; expiresInSeconds: number }, { link: LinkRow }];
  'link.revoke': [{ linkId: string }, Record<string, never>];
  'session.open': [
    { linkHash: string; tokenHash: string; handle?: string | undefined; displayName?: string | undefined; idleMs: number | null },
    { member: MemberRow; token: TokenRow },
  ];
  /** It is in use: it lasts another `idleMs`. */
  'session.renew': [{ idleMs: number }, Record<string, never>];
}

const sessionMs = 90 * 24 * 3600 * 1000;
const noInvitation = 'There is no such invitation, or it is not yours.';

type LinkKind = Pick<LinkRow, 'purpose'> & Partial<LinkRow>;

function newLink(c: { hash: string; expiresInSeconds: number }, kind: LinkKind, by: Actor, set: WorkingSet, context: Context): LinkRow {
  const expires_at = context.now + c.expiresInSeconds * 1000;
  const unused = { member_id: null, role: null, conversation_id: null, used_at: null, used_by: null };
  const made = { id: context.ids.next('link'), hash: c.hash, created_by: actorId(by), created_at: context.now, expires_at };
  const link: LinkRow = { ...unused, ...made, ...kind };
  set.insert('links', link);
  return link;
}

const invite: Handler<'link.invite'> = {
  needs: (c) => borrowedWants(c.by),
  decide: (c, set, context) => {
    const actor = actorOf(c.by, set, context.now);
    require(c.role === 'admin' ? 'member.invite_admin' : 'member.invite', actor);
    // Only the operator makes an owner by link: the very first one.
    if (c.role === 'owner' && actor.type !== 'operator') throw invalidField('role', 'owners are made by owners, not by a link');
    if (c.conversationId !== undefined) {
      const { conversation, relations } = placeFor(actor, c.conversationId, set);
      if (actor.type === 'member') mustSee(actor, relations);
      if (conversation.kind !== 'channel') throw invalidField('conversationId', 'is not a channel');
      require('conversation.add', actor, relations);
    } else if (c.role === 'guest') throw invalidField('conversationId', 'a guest is invited to a channel');
    const link = newLink(c, { purpose: 'invite', role: c.role, conversation_id: c.conversationId ?? null }, actor, set, context);
    if (actor.type === 'member') recordBorrowed(c.by, { subject_id: link.id, kind: 'link', member_id: actor.id }, set, context);
    append(set, context, { type: 'link.created', actor, subject_id: link.id, data: { purpose: 'invite', role: c.role } });
    return { link };
  },
};

const signIn: Handler<'link.sign_in'> = {
  needs: (c) => [...borrowedWants(c.by), { table: 'members', values: [c.memberId] }],
  decide: (c, set, context) => {
    const actor = actorOf(c.by, set, context.now);
    const member = set.get('members', c.memberId);
    if (!member || member.kind !== 'human' || member.status !== 'active') throw invalidField('memberId', 'is not an active person');
    require('link.sign_in', actor, relationsToMember(actor, memberFacts(member)));
    const link = newLink(c, { purpose: 'sign_in', member_id: member.id }, actor, set, context);
    append(set, context, { type: 'link.created', actor, member_id: member.id, subject_id: link.id, data: { purpose: 'sign_in' } });
    recordBorrowed(c.by, { subject_id: link.id, kind: 'link', member_id: member.id }, set, context);
    if (actor.type === 'member' && actor.id !== member.id) askAbout(link, lenderOf(c.by, set) ?? actor.id, set, context);
    return { link };
  },
};

/** A member with a session learns that another can come in as them. A newcomer has no other way to come in. */
function askAbout(link: LinkRow, lenderId: string, set: WorkingSet, context: Context): void {
  if (set.find('tokens', 'member', link.member_id!).length === 0) return;
  openCheckpoint({ kind: 'sign_in_link', for: link.member_id!, subjectId: link.id, data: { from: lenderId } }, set, context);
}

const revokeLink: Handler<'link.revoke'> = {
  locks: (c) => [`link:${c.linkId}`],
  needs: (c) => [{ table: 'links', values: [c.linkId] }],
  decide: (c, set, context) => {
    const actor = actorOf(c.by, set, context.now);
    const link = set.get('links', c.linkId);
    if (!link) throw new ParleyError('not_found', noInvitation);
    requireSeen('link.revoke', actor, link.created_by !== null && link.created_by === actorId(actor) ? ['author'] : [], noInvitation);
    spend(link, actor, set, context);
    return {};
  },
};

const open: Handler<'session.open'> = {
  locks: (c) => [`link:${c.linkHash}`, ...(c.handle === undefined ? [] : [handleLock(c.handle)])],
  needs: (c) => [wantBy('links', 'hash', c.linkHash)],
  decide: (c, set, context) => {
    const [link] = set.find('links', 'hash', c.linkHash);
    if (!link || link.used_at !== null || link.expires_at <= context.now) throw new ParleyError('link_spent');
    const member = link.purpose === 'sign_in' ? signedIn(link, set) : join(c, link, set, context);
    set.update('links', link, { used_at: context.now, used_by: member.id });
    const actor: Actor = { type: 'member', id: member.id, kind: 'human', role: member.role, active: true, tokenKind: 'person' };
    append(set, context, { type: 'link.used', actor, member_id: member.id, subject_id: link.id });
    const token = newToken(
      {
        hash: c.tokenHash,
        kind: 'person',
        purpose: 'session',
        member_id: member.id,
        label: 'browser',
        // Whose link it was: a session of another's link is borrowed.
        created_by: link.purpose === 'sign_in' ? link.created_by : member.id,
        expires_at: context.now + Math.min(sessionMs, c.idleMs ?? sessionMs),
      },
      actor,
      set,
      context,
    );
    recordSession(token, link, set, context);
    return { member, token };
  },
};

const renew: Handler<'session.renew'> = {
  locks: (c) => ('tokenId' in c.by ? [`token:${c.by.tokenId}`] : []),
  needs: () => [],
  decide: (c, set, context) => {
    const actor = actorOf(c.by, set, context.now);
    const token = 'tokenId' in c.by ? set.get('tokens', c.by.tokenId) : undefined;
    if (!token || token.purpose !== 'session') return {};
    const expires_at = Math.min(token.created_at + sessionMs, context.now + c.idleMs);
    if (token.expires_at === null || expires_at <= token.expires_at) return {};
    set.update('tokens', token, { expires_at });
    setTimer('token.expire', token.id, 'wall', expires_at, set, context);
    append(set, context, { type: 'session.renewed', actor, member_id: token.member_id, subject_id: token.id });
    return {};
  },
};

/** A link is its author's act: what the author may no longer give, the link no longer gives. Null: the operator's. */
function authorOf(link: LinkRow, set: WorkingSet): Actor {
  if (link.created_by === null) return { type: 'operator' };
  const author = set.get('members', link.created_by);
  if (author?.status !== 'active') throw new ParleyError('link_spent');
  return { type: 'member', id: author.id, kind: author.kind, role: author.role, active: true, tokenKind: 'person' };
}

function signedIn(link: LinkRow, set: WorkingSet): MemberRow {
  const member = set.get('members', link.member_id!);
  if (member?.status !== 'active') throw new ParleyError('link_spent');
  const author = authorOf(link, set);
  if (!may('link.sign_in', author, relationsToMember(author, memberFacts(member))).allowed) throw new ParleyError('link_spent');
  return member;
}

function join(
  c: { handle?: string | undefined; displayName?: string | undefined },
  link: LinkRow,
  set: WorkingSet,
  context: Context,
): MemberRow {
  const actor = authorOf(link, set);
  const channel = link.conversation_id === null ? undefined : placeFor(actor, link.conversation_id, set);
  const given =
    may(link.role === 'admin' ? 'member.invite_admin' : 'member.invite', actor).allowed &&
    (!channel || may('conversation.add', actor, channel.relations).allowed);
  // The link that makes the first owner makes no second one.
  if (!given || (link.role === 'owner' && firstOwner(set) !== null)) throw new ParleyError('link_spent');
  if (c.handle === undefined) throw invalidField('handle', 'is needed to join');
  if (c.displayName === undefined) throw invalidField('displayName', 'is needed to join');
  const member = newMember(
    { kind: 'human', handle: c.handle, displayName: c.displayName, about: '', role: link.role!, ownerId: null, managerId: null },
    actor,
    set,
    context,
  );
  if (channel && channel.home.archived_at === null) enter(channel.home, member.id, 'participant', actor, set, context);
  return member;
}

export const linkHandlers = {
  'link.invite': invite,
  'link.sign_in': signIn,
  'link.revoke': revokeLink,
  'session.open': open,
  'session.renew': renew,
};
