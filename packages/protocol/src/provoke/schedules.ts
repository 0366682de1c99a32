// The two sources of events that the platform brings itself: schedules, and monitors of what did not happen.

import { z } from 'zod';
import { ExactType, SourceName } from './events.ts';
import { HandleOrId } from '../people/members.ts';
import { EventMatch, longestWindow, seconds, SingularPath, Slug, TriggerDescription, TriggerSenders } from './triggers.ts';

const Emits = z.strictObject({
  type: ExactType,
  source: SourceName.optional(),
  data: z.record(z.string(), z.json()).default({}),
});

export const TimeZone = z.string().max(64).describe('of the IANA list, as in Europe/Oslo');

/** An event at set times: five cron fields, read in a time zone. */
export const Schedule = z.strictObject({
  id: Slug,
  description: TriggerDescription,
  enabled: z.boolean().default(true),
  cron: z.string().max(200).describe('minute hour day month weekday, or @daily and its like'),
  time_zone: TimeZone.default('UTC'),
  missed: z.enum(['once', 'skip']).default('once').describe('slots missed while the hub was down: fired once afterwards, or skipped'),
  emit: Emits,
  owner: HandleOrId.optional(),
});
export type Schedule = z.infer<typeof Schedule>;

/** An event when no event of a type came for a while: "nothing for four hours". */
export const Absence = z.strictObject({
  id: Slug,
  description: TriggerDescription,
  enabled: z.boolean().default(true),
  match: EventMatch.describe('what is waited for'),
  accept: TriggerSenders,
  key: SingularPath.optional().describe('a separate silence for each value found here'),
  within_seconds: seconds().min(1).max(longestWindow),
  emit: Emits,
  owner: HandleOrId.optional(),
});
export type Absence = z.infer<typeof Absence>;
