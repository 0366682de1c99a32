import { may, relationsToMember } from '@parley/core';
import { type Member, type PapEvent, ParleyError, type PersonExport } from '@parley/protocol';
import { identityView } from '../../../agents/identity.ts';
import { hashSecret } from '../../../engine/auth.ts';
import { memberFacts } from '../../../engine/command.ts';
import { inList, stretches } from '../../../engine/look.ts';
import { isHere } from '../../../engine/steps/chains.ts';
import type { MemberRow, MessageRow } from '../../../store/tables.ts';
import { lendersOf } from '../../../views/borrowed-access.ts';
import { obligationView } from '../../../views/obligations.ts';
import { objectView } from '../../../views/provoke.ts';
import { attachmentView, invitationView, membershipView, memberView, tokenView } from '../../../views/rows.ts';
import { taskViews } from '../../../views/tasks.ts';
import type { Caller, RouteHandlers, Services } from '../context.ts';
import { memberOf } from '../context.ts';
import { linkUrl } from './session.ts';

/** Guests and agents see those they share a conversation with; everyone else sees everyone. */
export async function seen(hub: Services, caller: Caller, members: MemberRow[]): Promise<MemberRow[]> {
  if (may('member.see', caller.actor).allowed) return members;
  const shared = await hub.store.all<{ id: string }>(
    'select distinct b.member_id as id from memberships a join memberships b on b.conversation_id = a.conversation_id where a.member_id = ?',
    [memberOf(caller)],
  );
  const known = new Set(shared.map((row) => row.id));
  return members.filter(
    (m) => may('member.see', caller.actor, relationsToMember(caller.actor, memberFacts(m), { acquainted: known.has(m.id) })).allowed,
  );
}

/** People are here while a page of theirs is open; agents while they can be woken, which those that the hub runs always can. */
async function views(hub: Services, caller: Caller, members: readonly MemberRow[]): Promise<Member[]> {
  const list = inList(members.flatMap(({ id, kind }) => (kind === 'agent' ? id : [])));
  const agents = await hub.store.rows('agents', `where member_id in ${list.sql}`, list.params);
  const here = new Set(agents.filter(isHere).map(({ member_id }) => member_id));
  return members.map((member) =>
    memberView(member, caller.memberId, member.status === 'active' && (here.has(member.id) || hub.live.isOnline(member.id))),
  );
}
const view = async (hub: Services, caller: Caller, member: MemberRow): Promise<Member> => (await views(hub, caller, [member]))[0]!;

type MemberRoutes =
  | 'listMembers'
  | 'addMember'
  | 'getMember'
  | 'editMember'
  | 'deactivateMember'
  | 'reactivateMember'
  | 'eraseMember'
  | 'exportMember'
  | 'setDnd'
  | 'createInvitation'
  | 'listInvitations'
  | 'revokeInvitation';

export const memberRoutes: Pick<RouteHandlers, MemberRoutes> = {
  listMembers: async ({ caller, hub }) => {
    const members = await seen(hub, caller, await hub.store.rows('members', 'order by created_at, id'));
    return { members: await views(hub, caller, members) };
  },
  getMember: async ({ input, caller, hub }) => {
    const [member] = await seen(hub, caller, await hub.store.rows('members', 'where id = ?', [input.params.memberId]));
    if (!member) throw new ParleyError('not_found', 'There is no such member.');
    return view(hub, caller, member);
  },
  addMember: async ({ input, caller, key, hub }) =>
    view(hub, caller, (await hub.engine.submit({ type: 'member.add', by: caller.by, key, ...input.body })).member),
  editMember: async ({ input, caller, hub }) =>
    view(
      hub,
      caller,
      (await hub.engine.submit({ type: 'member.edit', by: caller.by, memberId: input.params.memberId, change: input.body })).member,
    ),
  deactivateMember: async ({ input, caller, hub }) =>
    view(hub, caller, (await hub.engine.submit({ type: 'member.deactivate', by: caller.by, ...input.params })).member),
  reactivateMember: async ({ input, caller, hub }) =>
    view(hub, caller, (await hub.engine.submit({ type: 'member.reactivate', by: caller.by, ...input.params })).member),
  eraseMember: async ({ input, caller, hub }) =>
    view(hub, caller, (await hub.engine.submit({ type: 'member.erase', by: caller.by, ...input.params })).member),
  setDnd: async ({ input, caller, hub }) =>
    view(hub, caller, (await hub.engine.submit({ type: 'member.dnd', by: caller.by, until: input.body.until })).member),
  exportMember: async ({ input, caller, hub }) => {
    await hub.engine.submit({ type: 'member.exported', by: caller.by, memberId: input.params.memberId });
    return exportOf(hub, caller, input.params.memberId);
  },

  createInvitation: async ({ input, caller, hub }) => {
    const secret = hub.ids.secret('pl');
    const { link } = await hub.engine.submit({ type: 'link.invite', by: caller.by, hash: hashSecret(secret), ...input.body });
    return { id: link.id, secret, url: linkUrl(hub, secret), expiresAt: link.expires_at };
  },
  listInvitations: async ({ caller, hub }) => {
    const links = await hub.store.rows(
      'links',
      "where purpose = 'invite' and used_at is null and expires_at > ? order by created_at limit 1000",
      [hub.clock.now()],
    );
    const mine = may('link.revoke', caller.actor).allowed ? links : links.filter((link) => link.created_by === caller.memberId);
    return { invitations: mine.map(invitationView) };
  },
  revokeInvitation: async ({ input, caller, hub }) =>
    hub.engine.submit({ type: 'link.revoke', by: caller.by, linkId: input.params.linkId }),
};

async function exportOf(hub: Services, caller: Caller, id: string): Promise<PersonExport> {
  const { store } = hub;
  const [member] = await store.rows('members', 'where id = ?', [id]);
  const written: MessageRow[] = [];
  for await (const stretch of stretches(store))
    written.push(...(await store.rows('messages', 'where seq > ? and seq <= ? and author_id = ? order by seq', [...stretch, id])));
  const edited = inList(written.filter(({ version }) => version > 1).map((row) => row.id));
  const versions = await store.rows('message_versions', `where message_id in ${edited.sql} order by message_id, version`, edited.params);
  const versionsOf = Map.groupBy(versions, (version) => version.message_id);
  const [memberships, reactions, reads, attachments, tokens, tasks, obligations, agents, roles] = await Promise.all([
    store.rows('memberships', 'where member_id = ?', [id]),
    store.rows('reactions', 'where member_id = ?', [id]),
    store.rows('reads', 'where member_id = ?', [id]),
    store.rows('attachments', 'where uploaded_by = ?', [id]),
    store.rows('tokens', 'where member_id = ?', [id]),
    store.rows('tasks', 'where requester_id = ? order by seq', [id]),
    store.rows('obligations', 'where author_id = ? order by seq', [id]),
    store.rows('members', 'where owner_id = ?', [id]),
    store.rows('roles', 'where id in (select role_id from role_holders where member_id = ?) order by handle_fold', [id]),
  ]);
  const lenders = await lendersOf(store, tokens);
  return {
    exportedAt: hub.clock.now(),
    member: memberView(member!, id, hub.live.isOnline(id)),
    memberships: memberships.map(membershipView),
    messages: written.map((row) => ({
      id: row.id,
      conversationId: row.conversation_id,
      body: row.body,
      createdAt: row.created_at,
      versions: (versionsOf.get(row.id) ?? []).map(({ version, body, at }) => ({ version, body, at })),
    })),
    reactions: reactions.map((row) => ({ messageId: row.message_id, emoji: row.emoji, at: row.at })),
    reads: reads.map((row) => ({ conversationId: row.conversation_id, readSeq: row.seq })),
    attachments: attachments.map(attachmentView),
    tokens: tokens.map((token) => tokenView(token, lenders.get(token.id) ?? null)),
    tasks: await taskViews(store, tasks),
    obligations: obligations.map((row) => obligationView(row, true)),
    agents: await views(hub, caller, agents),
    identities: await Promise.all(agents.map((agent) => identityView(store, agent))),
    roles: roles.map(({ handle }) => handle),
    provoke: (await store.rows('provoke_objects', 'where owner_id = ? and removed_at is null order by kind, id', [id])).map(objectView),
    events: (await store.rows('events', 'where by_id = ? order by id', [id])).map((row) => ({
      id: row.id,
      event: JSON.parse(row.body) as PapEvent,
      acceptedAt: row.accepted_at,
    })),
  };
}
