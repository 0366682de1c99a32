// Events, invocations and what decides about them, as they are shown.

import {
  type Invocation,
  type PapEvent,
  ParleyError,
  type ProvokeObject,
  type ProvokeVersion,
  type RecordedEvent,
  type TriggerResult,
  type WholeInvocation,
  type EventSender,
  type WakingEvent,
  type Absence,
  type AcceptedEvent,
} from '@parley/protocol';
import { factData, type RegexRecord } from '../store/fact-data.ts';
import { wordOf } from '../store/stored-values.ts';
import type { Reader } from '../store/port.ts';
import type { EventRow, InvocationRow, ProvokeObjectRow, ProvokeVersionRow, MessageRow } from '../store/tables.ts';
import { recordedSender } from '../engine/steps/triggers/recorded-sender.ts';
import type { Patterns } from '@parley/core/provoke';
import { notedBy, listNoted } from '../engine/steps/invocations/absences.ts';
import type { ProvokeCore } from '../provoke/compiled-definitions.ts';
import { absencesBefore } from '../store/reads/provoke.ts';
import { showColumns } from './row-views.ts';

export const objectView = (row: ProvokeObjectRow): ProvokeObject => ({
  ...showColumns(row, 'kind, id, version, owner_id, file, at'),
  enabled: row.enabled === 1,
  object: JSON.parse(row.body) as Record<string, unknown>,
});

export const versionView = (row: ProvokeVersionRow): ProvokeVersion => ({
  ...showColumns(row, 'version, owner_id, changed_by, at'),
  enabled: row.enabled === 1,
  removed: row.removed === 1,
  object: JSON.parse(row.body) as Record<string, unknown>,
});

const eventOf = (row: EventRow): PapEvent => JSON.parse(row.body) as PapEvent;

/** The fact that accepted an event has the outcome of each. `seen`: the triggers that are shown. */
export async function eventViews(store: Reader, rows: readonly EventRow[], seen: (triggerId: string) => boolean): Promise<RecordedEvent[]> {
  const facts = await store.rows('facts', { subject_id: rows.map(({ id }) => id), type: 'event.accepted' });
  const acceptances = new Map(facts.map((fact) => [fact.subject_id, factData(fact, 'event.accepted')!]));
  const results = new Map(
    [...acceptances].map(([id, { triggers }]) => [id, triggers.map((one) => ({ ...one, reason: one.reason && wordOf(one.reason) }))]),
  );
  const found = await store.rows('invocations', { id: [...results.values()].flat().flatMap(({ invocationId }) => invocationId ?? []) });
  const states = new Map(found.map(({ id, state }) => [id, wordOf(state)]));
  const withState = (one: TriggerResult): RecordedEvent['triggers'][number] => {
    const state = one.invocationId === null ? undefined : states.get(one.invocationId);
    return state === undefined ? one : { ...one, state };
  };
  return rows.map((row) => ({
    ...showColumns(row, 'id, seq, via, source_id, by_id, chain_id, triggered_by, accepted_at'),
    event: eventOf(row),
    senderId: acceptances.get(row.id)?.sender,
    triggers: (results.get(row.id) ?? []).filter(({ triggerId }) => seen(triggerId)).map(withState),
  }));
}

export const invocationView = (row: InvocationRow): Invocation => ({
  ...showColumns(
    row,
    `id, seq, event_ref, event_id, trigger_id, trigger_version, manifest_id, manifest_version, owner_id, agent_id, risk, attempt, attempts,
      due_at, checkpoint_id, chain_id, level, error, micros, tool_calls, created_at, started_at, ended_at`,
  ),
  state: wordOf(row.state),
  output: row.output === null ? null : (JSON.parse(row.output) as unknown),
});

async function approverOf(store: Reader, { checkpoint_id, state }: InvocationRow): Promise<string | null> {
  if (checkpoint_id === null || state !== 'awaiting_approval') return null;
  const [asked] = await store.rows('checkpoints', { id: checkpoint_id });
  const [person] = asked ? await store.rows('members', { id: asked.member_id }) : [];
  return person?.handle ?? null;
}

export async function wholeInvocation(store: Reader, row: InvocationRow): Promise<WholeInvocation> {
  const [[event], runs] = await Promise.all([
    store.rows('events', { id: row.event_ref }),
    store.rows('invocation_attempts', { invocation_id: row.id }, { order: 'n' }),
  ]);
  // Both go together, perhaps between the two questions.
  if (!event) throw new ParleyError('not_found');
  return {
    ...invocationView(row),
    approver: await approverOf(store, row),
    event: eventOf(event),
    sender: (await recordedSenders(store, [event]))(event),
    runs: runs.map((run) => showColumns(run, 'n, state, error, micros, tool_calls, started_at, ended_at')),
  };
}

// The senders of events, in one read for any number of events.

export async function recordedSenders(reader: Reader, events: readonly EventRow[]): Promise<(event: EventRow) => EventSender> {
  const ids = [...new Set(events.flatMap(({ by_id }) => by_id ?? []))];
  const found = ids.length === 0 ? [] : await reader.rows('members', { id: ids });
  const members = new Map(found.map((row) => [row.id, row]));
  return (event) => recordedSender(event, members.get(event.by_id ?? ''));
}

// Which invocation posted a message, and what had woken it (C2A-32): the fact of its posting names it.

/** `sees`: whether the waking event of this owner's invocation is shown. A reader of the message may know that there was one. */
export async function provokedBy(reader: Reader, message: MessageRow, sees: (ownerId: string) => boolean): Promise<WakingEvent | null> {
  const [fact] = await reader.rows('facts', { subject_id: message.id, type: 'message.posted' }, { order: 'seq', limit: 1 });
  const invocationId = fact && factData(fact, 'message.posted')?.invocation;
  if (invocationId === undefined) return null;
  const [invocation] = await reader.rows('invocations', { id: invocationId });
  if (!invocation) return { invocationId, triggerId: null, event: null };
  const { trigger_id: triggerId, event_ref, owner_id } = invocation;
  const [event] = sees(owner_id) ? await reader.rows('events', { id: event_ref }) : [];
  if (!event) return { invocationId, triggerId, event: null };
  const sender = (await recordedSenders(reader, [event]))(event);
  return { invocationId, triggerId, event: { id: event.event_id, type: event.type, source: event.source, ...sender } };
}

// Which monitors of absence took note of an event. It is written down nowhere: a heartbeat would else cost a row more than it
// has to. It is worked out from the definitions that were in force when the event came, by what decided then.

/** `record`: what regexes said then. `sees`: whether monitors of this owner are shown. `asking`: asks regexes, for events of before they were kept. */
export async function heardBy(
  store: Reader,
  core: ProvokeCore,
  { event, acceptedAt, senderId: sender }: Pick<RecordedEvent, 'event' | 'acceptedAt' | 'senderId'>,
  { monitors }: RegexRecord,
  sees: (ownerId: string) => boolean,
  asking: <T>(run: (patterns: Patterns) => T) => Promise<T>,
): Promise<Pick<AcceptedEvent, 'absences' | 'heard'>> {
  const rows = await absencesBefore(store, acceptedAt);
  const monitorsInForce = rows.flatMap(({ body, enabled, removed, owner_id }) => {
    const absence = JSON.parse(body) as Partial<Absence>;
    // A monitor erased with its author no longer says what it waited for.
    if (enabled === 0 || removed === 1 || !sees(owner_id) || absence.match?.type !== event.type) return [];
    const compiled = core.compileAbsence(absence as Absence, core.uncheckedPatterns, undefined, owner_id);
    return compiled.ok ? [compiled.value] : [];
  });
  const heard = await asking((patterns) =>
    monitorsInForce.filter((one) =>
      one.searches && monitors ? monitors.heard.includes(one.absence.id) : one.hears(event, sender, patterns) === 'heard',
    ),
  );
  return listNoted(heard.map((one) => notedBy(one, event, core)));
}
