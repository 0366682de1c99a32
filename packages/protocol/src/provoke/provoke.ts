// Provoking agents over the API: what became of an event, the objects that decide about it, and what they started.

import { z } from 'zod';
import { EventId, PapEvent } from './events.ts';
import { ChainId, InvocationId, MemberId } from '../ids.ts';
import { FolderProblem } from '../agents/identities.ts';
import { Manifest, ProvokeDocument, RiskLevel } from './manifests.ts';
import { EventRef, EventSender, eventVias, invocationStates } from '../tasks/provoked-steps.ts';
import { Source } from './sources.ts';
import { Slug, Trigger } from './triggers.ts';
import { Absence, Schedule } from './schedules.ts';

const Told = z.object({ field: z.string(), message: z.string() });

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

const Heard = z.array(
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
  warnings: z.array(Told),
  triggers: z
    .array(TriggerResult)
    .describe(
      'each that waits for the type; with more than 20 of them, those that let it through their filters, and those that were too slow',
    ),
  awaited: z.int().describe('how many triggers wait for its type, on or off'),
  absences: Heard.describe('monitors of absence that took note of it, the first 20'),
  heard: z.int().describe('how many monitors of absence took note of it'),
});
export type AcceptedEvent = z.infer<typeof AcceptedEvent>;

/** Of several that came together each has its own answer. */
export const AcceptedEvents = z.object({
  events: z.array(
    z.union([AcceptedEvent, z.object({ error: z.object({ code: z.string(), message: z.string(), problems: z.array(Told).optional() }) })]),
  ),
  warnings: z.array(Told),
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
  absences: Heard.optional().describe(
    'of one event alone: monitors of absence that took note of it, worked out from their definitions when it came, as far as these are kept; the first 20',
  ),
  heard: z.int().optional().describe('how many they are'),
});
export type RecordedEvent = z.infer<typeof RecordedEvent>;

const next = z.number().nullable().describe('`before` of the next page; null: this was the last');

export const EventPage = z.object({
  events: z.array(RecordedEvent).describe('perhaps fewer than asked for, or none, where not all are yours to see'),
  next,
  goneUntil: z.number().nullable().describe('events that came until then are not all kept any more; null: every one is'),
});

const limit = z.coerce.number().int().min(1).max(200).default(50);
export const EventQuery = z.strictObject({
  type: z
    .string()
    .max(256)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must be one line of well-formed characters')
    .optional(),
  eventId: EventId.optional().describe('the sender’s id of it'),
  before: z.coerce.number().int().min(0).optional(),
  limit,
});

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
});
export type WholeInvocation = z.infer<typeof WholeInvocation>;

export const InvocationPage = z.object({ invocations: z.array(Invocation), next });

export const InvocationQuery = z.strictObject({
  state: z.enum([...invocationStates, 'open', 'all']).default('all'),
  trigger: Slug.optional(),
  event: EventRef.optional(),
  before: z.coerce.number().int().min(0).optional(),
  limit,
});

export const ProvokeKind = z.enum(['trigger', 'manifest', 'source', 'schedule', 'absence']);
export type ProvokeKind = z.infer<typeof ProvokeKind>;

const version = z.int().min(0);
const AnyObject = z.record(z.string(), z.unknown());

export const ProvokeObject = z.object({
  kind: ProvokeKind,
  id: z.string(),
  version,
  ownerId: MemberId.describe('as whom it runs'),
  enabled: z.boolean(),
  object: AnyObject.describe('in the published names'),
  file: z.string().nullable().describe('where it is edited, below the data folder; null: over the API'),
  at: z.number(),
});
export type ProvokeObject = z.infer<typeof ProvokeObject>;

export const ScheduleStanding = z.object({
  last: z.number().nullable().describe('the last slot, fired or skipped; null: none since it was written'),
  next: z.number().nullable().describe('null: it is off'),
});
export type ScheduleStanding = z.infer<typeof ScheduleStanding>;

export const AbsenceKey = z.object({
  key: z.unknown().describe('null: it has no key'),
  heardAt: z.number().describe('when the last one came; of a monitor without a key, perhaps when it was written'),
  silentAt: z.number().describe('when the silence became an event, or will'),
  silent: z.boolean(),
});
export type AbsenceKey = z.infer<typeof AbsenceKey>;
export const AbsenceStanding = z.object({
  watched: z.number().describe('how many keys it waits for'),
  silent: z.number().describe('how many are silent now'),
  keys: z.array(AbsenceKey).describe('the silent ones first, then the next to fall silent; the list may be cut'),
});
export type AbsenceStanding = z.infer<typeof AbsenceStanding>;

/** One of them with how it stands now. */
export const StandingObject = ProvokeObject.extend({
  warnings: z.array(z.string()).describe('names in it that do not exist, or that its owner may not use'),
  schedule: ScheduleStanding.optional().describe('of a schedule'),
  absence: AbsenceStanding.optional().describe('of an absence monitor'),
});
export type StandingObject = z.infer<typeof StandingObject>;

export const ProvokeQuery = z.strictObject({ after: Slug.optional(), limit });
export const ProvokePage = z.object({
  objects: z.array(StandingObject).describe('by their ids'),
  next: z.string().nullable().describe('`after` of the next page; null: this was the last'),
});

export const ProvokeVersion = z.object({
  version,
  ownerId: MemberId,
  enabled: z.boolean(),
  removed: z.boolean(),
  changedBy: MemberId.nullable().describe('null: the operator, or its file'),
  at: z.number(),
  object: AnyObject,
});
export type ProvokeVersion = z.infer<typeof ProvokeVersion>;

export const PutProvoke = z.strictObject({
  version: version.describe('the version you have read; refused if there is a newer one; 0 for a new one'),
  object: AnyObject.describe('of the schema of its kind'),
});
export const EnableProvoke = z.strictObject({ version: version.describe('the one you have read'), enabled: z.boolean() });
export const RemoveProvoke = z.strictObject({ version: z.coerce.number().int().min(0).describe('the one you have read') });

export const ProvokeFile = z.object({
  file: z.string(),
  problems: z.array(FolderProblem).describe('with any, the last valid version of the file stays in force'),
  warnings: z.array(z.string()).describe('objects in force whose references lead nowhere'),
});
export type ProvokeFile = z.infer<typeof ProvokeFile>;

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

/** What an editor checks files and requests with. */
export const publishedSchemas = {
  document: ProvokeDocument,
  trigger: Trigger,
  manifest: Manifest,
  schedule: Schedule,
  absence: Absence,
  source: Source,
  event: PapEvent,
} as const;
export const SchemaName = z.enum(Object.keys(publishedSchemas) as [keyof typeof publishedSchemas, ...(keyof typeof publishedSchemas)[]]);
