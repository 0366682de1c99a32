// What became of an event at its triggers, in words; and what else is known of it: what leads nowhere of those that begin, and what
// the same event came to when it was there before. That is asked for afterwards, so that no event waits for it; what cannot be had is
// left out: a monitor may hand events in and nothing else, and the hub may have gone in between.

import { timeText } from '@parley/core';
import type { AcceptedEvent, RecordedEvent, TriggerResult } from '@parley/protocol';
import { me } from '../hints.ts';
import { table } from '../output.ts';
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

/** Of an event on record: what became of the invocation by now, where one began. */
const becameWords = ({ outcome, state }: RecordedEvent['triggers'][number]): string =>
  state === undefined ? outcomes[outcome] : state.replaceAll('_', ' ');

const longest = 80;
/** What a filter found, cut where it goes on and on. */
export function foundWords(found: unknown): string {
  const text = found === undefined ? 'not there' : JSON.stringify(found);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** As a word: an invocation by how it stands, everything else by what stopped it. */
export const resultWord = (one: Result): string =>
  `${becameWords(one)}${one.state !== undefined || one.reason === null ? '' : ` (${one.reason.replaceAll('_', ' ')})`}`;

const saysWhy = `\`${me} invocations show\` says why`;

/** How an invocation ended that did not come through. */
const ends: { [S in NonNullable<Result['state']>]?: string } = {
  failed: `it began, and failed: ${saysWhy}`,
  expired: `the approval expired: ${saysWhy}, and \`${me} invocations ask\` asks again`,
  denied: 'a person said no',
  cancelled: `it was cancelled: ${saysWhy}`,
};

function whyWords({ triggerId, step, reason, until, filter, state }: Result, before: Besides['before']): string {
  const end = state === undefined ? undefined : ends[state];
  if (end !== undefined) return end;
  if (reason === null) return 'nothing stopped it';
  if (filter)
    return `at ${step}: ${filter.path} ${filter.operator} ${JSON.stringify(filter.value)} does not hold; it is ${foundWords(filter.found)}`;
  // It stands in no step of its own, and has nothing to do with a risk.
  if (reason === 'no_manifest') return reasons.no_manifest;
  if (reason === 'needs_approval' && state !== undefined && state !== 'awaiting_approval') return 'approved by a person';
  const was = reason === 'duplicate' ? before.get(triggerId) : undefined;
  const then = was ? `, as ${was.eventRef}: ${was.invocationId === null ? '' : `${was.invocationId} `}${resultWord(was)}` : '';
  return `at ${step}: ${reasons[reason]}${then}${until === null ? '' : `; room again at ${timeText(until)}`}`;
}

/** A line for each trigger that an event was put to. `waitsFor`: why what nothing stopped does not run yet. */
export const resultsTable = (triggers: readonly Result[], { warnings, before }: Partial<Besides> = {}, waitsFor?: string): string =>
  table(
    ['TRIGGER', 'RESULT', 'INVOCATION', 'WHY'],
    triggers.map((one) => {
      const queued = one.outcome === 'run' ? waitsFor : undefined;
      const became = queued === undefined ? becameWords(one) : 'queued';
      const why = queued ?? whyWords(one, before ?? new Map());
      return [one.triggerId, became, one.invocationId ?? '', warnings?.has(one.triggerId) ? `${why}; see below` : why];
    }),
  );
