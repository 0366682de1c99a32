// Lists that the hub gives a page at a time, as one.

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

const most = 200;

/** A caller who names one does not mean all of them: that is not passed over in silence. */
export function refuseId(command: string, named: string | undefined): void {
  if (named === undefined) return;
  throw new CliError('usage', `\`${me} ${command} list\` takes no id: ${named}`, { hint: `\`${me} ${command} show ${named}\` shows one.` });
}

/** `next` is where the page after it begins; `wanted`: how many are enough. */
async function all<T, C>(
  wanted: number,
  fetch: (limit: number, from: C | undefined) => Promise<{ found: T[]; next: C | null }>,
): Promise<T[]> {
  const every: T[] = [];
  for (let from: C | undefined; ;) {
    const { found, next } = await fetch(Math.min(most, wanted - every.length), from);
    every.push(...found);
    if (next === null || every.length >= wanted) return every.slice(0, wanted);
    from = next;
  }
}

export const everyObject = (access: HubAccess, kind: ProvokeKind): Promise<StandingObject[]> =>
  all(Number.POSITIVE_INFINITY, async (limit, after: string | undefined) => {
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
  all(wanted, async (limit, before: number | undefined) => {
    const asked = { ...query, limit, ...(before === undefined ? {} : { before }) };
    const { invocations, next } = await access.call('listInvocations', { query: asked });
    return { found: invocations, next };
  });

interface EventsAsked {
  /** None of them older. */
  since?: number;
  type?: string;
  /** The sender's. */
  eventId?: string;
  /** A place: only what came before it. */
  before?: number;
  only?: (event: RecordedEvent) => boolean;
}

/** The latest first. */
export async function latestEvents(
  access: HubAccess,
  wanted: number,
  { since = 0, only, before: until, ...asked }: EventsAsked,
): Promise<{ events: RecordedEvent[]; goneUntil: number | null }> {
  let gone: number | null = null;
  const events = await all(wanted, async (limit, before: number | undefined = until) => {
    const page = await access.call('listEvents', {
      query: { ...asked, limit: only ? most : limit, ...(before === undefined ? {} : { before }) },
    });
    gone = page.goneUntil;
    const found = page.events.filter(({ acceptedAt }) => acceptedAt >= since);
    return { found: only ? found.filter(only) : found, next: found.length < page.events.length ? null : page.next };
  });
  return { events, goneUntil: gone };
}

/** For owners and admins, who see everything there is; undefined for everybody else. */
export const filesSeen = (access: HubAccess): Promise<ProvokeFile[] | undefined> =>
  access.call('listProvokeFiles').then(
    ({ files }) => files,
    (error: unknown) => {
      if (error instanceof ParleyError) return undefined;
      throw error;
    },
  );

/** That nothing is there is only known to those who see everything. */
export const visibleScope = async (access: HubAccess): Promise<string> => ((await filesSeen(access)) ? '' : ' that you may see');
