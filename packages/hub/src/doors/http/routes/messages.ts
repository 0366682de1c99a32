import { defaultGlyphs, maxPageBytes } from '@parley/core';
import { type Message, ParleyError, type RouteParsed } from '@parley/protocol';
import { invalidField } from '../../../engine/command.ts';
import type { MessageRow } from '../../../store/tables.ts';
import { messageViews, searchPage } from '../../../views/messages.ts';
import { messagePage, rowPage } from '../../../store/reads/pages.ts';
import { taskViews } from '../../../views/tasks.ts';
import { undamaged, noParts, conversationView, messageView } from '../../../views/row-views.ts';
import { type Caller, command, isAgent, readerFor, type RouteHandlers, type Services, sightOf, viewerOf } from '../route-context.ts';

async function readable(hub: Services, caller: Caller, messageId: string): Promise<MessageRow> {
  const [row] = await hub.store.rows('messages', { id: messageId });
  const missing = new ParleyError('not_found');
  if (!row) throw missing;
  const { historyCutoff } = await sightOf(hub, caller, row.conversation_id).catch((error: unknown) => {
    throw error instanceof ParleyError && error.code === 'not_found' ? missing : error;
  });
  if (row.seq < historyCutoff) throw missing;
  return row;
}

/** An agent is given somebody's words: first it is written down that it was. */
async function handOver(hub: Services, caller: Caller, rows: MessageRow[]): Promise<void> {
  if (isAgent(caller)) await readerFor(hub, caller).handOver(rows.map((row) => row.author_id));
}

async function shownTo(hub: Services, caller: Caller, rows: MessageRow[]): Promise<Message[]> {
  await handOver(hub, caller, rows);
  return undamaged(rows, (some) => messageViews(hub.store, some));
}

const viewOf = async (hub: Services, row: MessageRow) => (await messageViews(hub.store, [row]))[0]!;
const showMessage = ({ message }: { message: MessageRow }, { hub }: { hub: Services }) => viewOf(hub, message);

async function say(
  hub: Services,
  caller: Caller,
  key: string | undefined,
  conversationId: string,
  { body, task, replyTo, attachmentIds, obligation, urgent }: RouteParsed<'postMessage'>['body'],
): Promise<Message> {
  if (attachmentIds.length > 0) throw invalidField('attachmentIds', 'agents attach nothing');
  if (urgent) throw invalidField('urgent', 'is for people: an agent interrupts nobody');
  const words = {
    conversationId,
    body,
    replyTo,
    obligation,
    taskId: task?.id ?? null,
    lease: task?.lease,
    kind: task?.kind ?? 'progress',
  } as const;
  return viewOf(hub, (await hub.engine.submit({ type: 'task.say', by: caller.by, key, ...words })).message);
}

/** A reaction needs no task, and so shows its agent nothing of what was said. */
async function reacted({ message: row }: { message: MessageRow }, { hub, caller }: { hub: Services; caller: Caller }): Promise<Message> {
  const message = await viewOf(hub, row);
  return isAgent(caller) ? { ...message, body: null, attachments: [] } : message;
}

export const messageRoutes = {
  listMessages: async ({ input, caller, hub }) => {
    const { conversation, historyCutoff } = await sightOf(hub, caller, input.params.conversationId);
    const { before, after, around, limit } = input.query;
    const page = (side: 'before' | 'upTo' | 'after', seq: number, count: number, maxBytes?: number) =>
      messagePage(hub.store, {
        conversationId: conversation.id,
        from: historyCutoff,
        side,
        seq,
        limit: count,
        ...(maxBytes === undefined ? {} : { maxBytes }),
      });
    if (around !== undefined) {
      const middle = await readable(hub, caller, around);
      if (middle.conversation_id !== conversation.id) throw new ParleyError('not_found', 'That message is not in this conversation.');
      const half = Math.ceil(limit / 2);
      const [older, newer] = await Promise.all([
        page('upTo', middle.seq, half, maxPageBytes / 2),
        page('after', middle.seq, half, maxPageBytes / 2),
      ]);
      const rows = [...older.rows.reverse(), ...newer.rows];
      return { messages: await shownTo(hub, caller, rows), moreBefore: older.more, moreAfter: newer.more };
    }
    if (after !== undefined) {
      const { rows, more } = await page('after', after, limit);
      return { messages: await shownTo(hub, caller, rows), moreBefore: after > 0, moreAfter: more };
    }
    const { rows, more } = await page('before', before ?? Number.MAX_SAFE_INTEGER, limit);
    return { messages: await shownTo(hub, caller, rows.reverse()), moreBefore: more, moreAfter: before !== undefined };
  },

  postMessage: async ({ input, caller, key, hub }) => {
    // The floor's question is asked of every word of an agent, also of one that names no task.
    if (isAgent(caller)) return say(hub, caller, key, input.params.conversationId, input.body);
    if (input.body.task !== undefined) throw invalidField('task', 'is for agents');
    const { message } = await hub.engine.submit({ type: 'message.post', by: caller.by, key, ...input.params, ...input.body });
    // A new message has no reactions or replies to look up; a repeated answer or one with files is read again.
    return message.version === 1 && key === undefined && message.attachments === '[]'
      ? messageView(message, { ...noParts, urgent: input.body.urgent === true })
      : viewOf(hub, message);
  },
  getMessage: async ({ input, caller, hub }) => {
    const message = await readable(hub, caller, input.params.messageId);
    await handOver(hub, caller, [message]);
    return viewOf(hub, message);
  },
  editMessage: command('message.edit', showMessage),
  deleteMessage: command('message.delete', showMessage),
  listVersions: async ({ input, caller, hub }) => {
    const message = await readable(hub, caller, input.params.messageId);
    await handOver(hub, caller, [message]);
    const { before } = input.query;
    const current = { version: message.version, body: message.body, at: message.edited_at ?? message.created_at };
    const { rows, more } = await rowPage(hub.store, {
      table: 'message_versions',
      where: { message_id: message.id, version: { '<': before ?? message.version } },
      key: 'version',
      order: 'desc',
      text: ['body'],
      limit: 200,
    });
    const earlier = rows.reverse().map(({ version, body, at }) => ({ version, body, at }));
    return { versions: before === undefined ? [...earlier, current] : earlier, more };
  },
  assignMessage: command('message.assign', async ({ task }, { hub }) => (await taskViews(hub.store, [task]))[0]!),
  openThread: command('thread.open', ({ conversation }) => conversationView(conversation)),
  addReaction: command('message.react', reacted, ({ params }) => ({ ...params, on: true })),
  removeReaction: command('message.react', reacted, ({ params }) => ({ ...params, on: false })),
  sendSignal: command('message.react', reacted, ({ params, body: { signal, lease } }) => ({
    ...params,
    emoji: defaultGlyphs[signal],
    on: true,
    lease,
  })),

  search: async ({ input, caller, hub }) => {
    const { q, conversationId, authorId, before, limit } = input.query;
    if (isAgent(caller) && conversationId === undefined) return readerFor(hub, caller).search({ q, limit });
    const where = conversationId === undefined ? viewerOf(caller) : { conversationIds: [conversationId] };
    const cutoff = conversationId === undefined ? 0 : (await sightOf(hub, caller, conversationId)).historyCutoff;
    const { messages, more } = await searchPage(hub.store, { text: q, where, authorId, before, limit }, ({ seq }) => seq >= cutoff);
    if (isAgent(caller)) await readerFor(hub, caller).handOver(messages.map((message) => message.authorId));
    return { messages, more, indexedSeq: await hub.store.search.position() };
  },
} satisfies Partial<RouteHandlers>;
