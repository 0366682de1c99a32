// What was stored for an agent and not put before it, and the roll-up of it.

import { z } from 'zod';
import { ConversationId, MemberId, MessageId } from '../ids.ts';
import { Mode, Policy } from '../conversations/verdicts.ts';

/** The interval of an agent's digests, in milliseconds. */
export const digestRange = { least: 5 * 60_000, most: 7 * 24 * 3_600_000 } as const;

/** As it was decided when the message was placed. `content` is text somebody wrote and is never more than that (C2A-29). */
export const MailboxEntry = z.object({
  messageId: MessageId,
  conversationId: ConversationId.describe('the conversation, or the thread in it'),
  author: z.object({ id: MemberId, kind: z.enum(['human', 'agent']), handle: z.string() }).nullable(),
  policy: Policy,
  mode: Mode,
  reason: z.string(),
  content: z.string(),
  createdAt: z.number(),
});
export type MailboxEntry = z.infer<typeof MailboxEntry>;

export const Mailbox = z.object({
  conversationId: ConversationId.describe('its threads are in it'),
  seen: z.number().describe('the position you have marked as seen'),
  entries: z.array(MailboxEntry),
  upTo: z.number().describe('the end of this page: `after` of the next page, and the position to mark as seen'),
  more: z.boolean(),
});
export type Mailbox = z.infer<typeof Mailbox>;

export const MailboxQuery = z.strictObject({
  after: z.coerce.number().int().min(0).optional().describe('default: the position you have marked as seen'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export const MailboxSeen = z.strictObject({ upTo: z.int().min(0) });
export const MailboxCursor = z.object({ conversationId: ConversationId, seen: z.number() });

export const SetDigest = z.strictObject({
  everyMs: z.int().min(digestRange.least).max(digestRange.most).nullable().describe('null: no digest'),
});
export const DigestSetting = z.object({ conversationId: ConversationId, memberId: MemberId, everyMs: z.number().nullable() });
export type DigestSetting = z.infer<typeof DigestSetting>;

/** Counts and ids, and not one word that somebody wrote; who wants the words reads them inside a task. */
export const Digest = z.object({
  from: z.number().describe('when the first of these messages was written'),
  until: z.number().describe('and the last'),
  messages: z.number(),
  more: z.boolean().describe('there were more than are counted here: these are the latest'),
  authors: z.array(z.object({ memberId: MemberId, messages: z.number() })).describe('those who wrote most'),
  otherAuthors: z.number().describe('how many wrote besides'),
  status: z.object({ count: z.number(), latest: z.array(MessageId) }).describe('status lines and logs'),
  questions: z.object({ count: z.number(), latest: z.array(MessageId) }).describe('questions addressed to nobody'),
  openTasks: z.number().describe('the work of agents in the conversation'),
});
export type Digest = z.infer<typeof Digest>;
