// What is owed, and what waits for a person.

import { z } from 'zod';
import { ConversationId, MemberId, MessageId, ObligationId, TaskId } from '../ids.ts';

export const Blocks = z.enum(['halted', 'degraded', 'none']);
export type Blocks = z.infer<typeof Blocks>;

/** Declared with a message: its author is held up until the recipient has answered. */
export const DeclareObligation = z.strictObject({
  blocks: Blocks.describe('`halted`: the author can do nothing until then; `degraded`: only part of the work; `none`: it can wait'),
  defaultAction: z
    .string()
    .max(500, 'must be at most 500 characters')
    .refine((text) => text.trim() !== '' && text.isWellFormed(), 'must not be empty')
    .describe('what the author does if nobody answers'),
  delegateId: MemberId.optional().describe('who may settle it in the author’s stead'),
  intervalMs: z
    .int()
    .min(60_000, 'must be at least a minute')
    .max(7 * 24 * 3_600_000, 'must be at most a week')
    .optional()
    .describe('it comes back this often; default: every 15 minutes'),
});
export type DeclareObligation = z.input<typeof DeclareObligation>;

export const Obligation = z.object({
  id: ObligationId,
  authorId: MemberId.describe('who is blocked'),
  delegateId: MemberId.nullable(),
  recipientId: MemberId.describe('who is to answer'),
  holderId: MemberId.describe('who is reminded now: the recipient, or somebody above them'),
  level: z.number().describe('how often it was escalated'),
  conversationId: ConversationId,
  messageId: MessageId,
  taskId: TaskId.nullable(),
  blocks: Blocks,
  defaultAction: z.string().nullable().describe('null: not yours to read, or erased'),
  intervalMs: z.number(),
  returns: z.number().describe('reminders to this holder so far'),
  extended: z.boolean(),
  reciprocalOf: ObligationId.nullable().describe('if it asks back: the obligation that was unclear'),
  open: z.boolean(),
  nextAt: z.number().nullable(),
  createdAt: z.number(),
  dischargedAt: z.number().nullable(),
  dischargedBy: MemberId.nullable(),
});
export type Obligation = z.infer<typeof Obligation>;

/** `owe`: I am to answer. `blocking`: of these, where somebody is held up. `waiting`: I am the one who waits. */
export const ObligationSide = z.enum(['owe', 'blocking', 'waiting']);
export type ObligationSide = z.infer<typeof ObligationSide>;

const me = z.literal('me').optional();
export const ObligationQuery = z
  .strictObject({ owe: me, blocking: me, waiting: me })
  .refine((query) => Object.values(query).filter((value) => value !== undefined).length === 1, {
    path: ['owe'],
    message: 'take one of owe=me, blocking=me and waiting=me',
  });

/** Those of the nine signals that say something about what is owed. */
export const ObligationSignal = z.enum(['working', 'queued', 'declined', 'blocked', 'unclear']);
export const SignalObligation = z.strictObject({ signal: ObligationSignal });
