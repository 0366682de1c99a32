// The platform's own words about an event, without a model: the observed fields; of an alert, the facts that somebody who
// is called at night looks for first.

import { inLine, quoteText, senderText, escapeInvisible, stampText } from '@parley/core';
import type { EventSender, Manifest, PapEvent } from '@parley/protocol';

/** If the manifest asks for values, the event's own are passed on and judged like any answer. */
export function plainWords(event: PapEvent, sender: EventSender, output: Manifest['output']): string {
  const { type, source, time, data } = event;
  if (output.type === 'structured') return JSON.stringify(data);
  const alert = alertWords(event);
  if (alert !== undefined) return alert;
  const { summary = '' } = textsOf({ summary: data['summary'] });
  const fields = Object.entries(data).filter(([name]) => name !== 'summary' || summary === '');
  const lines = fields.map(
    ([name, value]) => `${oneField(name)}: ${typeof value === 'string' ? oneField(value) : escapeInvisible(JSON.stringify(value))}`,
  );
  // Handles are written without their sign, so that an event calls nobody.
  const by = sender.by === null ? null : sender.by.replace(/^[@^]/, '');
  const origin = `Event: ${type} from ${senderText(source, { ...sender, by })}, ${stampText(time)}`;
  return [...(summary === '' ? [] : [summary]), ...lines, origin].join('\n');
}

/** A text with a line break is in quotes, or it would look like a field of its own. */
const oneField = (text: string): string => (/[\n\r\u2028\u2029\v\f\u0085]/.test(text) ? quoteText(text) : text);

/** Each in one line; empty ones say nothing. */
const textsOf = (value: unknown): Record<string, string> =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value).flatMap(([name, text]) =>
          typeof text === 'string' && text.trim() !== '' ? [[inLine(name.trim()), inLine(text.trim())]] : [],
        ),
      )
    : {};

/** Undefined: it is none, or not of the form that Alertmanager and Grafana send. */
function alertWords({ type, data }: PapEvent): string | undefined {
  const [, state] = /^(?:alertmanager|grafana)\.alert\.(firing|resolved)$/.exec(type) ?? [];
  const { alertname, severity, instance, ...others } = textsOf(data['labels']);
  if (state === undefined || alertname === undefined) return undefined;
  const { summary, description = textsOf(data['annotations'])['message'] } = textsOf(data['annotations']);
  const { startsAt, endsAt } = textsOf(data);
  const from = startsAt === undefined ? '' : `${state === 'firing' ? 'since' : 'from'} ${stampText(startsAt)}`;
  const until = state === 'firing' || endsAt === undefined ? '' : `until ${stampText(endsAt)}`;
  const where = [instance === undefined ? '' : `on ${instance}`, [from, until].filter((text) => text !== '').join(' ')];
  const otherFields = Object.entries(others).map(([name, value]) => `${name}=${value}`);
  return [
    `${alertname} is ${state}${severity === undefined ? '' : `, severity ${severity}`}`,
    ...[summary, description === summary ? undefined : description, where.filter((text) => text !== '').join(', ')].filter(
      (text) => text !== undefined && text !== '',
    ),
    ...(otherFields.length === 0 ? [] : [`other labels: ${otherFields.join(', ')}`]),
  ].join('\n');
}
