// The result of an event at each trigger, in words. Details are read after the event was sent, so that they delay no event.
// A detail that cannot be read is omitted: a source's token may only send events, and the hub may have stopped since.

import { timeText } from '@parley/core';
import type { AcceptedEvent, RecordedEvent, TriggerResult } from '@parley/protocol';
import { me } from '../hints.ts';
import { printable, table } from '../output.ts';
import type { HubAccess } from '../hub-access.ts';
import { latestEvents } from './hub-lists.ts';

type Result = RecordedEvent['triggers'][number];

export interface OutcomeDetails {
  /** By trigger: names in it that do not exist. */
  warnings: ReadonlyMap<string, readonly string[]>;
  /** By trigger that skipped a duplicate: the result of the first event, and its ID. */
  earlier: ReadonlyMap<string, Result & { eventRef: string }>;
}

/** Triggers whose warnings are read: each takes one request. */
const mostWarningReads = 20;
const mostRepeats = 1000;

export const outcomeDetails = async (
  access: HubAccess,
  { eventId, triggers }: Pick<AcceptedEvent, 'eventId'> & { triggers: readonly Result[] },
): Promise<OutcomeDetails> => ({
  warnings: await warningsOf(access, triggers),
  earlier: await earlierResults(access, { eventId }, triggers),
});

async function warningsOf(access: HubAccess, triggers: readonly Result[]): Promise<OutcomeDetails['warnings']> {
  const started = triggers
    .filter(({ invocationId, reason }) => invocationId !== null || reason === 'no_manifest')
    .slice(0, mostWarningReads);
  const reads = started.map(async ({ triggerId }): Promise<[string, readonly string[]]> => {
    const one = await access.call('getProvoke', { params: { kind: 'trigger', id: triggerId } }).catch(() => undefined);
    return [triggerId, one?.warnings ?? []];
  });
  return new Map((await Promise.all(reads)).filter(([, warnings]) => warnings.length > 0));
}

/** The latest result that was no duplicate: a trigger forgets old events, and may accept one again. `before`: the event's position. */
export async function earlierResults(
  access: HubAccess,
  query: { eventId: string; before?: number },
  triggers: readonly Result[],
): Promise<OutcomeDetails['earlier']> {
  const duplicates = triggers.filter(({ reason }) => reason === 'duplicate').map(({ triggerId }) => triggerId);
  if (duplicates.length === 0) return new Map();
  const same = (await latestEvents(access, mostRepeats, query).catch(() => undefined))?.events ?? [];
  return new Map(
    duplicates.flatMap((id) => {
      const results = same.flatMap(({ id: eventRef, triggers: of }) => of.map((one) => ({ ...one, eventRef })));
      const first = results.find(({ triggerId, step, reason }) => triggerId === id && step !== 'match' && reason !== 'duplicate');
      return first ? [[id, first]] : [];
    }),
  );
}

const reasons: Record<NonNullable<TriggerResult['reason']>, string> = {
  type: 'it waits for another type',
  disabled: 'it is switched off',
  too_slow: 'a regex or contains took too long on this event',
  filter: 'a filter does not hold',
  sender: 'another member sent it, and it does not say accept: members',
  duplicate: 'this event has reached it before',
  too_deep: 'the chain has too many invocations or hops before it',
  chain_full: 'its owner’s invocations in this chain have reached their limit',
  unknown_invocation: 'the invocation that it names is not on record',
  throttled: 'it has run often enough in its window',
  no_manifest: 'its owner may use no manifest of this name',
  needs_approval: `needs a person’s approval first (\`${me} inbox\`)`,
};

const outcomes: Record<TriggerResult['outcome'], string> = {
  run: 'runs',
  paused: 'waits',
  discarded: 'stopped',
  rejected: 'rejected',
};

export const outcomeWords = (outcome: TriggerResult['outcome']): string => outcomes[outcome];

/** The invocation's present state where one began, else the outcome. */
const stateWords = ({ outcome, state }: RecordedEvent['triggers'][number]): string =>
  state === undefined ? outcomes[outcome] : state.replaceAll('_', ' ');

const mostFoundLetters = 80;

/** The key that an absence monitor counted an event for. */
export const absenceKeyText = (key: unknown): string => printable(typeof key === 'string' ? key : JSON.stringify(key));

/** The value that a filter found, cut to one line. */
export function foundWords(found: unknown): string {
  const text = found === undefined ? 'not there' : JSON.stringify(found);
  return text.length > mostFoundLetters ? `${text.slice(0, mostFoundLetters)}…` : text;
}

/** An invocation's state, or the reason that stopped the trigger. */
export const resultWord = (one: Result): string =>
  `${stateWords(one)}${one.state !== undefined || one.reason === null ? '' : ` (${one.reason.replaceAll('_', ' ')})`}`;

const whyHint = `\`${me} invocations show\` says why`;

/** Explains the end of an invocation that did not succeed. */
const endTexts: { [S in NonNullable<Result['state']>]?: string } = {
  failed: `it began, and failed: ${whyHint}`,
  expired: `the approval expired: ${whyHint}, and \`${me} invocations ask\` asks again`,
  denied: 'a person said no',
  cancelled: `it was cancelled: ${whyHint}`,
};

function whyWords({ triggerId, step, reason, until, filter, state }: Result, earlierByTrigger: OutcomeDetails['earlier']): string {
  const end = state === undefined ? undefined : endTexts[state];
  if (end !== undefined) return end;
  if (reason === null) return 'nothing stopped it';
  if (filter)
    return `at ${step}: ${filter.path} ${filter.operator} ${JSON.stringify(filter.value)} does not hold; it is ${foundWords(filter.found)}`;
  // The step `risk` reports a missing manifest, which would mislead.
  if (reason === 'no_manifest') return reasons.no_manifest;
  if (reason === 'needs_approval' && state !== undefined && state !== 'awaiting_approval') return 'approved by a person';
  const earlier = reason === 'duplicate' ? earlierByTrigger.get(triggerId) : undefined;
  const then = earlier
    ? `, as ${earlier.eventRef}: ${earlier.invocationId === null ? '' : `${earlier.invocationId} `}${resultWord(earlier)}`
    : '';
  return `at ${step}: ${reasons[reason]}${then}${until === null ? '' : `; room again at ${timeText(until)}`}`;
}

/** One line per trigger. `queuedBecause`: why accepted invocations have not started. */
export const resultsTable = (
  triggers: readonly Result[],
  { warnings, earlier }: Partial<OutcomeDetails> = {},
  queuedBecause?: string,
): string =>
  table(
    ['TRIGGER', 'RESULT', 'INVOCATION', 'WHY'],
    triggers.map((one) => {
      const queued = one.outcome === 'run' ? queuedBecause : undefined;
      const state = queued === undefined ? stateWords(one) : 'queued';
      const why = queued ?? whyWords(one, earlier ?? new Map());
      return [one.triggerId, state, one.invocationId ?? '', warnings?.has(one.triggerId) ? `${why}; see below` : why];
    }),
  );
