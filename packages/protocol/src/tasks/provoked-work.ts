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

// What wakes an agent that a manifest has brought, as it is shown with the agent.

export const wakingStates = {
  on: 'events wake it',
  no_trigger: 'no trigger that is on and may use the manifest wakes it',
  off: 'its manifest is switched off',
  gone: 'its manifest was removed',
  elsewhere: 'its manifest now acts as another agent',
} as const;
export type WakingState = keyof typeof wakingStates;

/** `awaiting_approval`: an invocation waits for a person's approval, and none runs. */
export const Woken = z.enum(['working', 'awaiting_approval']).nullable();

export const ManifestWaking = z.object({
  manifestId: z.string(),
  version: z.number().nullable().describe('of the manifest; null: the manifest is gone'),
  state: z.enum(Object.keys(wakingStates) as [WakingState, ...WakingState[]]).describe(
    Object.entries(wakingStates)
      .map(([state, words]) => `\`${state}\`: ${words}`)
      .join('; '),
  ),
  thinks: z.enum(['plain', 'model']).describe('when an event wakes it; `plain`: the platform’s own words, no model'),
  model: z.string().nullable().describe('as the manifest names it; null: none, or the manifest is not yours to see'),
  asks: z
    .enum(['risk', 'mode'])
    .nullable()
    .describe('why a person approves each run: `risk`: the manifest’s is high; `mode`: the agent’s own; null: nobody is asked'),
  lastRun: z
    .object({ invocationId: InvocationId, state: z.enum(invocationStates), at: z.number(), error: z.string().nullable() })
    .nullable()
    .describe('its newest invocation, and when it reached this state; null: none, or not yours to see'),
  triggers: z.array(z.string()).nullable().describe('the ids of those that wake it; null: not yours to see'),
});
export type ManifestWaking = z.infer<typeof ManifestWaking>;
