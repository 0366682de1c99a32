// An event out of what somebody typed: what every event needs and nobody wants to type is filled in.

import { randomUUID } from 'node:crypto';
import { papVersion, roundedIn } from '@parley/protocol';
import { CliError } from '../exit.ts';
import { parseJson } from '../input.ts';

export interface TypedEvent {
  payload?: string;
  source?: string;
  id?: string;
  time?: string;
}

export function json(text: string, what: string): unknown {
  const value = parseJson(text, what);
  const [rounded] = roundedIn(text, value);
  if (rounded) throw new CliError('usage', `${what}: ${rounded.field} ${rounded.message}.`);
  return value;
}

/** Without a source: the hub writes down who sends it. */
export const filledIn = (event: object): object => ({
  pap_version: papVersion,
  id: `evt_${randomUUID()}`,
  time: new Date().toISOString(),
  ...event,
});

export const typedEvent = (type: string, { payload = '{}', source, id, time }: TypedEvent): object =>
  filledIn({
    type,
    ...(source === undefined ? {} : { source }),
    ...(id === undefined ? {} : { id }),
    ...(time === undefined ? {} : { time }),
    data: json(payload, '--payload'),
  });
