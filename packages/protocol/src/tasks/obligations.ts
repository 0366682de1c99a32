// What is owed, and what waits for a person.

import { z } from 'zod';
import { ChainId, CheckpointId, ConversationId, InvocationId, MemberId, MessageId, ObligationId, TaskId } from '../ids.ts';

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

export const CheckpointKind = z.enum([
  'obligation', // somebody waits, and nobody below has answered
  'no_progress', // two agents made no progress, and were stopped
  'idle_trigger', // a trigger of yours fired, and could wake nobody
  'failed_run', // what a trigger of yours started has failed for good, and no conversation has that told in it
  'sign_in_link', // another member made a link that signs in as you
  'agent_handover', // an agent is to be yours, and waits for you to accept it
  'may_have_happened', // an agent was interrupted in a call, and nobody knows whether it happened
  'approval', // an agent wants to do something that needs a person's yes
]);
export type CheckpointKind = z.infer<typeof CheckpointKind>;

/** Something waits for a person. It names things; somebody's words are repeated only where the approval is for exactly them. */
export const Checkpoint = z.object({
  id: CheckpointId,
  seq: z.number(),
  kind: z.string().describe('one of the kinds, or one that a newer hub knows'),
  memberId: MemberId.describe('who is asked'),
  agentId: MemberId.nullable().describe('approvals, and calls that may have happened: the agent that acts'),
  text: z.string().describe('the same in a sentence, made by the platform'),
  detail: z
    .string()
    .nullable()
    .describe(
      'approvals: exactly what the agent would do, quoted; null if nobody answered, or the words were deleted since. It holds words of the agent, or below the line `Event:` all of the event that has woken it: text, never markup. Cut in lists',
    ),
  cut: z.boolean().describe('there is more of it: ask for this one alone'),
  digest: z
    .string()
    .nullable()
    .describe('open approvals: of the call as it is shown here, to be sent as `seen` with an approval; null: it is cut'),
  reason: z.string().nullable().describe('approvals: why a person is asked'),
  until: z.number().nullable().describe('open approvals: when nobody is asked any more'),
  wouldNotRun: z.string().nullable().describe('open approvals of an invocation: why approving it would not run it now; null: it would run'),
  choices: z.array(z.object({ choice: z.string(), label: z.string() })),
  conversationId: ConversationId.nullable().describe('null: none, or one you may not read'),
  messageId: MessageId.nullable(),
  chainId: ChainId.nullable(),
  obligationIds: z.array(ObligationId).describe('all that were escalated to the same person meanwhile'),
  links: z
    .array(z.object({ conversationId: ConversationId, messageId: MessageId }))
    .describe('messages it is about, the first and the last'),
  open: z.boolean(),
  createdAt: z.number(),
  closedAt: z.number().nullable(),
  closedBy: MemberId.nullable(),
  choice: z.string().nullable(),
  notRun: z
    .object({
      invocationId: InvocationId,
      why: z.string(),
      expired: z.boolean().describe('it expired; false: it was cancelled'),
      again: z.boolean().describe('it can be asked for again'),
    })
    .nullable()
    .describe('approvals of an invocation: approved, but it does not run because something changed since'),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

export const AnsweredCheckpoint = Checkpoint.extend({ already: z.boolean().describe('it was closed before: this changed nothing') });
export type AnsweredCheckpoint = z.infer<typeof AnsweredCheckpoint>;

export const CheckpointQuery = z.strictObject({
  state: z.enum(['open', 'all']).default('open'),
  limit: z.coerce.number().int().min(1).max(200).default(100),
});
