// What an event started, over the API.

import { z } from 'zod';
import { ChainId, InvocationId, MemberId } from '../ids.ts';
import { EventRef, EventSender, invocationStates } from '../tasks/provoked-work.ts';
import { PapEvent } from './events.ts';
import { RiskLevel } from './manifests.ts';
import { nextBefore, pageLimit } from './provoke-objects.ts';
import { Slug } from './triggers.ts';

export const Invocation = z.object({
  id: InvocationId,
  seq: z.number().describe('its place; the next page is `before` it'),
  eventRef: EventRef,
  eventId: z.string(),
  triggerId: z.string(),
  triggerVersion: z.number(),
  manifestId: z.string(),
  manifestVersion: z.number(),
  ownerId: MemberId.describe('as whom it runs'),
  agentId: MemberId.nullable(),
  risk: RiskLevel,
  state: z.enum(invocationStates),
  attempt: z.number().describe('the one under way, or the last; 0: none has begun'),
  attempts: z.number().describe('how many there may be'),
  dueAt: z.number().nullable(),
  checkpointId: z.string().nullable(),
  chainId: ChainId,
  level: z.number().describe('1 for the first invocation of its chain'),
  output: z.unknown(),
  error: z.string().nullable(),
  micros: z.number(),
  toolCalls: z.number(),
  createdAt: z.number(),
  startedAt: z.number().nullable(),
  endedAt: z.number().nullable(),
});
export type Invocation = z.infer<typeof Invocation>;

export const InvocationAttempt = z.object({
  n: z.number(),
  state: z.string(),
  error: z.string().nullable(),
  micros: z.number(),
  toolCalls: z.number(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
});
export const WholeInvocation = Invocation.extend({
  event: PapEvent,
  sender: EventSender.describe('its sender, whatever source it names'),
  runs: z.array(InvocationAttempt),
  approver: z.string().nullable().describe('while it awaits approval: the handle of the person who is asked'),
});
export type WholeInvocation = z.infer<typeof WholeInvocation>;

export const InvocationPage = z.object({ invocations: z.array(Invocation), next: nextBefore });

export const InvocationQuery = z.strictObject({
  state: z.enum([...invocationStates, 'open', 'all']).default('all'),
  trigger: Slug.optional(),
  event: EventRef.optional(),
  before: z.coerce.number().int().min(0).optional(),
  limit: pageLimit,
});
