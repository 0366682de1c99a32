// What a peer learns of one other person's peer (A2C-31): how often they meet, what they ask for, give and decline, and the values
// they gave. It stays on the device; nothing of it goes into a packet or to the brain of another relationship.

import { FieldName, type FreeFields, type Need } from '@parley/protocol/relay';
import { canonicalText, type SharedValue } from '../consent/consent.ts';
import { fieldKey, lookUp, withField } from '../consent/tiers.ts';

export interface RememberedValue {
  value: SharedValue;
  /** When they gave it, or the person wrote it. */
  at: number;
  /** Another value that they gave earlier. */
  before: { value: SharedValue; at: number } | null;
}

export interface AskedField {
  /** Negotiations in which they asked for it. */
  times: number;
  /** Negotiations in which they could have: where they had it from the first packet, nobody knows. */
  chances: number;
  /** In their latest words. */
  reason: string | null;
}

export interface Relationship {
  /** Negotiations in which they sent something. */
  interactions: number;
  firstAt: number | null;
  lastAt: number | null;
  /** How often, by kind: a dinner asks for other fields than a call. */
  intents: Readonly<Record<string, number>>;
  /** By kind, then field. */
  asks: Readonly<Record<string, Readonly<Record<string, AskedField>>>>;
  gives: Readonly<Record<string, number>>;
  declines: Readonly<Record<string, number>>;
  /** Fields that this person declined to them: nobody is asked about these before they ask. */
  refused: readonly string[];
  responses: { count: number; totalMs: number };
  /** How often they called each of their wishes how flexible. Absent in memories that were stored before it was learned. */
  flexibility?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  cache: Readonly<Record<string, RememberedValue>>;
  /** The person's own words about them. */
  label?: string | null;
  notes?: string | null;
}

export const newRelationship: Relationship = {
  interactions: 0,
  firstAt: null,
  lastAt: null,
  intents: {},
  asks: {},
  gives: {},
  declines: {},
  refused: [],
  responses: { count: 0, totalMs: 0 },
  cache: {},
};

/** One packet of theirs. */
export interface Observation {
  /** Such as dinner. */
  kind: string;
  /** Their first one in this negotiation. */
  isFirst: boolean;
  /** Fields that they had before they could ask. */
  given: readonly string[];
  /** Needs that they had not named in this negotiation before. */
  asks: readonly Need[];
  gives: FreeFields;
  declines: readonly string[];
  /** Since this side's packet; null where none waited for them. */
  waitedMs: number | null;
}

export interface Contradiction {
  field: string;
  before: SharedValue;
  value: SharedValue;
}

/** A peer cannot make the memory grow: the latest entries stay. */
const most = { kinds: 10, wishes: 10, fields: 50, valueLetters: 2000, reasonLetters: 500 };
/** They belong to one meeting and say nothing about the next. */
const passing = new Set(
  'time_windows proposed_date time_preference event_type flexibility party_size outcome_audience conflict proposed_alternatives'.split(' '),
);

export function learn(
  before: Relationship,
  seen: Observation,
  now: number,
): { relationship: Relationship; contradictions: Contradiction[] } {
  const kind = fieldKey(seen.kind);
  const { cache, contradictions } = withValues(before.cache, seen.gives, now);
  const { count, totalMs } = before.responses;
  const relationship: Relationship = {
    ...before,
    interactions: before.interactions + (seen.isFirst ? 1 : 0),
    firstAt: before.firstAt ?? now,
    lastAt: now,
    intents: seen.isFirst ? counted(before.intents, [kind], most.kinds) : before.intents,
    asks: bounded(withField(before.asks, kind, withAsks(lookUp(before.asks, kind) ?? {}, seen)), most.kinds),
    gives: counted(before.gives, lasting(Object.keys(seen.gives)), most.fields),
    declines: counted(before.declines, lasting(seen.declines), most.fields),
    responses: seen.waitedMs === null ? before.responses : { count: count + 1, totalMs: totalMs + Math.max(0, seen.waitedMs) },
    flexibility: withFlexibility(before.flexibility ?? {}, seen.gives['flexibility']),
    cache,
  };
  return { relationship, contradictions };
}

const flexibilities: readonly unknown[] = ['not_flexible', 'somewhat_flexible', 'flexible'];

/** Only the protocol's words count: others could say anything. */
function withFlexibility(known: NonNullable<Relationship['flexibility']>, given: unknown): NonNullable<Relationship['flexibility']> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return known;
  let result = known;
  for (const [wish, word] of Object.entries(given).slice(0, most.wishes)) {
    if (!FieldName.safeParse(wish).success || !flexibilities.includes(word)) continue;
    const key = fieldKey(wish);
    result = withField(result, key, counted(lookUp(result, key) ?? {}, [word as string], flexibilities.length));
  }
  return bounded(result, most.wishes);
}

/** As many as fit, so that a packet of ten thousand fields costs no more. */
const lasting = (fields: readonly string[]): string[] =>
  fields.slice(-most.fields).filter((field) => FieldName.safeParse(field).success && !passing.has(fieldKey(field)));

function withAsks(
  known: Readonly<Record<string, AskedField>>,
  { isFirst, given, asks }: Observation,
): Readonly<Record<string, AskedField>> {
  const had = new Set(given.map(fieldKey));
  const chanced = Object.entries(known).map(([field, one]): [string, AskedField] => [
    field,
    isFirst && !had.has(field) ? { ...one, chances: one.chances + 1 } : one,
  ]);
  let result: Readonly<Record<string, AskedField>> = Object.fromEntries(chanced);
  for (const { field, reason } of asks.slice(0, most.fields)) {
    const key = fieldKey(field);
    const { times = 0, chances = 1 } = lookUp(result, key) ?? {};
    result = withField(result, key, { times: times + 1, chances, reason: reason?.slice(0, most.reasonLetters) ?? null });
  }
  return bounded(result, most.fields);
}

function withValues(
  known: Relationship['cache'],
  gives: FreeFields,
  now: number,
): { cache: Relationship['cache']; contradictions: Contradiction[] } {
  let cache = known;
  const contradictions: Contradiction[] = [];
  for (const field of lasting(Object.keys(gives))) {
    const value = gives[field]!;
    if (JSON.stringify(value).length > most.valueLetters) continue;
    const old = lookUp(cache, field);
    if (old && !isSame(old.value, value)) contradictions.push({ field, before: old.value, value });
    cache = withValue(cache, field, value, now);
  }
  return { cache, contradictions };
}

/** The person knows better: their value is as good as one that came today. */
export const rememberValue = (before: Relationship, field: string, value: SharedValue, now: number): Relationship => ({
  ...before,
  cache: withValue(before.cache, field, value, now),
});

export const forgetValue = (before: Relationship, field: string): Relationship => ({
  ...before,
  cache: withField(before.cache, field, null),
});

/** The person's own answers to a prompt of theirs. */
export function rememberAnswers(before: Relationship, answers: Readonly<Record<string, 'share' | 'decline'>>): Relationship {
  const fields = Object.entries(answers).map(([field, answer]) => ({ field: fieldKey(field), answer }));
  const others = before.refused.filter((one) => !fields.some(({ field }) => field === one));
  const refused = fields.filter(({ answer }) => answer === 'decline').map(({ field }) => field);
  return { ...before, refused: [...others, ...refused].slice(-most.fields) };
}

/** A value that contradicts the one before replaces it, and the one before stays beside it. */
function withValue(cache: Relationship['cache'], field: string, value: SharedValue, now: number): Relationship['cache'] {
  const key = fieldKey(field);
  const old = lookUp(cache, key);
  const earlier = old ? { value: old.value, at: old.at } : null;
  const before = old && isSame(old.value, value) ? old.before : earlier;
  return bounded(withField(cache, key, { value, at: now, before }), most.fields);
}

const isSame = (a: SharedValue, b: SharedValue): boolean => canonicalText(a) === canonicalText(b);

const bounded = <T>(record: Readonly<Record<string, T>>, limit: number): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(record).slice(-limit));

function counted(counts: Readonly<Record<string, number>>, names: readonly string[], limit: number): Readonly<Record<string, number>> {
  let result = counts;
  for (const name of names.map(fieldKey)) result = withField(result, name, (lookUp(result, name) ?? 0) + 1);
  return bounded(result, limit);
}
