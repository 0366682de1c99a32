import type { Reader } from '../port.ts';
import type { EventRow, InvocationRow, ProvokeObjectRow } from '../tables.ts';
import { conditionOf, type Sql } from '../where.ts';
import { type Page, rowPage } from './pages.ts';

/** The files that triggers, manifests and the like were read from and are still kept from. */
export const provokeFiles = (reader: Reader): Promise<{ file: string }[]> =>
  reader.all('select distinct file from provoke_objects where file is not null and removed_at is null order by file');

/** The manifests that an owner's triggers can name: their own, and those from files. */
export const manifestsFor = (reader: Reader, ownerId: string): Promise<ProvokeObjectRow[]> =>
  reader.rows('provoke_objects', "where kind = 'manifest' and removed_at is null and (owner_id = ? or file is not null) order by id", [
    ownerId,
  ]);

/** Of others' events a member sees those that passed the filters of one of their triggers: here, those that could have. */
function couldSee(memberId: string): Sql {
  const keys = `(select event_id from provoke_keys where trigger_id in (select id from provoke_objects where kind = 'trigger' and owner_id = ?))`;
  const sql = `(by_id = ? or id in (select event_ref from invocations where owner_id = ?) or event_id in ${keys}
    or (via = 'cloudevents' and (? || source || ? || event_id) in ${keys}))`;
  return { sql, params: [memberId, memberId, memberId, 'ce\n', '\n', memberId] };
}

const all = (conditions: readonly Sql[]): Sql => ({
  sql: conditions.flatMap(({ sql }) => (sql === '' ? [] : sql)).join(' and '),
  params: conditions.flatMap(({ params }) => params),
});

/** One event, if the member could see it; undefined: everybody's. */
export function eventsById(reader: Reader, id: string, memberId: string | undefined): Promise<EventRow[]> {
  const { sql, params } = all([conditionOf<EventRow>({ id }), ...(memberId === undefined ? [] : [couldSee(memberId)])]);
  return reader.rows('events', `where ${sql}`, params);
}

export interface EventFilter {
  memberId: string | undefined;
  type?: string | undefined;
  eventId?: string | undefined;
  before?: number | undefined;
  limit: number;
}

/** The latest first. */
export function eventPage(reader: Reader, { memberId, type, eventId, before, limit }: EventFilter): Promise<Page<'events'>> {
  const asked = conditionOf<EventRow>({
    ...(type === undefined ? {} : { type }),
    ...(eventId === undefined ? {} : { event_id: eventId }),
    ...(before === undefined ? {} : { seq: { '<': before } }),
  });
  const where = all([...(memberId === undefined ? [] : [couldSee(memberId)]), asked]);
  return rowPage(reader, { table: 'events', where, key: 'seq', order: 'desc', text: ['body'], limit });
}

export interface InvocationFilter {
  state: string;
  openStates: readonly string[];
  ownerId: string | undefined;
  trigger?: string | undefined;
  event?: string | undefined;
  before?: number | undefined;
  limit: number;
}

/** The latest first. */
export function invocationPage(reader: Reader, filter: InvocationFilter): Promise<Page<'invocations'>> {
  const where = invocationsIn(filter);
  return rowPage(reader, { table: 'invocations', where, key: 'seq', order: 'desc', text: ['output', 'error'], limit: filter.limit });
}

/**
 * The open ones and those that are over, the newest of each, are found by an index whoever's they are; both at once are not,
 * and would be read whole to find the newest.
 */
function invocationsIn({ state, openStates, ownerId, trigger, event, before, limit }: InvocationFilter): Sql {
  const asked = conditionOf<InvocationRow>({
    ...(ownerId === undefined ? {} : { owner_id: ownerId }),
    ...(trigger === undefined ? {} : { trigger_id: trigger }),
    ...(event === undefined ? {} : { event_ref: event }),
    ...(before === undefined ? {} : { seq: { '<': before } }),
  });
  if (state === 'open')
    return all([asked, { sql: `open = 1 and state in (${openStates.map((name) => `'${name}'`).join(', ')})`, params: [] }]);
  if (state !== 'all') return all([asked, { sql: 'state = ?', params: [state] }]);
  if (ownerId === undefined && trigger === undefined) return asked;
  const parts = [0, 1].map((open) => all([asked, { sql: `open = ${open}`, params: [] }]));
  const newest = parts.map(
    ({ sql }) => `select seq from (select seq from invocations where ${sql} order by seq desc limit ${limit + 1}) as part`,
  );
  return { sql: `seq in (${newest.join(' union all ')})`, params: parts.flatMap(({ params }) => params) };
}
