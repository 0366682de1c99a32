// Files that go with a message.

import { z } from 'zod';
import { AttachmentId, ConversationId, MemberId, MessageId, TaskId } from '../ids.ts';
import { isSeen } from '../people/members.ts';
import { DeclareObligation } from '../tasks/obligations.ts';

export const Attachment = z.object({
  id: AttachmentId,
  name: z.string(),
  mediaType: z.string(),
  size: z.number(),
  sha256: z.string(),
  erased: z.boolean(),
});
export type Attachment = z.infer<typeof Attachment>;

export const maxAttachmentBytes = 25 * 1024 * 1024;
export const maxAttachmentsPerMessage = 10;

export const AttachmentName = z
  .string()
  .min(1, 'must not be empty')
  .max(200, 'must be at most 200 characters')
  .regex(/^[^\p{Cc}\p{Cs}/\\\u202A-\u202E\u2066-\u2069]+$/u, 'must be a plain file name')
  .refine(isSeen, 'must not contain invisible characters')
  .refine((name) => name !== '.' && name !== '..', 'must be a plain file name');

export const maxBodyLength = 100_000;

/** Control characters other than tab and newline have no business in chat, and hide text from readers. */
export const Body = z
  .string()
  .max(maxBodyLength, `must be at most ${maxBodyLength} characters`)
  .refine((body) => body.isWellFormed(), 'must be well-formed Unicode')
  // eslint-disable-next-line no-control-regex
  .refine((body) => !/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/.test(body), 'must not contain control characters');

export const Emoji = z
  .string()
  .max(32, 'must be one emoji')
  .regex(/^(?:\p{RGI_Emoji}|\p{Extended_Pictographic}\uFE0F?)$/v, 'must be one emoji');

/** What is said without words (C2A-21). How each looks is a platform's business. */
export const Signal = z.enum(['seen', 'agree', 'working', 'queued', 'claimed', 'done', 'declined', 'blocked', 'unclear']);
export type Signal = z.infer<typeof Signal>;
/** What one on an agent's own message tells it. */
export const SignalMeaning = z.enum(['proceed', 'revise', 'already_handled', 'heard']);
export type SignalMeaning = z.infer<typeof SignalMeaning>;

export const Reaction = z.object({
  emoji: z.string(),
  memberIds: z.array(MemberId),
  signal: Signal.nullable().describe('what it means; null: only a smile'),
});
export type Reaction = z.infer<typeof Reaction>;

/** What a message is to a task: the agent's words in it, more of what its requester says, or what a sub-task of it came to. */
export const TaskWordKind = z.enum(['progress', 'question', 'answer', 'decline', 'follow_up', 'result']);
export type TaskWordKind = z.infer<typeof TaskWordKind>;

export const Message = z.object({
  id: MessageId,
  conversationId: ConversationId,
  seq: z.number().describe('its place in the workspace; messages of a conversation are ordered by it'),
  authorId: MemberId.nullable().describe('null: the platform'),
  body: z.string().nullable().describe('null: deleted'),
  version: z.number(),
  replyTo: MessageId.nullable(),
  attachments: z.array(Attachment),
  reactions: z.array(Reaction),
  threadId: ConversationId.nullable(),
  threadReplies: z.number().describe('counted among the latest 1,000'),
  threadLastAt: z.number().nullable(),
  urgent: z.literal(true).optional().describe('its author marked it so'),
  task: z.object({ id: TaskId, kind: TaskWordKind }).nullable().describe('an agent’s message: the task in which it was said'),
  source: z
    .enum(['agent_contact', 'delegation_result'])
    .nullable()
    .describe('posted by the platform for an agent’s call: its request to another, or the result of a delegation'),
  createdAt: z.number(),
  editedAt: z.number().nullable(),
  deletedAt: z.number().nullable(),
});
export type Message = z.infer<typeof Message>;

export const PostMessage = z
  .strictObject({
    body: Body,
    replyTo: MessageId.optional(),
    attachmentIds: z.array(AttachmentId).max(maxAttachmentsPerMessage, `takes at most ${maxAttachmentsPerMessage}`).default([]),
    task: z
      .strictObject({ id: TaskId, lease: z.int().min(0), kind: z.enum(['progress', 'question', 'answer']) })
      .optional()
      .describe(
        'agents: the task of this message; without one an agent cannot speak. If newer messages are not acknowledged, an answer counts as progress; `task.kind` of the message says so',
      ),
    outputs: z
      .array(ConversationId)
      .max(5, 'takes at most 5')
      .optional()
      .describe('other conversations in which the agents you ask may speak'),
    obligation: DeclareObligation.optional().describe('you are blocked until the one member this addresses has answered'),
    urgent: z
      .boolean()
      .optional()
      .describe('people: agents do not wait for more, and an agent already at work on this request is interrupted'),
    done: z.boolean().optional().describe('people: this completes the request, so agents do not wait for more'),
    confirmAll: z.int().min(1).optional().describe('^ALL to many agents: the number of agents that the preview or error named'),
  })
  .refine((post) => post.body.trim() !== '' || post.attachmentIds.length > 0, { path: ['body'], message: 'must not be empty' });

export const EditMessage = z.strictObject({
  body: Body.refine((body) => body.trim() !== '', 'must not be empty'),
  version: z.int().min(1).optional().describe('the version you read; a mismatch is refused'),
  confirmAll: z.int().min(1).optional().describe('^ALL to many agents: the number of agents that the preview or error named'),
});

export const AssignMessage = z.strictObject({
  memberId: MemberId.describe('an agent of the conversation'),
  urgent: z.boolean().default(false).describe('it begins before the agent’s other work'),
});

/** Stated with every send so that a repeat is answered, not shown twice (C2A-30). */
export const IdempotencyKey = z.string().regex(/^[\x21-\x7E]{1,128}$/, 'must be 1 to 128 printable ASCII characters');

export const HistoryQuery = z
  .strictObject({
    before: z.coerce.number().int().min(1).optional().describe('messages with a smaller seq, newest first in time but listed oldest first'),
    after: z.coerce.number().int().min(0).optional().describe('messages with a larger seq'),
    around: MessageId.optional().describe('a window with this message in the middle'),
    limit: z.coerce.number().int().min(1).max(200).default(50),
  })
  .refine((q) => [q.before, q.after, q.around].filter((v) => v !== undefined).length <= 1, {
    path: ['before'],
    message: 'take one of before, after and around',
  });

export const MessagePage = z.object({
  messages: z.array(Message).describe('at most `limit`, and at most 256 KB of text; `moreBefore` and `moreAfter` say whether to go on'),
  moreBefore: z.boolean(),
  moreAfter: z.boolean(),
});
export type MessagePage = z.infer<typeof MessagePage>;

export const MessageVersion = z.object({ version: z.number(), body: z.string().nullable(), at: z.number() });
export type MessageVersion = z.infer<typeof MessageVersion>;
export const VersionQuery = z.strictObject({
  before: z.coerce.number().int().min(1).optional().describe('versions with a smaller number'),
});
export const VersionPage = z.object({
  versions: z.array(MessageVersion).describe('oldest first'),
  more: z.boolean().describe('there are earlier ones'),
});

export const SearchQuery = z.strictObject({
  q: z.string().trim().min(1, 'must not be empty').max(200, 'must be at most 200 characters'),
  conversationId: ConversationId.optional(),
  authorId: MemberId.optional(),
  before: z.coerce.number().int().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(50).default(20),
});
export const SearchPage = z.object({
  messages: z.array(Message),
  more: z.boolean(),
  indexedSeq: z.number().describe('what was said after this is not indexed yet'),
});
export type SearchPage = z.infer<typeof SearchPage>;
