// What a peer keeps of a shared space.

import type { FieldUpdate, SpaceDefinition, SpaceFields, SpaceValue } from '@parley/core/space';
import type { RecordChange } from '../store/port.ts';

/** A field that somebody else changed since the person last looked. */
export interface SpaceChange {
  field: string;
  by: string;
  at: number;
  before: SpaceValue;
  value: SpaceValue;
}

export interface SpaceRecord {
  id: string;
  creator: string;
  /** Null until the creator's first packet has come; others may be faster. */
  definition: SpaceDefinition | null;
  fields: SpaceFields;
  /** Updates that came before the definition. */
  early: FieldUpdate[];
  /** False while the person has not decided to write to somebody whom nobody verified. */
  isJoined: boolean;
  changes: SpaceChange[];
  /** Updates that were not taken, by address. */
  refused: Readonly<Record<string, number>>;
  createdAt: number;
  changedAt: number;
}

/** Two people may choose the same ID. */
export const spaceKey = (creator: string, id: string): string => `${creator}/${id}`;
export const putSpace = (record: SpaceRecord): RecordChange => ({ put: 'space', key: spaceKey(record.creator, record.id), value: record });

/** The packets of a space with one participant are numbered as those of a negotiation are, so that gaps are found and filled. */
export const threadOf = (spaceId: string): string => `thr_${spaceId.slice('spc_'.length)}`;

export const newSpace = (creator: string, id: string, now: number): SpaceRecord => ({
  id,
  creator,
  definition: null,
  fields: {},
  early: [],
  isJoined: false,
  changes: [],
  refused: {},
  createdAt: now,
  changedAt: now,
});
