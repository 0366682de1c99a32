// Reads every page of a list of the hub.

import {
  type Invocation,
  ParleyError,
  type ProvokeFile,
  type ProvokeKind,
  type RecordedEvent,
  type StandingObject,
} from '@parley/protocol';
import type { HubAccess } from '../hub-access.ts';
import { CliError } from '../exit.ts';
import { me } from '../hints.ts';

const pageSize = 200;

/** A caller who names one object does not want the whole list, so the ID is refused. */
export function refuseId(command: string, named: string | undefined): void {
  if (named === undefined) return;
  throw new CliError('usage', `\`${me} ${command} list\` takes no id: ${named}`, { hint: `\`${me} ${command} show ${named}\` shows one.` });
}

/** Reads pages until `wanted` objects are found. `next` is the start of the following page. */
async function readPages<T, C>(
  wanted: number,
  fetch: (limit: number, from: C | undefined) => Promise<{ found: T[]; next: C | null }>,
): Promise<T[]> {
  const items: T[] = [];
  for (let from: C | undefined; ;) {
    const { found, next } = await fetch(Math.min(pageSize, wanted - items.length), from);
    items.push(...found);
    if (next === null || items.length >= wanted) return items.slice(0, wanted);
    from = next;
  }
}

export const everyObject = (access: HubAccess, kind: ProvokeKind): Promise<StandingObject[]> =>
  readPages(Number.POSITIVE_INFINITY, async (limit, after: string | undefined) => {
    const { objects, next } = await access.call('listProvoke', {
      params: { kind },
      query: { limit, ...(after === undefined ? {} : { after }) },
    });
    return { found: objects, next };
  });

export const latestInvocations = (
  access: HubAccess,
  wanted = Number.POSITIVE_INFINITY,
  query: { state?: Invocation['state'] | 'open' | 'all'; trigger?: string } = {},
): Promise<Invocation[]> =>
  readPages(wanted, async (limit, before: number | undefined) => {
    const page = { ...query, limit, ...(before === undefined ? {} : { before }) };
    const { invocations, next } = await access.call('listInvocations', { query: page });
    return { found: invocations, next };
  });

interface EventQuery {
  /** Skips older events. */
  since?: number;
  type?: string;
  /** The sender's ID of the event. */
  eventId?: string;
  /** A position: only events before it. */
  before?: number;
  only?: (event: RecordedEvent) => boolean;
}

/** Reads the latest events, newest first. */
export async function latestEvents(
  access: HubAccess,
  wanted: number,
  { since = 0, only, before: start, ...filter }: EventQuery,
): Promise<{ events: RecordedEvent[]; goneUntil: number | null }> {
  let goneUntil: number | null = null;
  const events = await readPages(wanted, async (limit, before: number | undefined = start) => {
    const page = await access.call('listEvents', {
      query: { ...filter, limit: only ? pageSize : limit, ...(before === undefined ? {} : { before }) },
    });
    goneUntil = page.goneUntil;
    const found = page.events.filter(({ acceptedAt }) => acceptedAt >= since);
    return { found: only ? found.filter(only) : found, next: found.length < page.events.length ? null : page.next };
  });
  return { events, goneUntil };
}

/** The definition files, for owners and admins; undefined for everybody else. */
export const visibleFiles = (access: HubAccess): Promise<ProvokeFile[] | undefined> =>
  access.call('listProvokeFiles').then(
    ({ files }) => files,
    (error: unknown) => {
      if (error instanceof ParleyError) return undefined;
      throw error;
    },
  );

/** Limits a statement that nothing exists: most members see only some of the objects. */
export const visibleScope = async (access: HubAccess): Promise<string> => ((await visibleFiles(access)) ? '' : ' that you may see');
