import type { Reader } from '../port.ts';
import { storedState } from '../stored-values.ts';
import type { EventRow, InvocationRow, ProvokeObjectRow, Rows } from '../tables.ts';
import { allOf, conditionOf, type Sql } from '../where.ts';
import { type Page, rowPage } from './pages.ts';

/** The files that triggers, manifests and the like were read from and are still kept from. */
export const provokeFiles = (reader: Reader): Promise<{ file: string }[]> =>
  reader.all('select distinct file from provoke_objects where file is not null and removed_at is null order by file');

/** The manifests that an owner's triggers can name: their own, and those from files. */
export const manifestsFor = (reader: Reader, ownerId: string): Promise<ProvokeObjectRow[]> =>
  reader.rows(
    'provoke_objects',
    `where kind = 'manifest' and removed_at is null and id in (
       select id from provoke_objects where owner_id = ? and kind = 'manifest'
       union select id from provoke_objects where file is not null and kind = 'manifest') order by id`,
    [ownerId],
  );

/** Manifests that were written before the names in them were pinned (schema 12). */
export const manifestsToPin = (reader: Reader): Promise<ProvokeObjectRow[]> =>
  reader.rows(
    'provoke_objects',
    `where kind = 'manifest' and removed_at is null
       and not exists (select 1 from name_pins where place = 'manifest:' || provoke_objects.id) order by id`,
  );

/** Ids of manifests that stand beside a name in the alphabet: a slip is looked for among these, and not among all. */
export async function manifestsBeside(reader: Reader, name: string): Promise<string[]> {
  const mostBeside = 50;
  const found = await Promise.all(
    ['id >= ? order by id', 'id < ? order by id desc'].map((side) =>
      reader.all<{ id: string }>(`select id from provoke_objects where kind = 'manifest' and ${side} limit ${mostBeside}`, [name]),
    ),
  );
  return found.flat().map(({ id }) => id);
}

/**
 * Of others' events a member sees those that passed the filters of one of their triggers: here, those that could have. It is
 * asked of each event on the way to the newest, and never of all keys there are.
 */
function couldSee(memberId: string): Sql {
  const keyed = (id: string): string => `(select 1 from provoke_keys k
    join provoke_objects o on o.id = k.trigger_id and o.kind = 'trigger' where k.event_id = ${id} and o.owner_id = ? limit 1) is not null`;
  const sql = `(by_id = ? or (select 1 from invocations i where i.event_ref = events.id and i.owner_id = ? limit 1) is not null
    or ${keyed('events.event_id')} or (via = 'cloudevents' and ${keyed('(? || events.source || ? || events.event_id)')}))`;
  return { sql, params: [memberId, memberId, memberId, 'ce\n', '\n', memberId] };
}

/** One event, if the member could see it; undefined: everybody's. */
export function eventsById(reader: Reader, id: string, memberId: string | undefined): Promise<EventRow[]> {
  const { sql, params } = allOf([conditionOf<EventRow>({ id }), ...(memberId === undefined ? [] : [couldSee(memberId)])]);
  return reader.rows('events', `where ${sql}`, params);
}

export interface EventFilter {
  memberId: string | undefined;
  type?: string | undefined;
  eventId?: string | undefined;
  before?: number | undefined;
  limit: number;
}

/** A page of a member looks for what they see among so many of the newest. There may be many more of others. */
const lookedAt = 2000;

/** The latest first. `next`: the place that the next page goes on before; null: there is nothing further. */
export async function eventPage(
  reader: Reader,
  { memberId, type, eventId, before, limit }: EventFilter,
): Promise<{ rows: EventRow[]; next: number | null }> {
  const condition = {
    ...(type === undefined ? {} : { type }),
    ...(eventId === undefined ? {} : { event_id: eventId }),
  };
  const upTo = before === undefined ? {} : { '<': before };
  const oldest = memberId === undefined || eventId !== undefined ? undefined : await oldestLookedAt(reader, before);
  const seq = { ...upTo, ...(memberId === undefined ? {} : { '>=': oldest ?? 0 }) };
  const inReach = conditionOf<EventRow>({ ...condition, ...(Object.keys(seq).length === 0 ? {} : { seq }) });
  const where = allOf([...(memberId === undefined ? [] : [couldSee(memberId)]), inReach]);
  const { rows, more } = await rowPage(reader, { table: 'events', where, key: 'seq', order: 'desc', text: ['body'], limit });
  return { rows, next: more ? rows.at(-1)!.seq : (oldest ?? null) };
}

/** Among events of any type: how many there are of one type is not for everybody. */
async function oldestLookedAt(reader: Reader, before = Number.MAX_SAFE_INTEGER): Promise<number | undefined> {
  const [oldest] = await reader.all<{ seq: number }>(
    `select seq from events where seq < ? order by seq desc limit 1 offset ${lookedAt - 1}`,
    [before],
  );
  return oldest?.seq;
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
 * An index finds the newest of the open ones and of those that are over, for any owner; both at once are not indexed, and would
 * be read whole to find the newest.
 */
function invocationsIn({ state, openStates, ownerId, trigger, event, before, limit }: InvocationFilter): Sql {
  const condition = conditionOf<InvocationRow>({
    ...(ownerId === undefined ? {} : { owner_id: ownerId }),
    ...(trigger === undefined ? {} : { trigger_id: trigger }),
    ...(event === undefined ? {} : { event_ref: event }),
    ...(before === undefined ? {} : { seq: { '<': before } }),
  });
  if (state === 'open')
    return allOf([condition, { sql: `open = 1 and state in (${openStates.map((name) => `'${name}'`).join(', ')})`, params: [] }]);
  if (state !== 'all') return allOf([condition, { sql: 'state = ?', params: [storedState(state)] }]);
  if (ownerId === undefined && trigger === undefined) return condition;
  const parts = [0, 1].map((open) => allOf([condition, { sql: `open = ${open}`, params: [] }]));
  const newest = parts.map(
    ({ sql }) => `select seq from (select seq from invocations where ${sql} order by seq desc limit ${limit + 1}) as part`,
  );
  return { sql: `seq in (${newest.join(' union all ')})`, params: parts.flatMap(({ params }) => params) };
}

/** The absence monitors as they were at a time: the latest version of each before it. */
export const absencesBefore = (reader: Reader, at: number): Promise<Rows['provoke_versions'][]> =>
  reader.rows(
    'provoke_versions',
    `where kind = 'absence' and version = (select max(earlier.version) from provoke_versions earlier
       where earlier.kind = 'absence' and earlier.id = provoke_versions.id and earlier.at < ?) order by id`,
    [at],
  );

/**
 * The events of an absence monitor's silences, the latest first. After the name in their id comes a date, and a digit is
 * before any letter in every order there is: so the index finds them.
 */
export function silenceEvents(reader: Reader, absenceId: string, since: number, limit: number): Promise<EventRow[]> {
  const named = `absence:${absenceId}:`;
  return reader.rows(
    'events',
    `where event_id > ? and event_id < ? and event_id like ? and via = 'absence' and accepted_at >= ? order by event_id desc limit ?`,
    [named, `${named}a`, `${named}%`, since, limit],
  );
}

/** A condition is a step down for the store, and it goes no deeper than a thousand. */
const mostNamed = 100;

/** Reads only triggers whose text contains the name of a manifest; the caller checks the exact reference. */
export function triggersNaming(reader: Reader, ownerIds: readonly string[], manifestIds: readonly string[]): Promise<ProvokeObjectRow[]> {
  const names = manifestIds.length > mostNamed ? [] : manifestIds.map((id) => `%"agent":"${id.replaceAll(/[%_!]/g, '!$&')}"%`);
  const naming = names.length === 0 ? '' : ` and (${names.map(() => "body like ? escape '!'").join(' or ')})`;
  return reader.rows(
    'provoke_objects',
    `where kind = 'trigger' and enabled = 1 and removed_at is null and owner_id in {list}${naming} order by id`,
    [ownerIds, ...names],
  );
}

/** The states of the agents' invocations that run or wait for approval. */
export const liveInvocationStates = (
  reader: Reader,
  agentIds: readonly string[],
): Promise<(Pick<InvocationRow, 'state'> & { agent_id: string })[]> =>
  reader.all("select distinct agent_id, state from invocations where agent_id in {list} and state in ('running', 'awaiting_approval')", [
    agentIds,
  ]);

/**
 * The newest invocation of each agent: the end of its part of an index. Were it asked for those that equal an agent, a database
 * could think that going back through all agents' comes upon one soon; of one that has not run for long it does not.
 */
export const newestInvocations = (reader: Reader, agentIds: readonly string[]): Promise<InvocationRow[]> =>
  reader.rows(
    'invocations',
    `where seq in (select (select seq from invocations where agent_id between members.id and members.id
       order by agent_id desc, seq desc limit 1) from members where id in {list})`,
    [agentIds],
  );
