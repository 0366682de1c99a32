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
