// Values that were read of a person's own (SYS-6): the one decision for every way out, by the owner's tiers as they are now.

import { type Egress, egress, type Hearers, type TaggedValue } from '@parley/core';
import { hubSharing, type SharingRules } from '@parley/core/consent';
import type { TagRow } from '../../../store/tables.ts';
import type { WorkingSet } from '../../working-set.ts';

export const givenNotes = 'memory';
/** The brain does not have them; the scan knows them all the same. */
export const withheldNotes = 'memory.withheld';
export const fieldOf = (field: string): string => (field === withheldNotes ? givenNotes : field);
export const valueOf = ({ field, owner_id }: TagRow): TaggedValue => ({ field: fieldOf(field), ownerId: owner_id });

export function egressIn(values: readonly TaggedValue[], audience: Hearers, set: WorkingSet): Egress {
  set.need([...new Set(values.map(({ ownerId }) => ownerId))].map((id) => ({ table: 'sharing_rules', values: [id] })));
  return egress(values, audience, (ownerId) => {
    const row = set.get('sharing_rules', ownerId);
    return row ? (JSON.parse(row.data) as SharingRules) : hubSharing();
  });
}
