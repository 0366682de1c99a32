import { may } from '@parley/core';
import { type MyConversation, formatCursor, ParleyError } from '@parley/protocol';
import { conversationPage, overseenDms, type Standing, standingsIn, withLeaveRequests } from '../../../store/reads/conversations.ts';
import type { ConversationRow, MembershipRow } from '../../../store/tables.ts';
import { conversationView, leaveView, membershipView, digestSetting } from '../../../views/row-views.ts';
import {
  asIs,
  type Caller,
  command,
  isAgent,
  memberOf,
  emptyAnswer,
  overseerOf,
  readerFor,
  type RouteHandlers,
  type Services,
  sightOf,
  viewerOf,
  withoutTask,
} from '../route-context.ts';
import { readRows } from '../../../engine/decision-reads.ts';
import { conversationWants, accessTo } from '../../../engine/steps/facts/conversation-access.ts';
import { composeKey } from '../../../engine/steps/messages/composing-windows.ts';
import { finishComposing, signOfTyping } from '../../typing.ts';
import { readMailbox } from '../../../turns/mailbox.ts';

const maxUnread = 100;
/** A member's state in conversations: the last message, the last one read, and the unread (at most 100 of the newest 200). */
async function standings(hub: Services, memberId: string, ids: string[]): Promise<Map<string, Standing>> {
  const rows = await standingsIn(hub.store, memberId, ids);
  return new Map(rows.map((row) => [row.id, { ...row, unread: Math.min(row.unread, maxUnread) }]));
}

/** The composing window of each conversation that sets one. */
async function composeIn(hub: Services, ids: string[]): Promise<Map<string, number | null>> {
  const rows = await hub.store.rows('settings', { key: ids.map(composeKey) });
  return new Map(rows.map((row) => [row.key, JSON.parse(row.value) as number | null]));
}

/** A topic is somebody's words, and would taint its reader (SYS-13): an agent gets only the names of its conversations. */
const withoutTopic = (caller: Caller, row: ConversationRow): ConversationRow => (isAgent(caller) ? { ...row, topic: '' } : row);

function ownState(
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

const showConversation = ({ conversation }: { conversation: ConversationRow }) => conversationView(conversation);

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
    const conversations = shown.map((row) => ownState(withoutTopic(caller, row), memberships.get(row.id), stand.get(row.id), compose));
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
    return { conversations: rows.map((row) => ownState(row, undefined, stand.get(row.id), none)) };
  },
  createChannel: command('channel.create', showConversation),
  openDm: command('dm.open', showConversation),
  getConversation: async ({ input, caller, hub }) => {
    const { conversation, home, membership } = await sightOf(hub, caller, input.params.conversationId);
    const stand = await standings(hub, memberOf(caller), [conversation.id]);
    return ownState(withoutTopic(caller, conversation), membership, stand.get(conversation.id), await composeIn(hub, [home.id]));
  },
  editConversation: command('conversation.edit', showConversation, ({ params, body }) => ({ ...params, change: body })),
  joinConversation: command('conversation.join', ({ membership }) => membershipView(membership)),
  leaveConversation: command('conversation.leave', asIs),
  listMemberships: async ({ input, caller, hub }) => {
    const { home } = await sightOf(hub, caller, input.params.conversationId);
    const rows = await hub.store.rows('memberships', { conversation_id: home.id }, { order: ['joined_at', 'member_id'] });
    return { memberships: rows.map(membershipView) };
  },
  addToConversation: command('conversation.add', ({ membership }) => membershipView(membership)),
  removeFromConversation: command('conversation.remove', asIs),
  listLeaves: async ({ input, caller, hub }) => {
    const { conversation } = await sightOf(hub, caller, input.params.conversationId);
    const places = await withLeaveRequests(hub.store, conversation);
    const rows = await hub.store.rows('leaves', { conversation_id: places.map(({ id }) => id) }, { order: ['at', 'member_id'] });
    return { leaves: rows.map((row) => leaveView(row, places.find(({ id }) => id === row.conversation_id)!.parent_id)) };
  },
  askToLeave: command('leave.ask', async ({ leave }, { hub, caller }) => {
    const { conversation } = await sightOf(hub, caller, leave.conversation_id);
    return leaveView(leave, conversation.parent_id);
  }),
  callBack: command('leave.undo', asIs),
  setNotify: command('conversation.notify', asIs),
  markRead: async ({ input, caller, hub }) => {
    const me = memberOf(caller);
    const { conversationId } = input.params;
    const standing = async () => (await standings(hub, me, [conversationId])).get(conversationId);
    const lastSeq = (await standing())?.last_seq ?? 0;
    const { readSeq } = await hub.engine.submit({ type: 'read.move', by: caller.by, conversationId, seq: input.body.seq, lastSeq });
    const after = await standing();
    return { conversationId, readSeq, lastSeq: after?.last_seq ?? 0, unread: after?.unread ?? 0 };
  },
  sendTyping: async ({ input, caller, hub }) =>
    emptyAnswer(signOfTyping(hub, caller.by, memberOf(caller), await sightOf(hub, caller, input.params.conversationId))),
  finishComposing: async ({ input, caller, hub }) => {
    const { conversation } = await sightOf(hub, caller, input.params.conversationId);
    return emptyAnswer(finishComposing(hub, caller.by, memberOf(caller), conversation));
  },

  readMailbox: async ({ input, caller, hub }) => {
    if (!isAgent(caller)) throw new ParleyError('forbidden', 'Only agents have a mailbox.', { reason: 'mailbox:not_an_agent' });
    if (caller.taskId === undefined) throw withoutTask();
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
  setDigest: command('digest.set', ({ mailbox }) => digestSetting(mailbox)),
} satisfies Partial<RouteHandlers>;
