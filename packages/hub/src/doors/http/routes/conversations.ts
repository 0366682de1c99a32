import { may } from '@parley/core';
import type { MyConversation } from '@parley/protocol';
import { formatCursor } from '@parley/protocol';
import type { ConversationRow, MembershipRow } from '../../../store/tables.ts';
import { conversationView, leaveView, membershipView } from '../../../views/rows.ts';
import { type Caller, isAgent, memberOf, readerFor, type RouteHandlers, type Services, sightOf } from '../context.ts';
import { inList, look } from '../../../engine/look.ts';
import { conversationWants, placeFor } from '../../../engine/steps/facts/append.ts';
import { overseenDms } from '../agent-dms.ts';
import { composeKey } from '../../../engine/steps/messages/composing-windows.ts';
import { finishComposing, signOfTyping } from '../../typing.ts';

interface Standing {
  id: string;
  last_seq: number;
  read_seq: number;
  unread: number;
}

/** As many of the newest messages are looked at for what is unread; a count never goes through all that is stored. */
const lookedAt = 200;
const maxUnread = 100;
/** Conversations in one read: whoever is in thousands leaves room for other reads in between. */
const atOnce = 200;

/** Where a member stands in conversations: what was said last, read up to, and unread (at most 100, among the newest 200). */
async function standings(hub: Services, memberId: string, ids: string[]): Promise<Map<string, Standing>> {
  // Who joins is not behind on what was said before they came.
  const since = 'coalesce(r.seq, ms.joined_seq, 0)';
  const stand = new Map<string, Standing>();
  for (let i = 0; i < ids.length; i += atOnce) {
    const list = inList(ids.slice(i, i + atOnce));
    const rows = await hub.store.all<Standing>(
      `select c.id as id, ${since} as read_seq,
         coalesce((select max(m.seq) from messages m where m.conversation_id = c.id), 0) as last_seq,
         (select count(*) from (select m.author_id as author_id, octet_length(m.body) as size from messages m
            where m.conversation_id = c.id and m.seq > ${since} order by m.seq desc limit ${lookedAt}) as newest
          where size is not null and (author_id is null or author_id <> ?)) as unread
       from conversations c
         left join memberships ms on ms.conversation_id = coalesce(c.parent_id, c.id) and ms.member_id = ?
         left join reads r on r.conversation_id = c.id and r.member_id = ?
       where c.id in ${list.sql}`,
      [memberId, memberId, memberId, ...list.params],
    );
    for (const row of rows) stand.set(row.id, { ...row, unread: Math.min(row.unread, maxUnread) });
  }
  return stand;
}

/** What conversations have set for how long agents wait for more. */
async function composeIn(hub: Services, ids: string[]): Promise<Map<string, number | null>> {
  const rows = await hub.store.rows('settings', { key: ids.map(composeKey) });
  return new Map(rows.map((row) => [row.key, JSON.parse(row.value) as number | null]));
}

/** A topic is somebody's words, and would taint whoever reads it (SYS-13): an agent is told what its conversations are called. */
const wordless = (caller: Caller, row: ConversationRow): ConversationRow => (isAgent(caller) ? { ...row, topic: '' } : row);

function mine(
  row: ConversationRow,
  membership: MembershipRow | undefined,
  standing: Standing | undefined,
  compose: ReadonlyMap<string, number | null>,
): MyConversation {
  return {
    ...conversationView(row),
    joined: membership !== undefined,
    myRole: membership?.role ?? null,
    notify: membership?.notify ?? 'none',
    readSeq: standing?.read_seq ?? 0,
    lastSeq: standing?.last_seq ?? 0,
    unread: membership ? (standing?.unread ?? 0) : 0,
    composeMs: compose.get(composeKey(row.parent_id ?? row.id)) ?? null,
  };
}

type ConversationRoutes =
  | 'listConversations'
  | 'listAgentDms'
  | 'createChannel'
  | 'openDm'
  | 'getConversation'
  | 'editConversation'
  | 'joinConversation'
  | 'leaveConversation'
  | 'listMemberships'
  | 'addToConversation'
  | 'removeFromConversation'
  | 'listLeaves'
  | 'askToLeave'
  | 'callBack'
  | 'setNotify'
  | 'markRead'
  | 'sendTyping'
  | 'finishComposing';

export const conversationRoutes: Pick<RouteHandlers, ConversationRoutes> = {
  listConversations: async ({ caller, hub }) => {
    const me = memberOf(caller);
    // The cursor first: what happens while the list is read is then told again, never missed.
    const cursor = formatCursor(await hub.store.head());
    const memberships = new Map((await hub.store.rows('memberships', { member_id: me })).map((row) => [row.conversation_id, row]));
    const list = inList([...memberships.keys()]);
    const outside = may('workspace.browse', caller.actor).allowed;
    const rows = await hub.store.rows(
      'conversations',
      `where kind <> 'thread' and (id in ${list.sql}${outside ? " or (kind = 'channel' and visibility = 'public' and archived_at is null)" : ''}) order by created_at, id`,
      list.params,
    );
    const stand = await standings(
      hub,
      me,
      rows.map((row) => row.id),
    );
    const compose = await composeIn(
      hub,
      rows.map((row) => row.id),
    );
    const shown = isAgent(caller) ? await readerFor(hub, caller).readable(rows) : rows;
    return { conversations: shown.map((row) => mine(wordless(caller, row), memberships.get(row.id), stand.get(row.id), compose)), cursor };
  },
  listAgentDms: async ({ caller, hub }) => {
    const { sql, params } = overseenDms(caller, 'conversations');
    const found = await hub.store.rows('conversations', `where ${sql} order by created_at desc, id limit 500`, params);
    const seen = await Promise.all(
      found.map(async ({ id }) => look(hub.store, conversationWants(id), (set) => placeFor(caller.actor, id, set))),
    );
    const rows = seen
      .filter(({ relations, membership }) => !membership && may('conversation.read', caller.actor, relations).allowed)
      .map(({ conversation }) => conversation);
    const stand = await standings(
      hub,
      memberOf(caller),
      rows.map((row) => row.id),
    );
    const none = new Map<string, number | null>();
    return { conversations: rows.map((row) => mine(row, undefined, stand.get(row.id), none)) };
  },
  createChannel: async ({ input, caller, key, hub }) =>
    conversationView((await hub.engine.submit({ type: 'channel.create', by: caller.by, key, ...input.body })).conversation),
  openDm: async ({ input, caller, hub }) =>
    conversationView((await hub.engine.submit({ type: 'dm.open', by: caller.by, memberIds: input.body.memberIds })).conversation),
  getConversation: async ({ input, caller, hub }) => {
    const { conversation, home, membership } = await sightOf(hub, caller, input.params.conversationId);
    const stand = await standings(hub, memberOf(caller), [conversation.id]);
    return mine(wordless(caller, conversation), membership, stand.get(conversation.id), await composeIn(hub, [home.id]));
  },
  editConversation: async ({ input, caller, hub }) =>
    conversationView(
      (
        await hub.engine.submit({
          type: 'conversation.edit',
          by: caller.by,
          conversationId: input.params.conversationId,
          change: input.body,
        })
      ).conversation,
    ),
  joinConversation: async ({ input, caller, hub }) =>
    membershipView((await hub.engine.submit({ type: 'conversation.join', by: caller.by, ...input.params })).membership),
  leaveConversation: async ({ input, caller, hub }) => hub.engine.submit({ type: 'conversation.leave', by: caller.by, ...input.params }),
  listMemberships: async ({ input, caller, hub }) => {
    const { home } = await sightOf(hub, caller, input.params.conversationId);
    const rows = await hub.store.rows('memberships', { conversation_id: home.id }, { order: ['joined_at', 'member_id'] });
    return { memberships: rows.map(membershipView) };
  },
  addToConversation: async ({ input, caller, hub }) =>
    membershipView((await hub.engine.submit({ type: 'conversation.add', by: caller.by, ...input.params, ...input.body })).membership),
  removeFromConversation: async ({ input, caller, hub }) =>
    hub.engine.submit({ type: 'conversation.remove', by: caller.by, ...input.params }),
  listLeaves: async ({ input, caller, hub }) => {
    const { conversation } = await sightOf(hub, caller, input.params.conversationId);
    const places = await hub.store.all<{ id: string; parent_id: string | null }>(
      'select id, parent_id from conversations where id in (select conversation_id from leaves) and (id in (?, ?) or parent_id = ?)',
      [conversation.id, conversation.parent_id ?? conversation.id, conversation.id],
    );
    const rows = await hub.store.rows('leaves', { conversation_id: places.map(({ id }) => id) }, { order: ['at', 'member_id'] });
    return { leaves: rows.map((row) => leaveView(row, places.find(({ id }) => id === row.conversation_id)!.parent_id)) };
  },
  askToLeave: async ({ input, caller, hub }) => {
    const place = { conversationId: input.params.conversationId, memberId: input.body.memberId };
    const { leave } = await hub.engine.submit({ type: 'leave.ask', by: caller.by, ...place });
    const { conversation } = await sightOf(hub, caller, leave.conversation_id);
    return leaveView(leave, conversation.parent_id);
  },
  callBack: async ({ input, caller, hub }) => hub.engine.submit({ type: 'leave.undo', by: caller.by, ...input.params }),
  setNotify: async ({ input, caller, hub }) =>
    hub.engine.submit({ type: 'conversation.notify', by: caller.by, ...input.params, level: input.body.level }),
  markRead: async ({ input, caller, hub }) => {
    const me = memberOf(caller);
    const { conversationId } = input.params;
    const before = (await standings(hub, me, [conversationId])).get(conversationId);
    const { readSeq } = await hub.engine.submit({
      type: 'read.move',
      by: caller.by,
      conversationId,
      seq: input.body.seq,
      lastSeq: before?.last_seq ?? 0,
    });
    const after = (await standings(hub, me, [conversationId])).get(conversationId);
    return { conversationId, readSeq, lastSeq: after?.last_seq ?? 0, unread: after?.unread ?? 0 };
  },
  sendTyping: async ({ input, caller, hub }) => {
    await signOfTyping(hub, caller.by, memberOf(caller), await sightOf(hub, caller, input.params.conversationId));
    return {};
  },
  finishComposing: async ({ input, caller, hub }) => {
    const { conversation } = await sightOf(hub, caller, input.params.conversationId);
    await finishComposing(hub, caller.by, memberOf(caller), conversation);
    return {};
  },
};
