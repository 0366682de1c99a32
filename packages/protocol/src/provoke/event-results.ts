// What became of an event: at each trigger, and as it is on record.

import { z } from 'zod';
import { ChainId, InvocationId, MemberId } from '../ids.ts';
import { EventRef, eventVias, invocationStates } from '../tasks/provoked-work.ts';
import { EventId, PapEvent } from './events.ts';
import { nextBefore, pageLimit, AnyObject } from './provoke-objects.ts';
import { Slug } from './triggers.ts';

const EventProblem = z.object({ field: z.string(), message: z.string() });

export const triggerSteps = ['match', 'idempotency', 'cascade', 'throttle', 'risk', 'run'] as const;
/** Why an event went no further at a trigger. */
export const stopReasons = [
  'type',
  'disabled',
  'too_slow',
  'filter',
  'sender',
  'duplicate',
  'too_deep',
  'chain_full',
  'unknown_invocation',
  'throttled',
  'no_manifest',
  'needs_approval',
] as const;

export const TriggerResult = z.object({
  triggerId: z.string(),
  outcome: z.enum(['run', 'paused', 'discarded', 'rejected']),
  step: z.enum(triggerSteps).describe('the last one taken'),
  reason: z.enum(stopReasons).nullable().describe('null: nothing stopped it'),
  until: z.number().nullable().describe('throttled: when there is room again'),
  invocationId: InvocationId.nullable(),
  filter: z
    .object({ path: z.string(), operator: z.string(), value: z.unknown(), found: z.unknown().optional() })
    .optional()
    .describe('stopped by a filter: the first that failed, and the value it found, cut if it is long; for those who may see the trigger'),
});
export type TriggerResult = z.infer<typeof TriggerResult>;

const NotedAbsences = z.array(
  z.object({
    absenceId: z.string(),
    key: z.unknown().describe('the key whose silence ended, cut if it is long; null: the monitor has no key'),
  }),
);

export const AcceptedEvent = z.object({
  id: EventRef.describe('its id in this hub'),
  eventId: z.string(),
  type: z.string(),
  chainId: ChainId,
  warnings: z.array(EventProblem),
  triggers: z
    .array(TriggerResult)
    .describe(
      'each that waits for the type; with more than 20 of them, those that let it through their filters, and those that were too slow',
    ),
  awaited: z.int().describe('how many triggers wait for its type, on or off'),
  absences: NotedAbsences.describe('monitors of absence that took note of it, the first 20'),
  heard: z.int().describe('how many monitors of absence took note of it'),
});
export type AcceptedEvent = z.infer<typeof AcceptedEvent>;

/** Of several that came together each has its own answer. */
export const AcceptedEvents = z.object({
  events: z.array(
    z.union([
      AcceptedEvent,
      z.object({ error: z.object({ code: z.string(), message: z.string(), problems: z.array(EventProblem).optional() }) }),
    ]),
  ),
  warnings: z.array(EventProblem),
});
export type AcceptedEvents = z.infer<typeof AcceptedEvents>;
export const EventAnswer = z.union([AcceptedEvent, AcceptedEvents]);

/** Looked at later: what became of the invocation, as long as it is kept. */
const RecordedResult = TriggerResult.extend({ state: z.enum(invocationStates).optional().describe('of the invocation, now') });

export const RecordedEvent = z.object({
  id: EventRef,
  seq: z.number().describe('its place; the next page is `before` it'),
  event: PapEvent,
  via: z.enum(eventVias),
  sourceId: z.string().nullable(),
  byId: MemberId.nullable(),
  senderId: z.string().optional().describe('the member whose event it is, also through their schedule, absence monitor or invocation'),
  chainId: ChainId,
  triggeredBy: InvocationId.nullable(),
  acceptedAt: z.number(),
  triggers: z.array(RecordedResult),
  absences: NotedAbsences.optional().describe(
    'of one event alone: monitors of absence that took note of it, worked out from their definitions when it came, as far as these are kept; the first 20',
  ),
  heard: z.int().optional().describe('how many they are'),
});
export type RecordedEvent = z.infer<typeof RecordedEvent>;

export const EventPage = z.object({
  events: z.array(RecordedEvent).describe('perhaps fewer than asked for, or none, where not all are yours to see'),
  next: nextBefore,
  goneUntil: z.number().nullable().describe('events that came until then are not all kept any more; null: every one is'),
});

export const EventQuery = z.strictObject({
  type: z
    .string()
    .max(256)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must be one line of well-formed characters')
    .optional(),
  eventId: EventId.optional().describe('the sender’s id of it'),
  before: z.coerce.number().int().min(0).optional(),
  limit: pageLimit,
});

// A dry run over the API: which triggers would let an event through, and why.

/** A dry run: events against triggers that are kept here, or against one that is not yet. */
export const TestTriggers = z.strictObject({
  events: z.array(z.unknown()).min(1, 'must be at least one').max(100, 'must be at most 100'),
  triggers: z.array(Slug).max(100, 'must be at most 100').optional().describe('of those kept here; left out, all you may see'),
  trigger: AnyObject.optional().describe('one that is not kept here, or a changed one'),
  manifest: AnyObject.optional().describe('for `trigger`; left out, the one that it names'),
});
export const TestedTrigger = z.object({
  eventId: z.string(),
  triggerId: z.string(),
  outcome: TriggerResult.shape.outcome,
  reason: TriggerResult.shape.reason,
  steps: z.array(z.object({ step: z.enum(triggerSteps), state: z.enum(['passed', 'stopped', 'not_reached']), text: z.string() })),
  filters: z.array(
    z.object({ path: z.string(), operator: z.string(), value: z.unknown(), found: z.unknown().optional(), holds: z.boolean() }),
  ),
  warnings: z.array(z.string()).describe('why it would begin and fail: no agent to act, or nowhere to deliver the result'),
});
export type TestedTrigger = z.infer<typeof TestedTrigger>;
export const TestedTriggers = z.object({
  results: z.array(TestedTrigger),
  leftOut: z.int().describe('the number left out: at most 1000 are tested, with at most 5000 filters'),
});
export type TestedTriggers = z.infer<typeof TestedTriggers>;
