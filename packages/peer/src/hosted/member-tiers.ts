// The tiers that hold inside the hub: by field, and by member where they are for one person of this hub.

import type { HubSharing } from '@parley/protocol';
import { FieldName } from '@parley/protocol/relay';
import type { ProfileRecord } from '../negotiate/records.ts';

export async function memberTiers({ rules }: ProfileRecord, memberOf: (address: string) => Promise<string | null>): Promise<HubSharing> {
  const overrides: HubSharing['overrides'] = {};
  for (const [address, fields] of Object.entries(rules.overrides)) {
    const memberId = await memberOf(address);
    if (memberId !== null) overrides[memberId] = named(fields);
  }
  return { base: named(rules.base), overrides };
}

/** A name that the hub would not store is left out. */
const named = <T>(fields: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => FieldName.safeParse(field).success));
