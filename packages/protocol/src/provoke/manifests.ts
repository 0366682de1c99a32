// What a provoked agent is and may do (PRV-11 … PRV-14), in the published names. What is ours beyond them: `handle`,
// `deliver_to`, the settings of a model that is not a big provider's, and JSON Schema beside the shorthand.

import { z } from 'zod';
import { ExactType, PapVersion } from './events.ts';
import { SecretName, TokenPrice } from '../agents/identities.ts';
import { HandleOrId } from '../people/members.ts';
import { seconds, Slug, Trigger } from './triggers.ts';
import { Absence, Schedule } from './schedules.ts';

export const riskLevels = ['read_only', 'low', 'medium', 'high'] as const;
export const RiskLevel = z.enum(riskLevels, {
  error: ({ input }) => (input === undefined ? 'is required' : `must be one of ${riskLevels.join(', ')}`),
});
export type RiskLevel = z.infer<typeof RiskLevel>;

const settings = {
  model_id: z.string().min(1, 'must not be empty').max(200, 'must be at most 200 characters'),
  max_tokens: z.int().min(1).max(1_000_000).optional(),
  temperature: z.number().min(0).max(2).optional(),
  key: SecretName.optional().describe('the name of the secret; default: the provider’s own'),
  price: z
    .strictObject({ input_micros_per_million_tokens: TokenPrice, output_micros_per_million_tokens: TokenPrice })
    .optional()
    .describe('what is charged to the chain’s budget'),
};
const HttpUrl = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' }).max(500, 'must be at most 500 characters');

const Model = z.discriminatedUnion(
  'provider',
  [
    z.strictObject({ provider: z.literal('builtin') }).describe('no model: a text that the platform makes from the event'),
    z.strictObject({ provider: z.enum(['anthropic', 'openai']), ...settings, base_url: HttpUrl.optional() }),
    z.strictObject({ provider: z.literal('openai_compatible'), ...settings, base_url: HttpUrl }),
  ],
  { error: (issue) => (issue.code === 'invalid_union' ? 'must be one of builtin, anthropic, openai, openai_compatible' : undefined) },
);

export const ManifestTool = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/, 'must be the name of a tool'),
  source: z.string().regex(/^mcp:\/\/[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'must be mcp://name'),
  risk_override: RiskLevel.optional(),
});

export const shorthandTypes = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;

const Output = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('text') }),
    z.strictObject({
      type: z.literal('structured'),
      schema: z.record(z.string(), z.json()).describe(`names and their types (${shorthandTypes.join(', ')}), or JSON Schema 2020-12`),
    }),
  ],
  { error: (issue) => (issue.code === 'invalid_union' ? 'must be text or structured' : undefined) },
);

/** The one place where what it said goes, beside its record and its event. */
const DeliverTo = z.union(
  [
    z.strictObject({
      conversation: z
        .string({ error: ({ input }) => (input === null ? 'must be a channel or an id, in quotes: # begins a comment' : undefined) })
        .min(1)
        .max(200)
        .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must be one line')
        .describe('a channel by name (#ops) or any by id'),
    }),
    z.strictObject({ agent: HandleOrId.describe('opens a task for it') }),
    z.strictObject({ webhook: z.strictObject({ url: HttpUrl, secret: SecretName.optional() }) }),
  ],
  'must name one of conversation, agent, webhook, as in {"conversation": "#ops"}',
);

export const Manifest = z.strictObject({
  id: Slug,
  description: z.string().max(2000, 'must be at most 2000 characters').optional(),
  handle: HandleOrId.optional().describe('the agent that acts; without one, an agent of its own'),
  risk_level: RiskLevel,
  model: Model.default({ provider: 'builtin' }),
  system_prompt: z.string().max(40_000, 'must be at most 40000 characters').default(''),
  tools: z.array(ManifestTool).max(50, 'must be at most 50').default([]),
  limits: z
    .strictObject({
      max_runtime_seconds: seconds().min(1).max(3600).default(300),
      max_tool_calls: z.int().min(0).max(1000).default(50),
    })
    .prefault({}),
  output: Output.default({ type: 'text' }),
  on_complete: z.strictObject({ emit_event: ExactType.optional() }).default({}),
  on_failure: z
    .strictObject({
      retry: z
        .strictObject({
          max_attempts: z.int().min(1, 'must be 1 or more: the first run counts').max(10).default(1),
          backoff_seconds: seconds().min(0).max(3600).default(0),
        })
        .prefault({}),
      emit_event: ExactType.optional(),
    })
    .prefault({}),
  deliver_to: DeliverTo.optional(),
});
export type Manifest = z.infer<typeof Manifest>;

/** One document of a file. Several may stand in it, parted by `---`; a small one may hold a trigger and its agent. */
export const ProvokeDocument = z
  .strictObject({
    pap_version: PapVersion,
    trigger: Trigger.optional(),
    agent: Manifest.optional(),
    schedule: Schedule.optional(),
    absence: Absence.optional(),
  })
  .refine(({ trigger, agent, schedule, absence }) => [trigger, agent, schedule, absence].some((part) => part !== undefined), {
    error: 'must hold one of trigger, agent, schedule, absence',
    // A misspelt one was reported already.
    when: ({ issues }) => issues.every(({ code, path = [] }) => code !== 'unrecognized_keys' && path.length > 0),
  });
export type ProvokeDocument = z.infer<typeof ProvokeDocument>;
