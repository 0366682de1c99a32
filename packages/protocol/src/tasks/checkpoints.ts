// Checkpoints: everything that waits for a person, in the one inbox.

import { z } from 'zod';
import { PromptCard } from '../peers/prompts.ts';
import { ChainId, CheckpointId, ConversationId, InvocationId, MemberId, MessageId, ObligationId } from '../ids.ts';

export const CheckpointKind = z.enum([
  'obligation', // somebody waits, and nobody below has answered
  'no_progress', // two agents made no progress, and were stopped
  'idle_trigger', // a trigger of yours fired, and could wake nobody
  'failed_run', // what a trigger of yours started has failed for good, and no conversation has that told in it
  'sign_in_link', // another member made a link that signs in as you
  'agent_handover', // an agent is to be yours, and waits for you to accept it
  'may_have_happened', // an agent was interrupted in a call, and nobody knows whether it happened
  'consent', // your peer asks what it may share
  'proposal', // your peer has a proposal that awaits your confirmation
  'escalation', // the peers found no way by themselves
  'expansion', // what a negotiation is about has grown
  'key_change', // the key of a peer changed
  'stranger', // somebody whose key nobody has checked wants to negotiate
  'approval', // an agent wants to do something that needs a person's approval
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
  card: PromptCard.nullable().describe(
    'a prompt of your peer, in its words; null: it is none, it was answered, or the peer does not answer now',
  ),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

export const AnsweredCheckpoint = Checkpoint.extend({ already: z.boolean().describe('it was closed before: this changed nothing') });
export type AnsweredCheckpoint = z.infer<typeof AnsweredCheckpoint>;

export const CheckpointQuery = z.strictObject({
  state: z.enum(['open', 'all']).default('open'),
  conversationId: ConversationId.optional().describe('only those that came up in this conversation'),
  limit: z.coerce.number().int().min(1).max(200).default(100),
});
