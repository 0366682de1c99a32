// What is known of an event besides what each trigger made of it: what leads nowhere of those that begin, and what the same
// event came to when it was there before. It is asked for afterwards, so that no event waits for it; what cannot be had is
// left out: a monitor may hand events in and nothing else, and the hub may have gone in between.

import type { AcceptedEvent, RecordedEvent } from '@parley/protocol';
import type { HubAccess } from '../hub-access.ts';
import { latestEvents } from './hub-lists.ts';

type Result = RecordedEvent['triggers'][number];

export interface Besides {
  /** By trigger: what it names that is not there. */
  warnings: ReadonlyMap<string, readonly string[]>;
  /** By trigger that knows the event: under which id that one is kept, and what it came to. */
  before: ReadonlyMap<string, Result & { eventRef: string }>;
}

/** Each is a question of its own. */
const mostAsked = 20;
const mostRepeats = 1000;

export const otherProblems = async (
  access: HubAccess,
  { eventId, triggers }: Pick<AcceptedEvent, 'eventId'> & { triggers: readonly Result[] },
): Promise<Besides> => ({ warnings: await warningsOf(access, triggers), before: await timesBefore(access, { eventId }, triggers) });

async function warningsOf(access: HubAccess, triggers: readonly Result[]): Promise<Besides['warnings']> {
  const begun = triggers.filter(({ invocationId, reason }) => invocationId !== null || reason === 'no_manifest').slice(0, mostAsked);
  const found = begun.map(async ({ triggerId }): Promise<[string, readonly string[]]> => {
    const one = await access.call('getProvoke', { params: { kind: 'trigger', id: triggerId } }).catch(() => undefined);
    return [triggerId, one?.warnings ?? []];
  });
  return new Map((await Promise.all(found)).filter(([, warnings]) => warnings.length > 0));
}

/** The latest that counted: what a trigger knew it may have forgotten in between. `before`: its own place; left out, it is the last. */
export async function timesBefore(
  access: HubAccess,
  asked: { eventId: string; before?: number },
  triggers: readonly Result[],
): Promise<Besides['before']> {
  const known = triggers.filter(({ reason }) => reason === 'duplicate').map(({ triggerId }) => triggerId);
  if (known.length === 0) return new Map();
  const same = (await latestEvents(access, mostRepeats, asked).catch(() => undefined))?.events ?? [];
  return new Map(
    known.flatMap((id) => {
      const was = same.flatMap(({ id: eventRef, triggers: results }) => results.map((one) => ({ ...one, eventRef })));
      const first = was.find(({ triggerId, step, reason }) => triggerId === id && step !== 'match' && reason !== 'duplicate');
      return first ? [[id, first]] : [];
    }),
  );
}
