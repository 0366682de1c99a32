import { z } from 'zod';
import { oneLine } from '../text/one-line.ts';
import { ConversationId, MemberId, MessageId } from '../ids.ts';
import { isSeen } from '../people/members.ts';

export const ConversationKind = z.enum(['channel', 'dm', 'thread']);
export type ConversationKind = z.infer<typeof ConversationKind>;
export const Visibility = z.enum(['public', 'private']);
export const Floor = z.enum(['polite', 'open']);
export const History = z.enum(['all', 'joined']);
export const NotifyLevel = z.enum(['all', 'mentions', 'none']);
export type NotifyLevel = z.infer<typeof NotifyLevel>;
export const MembershipRole = z.enum(['moderator', 'participant']);

export const ChannelName = z
  .string()
  .regex(
    /^[\p{L}\p{N}](?:[\p{L}\p{N}_-]{0,62}[\p{L}\p{N}])?$/u,
    'must be 1 to 64 letters, digits, - or _, beginning and ending with a letter or digit',
  )
  .refine(isSeen, 'must not contain invisible characters');
export const Topic = oneLine(250);

export const Conversation = z.object({
  id: ConversationId,
  kind: ConversationKind,
  name: z.string().nullable().describe('channels only'),
  topic: z.string(),
  visibility: Visibility,
  floor: Floor,
  history: History.describe('`joined`: a member sees what was said since it joined'),
  parentId: ConversationId.nullable().describe('threads: the conversation they hang in'),
  rootMessageId: MessageId.nullable().describe('threads: the message they hang on'),
  memberIds: z.array(MemberId).describe('DMs: who is in it; empty for channels and threads, whose members are listed apart'),
  createdBy: MemberId.nullable(),
  createdAt: z.number(),
  archivedAt: z.number().nullable(),
});
export type Conversation = z.infer<typeof Conversation>;

/** How long a channel may have agents wait for more before they begin, in milliseconds; 0: not at all. */
export const quietRange = { least: 0, most: 5000 } as const;

/** A conversation as one member has it. */
export const MyConversation = Conversation.extend({
  joined: z.boolean(),
  myRole: MembershipRole.nullable(),
  notify: NotifyLevel,
  readSeq: z.number(),
  lastSeq: z.number().describe('0 when nothing was said yet'),
  unread: z.number().describe('messages by others after readSeq; at most 100, counted among the newest 200'),
  composeMs: z
    .number()
    .nullable()
    .describe('how long agents wait for more after each fragment of a person’s request, in milliseconds; null: the workspace’s setting'),
});
export type MyConversation = z.infer<typeof MyConversation>;

export const ConversationQuery = z.strictObject({
  after: ConversationId.optional(),
  limit: z.coerce.number().int().min(1).max(500).default(200),
});
export const ConversationPage = z.object({
  conversations: z.array(MyConversation).describe('in the order in which they were made; perhaps fewer than asked for'),
  next: ConversationId.nullable().describe('`after` of the next page; null: this was the last'),
  cursor: z.string().describe('of the first page: follow the stream from here'),
});

export const CreateChannel = z.strictObject({
  name: ChannelName,
  topic: Topic.default(''),
  visibility: Visibility.default('public'),
  floor: Floor.default('polite'),
  history: History.default('all'),
});
export type CreateChannel = z.input<typeof CreateChannel>;

export const EditConversation = z.strictObject({
  name: ChannelName.optional(),
  topic: Topic.optional(),
  visibility: Visibility.optional(),
  floor: Floor.optional(),
  history: History.optional(),
  archived: z.boolean().optional(),
  composeMs: z.int().min(quietRange.least).max(quietRange.most).nullable().optional().describe('null: as everywhere'),
});
export type EditConversation = z.input<typeof EditConversation>;

export const OpenDm = z.strictObject({
  memberIds: z.array(MemberId).min(1, 'needs at least one other member').max(8, 'takes at most 8 other members'),
});

export const AddToConversation = z.strictObject({
  memberId: MemberId,
  messageId: MessageId.optional().describe(
    'of an agent: the message that called it; it gets the message as a task, once, in the same step',
  ),
});

export const Membership = z.object({
  conversationId: ConversationId,
  memberId: MemberId,
  role: MembershipRole,
  joinedAt: z.number(),
});
export type Membership = z.infer<typeof Membership>;

/** An agent that was asked to leave. It stays a member: its name brings it back. */
export const Leave = z.object({
  conversationId: ConversationId,
  parentId: ConversationId.nullable().describe('a thread: where it hangs'),
  memberId: MemberId,
  askedBy: MemberId.nullable(),
  at: z.number(),
});
export type Leave = z.infer<typeof Leave>;
export const AskToLeave = z.strictObject({ memberId: MemberId });

export const SetNotify = z.strictObject({ level: NotifyLevel });
export const MarkRead = z.strictObject({ seq: z.int().min(0) });
export const ReadState = z.object({
  conversationId: ConversationId,
  readSeq: z.number(),
  lastSeq: z.number().describe('how far it was counted'),
  unread: z.number(),
});
