// Triggers, manifests, sources, schedules and absence monitors as the API keeps them, with their versions and files.

import { z } from 'zod';
import { FolderProblem } from '../agents/identities.ts';
import { MemberId } from '../ids.ts';
import { Slug } from './triggers.ts';

/** Pages of events, invocations and provoke objects. */
export const nextBefore = z.number().nullable().describe('`before` of the next page; null: this was the last');
export const pageLimit = z.coerce.number().int().min(1).max(200).default(50);

export const ProvokeKind = z.enum(['trigger', 'manifest', 'source', 'schedule', 'absence']);
export type ProvokeKind = z.infer<typeof ProvokeKind>;

const version = z.int().min(0);
export const AnyObject = z.record(z.string(), z.unknown());

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

export const ProvokeQuery = z.strictObject({ after: Slug.optional(), limit: pageLimit });
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
