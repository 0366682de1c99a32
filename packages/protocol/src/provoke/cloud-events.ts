// CloudEvents 1.0 over HTTP (PRV-3), in its three forms, to the event of PRV-1. The attributes have the same names; what
// an event of ours does not know (subject, dataschema, extensions) is kept beside them. Whether the outcome is an event
// is not decided here, so that its problems are named together with these.

import type { Problem } from '../errors.ts';
import { papVersion } from './events.ts';
import { wholeJson } from '../text/well-formed.ts';

export type CloudEventForm = 'structured' | 'batched' | 'binary';
export interface MappedEvent {
  event: Record<string, unknown>;
  problems: Problem[];
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const mediaType = (header: unknown): string => (typeof header === 'string' ? header.split(';', 1)[0]!.trim().toLowerCase() : '');
const isJson = (type: string): boolean => type === '' || /[/+]json$/.test(type);

/** Null: no CloudEvent. The content type decides first, as the binding says; its suffix names the format. */
export function cloudEventForm(headers: Headers): CloudEventForm | null {
  const type = mediaType(headers['content-type']);
  if (type.startsWith('application/cloudevents-batch')) return 'batched';
  if (type.startsWith('application/cloudevents')) return 'structured';
  return headers['ce-specversion'] === undefined ? null : 'binary';
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** One in the structured form, or one of a batch. `now` stands in for the time, which may be left out here. */
export function fromCloudEvent(value: unknown, now: number): MappedEvent {
  if (!isObject(value)) return { event: {}, problems: [{ field: '(body)', message: 'must be an object' }] };
  const { specversion, data, data_base64: packed, ...attributes } = value;
  const problems: Problem[] = [];
  if (specversion !== '1.0') problems.push({ field: 'specversion', message: specversion === undefined ? 'is required' : 'must be "1.0"' });
  // It would say of itself which invocation it came from; only the platform says that, and under this name nobody else.
  for (const field of ['pap_version', 'triggered_by'])
    if (Object.hasOwn(attributes, field)) problems.push({ field, message: 'is not an attribute of a CloudEvent' });
  let body = data;
  if (packed !== undefined) {
    if (data !== undefined) problems.push({ field: 'data_base64', message: 'must not stand beside data' });
    else if (!isJson(mediaType(attributes['datacontenttype'])))
      problems.push({ field: 'datacontenttype', message: 'must be JSON: the data of an event is an object' });
    else {
      body = unpacked(packed);
      if (body === undefined) problems.push({ field: 'data_base64', message: 'must be JSON in base64, of whole characters' });
    }
  }
  const time = timeOf(attributes['time'] ?? new Date(now).toISOString());
  return { event: { ...attributes, pap_version: papVersion, time, data: body ?? {} }, problems };
}

const timestamp = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d):(\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/**
 * RFC 3339 has small letters, too, and the leap second, which no clock of ours has: it is the last second of its minute.
 * Another text stays as it is, and is refused later.
 */
function timeOf(text: unknown): unknown {
  const [whole, day, minute, second, fraction = '', zone] = (typeof text === 'string' && timestamp.exec(text)) || [];
  if (whole === undefined) return text;
  const at = (seconds: string): string => `${day}T${minute}:${seconds}${fraction}${zone!.toUpperCase()}`;
  if (second !== '60') return at(second!);
  const before = new Date(at('59'));
  return before.getUTCHours() === 23 && before.getUTCMinutes() === 59 ? at('59') : text;
}

function unpacked(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
    return wholeJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** The binary form: attributes in headers that begin with `ce-`, percent-encoded; the body is the data. */
export function fromBinary(headers: Headers, body: unknown, now: number): MappedEvent {
  const attributes: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith('ce-') || value === undefined) continue;
    const attribute = name.slice(3);
    if (!/^[a-z0-9]+$/.test(attribute) || attribute === 'data')
      problems.push({ field: name, message: 'must be lower-case letters and digits' });
    else if (typeof value !== 'string') problems.push({ field: name, message: 'must come once' });
    else attributes[attribute] = decoded(value);
  }
  const type = mediaType(headers['content-type']);
  if (type !== '') attributes['datacontenttype'] = headers['content-type'];
  if (!isJson(type)) problems.push({ field: 'content-type', message: 'must be JSON: the data of an event is an object' });
  const { event, problems: more } = fromCloudEvent({ ...attributes, ...(body === undefined ? {} : { data: body }) }, now);
  return { event, problems: [...problems, ...more] };
}

function decoded(header: string): string {
  const value = /^".*"$/.test(header) ? header.slice(1, -1).replaceAll(/\\(.)/g, '$1') : header;
  try {
    return decodeURIComponent(value);
  } catch {
    return value; // A lone % is what somebody forgot to encode, not a reason to lose an alarm.
  }
}

/** A batch is taken one by one: one that does not fit stops none of the others. */
export const fromBatch = (value: unknown, now: number): MappedEvent[] | null =>
  Array.isArray(value) ? value.map((one) => fromCloudEvent(one, now)) : null;
