// What a relationship's memory is good for: fields to have ready, fields not to ask for, and a view for the person.

import { type FreeFields, mostNeeds, type Need } from '@parley/protocol/relay';
import { lookUp } from '../consent/tiers.ts';
import type { Relationship, RememberedValue } from './relationship.ts';

const day = 86_400_000;
/** An older value is verified again instead of assumed. */
const freshMs = 90 * day;

export const confidenceOf = ({ at }: RememberedValue, now: number): 'high' | 'low' => (now - at <= freshMs ? 'high' : 'low');

/** Values of theirs that need not be asked for again. */
export const trustedValues = ({ cache }: Relationship, now: number): FreeFields =>
  Object.fromEntries(
    Object.entries(cache)
      .filter(([, one]) => confidenceOf(one, now) === 'high')
      .map(([field, { value }]) => [field, value]),
  );

/** What they will probably ask for in a meeting of this kind: most often asked first. */
export function expectedNeeds({ asks, refused }: Relationship, kind: string): Need[] {
  return Object.entries(lookUp(asks, kind) ?? {})
    .filter(([field, { times, chances }]) => times * 2 >= chances && !refused.includes(field))
    .toSorted(([, a], [, b]) => b.times - a.times)
    .slice(0, mostNeeds)
    .map(([field, { reason }]) => ({ field, priority: 'helpful' as const, ...(reason === null ? {} : { reason }) }));
}

export interface RelationshipHabits {
  intents: string[];
  asks: string[];
  shares: string[];
  declines: string[];
  responseMs: number | null;
  /** By wish: what they most often say. */
  flexibility: Record<string, string>;
}

/** One decline may be a person’s mood, or a rule that nobody chose for this: fewer are no habit. */
const habitual = 3;

/** Most often first. */
export function habitsOf({ intents, asks, gives, declines, responses, flexibility = {} }: Relationship): RelationshipHabits {
  const often = (counts: Readonly<Record<string, number>>): string[] =>
    Object.entries(counts)
      .toSorted(([, a], [, b]) => b - a)
      .map(([name]) => name);
  const usual = Object.values(asks).flatMap((fields) => Object.entries(fields).filter(([, { times, chances }]) => times * 2 >= chances));
  return {
    intents: often(intents),
    asks: [...new Set(usual.toSorted(([, a], [, b]) => b.times - a.times).map(([field]) => field))],
    shares: often(gives).filter((field) => gives[field]! > (lookUp(declines, field) ?? 0)),
    declines: often(declines).filter((field) => declines[field]! >= habitual && declines[field]! >= (lookUp(gives, field) ?? 0)),
    responseMs: responses.count === 0 ? null : Math.round(responses.totalMs / responses.count),
    flexibility: Object.fromEntries(Object.entries(flexibility).map(([wish, counts]) => [wish, often(counts)[0]!])),
  };
}

// How well two people's peers know each other (A2C-31). It is derived when a person looks, and decides nothing.

export interface Dealings {
  /** Negotiations that were carried out. */
  agreed: number;
  declined: number;
  /** Fields that the person always shares with them in particular. */
  promoted: number;
}

export interface RelationshipTrust {
  level: 'new' | 'established';
  /** In plain words. */
  signals: string[];
}

/** Fewer are no habit. */
const established = 3;

export const trustOf = ({ agreed, declined, promoted }: Dealings): RelationshipTrust => ({
  level: agreed >= established && agreed > declined ? 'established' : 'new',
  signals: [
    agreed === 1 ? '1 agreement' : `${agreed} agreements`,
    `${declined} declined`,
    ...(promoted === 0 ? [] : [`you always share ${promoted === 1 ? '1 field' : `${promoted} fields`} with them`]),
  ],
});

/** How they usually come to an agreement, once that is a habit: by the first proposal, or after others. */
export function resolutionStyle({ agreed, quick }: { agreed: number; quick: number }): 'quick_decision' | 'compares_options' | null {
  if (agreed < established) return null;
  return quick * 2 >= agreed ? 'quick_decision' : 'compares_options';
}
