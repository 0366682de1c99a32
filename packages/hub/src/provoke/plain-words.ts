// What the platform can say of an event by itself, with no model: what was observed, field by field; of an alert what
// somebody who is called at night looks for first.

import type { Manifest, PapEvent } from '@parley/protocol';

/** Where values are asked for, the event's own are handed on; whether they fit is judged as any answer is. */
export function plainWords(event: PapEvent, output: Manifest['output']): string {
  const { type, source, time, data } = event;
  if (output.type === 'structured') return JSON.stringify(data);
  const alert = alertWords(event);
  if (alert !== undefined) return alert;
  const lines = Object.entries(data).map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return [`${type} (${source}, ${time})`, ...lines].join('\n');
}

const textsOf = (value: unknown): Record<string, string> =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).flatMap(([name, text]) => (typeof text === 'string' ? [[name, inLine(text)]] : [])))
    : {};
const inLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Undefined: it is none, or not of the form that Alertmanager and Grafana send. */
function alertWords({ type, data }: PapEvent): string | undefined {
  const [, state] = /^(?:alertmanager|grafana)\.alert\.(firing|resolved)$/.exec(type) ?? [];
  const { alertname, severity, instance, ...others } = textsOf(data['labels']);
  if (state === undefined || alertname === undefined) return undefined;
  const { summary, description = textsOf(data['annotations'])['message'] } = textsOf(data['annotations']);
  const { startsAt, endsAt } = textsOf(data);
  const when = state === 'firing' ? `since ${startsAt}` : `from ${startsAt} until ${endsAt ?? 'now'}`;
  const rest = Object.entries(others).map(([name, value]) => `${name}=${value}`);
  return [
    `${alertname} is ${state}${severity === undefined ? '' : `, severity ${severity}`}`,
    ...[summary, description === summary ? undefined : description].filter((text) => text !== undefined && text !== ''),
    `${instance === undefined ? '' : `on ${instance}, `}${when}`,
    ...(rest.length === 0 ? [] : [`other labels: ${rest.join(', ')}`]),
  ].join('\n');
}
