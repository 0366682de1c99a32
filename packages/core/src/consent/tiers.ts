// Which of a person's fields may go to whom (A2C-21, SYS-6). One decision for every way out: a packet, a brain's prompt, a tool.

export const sharingTiers = ['always_share', 'ask_first', 'never_share'] as const;
export type SharingTier = (typeof sharingTiers)[number];

export interface SharingRules {
  base: Readonly<Record<string, SharingTier>>;
  /** By address, or inside a hub by member id; then by field. */
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

/** Asked once, when a peer is set up (A2C-39). */
export const askedDefaults = ['time_windows', 'general_location_area', 'dietary', 'budget_range', 'specific_location'] as const;

/** What everyone in a workspace sees of a member anyway. */
const publicProfile = { profile_handle: 'always_share', profile_displayname: 'always_share', profile_about: 'always_share' } as const;

/** The rules as a hub keeps them, each field in one spelling. A field with two tiers has the stricter one. */
export const hubSharing = ({ base, overrides }: SharingRules = defaultSharing): SharingRules => ({
  base: { ...publicProfile, ...inOneSpelling(base) },
  overrides: Object.fromEntries(Object.entries(overrides).map(([id, tiers]) => [id, inOneSpelling(tiers)])),
});

const inOneSpelling = (tiers: Readonly<Record<string, SharingTier>>): Record<string, SharingTier> =>
  Object.fromEntries(
    Object.entries(tiers)
      .map(([field, tier]) => [fieldKey(field), tier] as const)
      .toSorted(([, a], [, b]) => sharingTiers.indexOf(a) - sharingTiers.indexOf(b)),
  );

/** Peers spell freely: `Health-Info` is no way around the tier of `health_info`. */
export const fieldKey = (field: string): string => field.toLowerCase().replaceAll(/[-. ]/g, '_');

/** The value under a field in any spelling. Names such as `constructor` are no fields of an empty object. */
export function lookUp<T>(record: Readonly<Record<string, T>>, field: string): T | undefined {
  const name = Object.keys(record).find((one) => fieldKey(one) === fieldKey(field));
  return name === undefined ? undefined : record[name];
}

/** Peers ask for free time under one name, and the seed's tiers know it under another. */
const namesOf = (field: string): string[] => (fieldKey(field) === 'time_windows' ? [field, 'general_availability'] : [field]);

/** The relationship's own rule first, then the base; a field in neither is asked for. */
export function tierOf({ base, overrides }: SharingRules, field: string, address: string): SharingTier {
  const records = [overrides[address] ?? {}, base];
  const found = records.flatMap((record) => namesOf(field).map((name) => lookUp(record, name))).find((tier) => tier !== undefined);
  return found ?? 'ask_first';
}

/** In whatever spelling the record had the field before, the new value counts. `null` removes it. */
export const withField = <T>(record: Readonly<Record<string, T>>, field: string, value: NoInfer<T> | null): Record<string, T> => ({
  ...Object.fromEntries(Object.entries(record).filter(([name]) => fieldKey(name) !== fieldKey(field))),
  ...(value === null ? {} : { [fieldKey(field)]: value }),
});

/** For everybody without a rule of their own. */
export const setBaseTier = (rules: SharingRules, field: string, tier: SharingTier): SharingRules => ({
  ...rules,
  base: withField(rules.base, field, tier),
});

/** `null`: what holds for everybody holds for them. */
export const setOverride = (rules: SharingRules, address: string, field: string, tier: SharingTier | null): SharingRules => ({
  ...rules,
  overrides: { ...rules.overrides, [address]: withField(rules.overrides[address] ?? {}, field, tier) },
});
