// Which of a person's fields may go to which peer (A2C-21). One decision for every way out: a packet, a brain's prompt, a tool.

export const sharingTiers = ['always_share', 'ask_first', 'never_share'] as const;
export type SharingTier = (typeof sharingTiers)[number];

export interface SharingRules {
  base: Readonly<Record<string, SharingTier>>;
  /** By address, then field. */
  overrides: Readonly<Record<string, Readonly<Record<string, SharingTier>>>>;
}

/** Before the person has chosen: time zone and general area go out, everything else is asked for (A2C-39). */
export const defaultSharing: SharingRules = {
  base: {
    timezone: 'always_share',
    general_location_area: 'always_share',
    general_availability: 'ask_first',
    dietary: 'ask_first',
    budget_range: 'ask_first',
    specific_location: 'ask_first',
    health_info: 'never_share',
    financial_details_beyond_budget: 'never_share',
    work_schedule_internals: 'never_share',
    private_conversations: 'never_share',
    passwords_or_credentials: 'never_share',
    other_peoples_information: 'never_share',
  },
  overrides: {},
};

/** Peers spell freely: `Health-Info` is no way around the tier of `health_info`. */
export const fieldKey = (field: string): string => field.toLowerCase().replaceAll(/[-. ]/g, '_');

/** The value under a field in any spelling. Names such as `constructor` are no fields of an empty object. */
export function lookUp<T>(record: Readonly<Record<string, T>>, field: string): T | undefined {
  const name = Object.keys(record).find((one) => fieldKey(one) === fieldKey(field));
  return name === undefined ? undefined : record[name];
}

/** The relationship's own rule first, then the base; a field in neither is asked for. */
export const tierOf = ({ base, overrides }: SharingRules, field: string, address: string): SharingTier =>
  lookUp(overrides[address] ?? {}, field) ?? lookUp(base, field) ?? 'ask_first';

export function setOverride(rules: SharingRules, address: string, field: string, tier: SharingTier): SharingRules {
  const others = Object.entries(rules.overrides[address] ?? {}).filter(([name]) => fieldKey(name) !== fieldKey(field));
  return { ...rules, overrides: { ...rules.overrides, [address]: { ...Object.fromEntries(others), [fieldKey(field)]: tier } } };
}
