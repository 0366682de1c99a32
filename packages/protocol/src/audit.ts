// The audit log: who did what, with which arguments, what came of it, and who approved it (PRV-11).

import { z } from 'zod';
import { ChainId, ConversationId, InvocationId, MemberId, TaskId } from './ids.ts';

/** `read`: a person looked into a DM of agents that they are not in. `access`: rights changed, or somebody came in. */
export const auditKinds = ['tool', 'contact', 'approval', 'read', 'access'] as const;
export type AuditKind = (typeof auditKinds)[number];

/** `started`: its end was not recorded. `unknown`: nobody knows whether it happened. */
export const auditOutcomes = ['started', 'done', 'failed', 'unknown', 'approved', 'denied', 'expired'] as const;
export type AuditOutcome = (typeof auditOutcomes)[number];

export const AuditEntry = z.object({
  id: z.string(),
  seq: z.number().int().describe('its place in the log; `before` takes it'),
  at: z.number(),
  kind: z.enum(auditKinds),
  actorId: z
    .union([MemberId, z.enum(['operator', 'platform'])])
    .describe('who did it: a member, the operator at the machine, or the platform by itself'),
  onBehalfOf: MemberId.nullable().describe('the person whose request or trigger it was'),
  name: z.string().describe('the tool, the manifest, or the action; of kind `access`, what changed, such as `member.edited`'),
  targetId: MemberId.nullable().describe(
    'the agent that was contacted or that the approval was for; of kind `access`, whose rights changed',
  ),
  arguments: z.unknown().describe('its arguments; private values are withheld, and messages between agents are left out'),
  kept: z.boolean().describe('false: the arguments were erased with the messages or events that they came from'),
  outcome: z.enum(auditOutcomes),
  endedAt: z.number().nullable(),
  approverId: z.union([MemberId, z.literal('operator')]).nullable(),
  taskId: TaskId.nullable(),
  invocationId: InvocationId.nullable(),
  conversationId: ConversationId.nullable(),
  chainId: ChainId.nullable(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditQuery = z.strictObject({
  kind: z.enum(auditKinds).optional(),
  memberId: MemberId.optional().describe('a person or an agent who did it, approved it, was contacted, or requested it'),
  since: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional().describe('milliseconds since 1970; not before it'),
  until: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional().describe('milliseconds since 1970; before it'),
  before: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional().describe('`next` of the page before'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export type AuditQuery = z.infer<typeof AuditQuery>;

export const AuditPage = z.object({ entries: z.array(AuditEntry), next: z.number().nullable() });
export type AuditPage = z.infer<typeof AuditPage>;
