import { ParleyError, type RecordedEvent } from '@parley/protocol';
import { goneKey } from '../../../engine/commands/forget-chains.ts';
import type { Patterns } from '@parley/core/provoke';
import { openStates } from '../../../engine/steps/invocations/transitions.ts';
import type { Reader } from '../../../store/port.ts';
import type { EventRow } from '../../../store/provoke-tables.ts';
import { rowPage } from '../../../views/pages.ts';
import { factData, type RegexRecord } from '../../../store/fact-data.ts';
import { Answers } from '../../../regex/answers.ts';
import { heardBy } from '../../../views/absence-observers.ts';
import { eventViews, invocationView, wholeInvocation } from '../../../views/events.ts';
import { dryRuns } from '../../../provoke/dry-runs.ts';
import type { Caller, RouteHandlers, Services } from '../context.ts';
import { mine, seesAll } from './provoke.ts';

/** Of others' events a member sees those that came past the filters of a trigger of theirs: here, those that could be. */
const keys = `(select event_id from provoke_keys where trigger_id in (select id from provoke_objects where kind = 'trigger' and owner_id = ?))`;
const perhaps = `(by_id = ? or id in (select event_ref from invocations where owner_id = ?) or event_id in ${keys}
  or (via = 'cloudevents' and (? || source || ? || event_id) in ${keys}))`;
function theirs(caller: Caller): [string, ...string[]][] {
  if (seesAll(caller)) return [];
  const me = mine(caller);
  return [[perhaps, me, me, me, 'ce\n', '\n', me]];
}

async function seenBy(hub: Services, caller: Caller, rows: readonly EventRow[]): Promise<RecordedEvent[]> {
  if (seesAll(caller)) return eventViews(hub.store, rows, () => true);
  const me = mine(caller);
  const own = await hub.store.rows('provoke_objects', { kind: 'trigger', owner_id: me });
  const ids = new Set(own.map(({ id }) => id));
  const events = await eventViews(hub.store, rows, (id) => ids.has(id));
  // Anyone can send an event with an id they have heard of: what counts is that this very one came there.
  return events.filter(({ byId, triggers }) => byId === me || triggers.some(({ step }) => step !== 'match'));
}

/** Regexes are not asked again: which of them it was, the record says. */
const unasked: Patterns = { problem: () => undefined, holds: () => true };

/** Which filter it was, of triggers that are as they were when it came. */
async function withFilters(hub: Services, event: RecordedEvent, { failed = {} }: RegexRecord): Promise<RecordedEvent> {
  const rows = await hub.store.rows('provoke_objects', {
    kind: 'trigger',
    removed_at: null,
    id: event.triggers.flatMap(({ reason, triggerId }) => (reason === 'filter' ? triggerId : [])),
  });
  const { core, trigger } = await hub.provoke.load();
  const compiled = new Map(rows.flatMap((row) => (row.at < event.acceptedAt ? [[row.id, trigger(row)] as const] : [])));
  return {
    ...event,
    triggers: event.triggers.map((one) => {
      const found = compiled.get(one.triggerId);
      if (one.reason !== 'filter' || !found) return one;
      const at = failed[one.triggerId];
      const matched = at === undefined ? core.matchOf(found, event.event, unasked) : { filter: at };
      return { ...one, filter: core.failedFilter(found, event.event, matched) };
    }),
  };
}

const nextOf = ({ rows, more }: { rows: readonly { seq: number }[]; more: boolean }): number | null => (more ? rows.at(-1)!.seq : null);

async function goneUntil(store: Reader): Promise<number | null> {
  const [gone] = await store.rows('settings', { key: goneKey });
  return gone ? (JSON.parse(gone.value) as number) : null;
}

type Condition = [sql: string, ...values: unknown[]];

const [byOwner, byTrigger] = ['owner_id = ?', 'trigger_id = ?'];
const openOnes = `state in (${openStates.map((state) => `'${state}'`).join(', ')})`;

/**
 * The open ones and those that are over, the newest of each, are found by an index whoever's they are; both at once are not,
 * and would be read whole to find the newest.
 */
function inState(state: string, conditions: Condition[], limit: number): Condition[] {
  if (state === 'open') return [...conditions, ['open = 1'], [openOnes]];
  if (state !== 'all') return [...conditions, ['state = ?', state]];
  if (!conditions.some(([sql]) => sql === byOwner || sql === byTrigger)) return conditions;
  const parts = [0, 1].map((open) => where([...conditions, ['open = ?', open]]));
  const newest = parts.map(
    ({ sql }) => `select seq from (select seq from invocations where ${sql} order by seq desc limit ${limit}) as part`,
  );
  return [[`seq in (${newest.join(' union all ')})`, ...parts.flatMap(({ values }) => values)]];
}

/** Each condition with its value, those that were asked for. */
function where(conditions: readonly Condition[]): { sql: string; values: unknown[] } {
  const sql = conditions.map(([condition]) => condition).join(' and ');
  return { sql: sql === '' ? '1 = 1' : sql, values: conditions.flatMap(([, ...values]) => values) };
}

export const invocationRoutes: Pick<RouteHandlers, 'listEvents' | 'getEvent' | 'listInvocations' | 'getInvocation' | 'testTriggers'> = {
  listEvents: async ({ input, caller, hub }) => {
    const { type, eventId, before, limit } = input.query;
    const { sql, values } = where([
      ...theirs(caller),
      ...(type === undefined ? [] : [['type = ?', type] as [string, unknown]]),
      ...(eventId === undefined ? [] : [['event_id = ?', eventId] as [string, unknown]]),
      ...(before === undefined ? [] : [['seq < ?', before] as [string, unknown]]),
    ]);
    const page = await rowPage(hub.store, {
      table: 'events',
      where: sql,
      params: values,
      key: 'seq',
      order: 'desc',
      text: ['body'],
      limit,
    });
    return { events: await seenBy(hub, caller, page.rows), next: nextOf(page), goneUntil: await goneUntil(hub.store) };
  },
  getEvent: async ({ input, caller, hub }) => {
    const { sql, values } = where([['id = ?', input.params.eventRef], ...theirs(caller)]);
    const [event] = await seenBy(hub, caller, await hub.store.rows('events', `where ${sql}`, values));
    if (!event) throw new ParleyError('not_found');
    const library = await hub.provoke.load();
    const [fact] = await hub.store.rows('facts', { subject_id: event.id, type: 'event.accepted' });
    const record = (fact && factData(fact, 'event.accepted')) ?? {};
    const sees = (ownerId: string): boolean => seesAll(caller) || ownerId === mine(caller);
    const answers = new Answers(`reads:${caller.memberId ?? ''}`, { fixed: true });
    const heard = await heardBy(hub.store, library.core, event, record, sees, (run) => answers.complete(hub.provoke.matcher, run));
    return { ...(await withFilters(hub, event, record)), ...heard };
  },
  listInvocations: async ({ input, caller, hub }) => {
    const { state, trigger, event, before, limit } = input.query;
    const conditions: Condition[] = [
      ...(seesAll(caller) ? [] : [[byOwner, mine(caller)] as Condition]),
      ...(trigger === undefined ? [] : [[byTrigger, trigger] as Condition]),
      ...(event === undefined ? [] : [['event_ref = ?', event] as Condition]),
      ...(before === undefined ? [] : [['seq < ?', before] as Condition]),
    ];
    const { sql, values } = where(inState(state, conditions, limit + 1));
    const order = { key: 'seq', order: 'desc', text: ['output', 'error'], limit } as const;
    const page = await rowPage(hub.store, { table: 'invocations', where: sql, params: values, ...order });
    return { invocations: page.rows.map(invocationView), next: nextOf(page) };
  },
  getInvocation: async ({ input, caller, hub }) => {
    const whose = seesAll(caller) ? undefined : mine(caller);
    const [row] = await hub.store.rows('invocations', { id: input.params.invocationId });
    if (!row || (whose !== undefined && row.owner_id !== whose)) throw new ParleyError('not_found');
    return wholeInvocation(hub.store, row);
  },
  testTriggers: async ({ input, caller, hub }) => {
    const asker = { ownerId: seesAll(caller) ? undefined : mine(caller), memberId: caller.memberId };
    const { matcher } = hub.provoke;
    return dryRuns({ store: hub.store, library: await hub.provoke.load(), matcher, now: hub.clock.now() }, input.body, asker);
  },
};
