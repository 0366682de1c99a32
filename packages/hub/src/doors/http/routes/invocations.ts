import { ParleyError, type RecordedEvent } from '@parley/protocol';
import { goneKey } from '../../../engine/commands/invocations/forget-chains.ts';
import type { Patterns } from '@parley/core/provoke';
import { openStates } from '../../../engine/steps/invocations/transitions.ts';
import { settingOf } from '../../../views/row-views.ts';
import type { EventRow } from '../../../store/tables.ts';
import { factData, type RegexRecord } from '../../../store/fact-data.ts';
import { eventPage, eventsById, invocationPage } from '../../../store/reads/provoke.ts';
import { Answers } from '../../../regex/answers.ts';
import { heardBy, eventViews, invocationView, wholeInvocation } from '../../../views/events.ts';
import { dryRuns } from '../../../provoke/dry-runs.ts';
import { Shares } from '../../../concurrency-shares.ts';
import { type Caller, command, type RouteHandlers, type Services } from '../route-context.ts';
import { ownerScope, seesAll, whose } from './provoke-objects.ts';

async function seenBy(hub: Services, caller: Caller, rows: readonly EventRow[]): Promise<RecordedEvent[]> {
  if (seesAll(caller)) return eventViews(hub.store, rows, () => true);
  const me = ownerScope(caller);
  const own = await hub.store.rows('provoke_objects', { kind: 'trigger', owner_id: me });
  const ids = new Set(own.map(({ id }) => id));
  const events = await eventViews(hub.store, rows, (id) => ids.has(id));
  // Anyone can send an event with an id they have heard of: what counts is that this very one came there.
  return events.filter(({ byId, triggers }) => byId === me || triggers.some(({ step }) => step !== 'match'));
}

/** Texts are not searched again: which of them it was, the record says. */
const unasked: Patterns = { problem: () => undefined, holds: () => true, contains: () => true, walk: () => {} };

/** Adds the filter that did not match, for triggers that have not changed since the event. */
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

/** A dry run reads and searches up to a thousand times, so each member runs one at a time. */
const dryRunShares = new Shares({ own: 1 });

export const invocationRoutes = {
  listEvents: async ({ input, caller, hub }) => {
    const page = await eventPage(hub.store, { ...input.query, memberId: whose(caller) });
    return {
      events: await seenBy(hub, caller, page.rows),
      next: page.next,
      goneUntil: await settingOf<number | null>(hub.store, goneKey, null),
    };
  },
  getEvent: async ({ input, caller, hub }) => {
    const [event] = await seenBy(hub, caller, await eventsById(hub.store, input.params.eventRef, whose(caller)));
    if (!event) throw new ParleyError('not_found');
    const library = await hub.provoke.load();
    const [fact] = await hub.store.rows('facts', { subject_id: event.id, type: 'event.accepted' });
    const record = (fact && factData(fact, 'event.accepted')) ?? {};
    const sees = (ownerId: string): boolean => seesAll(caller) || ownerId === ownerScope(caller);
    const answers = new Answers(`reads:${caller.memberId ?? ''}`, { fixed: true });
    const hearers = await heardBy(hub.store, library.core, event, record, sees, (run) => answers.complete(hub.provoke.matcher, run));
    return { ...(await withFilters(hub, event, record)), ...hearers };
  },
  listInvocations: async ({ input, caller, hub }) => {
    const page = await invocationPage(hub.store, { ...input.query, ownerId: whose(caller), openStates });
    return { invocations: page.rows.map(invocationView), next: nextOf(page) };
  },
  getInvocation: async ({ input, caller, hub }) => {
    const [row] = await hub.store.rows('invocations', { id: input.params.invocationId });
    // The permission is checked first, so that absent and hidden IDs give the same answer.
    const owner = whose(caller);
    if (!row || (owner !== undefined && row.owner_id !== owner)) throw new ParleyError('not_found');
    return wholeInvocation(hub.store, row);
  },
  askInvocationAgain: command('invocation.ask_again', ({ invocation }) => invocationView(invocation)),
  cancelInvocation: command('invocation.cancel', ({ invocation }) => invocationView(invocation)),
  testTriggers: async ({ input, caller, hub }) => {
    const asker = { ownerId: whose(caller), memberId: caller.memberId };
    const { matcher } = hub.provoke;
    const library = await hub.provoke.load();
    return dryRunShares.run(caller.memberId ?? '', () =>
      dryRuns({ store: hub.store, library, matcher, now: hub.clock.now() }, input.body, asker),
    );
  },
} satisfies Partial<RouteHandlers>;
