// What a person's peer knows and what it may share: profile, tiers, calendars, and what it remembers of each relationship.

import { z } from 'zod';
import { MemberId } from '../ids.ts';
import { exactLine, oneLine } from '../text/one-line.ts';
import { FieldName, FreeFields } from '../relay/packet-fields.ts';

export const SharingTierName = z.enum(['always_share', 'ask_first', 'never_share']);

export const PeerProfile = z.object({
  fields: FreeFields,
  tiers: z.record(z.string(), SharingTierName),
  /** By address, then field. */
  overrides: z.record(z.string(), z.record(z.string(), SharingTierName)),
  calendars: z.array(
    z.object({
      name: z.string(),
      username: z.string().nullable().describe('of a CalDAV calendar, whose password the peer keeps'),
      events: z.number().nullable(),
      problem: z.string().nullable(),
    }),
  ),
});
export type PeerProfile = z.infer<typeof PeerProfile>;

/** The tiers that hold inside one hub, by field and by member (SYS-6). The hub gets no address of a peer elsewhere. */
export const HubSharing = z.strictObject({
  base: z.record(FieldName, SharingTierName),
  overrides: z.record(MemberId, z.record(FieldName, SharingTierName)),
});
export type HubSharing = z.infer<typeof HubSharing>;

/** `value: null` forgets the field. */
export const SetProfileField = z.strictObject({ field: FieldName, value: z.json() });
export const NoticeZone = z.strictObject({ zone: oneLine(100).describe('an IANA name, such as Europe/Berlin') });
export const SetSharingTier = z.strictObject({
  field: FieldName,
  tier: SharingTierName.nullable().describe('null, with an address: as for everybody'),
  address: oneLine(200).optional().describe('for this person only'),
});

const CalendarText = z
  .string()
  .max(2_000_000, 'must be at most 2000000 characters')
  .refine((text) => !/[^\P{Cc}\t\r\n]/u.test(text), 'must be the text of an iCalendar file');

export const AddCalendar = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('file'), name: oneLine(100).min(1), ics: CalendarText }),
  z.strictObject({
    kind: z.literal('url'),
    url: oneLine(2000).min(1),
    username: oneLine(200).optional(),
    password: exactLine(200).optional(),
  }),
]);
export type AddCalendar = z.infer<typeof AddCalendar>;

/** Local only: no packet ever carries it (A2C-31). */
export const RelationshipMemory = z.object({
  address: z.string(),
  name: z.string(),
  /** Your own words about them, such as "close friend". */
  label: z.string().nullable(),
  notes: z.string().nullable(),
  interactions: z.number(),
  firstAt: z.number().nullable(),
  lastAt: z.number().nullable(),
  intents: z.array(z.string()),
  /** Fields that they usually ask for, give and decline. */
  asks: z.array(z.string()),
  shares: z.array(z.string()),
  declines: z.array(z.string()),
  /** How long they take to answer, on average. */
  responseMs: z.number().nullable(),
  /** By wish, such as date: `not_flexible`, `somewhat_flexible` or `flexible`, as they most often say. */
  flexibility: z.record(z.string(), z.string()),
  /** Whether you two usually agree by the first proposal; null: too few agreements. */
  preferredResolutionStyle: z.enum(['quick_decision', 'compares_options']).nullable(),
  /** Derived from what happened; it decides nothing. */
  trust: z.object({ level: z.enum(['new', 'established']), signals: z.array(z.string()) }),
  cache: z.array(
    z.object({
      field: z.string(),
      value: z.json(),
      updatedAt: z.number(),
      confidence: z.enum(['high', 'low']),
      /** The value before, where the new one contradicted it. */
      before: z.json().nullable(),
    }),
  ),
});
export type RelationshipMemory = z.infer<typeof RelationshipMemory>;

/** `value: null` forgets the field. */
export const EditMemory = z.union([
  z.strictObject({ field: FieldName, value: z.json() }),
  z.strictObject({ label: oneLine(80).min(1).nullable() }),
  z.strictObject({ notes: oneLine(1000).min(1).nullable() }),
]);
export type EditMemory = z.infer<typeof EditMemory>;
