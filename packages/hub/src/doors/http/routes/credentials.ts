import { stringifySetCookie } from 'cookie';
import { type CreatedLink, ParleyError, type Role, type Session, formatCursor, type Token } from '@parley/protocol';
import { hashSecret } from '../../../engine/auth.ts';
import { type By, operator, platform } from '../../../engine/command.ts';
import { ownerHasSession, tokensOf } from '../../../store/reads/members.ts';
import type { LinkRow, MemberRow, TokenRow } from '../../../store/tables.ts';
import { memberView, tokenView, lendersOf, settingOf } from '../../../views/row-views.ts';
import { asIs, type Caller, command, memberOf, type RouteContext, type RouteHandlers, type Services } from '../route-context.ts';

const cookieSeconds = 90 * 24 * 3600;
const signInSeconds = 900;
/** The promoter hands it over when they meet the person. */
const promotionSeconds = 86_400;

const workspaceName = ({ store }: Services): Promise<string> => settingOf(store, 'workspace.name', 'Parley');

async function sessionView(hub: Services, member: MemberRow, tokenId: string | null, tokenKind: Session['tokenKind']): Promise<Session> {
  const [borrowed] = tokenId === null ? [] : await hub.store.rows('borrowed_access', { subject_id: tokenId });
  return {
    me: memberView(member, member.id, hub.live.isOnline(member.id)),
    tokenKind,
    openedBy: borrowed?.lender_id ?? null,
    workspace: { name: await workspaceName(hub) },
    cursor: formatCursor(await hub.store.head()),
  };
}

/** The secret stays in the fragment, which browsers keep to themselves: no log and no Referer ever has it. */
export const createdLink = (hub: Services, { id, expires_at: expiresAt }: LinkRow, secret: string): CreatedLink => ({
  id,
  secret,
  url: `${hub.pageUrl()}/join#${secret}`,
  expiresAt,
});

function setCookie({ reply, hub }: Pick<RouteContext<'openSession'>, 'reply' | 'hub'>, value: string, maxAge: number): void {
  reply.header(
    'set-cookie',
    stringifySetCookie({ name: hub.cookieName, value, httpOnly: true, sameSite: 'strict', path: '/', secure: hub.secureCookies, maxAge }),
  );
}

async function signInLink(hub: Services, by: By, memberId: string, role?: Role): Promise<CreatedLink> {
  const secret = hub.ids.secret('pl');
  const expiresInSeconds = role === undefined ? signInSeconds : promotionSeconds;
  const { link } = await hub.engine.submit({ type: 'link.sign_in', by, hash: hashSecret(secret), memberId, role, expiresInSeconds });
  return createdLink(hub, link, secret);
}

/** Whether an owner has a session somewhere and so needs no new link. */
export const ownerIsIn = ({ store, clock }: Pick<Services, 'store' | 'clock'>): Promise<boolean> => ownerHasSession(store, clock.now());

/** Makes a link for the operator to sign in as the owner, or to become the first one. */
export async function ownerLink(hub: Services): Promise<CreatedLink> {
  const [owner] = await hub.store.rows('members', { role: 'owner', status: 'active', kind: 'human' }, { order: 'created_at', limit: 1 });
  if (owner) return signInLink(hub, operator, owner.id);
  const secret = hub.ids.secret('pl');
  const sessionLink = { hash: hashSecret(secret), role: 'owner', expiresInSeconds: 86_400 } as const;
  const { link } = await hub.engine.submit({ type: 'link.invite', by: operator, ...sessionLink });
  return createdLink(hub, link, secret);
}

const prefixes = { person: 'pp', agent: 'pa', source: 'px', bridge: 'pb' } as const;

async function views({ store }: Services, rows: readonly TokenRow[], { tokenId }: Caller): Promise<Token[]> {
  const lenders = await lendersOf(store, rows);
  return rows.map((row) => tokenView(row, lenders.get(row.id) ?? null, tokenId));
}

export const credentialRoutes = {
  inspectLink: async ({ input, caller, hub }) => {
    const [link] = await hub.store.rows('links', { hash: hashSecret(input.body.secret) });
    if (!link || link.used_at !== null || link.expires_at <= hub.clock.now()) throw new ParleyError('link_spent');
    const [author] = link.created_by === null ? [] : await hub.store.rows('members', { id: link.created_by });
    const [account] = link.member_id === null ? [] : await hub.store.rows('members', { id: link.member_id });
    const [channel] = link.conversation_id === null ? [] : await hub.store.rows('conversations', { id: link.conversation_id });
    const [current] = caller.memberId === null ? [] : await hub.store.rows('members', { id: caller.memberId });
    return {
      purpose: link.purpose,
      workspace: await workspaceName(hub),
      role: link.role,
      account: account ? { displayName: account.display_name, handle: account.handle } : null,
      invitedBy: author?.display_name ?? null,
      channel: channel?.name ?? null,
      signedInAs: current === undefined || current.id === link.member_id ? null : current.display_name,
    };
  },

  openSession: async (context) => {
    const { input, caller, hub } = context;
    const secret = hub.ids.secret('ps');
    const { handle, displayName } = input.body;
    const { member, token } = await hub.engine.submit({
      type: 'session.open',
      by: platform,
      linkHash: hashSecret(input.body.secret),
      tokenHash: hashSecret(secret),
      handle,
      displayName,
      idleMs: hub.sessionIdleMs,
      holderTokenId: caller.tokenId,
    });
    setCookie(context, secret, cookieSeconds);
    return sessionView(hub, member, token.id, 'person');
  },

  getSession: async ({ caller, hub }) => {
    const [member] = await hub.store.rows('members', { id: memberOf(caller) });
    return sessionView(hub, member!, caller.tokenId, caller.actor.type === 'member' ? caller.actor.tokenKind : 'person');
  },

  closeSession: async (context) => {
    const { caller, hub } = context;
    if (caller.tokenId !== null) await hub.engine.submit({ type: 'token.revoke', by: caller.by, tokenId: caller.tokenId });
    setCookie(context, '', 0);
    return {};
  },

  endOtherSessions: command('session.end_others', asIs),

  createSignInLink: async ({ input, caller, hub }) => {
    const { memberId, role } = input.body;
    return memberId === undefined && role === undefined && caller.actor.type === 'operator'
      ? ownerLink(hub)
      : signInLink(hub, caller.by, memberId ?? memberOf(caller), role);
  },

  listTokens: async ({ caller, hub }) => {
    // The operator looks after all of them: a lost id is found here.
    const rows =
      caller.actor.type === 'operator'
        ? await hub.store.rows('tokens', { revoked_at: null }, { order: 'created_at', limit: 5000 })
        : await tokensOf(hub.store, memberOf(caller));
    return { tokens: await views(hub, rows, caller) };
  },
  createToken: async ({ input, caller, hub }) => {
    const secret = hub.ids.secret(prefixes[input.body.kind]);
    const { token } = await hub.engine.submit({ type: 'token.create', by: caller.by, hash: hashSecret(secret), ...input.body });
    return { token: (await views(hub, [token], caller))[0]!, secret };
  },
  revokeToken: command('token.revoke', asIs),
} satisfies Partial<RouteHandlers>;
