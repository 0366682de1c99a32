// What wakes an agent that a manifest has brought, as it is shown with the agent.

import { z } from 'zod';
import { InvocationId } from '../ids.ts';
import { invocationStates } from './provoked-steps.ts';

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
