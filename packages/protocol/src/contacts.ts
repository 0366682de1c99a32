// How agents contact each other, and who may.

import { z } from 'zod';
import { Lease } from './tasks.ts';
import { MemberId, TaskId } from './ids.ts';
import { IdempotencyKey } from './messages.ts';

export const ContactAction = z.enum(['ask', 'delegate', 'notify']);
export const Priority = z.enum(['low', 'normal', 'high', 'urgent']);
export const BehaviourMode = z.enum(['autonomous', 'supervised', 'strict']);

/** Loose on purpose: what is wrong with a call is told to the agent in words that say what to do (IAC-1). */
export const ContactAgent = z.strictObject({
  taskId: TaskId,
  lease: Lease,
  action: z.string().max(100),
  agentId: z.string().max(200),
  message: z.string(),
  context: z.string().optional(),
  priority: z.string().max(100).optional(),
  key: IdempotencyKey.optional(),
});
export type ContactAgent = z.input<typeof ContactAgent>;

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
export type ContactRule = z.infer<typeof ContactRule>;
