import { may } from '@parley/core';
import { type MyConversation, formatCursor, ParleyError } from '@parley/protocol';
import { conversationPage, overseenDms, type Standing, standingsIn, withLeaveRequests } from '../../../store/reads/conversations.ts';
import type { ConversationRow, MembershipRow } from '../../../store/tables.ts';
import { conversationView, leaveView, membershipView, digestSetting } from '../../../views/row-views.ts';
import {
  type Caller,
  isAgent,
  memberOf,
  readerFor,
  type RouteHandlers,
  type Services,
  sightOf,
  overseerOf,
  viewerOf,
} from '../route-context.ts';
import { readRows } from '../../../engine/decision-reads.ts';
import { conversationWants, accessTo } from '../../../engine/steps/facts/conversation-access.ts';
import { composeKey } from '../../../engine/steps/messages/composing-windows.ts';
import { finishComposing, signOfTyping } from '../../typing.ts';
import { readMailbox } from '../../../turns/mailbox.ts';

const maxUnread = 100;
/** Where a member stands in conversations: what was said last, read up to, and unread (at most 100, among the newest 200). */
async function standings(hub: Services, memberId: string, ids: string[]): Promise<Map<string, Standing>> {
  const rows = await standingsIn(hub.store, memberId, ids);
  return new Map(rows.map((row) => [row.id, { ...row, unread: Math.min(row.unread, maxUnread) }]));
}

/** What conversations have set for how long agents wait for more. */
async function composeIn(hub: Services, ids: string[]): Promise<Map<string, number | null>> {
  const rows = await hub.store.rows('settings', { key: ids.map(composeKey) });
  return new Map(rows.map((row) => [row.key, JSON.parse(row.value) as number | null]));
}

/** A topic is somebody's words, and would taint its reader (SYS-13): an agent gets only the names of its conversations. */
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

export const conversationRoutes = {
  listConversations: async ({ input, caller, hub }) => {
    const me = memberOf(caller);
    // The cursor first: what happens while the list is read is then told again, never missed.
    const cursor = formatCursor(await hub.store.head());
    const { rows, more } = await conversationPage(hub.store, viewerOf(caller), input.query);
    const ids = rows.map(({ id }) => id);
    const [joined, stand, compose, shown] = await Promise.all([
      hub.store.rows('memberships', { member_id: me, conversation_id: ids }),
      standings(hub, me, ids),
      composeIn(hub, ids),
      isAgent(caller) ? readerFor(hub, caller).readable(rows) : rows,
    ]);
    const memberships = new Map(joined.map((row) => [row.conversation_id, row]));
    const conversations = shown.map((row) => mine(wordless(caller, row), memberships.get(row.id), stand.get(row.id), compose));
    return { conversations, next: more ? rows.at(-1)!.id : null, cursor };
  },
  listAgentDms: async ({ caller, hub }) => {
    const found = await overseenDms(hub.store, overseerOf(caller));
    const seen = await Promise.all(
      found.map(async ({ id }) => readRows(hub.store, conversationWants(id), (set) => accessTo(caller.actor, id, set))),
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
    const places = await withLeaveRequests(hub.store, conversation);
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
} satisfies Partial<RouteHandlers>;

export const mailboxRoutes = {
  readMailbox: async ({ input, caller, hub }) => {
    if (!isAgent(caller)) throw new ParleyError('forbidden', 'Only agents have a mailbox.', { reason: 'mailbox:not_an_agent' });
    if (caller.taskId === undefined)
      throw new ParleyError('outside_task', 'An agent reads inside a task: name it in the Parley-Task header.');
    return readMailbox(hub, memberOf(caller), caller.taskId, { ...input.params, ...input.query });
  },
  seeMailbox: async ({ input, caller, hub }) => {
    const { seq: lastSeq } = await hub.store.head();
    const { mailbox } = await hub.engine.submit({ type: 'mailbox.seen', by: caller.by, ...input.params, ...input.body, lastSeq });
    return { conversationId: mailbox.conversation_id, seen: mailbox.seq };
  },
  listDigests: async ({ input, caller, hub }) => {
    const { home } = await sightOf(hub, caller, input.params.conversationId);
    const rows = await hub.store.rows('mailboxes', { conversation_id: home.id, digest_ms: { '<>': null } }, { order: 'member_id' });
    return { digests: rows.map(digestSetting) };
  },
  setDigest: async ({ input, caller, hub }) =>
    digestSetting((await hub.engine.submit({ type: 'digest.set', by: caller.by, ...input.params, ...input.body })).mailbox),
} satisfies Partial<RouteHandlers>;
