// A dry run over the API: which triggers would let an event through, and why.

import { z } from 'zod';
import { TriggerResult, triggerSteps } from './event-results.ts';
import { AnyObject } from './provoke-objects.ts';
import { Slug } from './triggers.ts';

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
