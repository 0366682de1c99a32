// Tiers hold in a space too (SYS-6): what one writes there goes to every participant.

import { fieldKey, type SharingRules, tierOf } from '../consent/tiers.ts';
import { withheldIn } from '../privacy/private-value-scan.ts';
import type { SpaceValue } from './space.ts';

export interface SpaceWrite {
  field: string;
  value: SpaceValue;
  /** The person's own words are their consent for a field that is asked for; an agent's are not (A2C-24). */
  words: 'own' | 'agent';
}

export interface SpaceReaders {
  rules: SharingRules;
  /** The person's stored values. */
  values: Readonly<Record<string, unknown>>;
  /** Addresses of the other participants. */
  readers: readonly string[];
}

export interface WithheldField {
  field: string;
  /** Who may not have it. */
  reader: string;
  tier: 'ask_first' | 'never_share';
}

/** The first of the person's fields that would reach somebody who may not have it. */
export function withheldFrom({ field, value, words }: SpaceWrite, { rules, values, readers }: SpaceReaders): WithheldField | undefined {
  for (const reader of readers) {
    const strict = (name: string): WithheldField['tier'] | undefined => {
      const tier = tierOf(rules, name, reader);
      if (tier === 'always_share' || (tier === 'ask_first' && words === 'own')) return undefined;
      return tier;
    };
    const tier = isKnownField(field, rules, values) ? strict(field) : undefined;
    if (tier) return { field, reader, tier };
    const kept = Object.entries(values).flatMap(([name, one]) => (strict(name) ? [{ field: name, value: one }] : []));
    const [said] = withheldIn({ [field]: value }, kept, []);
    if (said !== undefined) return { field: said, reader, tier: strict(said)! };
  }
  return undefined;
}

/** The person's own fields that stay out of a space unless they say otherwise, with the strictest tier for anybody in it. */
export function heldBack({ rules, values, readers }: SpaceReaders): { field: string; tier: WithheldField['tier'] }[] {
  return Object.keys(values).flatMap((field) => {
    const tiers = readers.map((reader) => tierOf(rules, field, reader));
    const tier = tiers.includes('never_share') ? 'never_share' : tiers.includes('ask_first') ? 'ask_first' : undefined;
    return tier ? [{ field, tier }] : [];
  });
}

/** A name that the person has neither a value nor a rule for is no field of theirs: a space's `status` needs no tier. */
const isKnownField = (field: string, { base, overrides }: SharingRules, values: Readonly<Record<string, unknown>>): boolean =>
  [values, base, ...Object.values(overrides)].some((record) => Object.keys(record).some((name) => fieldKey(name) === fieldKey(field)));
