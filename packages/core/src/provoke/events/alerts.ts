// Alerts to events (PRV-18), one each. An alert is the same crossing for as long as it lasts, however often it is sent
// again: its labels' fingerprint and the time it began name it. One that ends and begins again is another.

import { AlertWebhook, type PapEvent, papVersion, plainErrors, type Problem, problemsOf } from '@parley/protocol';
import { otherProblems, isWalkable, shapeProblems } from './value-limits.ts';

export type AlertSender = 'alertmanager' | 'grafana';
export type Alerts = { ok: true; events: PapEvent[]; warnings: Problem[] } | { ok: false; problems: Problem[] };

export function alertEvents(body: unknown, sender: AlertSender): Alerts {
  const shape = shapeProblems(body);
  if (!isWalkable(shape)) return { ok: false, problems: shape };
  const parsed = AlertWebhook.safeParse(body, plainErrors);
  if (!parsed.success) return { ok: false, problems: [...shape, ...otherProblems(shape, problemsOf(parsed.error))] };
  if (shape.length > 0) return { ok: false, problems: shape };
  const { alerts, receiver, groupKey, groupLabels, externalURL, truncatedAlerts = 0 } = parsed.data;
  const group = { receiver, groupKey, groupLabels, externalURL };
  return {
    ok: true,
    events: alerts.map((alert) => ({
      pap_version: papVersion,
      id: `${sender}:${alert.fingerprint}:${alert.startsAt}:${alert.status}`,
      type: `${sender}.alert.${alert.status}`,
      source: sourceOf(externalURL, sender),
      // While it lasts its end is not known; Alertmanager then writes the year 1.
      time: alert.status === 'resolved' && alert.endsAt !== undefined ? alert.endsAt : alert.startsAt,
      data: { ...alert, ...Object.fromEntries(Object.entries(group).filter(([, value]) => value !== undefined)) },
    })),
    warnings:
      truncatedAlerts > 0 ? [{ field: 'truncatedAlerts', message: `${truncatedAlerts} more alerts were left out by the sender` }] : [],
  };
}

const sourceOf = (url: string | undefined, sender: AlertSender): string => (url === undefined || url === '' ? sender : url);
