// Tools with which an agent reads inside its task (SYS-9): who is here, what was said.

import { type Message, ParleyError } from '@parley/protocol';
import { z } from 'zod';
import { channelsOf } from '../../store/reads/conversations.ts';
import type { MemberRow } from '../../store/tables.ts';
import { readMailbox } from '../../turns/mailbox.ts';
import { describers, AgentReads } from '../../turns/agent-reads.ts';
import { agentViews } from '../../views/agents.ts';
import { undamaged } from '../../views/row-views.ts';
import type { AtWork } from '../tool-caller.ts';
import { nameSchema, workspaceTool } from './tool.ts';

const readsOf = ({ hub, agentId, taskId }: AtWork): AgentReads => new AgentReads(hub, agentId, taskId);
const toJson = (value: unknown): string => JSON.stringify(value, null, 1);

async function recordNames(at: AtWork, members: MemberRow[]): Promise<void> {
  await readsOf(at).handOver(members.flatMap(describers));
}

async function listAgents(at: AtWork): Promise<string> {
  const agents = await readsOf(at).agents();
  const views = await undamaged(agents, (some) => agentViews(at.hub.store, some, at.hub.clock.now()));
  return toJson(
    views.map(({ id, handle, displayName, about, status, asleepUntil }) => ({
      agentId: id,
      handle,
      name: displayName,
      does: about,
      status,
      ...(status === 'sleeping' && asleepUntil !== null ? { sleepingUntil: new Date(asleepUntil).toISOString() } : {}),
      ...(id === at.agentId ? { you: true } : {}),
    })),
  );
}

async function listChannels(at: AtWork): Promise<string> {
  const homes = await channelsOf(at.hub.store, at.agentId);
  const readable = await readsOf(at).readable(homes);
  return toJson(readable.map(({ id, name, visibility, floor }) => ({ channelId: id, name, visibility, floor })));
}

const memberShown = ({ id, kind, handle, display_name, about }: MemberRow) => ({ id, kind, handle, name: display_name, about });

async function listMembers(at: AtWork, channelId: string | undefined): Promise<string> {
  const members = await readsOf(at).members(channelId);
  await recordNames(at, members);
  return toJson(members.map(memberShown));
}

async function getMember(at: AtWork, called: string): Promise<string> {
  const wantedHandle = called.replace(/^[@^]/, '').toLowerCase();
  const member = (await readsOf(at).acquainted()).find(({ id, handle }) => id === called || handle.toLowerCase() === wantedHandle);
  if (!member) throw new ParleyError('not_found', 'There is no such member, or you may not see them here.');
  await recordNames(at, [member]);
  if (member.kind === 'human') return toJson(memberShown(member));
  const [view] = await agentViews(at.hub.store, [member], at.hub.clock.now());
  return toJson({ ...memberShown(member), status: view!.status });
}

const limit = z.int().min(1).max(100).default(20).describe('how many');
const conversationId = nameSchema(100).optional().describe('a conversation; default: the one of your task');

export const queryWorkspace = workspaceTool({
  name: 'query_workspace',
  description:
    'Who and what is here: list_agents (whom you can contact, what they do and whether they are free), list_channels, list_members of a channel, get_member by handle or id.',
  readOnly: true,
  schema: z.strictObject({
    action: z.enum(['list_agents', 'list_channels', 'list_members', 'get_member']),
    channelId: conversationId,
    member: z.string().max(100).optional().describe('get_member: a handle or an id'),
  }),
  run: (at, { action, channelId, member }) => {
    switch (action) {
      case 'list_agents':
        return listAgents(at);
      case 'list_channels':
        return listChannels(at);
      case 'list_members':
        return listMembers(at, channelId);
      case 'get_member':
        if (member === undefined) return Promise.resolve('Error: get_member needs `member`: a handle or an id.');
        return getMember(at, member);
    }
  },
});

/** Each as it was written: text, and never more than that. */
async function lines({ hub: { store } }: AtWork, messages: Message[]): Promise<object[]> {
  const members = await store.rows('members', { id: [...new Set(messages.flatMap(({ authorId }) => authorId ?? []))] });
  const handles = new Map(members.map(({ id, handle }) => [id, handle]));
  return messages.map((message) => ({
    messageId: message.id,
    conversationId: message.conversationId,
    from: handles.get(message.authorId ?? '') ?? null,
    at: new Date(message.createdAt).toISOString(),
    text: message.body ?? '[deleted]',
    ...(message.threadReplies > 0 ? { threadId: message.threadId, replies: message.threadReplies } : {}),
    seq: message.seq,
  }));
}

export const readThread = workspaceTool({
  name: 'read_thread',
  description: 'Reads a thread or a conversation, the latest message last. Name a message to read its thread.',
  readOnly: true,
  schema: z.strictObject({
    messageId: nameSchema(100).optional().describe('a message that has a thread'),
    conversationId,
    before: z.int().min(1).optional().describe('only what came before this `seq`'),
    limit,
  }),
  run: async (at, { messageId, before, limit: most, ...where }) => {
    const root = messageId === undefined ? undefined : await readsOf(at).message(messageId);
    if (root && root.threadId === null) return toJson({ messages: await lines(at, [root]), more: false });
    const page = await readsOf(at).history({ conversationId: root?.threadId ?? where.conversationId, before, limit: most });
    return toJson({ messages: await lines(at, [...(root && !page.moreBefore ? [root] : []), ...page.messages]), more: page.moreBefore });
  },
});

export const searchMessages = workspaceTool({
  name: 'search_messages',
  description: 'Finds messages by the words in them, in what you may read here.',
  readOnly: true,
  schema: z.strictObject({ q: z.string().trim().min(1).max(200).describe('the words'), limit: z.int().min(1).max(50).default(20) }),
  run: async (at, ask) => {
    const { messages, more } = await readsOf(at).search(ask);
    return toJson({ messages: await lines(at, messages), more });
  },
});

export const mailbox = workspaceTool({
  name: 'read_mailbox',
  description: 'Reads your mailbox of a conversation: messages not delivered to you, since you last looked. They need no answer.',
  readOnly: true,
  schema: z.strictObject({ conversationId, after: z.int().min(0).optional().describe('`upTo` of the page before'), limit }),
  run: async (at, ask) => {
    const { entries, upTo, more } = await readMailbox(at.hub, at.agentId, at.taskId, ask);
    const messages = entries.map(({ messageId, conversationId: where, author, content, createdAt }) => ({
      messageId,
      conversationId: where,
      from: author?.handle ?? null,
      at: new Date(createdAt).toISOString(),
      text: content,
    }));
    return toJson({ messages, upTo, more });
  },
});
