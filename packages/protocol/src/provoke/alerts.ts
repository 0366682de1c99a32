// What Prometheus Alertmanager and Grafana send to a webhook (PRV-18). Grafana took over Alertmanager's form and added to
// it; only what an event needs is asked for, the rest is handed on as it came.

import { z } from 'zod';

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
export type AlertWebhook = z.infer<typeof AlertWebhook>;
