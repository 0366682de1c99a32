// How agents contact each other, and who may.

import { z } from 'zod';
import { Lease, BehaviourMode } from './tasks.ts';
import { CheckpointId, MemberId, TaskId } from '../ids.ts';
import { IdempotencyKey } from '../conversations/messages.ts';

export const ContactAction = z.enum(['ask', 'delegate', 'notify']);
export const Priority = z.enum(['low', 'normal', 'high', 'urgent']);
export { BehaviourMode };

/** Loose on purpose: the result of a faulty call tells the agent what to do (IAC-1). */
export const ContactAgent = z.strictObject({
  taskId: TaskId,
  lease: Lease,
  action: z.string().max(100).default(''),
  agentId: z.string().max(200).default(''),
  message: z.string().default(''),
  context: z.string().nullish(),
  priority: z.string().max(100).nullish(),
  key: IdempotencyKey.optional(),
});

/** `text` is what the agent reads, in the published wording; `status` says the same to a program. */
export const ContactOutcome = z.object({
  text: z.string(),
  status: z.enum(['answered', 'failed', 'timed_out', 'delegated', 'notified', 'awaiting_approval', 'denied', 'refused']),
  taskId: TaskId.optional().describe('the sub-task'),
});
export type ContactOutcome = z.infer<typeof ContactOutcome>;

/** One line of who may contact whom. */
export const ContactRule = z.object({
  agentId: MemberId,
  target: z.union([MemberId, z.literal('*')]),
  permission: z.enum(['allow', 'deny']),
  requiresApproval: z.boolean(),
});

/** `*`: every agent that no line of its own names. */
export const ContactTarget = z.union([MemberId, z.literal('*')]);

export const SetContactRule = z.strictObject({
  permission: z.enum(['allow', 'deny']),
  requiresApproval: z.boolean().default(false).describe('`allow`: a person approves each time'),
});

/** The contact rules of one agent. */
export const Contacts = z.object({
  agentId: MemberId,
  mode: BehaviourMode,
  rules: z.array(ContactRule),
  always: z
    .array(z.object({ targetId: MemberId, approvedBy: MemberId.nullable(), at: z.number() }))
    .describe('a person approved this pair permanently'),
});
export type Contacts = z.infer<typeof Contacts>;

/** May one contact the other, and which line decided? */
export const ContactPair = z.object({
  from: MemberId,
  to: MemberId,
  allowed: z.boolean(),
  reason: z.enum(['hierarchy', 'denied', 'allowed', 'denied_for_all', 'allowed_for_all', 'default']),
  why: z.string().describe('the line that decided, in words'),
  approval: z.enum(['rule', 'mode']).nullable().describe('a person has to approve it first, and why'),
  always: z.boolean().describe('a person approved this pair permanently'),
});
export type ContactPair = z.infer<typeof ContactPair>;

export const ContactMatrixQuery = z.strictObject({
  from: MemberId.optional().describe('only what this agent may do'),
  limit: z.coerce.number().int().min(1).max(200).default(100).describe('agents, by handle'),
});
export const ContactMatrix = z.object({
  agents: z.array(z.object({ id: MemberId, handle: z.string(), mode: BehaviourMode })),
  pairs: z.array(ContactPair),
  more: z.boolean().describe('there are more agents than these'),
});
export type ContactMatrix = z.infer<typeof ContactMatrix>;

/** A call of an agent that a person was asked about. */
export const AnsweredApproval = z.object({
  id: CheckpointId,
  name: z.string(),
  input: z.unknown().describe('the exact arguments'),
  state: z.enum(['approved', 'denied', 'expired']),
  text: z.string().describe('its outcome, in words'),
});
export type AnsweredApproval = z.infer<typeof AnsweredApproval>;
