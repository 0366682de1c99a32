// What a peer keeps of a shared space.

import type { ChangeReason, FieldChange, FieldUpdate, SpaceDefinition, SpaceFields, SpaceValue } from '@parley/core/space';
import type { RecordChange } from '../store/port.ts';

/** A field that somebody else changed since the person last looked. */
export interface SpaceChange {
  field: string;
  by: string;
  at: number;
  before: SpaceValue;
  value: SpaceValue;
  /** Why the person is notified of it; null: they read it when they look. */
  reason: ChangeReason | null;
}

/** The channel of a hub in which changes are mentioned, in words that participants can agree to. */
export interface SpaceChannel {
  audience: string;
  /** The number of the latest change; the hub remembers up to which one it has posted. */
  last: number;
  /** Changes that were not posted yet, each field once. */
  pending: (FieldChange & { n: number })[];
}

export interface SpaceRecord {
  id: string;
  creator: string;
  /** Null until the creator's first packet has come; others may be faster. */
  definition: SpaceDefinition | null;
  /** Whose packet came before the creator's. */
  broughtBy?: string;
  fields: SpaceFields;
  /** Updates that came before the definition. */
  early: FieldUpdate[];
  /** False while the person has not decided to write to somebody whom nobody verified. */
  isJoined: boolean;
  changes: SpaceChange[];
  /** Changes by others so far, and those of them that the person is notified of. */
  moves?: number;
  noticed?: number;
  /** Up to this one the person has seen them, and needs no notice. */
  seenNoticed?: number;
  /** Somebody shared it, and the person has not looked yet. */
  isNew?: true;
  /** Fields that the person watches; `*`: all. */
  watches?: string[];
  channel?: SpaceChannel | null;
  /** Of the latest change for a channel that was taken away: the hub has posted up to it, whichever channel comes next. */
  lastPosted?: number;
  /** Participants who left. */
  gone?: string[];
  /** The person left: nothing of it is kept, and nothing comes any more. */
  isLeft?: true;
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

/** The person did something in it; to look is not enough. */
export const isUsed = ({ creator, fields, watches = [], channel }: SpaceRecord, own: string): boolean =>
  creator === own || watches.length > 0 || Boolean(channel) || hasWritten(fields, own);

const hasWritten = (fields: SpaceFields, own: string): boolean =>
  Object.values(fields).some(({ current, earlier }) => [current, ...earlier].some(({ by }) => by === own));

export const hasPeople = ({ definition }: SpaceRecord, people: readonly string[]): boolean =>
  definition !== null && people.every((address) => Object.hasOwn(definition.participants, address));

const mostPending = 50;

/** For the channel, where there is one: from what was posted last to what it is now. */
export function withPending(record: SpaceRecord, change: FieldChange): SpaceRecord {
  const { channel } = record;
  if (!channel) return record;
  const waiting = channel.pending.find(({ field }) => field === change.field);
  const entry = { ...change, before: waiting?.before ?? change.before, n: channel.last + 1 };
  const pending = [...channel.pending.filter((one) => one !== waiting), entry].slice(-mostPending);
  return { ...record, channel: { ...channel, last: entry.n, pending } };
}

/** The channel in which changes are mentioned from now on; null: none. */
export function withChannel(record: SpaceRecord, audience: string | null): SpaceRecord {
  const last = record.channel?.last ?? record.lastPosted ?? 0;
  return { ...record, lastPosted: last, channel: audience === null ? null : { audience, last, pending: [] } };
}

/** The person has looked. */
export function withSeen(record: SpaceRecord): SpaceRecord {
  const { isNew: _, ...known } = record;
  return { ...known, changes: [], seenNoticed: record.noticed ?? 0 };
}

/** After a change, one's own or somebody else's. */
export const withMove = (record: SpaceRecord, isNoticed: boolean): SpaceRecord => ({
  ...record,
  moves: (record.moves ?? 0) + 1,
  noticed: (record.noticed ?? 0) + (isNoticed ? 1 : 0),
});
