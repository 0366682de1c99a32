// Sessions of the page: a one-time link opens one, and use renews it.

import { type Actor, may, relationsToMember } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { wantBy, wantRow } from '../../../store/port.ts';
import type { LinkRow, MemberRow, TokenRow } from '../../../store/tables.ts';
import { actorOf, type Handler, invalidField, memberFacts, mustBeSystem, type Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { end, lenderOf, recordSession } from '../../steps/departure/borrowed-access.ts';
import { close } from '../../steps/facts/checkpoints.ts';
import { append } from '../../steps/facts/append.ts';
import { accessTo } from '../../steps/facts/conversation-access.ts';
import { setTimer } from '../../steps/facts/timers.ts';
import { enter } from '../../steps/membership/conversations.ts';
import { firstOwner, newMember } from '../../steps/membership/members.ts';
import { handleLock } from '../../steps/people/handles.ts';
import { mayPromote, promote, spendSignInLinks } from '../../steps/departure/promotions.ts';
import { newToken } from '../../steps/people/tokens.ts';

export interface SessionCommands {
  'session.open': [
    {
      linkHash: string;
      tokenHash: string;
      handle?: string | undefined;
      displayName?: string | undefined;
      idleMs: number | null;
      /** The session or token of who opens the link. */
      holderTokenId: string | null;
    },
    { member: MemberRow; token: TokenRow },
  ];
  /** The session is in use: it lasts another `idleMs`. */
  'session.renew': [{ idleMs: number }, void];
  'session.end_others': [object, { ended: number }];
  /** The platform reports a burst of wrong secrets. */
  'sign_in.refused': [{ refused: number; addresses: string[] }, void];
}

const sessionMs = 90 * 24 * 3600 * 1000;

const open: Handler<'session.open'> = {
  locks: (c) => [`link:${c.linkHash}`, ...(c.handle === undefined ? [] : [handleLock(c.handle)])],
  needs: (c) => [
    wantBy('links', 'hash', c.linkHash),
    ...(c.holderTokenId === null ? [] : [wantRow('tokens', c.holderTokenId), wantRow('borrowed_access', c.holderTokenId)]),
  ],
  decide: (c, tx) => {
    const [link] = tx.find('links', 'hash', c.linkHash);
    if (!link || link.used_at !== null || link.expires_at <= tx.now) throw new ParleyError('link_spent');
    const holder = c.holderTokenId === null ? undefined : tx.get('tokens', c.holderTokenId);
    const isOwn = holder !== undefined && link.member_id === holder.member_id && isOwnSession(holder, tx);
    tx.update('links', link, { used_at: tx.now });
    const member = link.purpose === 'sign_in' ? signedIn(link, tx) : join(c, link, tx);
    tx.update('links', tx.get('links', link.id)!, { used_by: member.id });
    const actor: Actor = { type: 'member', id: member.id, kind: 'human', role: member.role, active: true, tokenKind: 'person' };
    const access = { link: link.id, purpose: link.purpose, ...(link.created_by === null ? {} : { madeBy: link.created_by }) };
    append(tx, { type: 'link.used', actor, member_id: member.id, subject_id: link.id, access });
    const token = newToken(
      {
        hash: c.tokenHash,
        kind: 'person',
        purpose: 'session',
        member_id: member.id,
        label: 'browser',
        // The owner of the link: a session of another member's link is borrowed, unless the person was here before.
        created_by: link.purpose === 'sign_in' && !isOwn ? link.created_by : member.id,
        expires_at: tx.now + Math.min(sessionMs, c.idleMs ?? sessionMs),
      },
      actor,
      tx,
    );
    if (isOwn) settleQuestion(link, member, tx);
    else recordSession(token, link, tx);
    return { member, token };
  },
};

const renew: Handler<'session.renew'> = {
  locks: (c) => ('tokenId' in c.by ? [`token:${c.by.tokenId}`] : []),
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    const token = 'tokenId' in c.by ? tx.get('tokens', c.by.tokenId) : undefined;
    if (!token || token.purpose !== 'session') return;
    const expires_at = Math.min(token.created_at + sessionMs, tx.now + c.idleMs);
    if (token.expires_at === null || expires_at <= token.expires_at) return;
    tx.update('tokens', token, { expires_at });
    setTimer('token.expire', token.id, 'wall', expires_at, tx);
    append(tx, { type: 'session.renewed', actor, member_id: token.member_id, subject_id: token.id });
  },
};

/** A link is its author's act: what the author may no longer give, the link no longer gives. Null: the operator's. */
function authorOf(link: LinkRow, set: WorkingSet): Actor {
  if (link.created_by === null) return { type: 'operator' };
  const author = set.get('members', link.created_by);
  if (author?.status !== 'active') throw new ParleyError('link_spent');
  return { type: 'member', id: author.id, kind: author.kind, role: author.role, active: true, tokenKind: 'person' };
}

function signedIn(link: LinkRow, tx: Tx): MemberRow {
  const member = tx.get('members', link.member_id!);
  if (member?.status !== 'active') throw new ParleyError('link_spent');
  const author = authorOf(link, tx);
  if (!may('link.sign_in', author, relationsToMember(author, memberFacts(member))).allowed) throw new ParleyError('link_spent');
  if (link.role === null) return member;
  if (!mayPromote(author, member, link.role)) throw new ParleyError('link_spent');
  return promote(member, link, author, tx);
}

/** The session still counts, and no other member's link is behind it. */
const isOwnSession = (token: TokenRow, tx: Tx): boolean =>
  token.kind === 'person' &&
  token.revoked_at === null &&
  (token.expires_at === null || token.expires_at > tx.now) &&
  lenderOf({ memberId: token.member_id, tokenId: token.id }, tx) === undefined;

/** The person who opens the link that was made for them need not be asked whether they expected it. */
function settleQuestion(link: LinkRow, member: MemberRow, tx: Tx): void {
  for (const checkpoint of tx.find('checkpoints', 'subject', link.id))
    if (checkpoint.open === 1) close(checkpoint, member.id, 'expected', tx);
}

const endOthers: Handler<'session.end_others'> = {
  locks: (c) => ('memberId' in c.by ? [`member:${c.by.memberId}`] : []),
  needs: (c) => ('memberId' in c.by ? [wantBy('tokens', 'member', c.by.memberId), wantBy('links', 'member', c.by.memberId)] : []),
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    if (actor.type !== 'member' || actor.kind !== 'human' || !('tokenId' in c.by)) throw new ParleyError('forbidden');
    const { memberId, tokenId } = c.by;
    const others = tx
      .find('tokens', 'member', memberId)
      .filter(({ id, kind, revoked_at }) => id !== tokenId && kind === 'person' && revoked_at === null);
    end(
      others.map(({ id }) => id),
      actor,
      tx,
    );
    spendSignInLinks(memberId, actor, tx);
    return { ended: others.length };
  },
};

function join(c: { handle?: string | undefined; displayName?: string | undefined }, link: LinkRow, tx: Tx): MemberRow {
  const actor = authorOf(link, tx);
  const channel = link.conversation_id === null ? undefined : accessTo(actor, link.conversation_id, tx);
  const mayInvite =
    may(link.role === 'admin' ? 'member.invite_admin' : 'member.invite', actor).allowed &&
    (!channel || may('conversation.add', actor, channel.relations).allowed);
  // The link that makes the first owner makes no second one.
  if (!mayInvite || (link.role === 'owner' && firstOwner(tx) !== null)) throw new ParleyError('link_spent');
  if (c.handle === undefined) throw invalidField('handle', 'is needed to join');
  if (c.displayName === undefined) throw invalidField('displayName', 'is needed to join');
  const member = newMember(
    {
      kind: 'human',
      handle: c.handle,
      displayName: c.displayName,
      about: '',
      role: link.role!,
      ownerId: null,
      managerId: null,
      byStranger: true,
    },
    actor,
    tx,
  );
  if (channel && channel.home.archived_at === null) enter(channel.home, member.id, 'participant', actor, tx);
  return member;
}

const refused: Handler<'sign_in.refused'> = {
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    append(tx, { type: 'sign_in.refused', access: { refused: c.refused, addresses: c.addresses } });
  },
};

export const sessionHandlers = {
  'session.open': open,
  'session.renew': renew,
  'session.end_others': endOthers,
  'sign_in.refused': refused,
};
