// Sessions of the page: a one-time link opens one, and use renews it.

import { type Actor, may, relationsToMember } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { wantBy } from '../../../store/port.ts';
import type { LinkRow, MemberRow, TokenRow } from '../../../store/tables.ts';
import { actorOf, type Context, type Handler, invalidField, memberFacts } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { recordSession } from '../../steps/departure/borrowed-access.ts';
import { append } from '../../steps/facts/append.ts';
import { accessTo } from '../../steps/facts/conversation-access.ts';
import { setTimer } from '../../steps/facts/timers.ts';
import { enter } from '../../steps/membership/memberships.ts';
import { firstOwner, newMember } from '../../steps/membership/members.ts';
import { handleLock } from '../../steps/people/handles.ts';
import { newToken } from '../../steps/people/tokens.ts';

export interface SessionCommands {
  'session.open': [
    { linkHash: string; tokenHash: string; handle?: string | undefined; displayName?: string | undefined; idleMs: number | null },
    { member: MemberRow; token: TokenRow },
  ];
  /** It is in use: it lasts another `idleMs`. */
  'session.renew': [{ idleMs: number }, Record<string, never>];
}

const sessionMs = 90 * 24 * 3600 * 1000;

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
  const channel = link.conversation_id === null ? undefined : accessTo(actor, link.conversation_id, set);
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

export const sessionHandlers = { 'session.open': open, 'session.renew': renew };
