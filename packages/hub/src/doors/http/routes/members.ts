import { Readable } from 'node:stream';
import { setImmediate as betweenRequests } from 'node:timers/promises';
import { may, relationsToMember } from '@parley/core';
import { type Member, ParleyError, type PersonExport, type CalledRole } from '@parley/protocol';
import { hashSecret } from '../../../engine/auth.ts';
import { memberFacts, require } from '../../../engine/command.ts';
import { isHere } from '../../../engine/steps/tasks/chains.ts';
import { acquaintancesOf } from '../../../store/reads/members.ts';
import type { MemberRow, RoleRow } from '../../../store/tables.ts';
import { exportText } from '../../../views/export.ts';
import { rowPage } from '../../../store/reads/pages.ts';
import { invitationView, memberView, roleViews } from '../../../views/row-views.ts';
import {
  asIs,
  type Caller,
  command,
  isAgent,
  isBorrowed,
  memberOf,
  readerFor,
  type RouteHandlers,
  type Services,
} from '../route-context.ts';
import { Shares } from '../../../concurrency-shares.ts';
import { createdLink } from './credentials.ts';

const exportPieces = new Shares({ own: 1 });

/** Guests and agents see those they share a conversation with; everyone else sees everyone. */
export async function visibleMembers(hub: Services, caller: Caller, members: MemberRow[]): Promise<MemberRow[]> {
  if (may('member.see', caller.actor).allowed) return members;
  const shared = await acquaintancesOf(hub.store, memberOf(caller));
  const sharedIds = new Set(shared.map((row) => row.id));
  return members.filter(
    (m) => may('member.see', caller.actor, relationsToMember(caller.actor, memberFacts(m), { acquainted: sharedIds.has(m.id) })).allowed,
  );
}

/** A name and a description are words of another member: an agent that reads them is tainted (SYS-13), and these lists taint nobody. */
export const withoutWords = <T extends Pick<Member, 'id' | 'handle' | 'displayName' | 'about'>>(caller: Caller, shown: T): T =>
  isAgent(caller) && shown.id !== caller.memberId ? { ...shown, displayName: shown.handle, about: '' } : shown;

/** An agent sees, for its task, those whom everyone may see who will hear of them (SYS-9). */
const knownToAgent = (hub: Services, caller: Caller): Promise<MemberRow[]> => readerFor(hub, caller).acquainted();

interface MemberSpan {
  after?: string | undefined;
  limit: number;
}

async function memberPage(hub: Services, caller: Caller, { after = '', limit }: MemberSpan): Promise<{ rows: MemberRow[]; more: boolean }> {
  if (isAgent(caller)) {
    const laterMembers = (await knownToAgent(hub, caller)).filter(({ id }) => id > after).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    return { rows: laterMembers.slice(0, limit), more: laterMembers.length > limit };
  }
  return rowPage(hub.store, { table: 'members', where: { id: { '>': after } }, key: 'id', order: 'asc', text: ['about'], limit });
}

/** People are here while a page of theirs is open; agents while they can be woken, which those that the hub runs always can. */
async function views(hub: Services, caller: Caller, members: readonly MemberRow[]): Promise<Member[]> {
  const agents = await hub.store.rows('agents', { member_id: members.flatMap(({ id, kind }) => (kind === 'agent' ? id : [])) });
  const here = new Set(agents.filter(isHere).map(({ member_id }) => member_id));
  return members.map((member) => {
    const online = member.status === 'active' && (here.has(member.id) || hub.live.isOnline(member.id));
    return withoutWords(caller, memberView(member, caller.memberId, online));
  });
}
const view = async (hub: Services, caller: Caller, member: MemberRow): Promise<Member> => (await views(hub, caller, [member]))[0]!;
const showMember = ({ member }: { member: MemberRow }, { hub, caller }: { hub: Services; caller: Caller }) => view(hub, caller, member);

export const memberRoutes = {
  listMembers: async ({ input, caller, hub }) => {
    const { rows, more } = await memberPage(hub, caller, input.query);
    const members = isAgent(caller) ? rows : await visibleMembers(hub, caller, rows);
    return { members: await views(hub, caller, members), next: more ? rows.at(-1)!.id : null };
  },
  getMember: async ({ input, caller, hub }) => {
    const { memberId } = input.params;
    const [member] = isAgent(caller)
      ? (await knownToAgent(hub, caller)).filter(({ id }) => id === memberId)
      : await visibleMembers(hub, caller, await hub.store.rows('members', { id: memberId }));
    if (!member) throw new ParleyError('not_found', 'There is no such member.');
    return view(hub, caller, member);
  },
  addMember: command('member.add', showMember),
  editMember: command('member.edit', showMember, ({ params, body }) => ({ ...params, change: body })),
  deactivateMember: command('member.deactivate', showMember),
  reactivateMember: command('member.reactivate', showMember),
  eraseMember: command('member.erase', showMember),
  setDnd: command('member.dnd', showMember),
  exportMember: command('member.exported', (_, { hub, caller, input }) => exportOf(hub, caller, input.params.memberId)),

  createInvitation: async ({ input, caller, hub }) => {
    const secret = hub.ids.secret('pl');
    const { link } = await hub.engine.submit({ type: 'link.invite', by: caller.by, hash: hashSecret(secret), ...input.body });
    return createdLink(hub, link, secret);
  },
  listInvitations: async ({ caller, hub }) => {
    const links = await hub.store.rows(
      'links',
      { purpose: 'invite', used_at: null, expires_at: { '>': hub.clock.now() } },
      { order: 'created_at', limit: 1000 },
    );
    const visibleLinks = may('link.revoke', caller.actor).allowed ? links : links.filter((link) => link.created_by === caller.memberId);
    return { invitations: visibleLinks.map(invitationView) };
  },
  revokeInvitation: command('link.revoke', asIs),

  listRoles: async ({ caller, hub }) => {
    require('role.see', caller.actor);
    return { roles: await visibleRoles(hub, caller, await hub.store.rows('roles', {}, { order: 'handle_fold' })) };
  },
  addRole: command('role.add', showRole),
  editRole: command('role.edit', showRole, ({ params, body }) => ({ ...params, change: body })),
  removeRole: command('role.remove', asIs),
} satisfies Partial<RouteHandlers>;

/** Streamed page by page, and no two pages of any export are made at once: an export holds up nobody. */
async function exportOf(hub: Services, caller: Caller, id: string): Promise<PersonExport> {
  const [member] = await hub.store.rows('members', { id });
  const agents = await hub.store.rows('members', { owner_id: id });
  // An owner may export anybody's rows; a peer and its tiers are for their person alone.
  const isOwn = caller.memberId === id && !(await isBorrowed(hub, caller));
  const head = {
    exportedAt: hub.clock.now(),
    member: memberView(member!, id, hub.live.isOnline(id)),
    agents: await views(hub, caller, agents),
    peer: isOwn ? ((await hub.peers.exported(id)) ?? null) : null,
  };
  const pieces = exportText(hub.store, id, head, agents, isOwn);
  const inTurn = async function* (): AsyncGenerator<string> {
    for (;;) {
      const next = await exportPieces.run('all', () => betweenRequests().then(() => pieces.next()));
      if (next.done === true) return;
      yield next.value;
    }
  };
  // Sent as it is made: the text is the answer that the route promises.
  return Readable.from(inTurn(), { objectMode: false, highWaterMark: 65_536 }) as unknown as PersonExport;
}

/** Guests are not told of holders they do not know. */
async function visibleRoles(hub: Services, caller: Caller, rows: RoleRow[]): Promise<CalledRole[]> {
  const roles = await roleViews(hub.store, rows);
  const holders = await visibleMembers(
    hub,
    caller,
    await hub.store.rows('members', { id: [...new Set(roles.flatMap(({ holderIds }) => holderIds))] }),
  );
  const activeHolderIds = new Set(holders.map(({ id }) => id));
  return roles.map((role) => ({ ...role, holderIds: role.holderIds.filter((id) => activeHolderIds.has(id)) }));
}

async function showRole({ role }: { role: RoleRow }, { hub, caller }: { hub: Services; caller: Caller }): Promise<CalledRole> {
  return (await visibleRoles(hub, caller, [role]))[0]!;
}
