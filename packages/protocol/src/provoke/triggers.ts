// Which event provokes which agent, as it stands in a file or comes over the API.

import { z } from 'zod';
import { ExactType } from './events.ts';
import { HandleOrId } from '../people/members.ts';

/** Names a trigger, a manifest or a source for good; shown in records, part of keys. */
export const Slug = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, 'must be 1 to 128 of letters, digits and . _ - and begin with a letter or digit');

export const TriggerDescription = z.string().max(2000, 'must be at most 2000 characters').optional();

/** Text of an RFC 9535 query; whether it is one, and names one place only, is decided when it is compiled. */
export const SingularPath = z.string().max(500, 'must be at most 500 characters').describe('a singular JSONPath; $ is the event');

const Comparable = z.union([z.string(), z.number(), z.boolean()], {
  error: ({ input }) => (input === undefined ? undefined : 'must be a text, a number, true or false; null is absent: see exists'),
});
const comparables = z.array(Comparable).min(1, 'must name at least one value').max(1000, 'must be at most 1000 values');

const operator = {
  equality: z.enum(['eq', 'ne']),
  order: z.enum(['lt', 'lte', 'gt', 'gte']),
  list: z.enum(['in', 'not_in']),
};
export const filterOperators = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'not_in', 'contains', 'exists', 'regex'] as const;

/** By operator, so that an editor knows which value belongs to it. Nothing is coerced. */
export const Filter = z.discriminatedUnion(
  'operator',
  [
    z.strictObject({ path: SingularPath, operator: operator.equality, value: Comparable }),
    z.strictObject({ path: SingularPath, operator: operator.order, value: z.number() }),
    z.strictObject({ path: SingularPath, operator: operator.list, value: comparables }),
    z.strictObject({ path: SingularPath, operator: z.literal('contains'), value: z.string() }),
    z.strictObject({
      path: SingularPath,
      operator: z.literal('regex'),
      value: z.string().describe('RE2; matches anywhere unless anchored'),
    }),
    z.strictObject({ path: SingularPath, operator: z.literal('exists'), value: z.boolean().default(true) }),
  ],
  { error: (issue) => (issue.code === 'invalid_union' ? `must be one of ${filterOperators.join(', ')}` : undefined) },
);
export type Filter = z.infer<typeof Filter>;

/** A filter with an unknown operator: its value cannot be checked. */
export const FilterFrame = z.strictObject({ path: SingularPath, operator: z.unknown().optional(), value: z.unknown().optional() });

export const EventMatch = z.strictObject({
  type: ExactType.describe('compared exactly'),
  filter: z.array(Filter).max(50, 'must be at most 50 filters').default([]).describe('all of them have to hold'),
});

const units = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** In seconds; the error for `4h` says how many that are. */
export const seconds = () =>
  z.number({
    error: ({ code, input }) => {
      if (input === undefined || code !== 'invalid_type') return undefined;
      const text = typeof input === 'string' ? input : '';
      const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
      return `must be a number of seconds${amount === undefined ? '' : `: ${Number(amount) * units[unit as keyof typeof units]} for ${text}`}`;
    },
  });

export const longestWindow = 31 * 24 * 3600;

/** Whose events it takes besides those of monitors, schedules, invocations and its owner. */
export const TriggerSenders = z.enum(['members']).optional().describe('members: events that other members send count, too');

export const Trigger = z.strictObject({
  id: Slug,
  description: TriggerDescription,
  enabled: z.boolean().default(true),
  match: EventMatch,
  throttle: z
    .strictObject({
      max_per_window: z.int().min(1, 'must be 1 or more; to run nothing, say enabled: false').max(1_000_000),
      window_key: SingularPath.optional().describe('counted separately for each value found here; without one, together'),
      window_seconds: seconds().min(1).max(longestWindow),
    })
    .optional(),
  accept: TriggerSenders,
  agent: Slug.describe('the id of the manifest'),
  owner: HandleOrId.optional().describe('in a file: the member in whose name it runs; over the API, the member who made it'),
});
export type Trigger = z.infer<typeof Trigger>;
