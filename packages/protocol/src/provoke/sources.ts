// Who may hand events in, and which. A source has tokens of its own, or a webhook that is known by a secret.

import { z } from 'zod';
import { EventType } from './events.ts';
import { SecretName } from '../agents/identities.ts';
import { Slug } from './triggers.ts';

const Types = z.union(
  [z.literal('*'), EventType, z.string().regex(/^[^\s.*\p{C}]+(?:\.[^\s.*\p{C}]+)*\.\*$/u)],
  'must be a type, the beginning of types as in energy.*, or *',
);

const HeaderName = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be the name of a header')
  .transform((name) => name.toLowerCase());

/** How its webhook is known to be its own. */
const Webhook = z.discriminatedUnion(
  'verify',
  [
    z
      .strictObject({ verify: z.literal('secret'), secret: SecretName })
      .describe('the secret comes in the Authorization header, as Bearer or as a password'),
    z
      .strictObject({
        verify: z.literal('hmac'),
        secret: SecretName,
        header: HeaderName.default('x-grafana-alerting-signature').describe('with the HMAC-SHA256 of the body in hex'),
        timestamp_header: HeaderName.optional().describe('when set, `time:body` is signed, and old ones are refused'),
      })
      .describe('the body is signed'),
  ],
  { error: (issue) => (issue.code === 'invalid_union' ? 'must be secret or hmac' : undefined) },
);

export const Source = z.strictObject({
  id: Slug,
  description: z.string().max(2000, 'must be at most 2000 characters').optional(),
  enabled: z.boolean().default(true),
  types: z.array(Types).min(1, 'must name at least one').max(100, 'must be at most 100').describe('what it may emit'),
  webhook: Webhook.optional(),
});
export type Source = z.infer<typeof Source>;

// What Prometheus Alertmanager and Grafana send to a webhook (PRV-18). Grafana took over Alertmanager's form and added to
// it; only what an event needs is asked for, the rest is handed on as it came.

const Texts = z.record(z.string(), z.string());
const Time = z.iso.datetime({ offset: true, error: 'must be a time as in 2026-03-11T06:00:00Z, with its zone' });

const Alert = z.looseObject({
  status: z.enum(['firing', 'resolved']),
  labels: Texts,
  annotations: Texts.default({}),
  startsAt: Time,
  endsAt: Time.optional(),
  fingerprint: z.string().min(1, 'must not be empty').max(128, 'must be at most 128 characters'),
});

export const AlertWebhook = z.looseObject({
  alerts: z.array(Alert).max(1000, 'must be at most 1000 alerts'),
  receiver: z.string().max(500).optional(),
  groupKey: z.string().optional(),
  groupLabels: Texts.optional(),
  externalURL: z.string().max(500).optional(),
  truncatedAlerts: z.int().optional(),
});
