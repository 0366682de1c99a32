// Which of one's fields may go to whom, as a table (A2C-21).

import { askedDefaults, defaultSharing, fieldKey, lookUp, type SharingTier } from '@parley/core/consent';
import type { PeerProfile } from '@parley/protocol';

/** In the table before anything was set: the defaults, and what peers ask for before a meal. */
const standing: readonly string[] = [...askedDefaults, 'cuisine_preference', 'transport_mode', 'location_preference'];

/** Peers ask for free time under one name, and the defaults know it under another. */
const generalAvailability = 'general_availability';

export interface TierRow {
  field: string;
  base: SharingTier;
  /** By person, in their order; undefined: as for everybody. */
  overrides: (SharingTier | undefined)[];
}

export function tierRows({ fields, tiers, overrides }: PeerProfile, addresses: readonly string[]): TierRow[] {
  const names = [tiers, ...Object.values(overrides), fields].flatMap((record) => Object.keys(record));
  const others = uniqueFields(names)
    .filter((field) => fieldKey(field) !== generalAvailability && !standing.includes(fieldKey(field)))
    .sort((a, b) => a.localeCompare(b));
  const first = standing.map((field) => names.find((name) => fieldKey(name) === field) ?? field);
  return [...first, ...others].map((field) => ({
    field,
    base: baseOf(tiers, field),
    overrides: addresses.map((address) => lookUp(overrides[address] ?? {}, field)),
  }));
}

function baseOf(tiers: PeerProfile['tiers'], field: string): SharingTier {
  const named = field === 'time_windows' ? (lookUp(tiers, field) ?? lookUp(tiers, generalAvailability)) : lookUp(tiers, field);
  return named ?? lookUp(defaultSharing.base, field) ?? 'ask_first';
}

function uniqueFields(names: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const name of names) if (!seen.has(fieldKey(name))) seen.set(fieldKey(name), name);
  return [...seen.values()];
}

/** The names under which a tier is stored. */
export const storedNames = (field: string): string[] => (field === 'time_windows' ? [field, generalAvailability] : [field]);

export const tierLabels: Readonly<Record<SharingTier, string>> = { always_share: 'Always', ask_first: 'Ask me', never_share: 'Never' };
