// The steps of a chain that are no tasks: events, and what they started.

import { z } from 'zod';
import { idPattern, InvocationId, MemberId } from '../ids.ts';

export const EventRef = idPattern('event');

export const invocationStates = [
  'awaiting_approval',
  'queued',
  'running',
  'waiting_retry',
  'completed',
  'failed',
  'expired',
  'denied',
  'cancelled',
] as const;
export type InvocationState = (typeof invocationStates)[number];

/** How an event came in. */
export const eventVias = ['api', 'cloudevents', 'webhook', 'schedule', 'absence', 'invocation'] as const;

/** How an event came in: what it says of its source is the sender's to choose. */
export const EventSender = z.object({
  via: z.enum(eventVias),
  sourceId: z.string().nullable().describe('the source whose token or webhook brought it; null: none did'),
  by: z.string().nullable().describe('who sent it, as @ada or ^ORAC; null: a source, the operator or the platform itself'),
});
export type EventSender = z.infer<typeof EventSender>;

const event = { kind: z.literal('event'), id: EventRef, parentId: InvocationId.nullable().describe('the invocation that emitted it') };
const invocation = { kind: z.literal('invocation'), id: InvocationId, parentId: EventRef.describe('the event that started it') };

export const ProvokedStep = z.union([
  z.object({ ...event, type: z.string(), source: z.string().describe('as the event says'), ...EventSender.shape, at: z.number() }),
  z.object({
    ...invocation,
    triggerId: z.string(),
    manifestId: z.string(),
    agentId: MemberId.nullable(),
    state: z.enum(invocationStates),
    createdAt: z.number(),
    endedAt: z.number().nullable(),
  }),
  z.object({ ...event, hidden: z.literal(true) }),
  z.object({ ...invocation, hidden: z.literal(true) }),
]);
export type ProvokedStep = z.infer<typeof ProvokedStep>;
