// The parts that packets of several types share (A2C-12). Their members are checked wherever they appear; unknown members are kept.

import { z } from 'zod';

export const ThreadId = z.string().regex(/^thr_[0-9A-Za-z]{6,40}$/, 'must be a negotiation id (thr_…)');

export const SpaceId = z.string().regex(/^spc_[0-9A-Za-z]{6,36}$/, 'must be the id of a space (spc_…)');
export const mostSpaceParticipants = 20;
/** Fields that one packet changes. */
export const mostSpaceUpdates = 50;

/** People see it in prompts, so it is a plain word. */
export const FieldName = z.string().regex(/^[0-9A-Za-z][0-9A-Za-z_.-]{0,63}$/, 'must be a word of at most 64 letters');

/** A text that a person or a brain reads. */
export const packetText = (most: number) => z.string().max(most);

/** Any JSON under any names: both brains interpret it, and nothing here validates it. */
export const FreeFields = z.record(z.string().max(128), z.json());
export type FreeFields = z.output<typeof FreeFields>;

export const needPriorities = ['required', 'helpful', 'nice_to_have'] as const;

export const Need = z.looseObject({
  field: FieldName,
  reason: packetText(500).optional(),
  priority: z.enum(needPriorities),
});
export type Need = z.output<typeof Need>;

/** A2C-17: a brain with more questions asks the most important ones first. */
export const mostNeeds = 5;
export const Needs = z.array(Need).max(mostNeeds);

export const Intent = z.looseObject({
  category: FieldName.optional(),
  summary: packetText(500),
  /** `urgent` shortens the waits; other words change nothing. */
  urgency: FieldName.optional(),
});
export type Intent = z.output<typeof Intent>;

/** The writer's SDK fills `shared_fields` in; a reader holds it against `context`. */
export const Permissions = z.looseObject({
  shared_fields: z.array(z.string().max(128)),
  withheld_fields: z.array(z.string().max(128)).optional(),
  consent_level: packetText(64).optional(),
});

/** A decline is a whole answer: a hint would say where else to look (A2C-25). */
export const UnavailableField = z.looseObject({ field: FieldName, status: FieldName, hint: z.null().optional() });
export type UnavailableField = z.output<typeof UnavailableField>;

export const Escalation = z.looseObject({
  recommend: FieldName,
  reason: packetText(1000),
  suggested_prompt: packetText(500).optional(),
});

/** Hints guide the reader of a negotiation's first packet and never validate. */
export const FormatHints = z.record(z.string().max(64), packetText(200));

/** The seed's formats, for the first packet of each side. */
export const ownFormatHints: z.output<typeof FormatHints> = {
  dates: 'ISO 8601 (YYYY-MM-DD)',
  times: '24h format with timezone (HH:MM±HH:MM)',
  currency: 'ISO 4217 code + amount (GBP 30)',
  coordinates: 'decimal degrees (lat, lng)',
  durations: 'ISO 8601 duration (PT1H30M)',
};
