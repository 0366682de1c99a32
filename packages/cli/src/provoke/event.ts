// An event out of what somebody typed: what every event needs and nobody wants to type is filled in.

import { randomUUID } from 'node:crypto';
import { papVersion } from '@parley/protocol';
import { CliError } from '../exit.ts';

export interface TypedEvent {
  payload?: string;
  source?: string;
  id?: string;
  time?: string;
}

export function json(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError('usage', `${what} is not JSON: ${(error as Error).message}.`);
  }
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
