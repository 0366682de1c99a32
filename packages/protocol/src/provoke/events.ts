// The event that says a threshold was crossed (PRV-1), as it comes over the wire: the published names, not ours.

import { z } from 'zod';

export const papVersion = '0.2';

/** One line that can be shown and stored. */
const line = (most: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(most, `must be at most ${most} characters`)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must be one line of well-formed characters');

/** `domain.object.condition`, or more. Compared exactly, so its author chooses what is in a segment. */
export const EventType = z
  .string()
  .max(256, 'must be at most 256 characters')
  .regex(/^[^\s.\p{C}]+(?:\.[^\s.\p{C}]+){2,}$/u, 'must be three or more segments with dots between, as in domain.object.condition');

/** One that is waited for, or that the platform is to say: a star in it would stand for nothing but itself. */
export const ExactType = EventType.regex(/^[^*]*$/, 'must be one exact type; * is for what a source may send');

/** Reserved for what the system itself says (PRV-2). */
export const systemTypes = ['pap.agent.invocation.completed', 'pap.agent.invocation.failed'] as const;
export const isReserved = (type: string): boolean => type.startsWith('pap.');

export const PapVersion = z.literal(papVersion, `must be "${papVersion}", in quotes`);

export const EventId = line(256);
export const SourceName = line(512);

/** Further keys at the top are kept. */
export const PapEvent = z.looseObject({
  pap_version: PapVersion,
  id: EventId.describe('unique everywhere: the same id starts a trigger once'),
  type: EventType,
  source: SourceName.describe('the monitor that noticed'),
  time: z.iso.datetime({ offset: true, error: 'must be a time as in 2026-03-11T06:00:00Z, with its zone' }),
  data: z
    .record(z.string(), z.unknown(), {
      error: ({ input }) => (input === undefined ? undefined : 'must be an object, as in {"used_percent": 97}'),
    })
    .describe('the observed value and its threshold'),
  triggered_by: line(256).optional().describe('the invocation in which an agent emitted it; set by the platform'),
});
export type PapEvent = z.infer<typeof PapEvent>;

/** As it is handed in: the hub writes down the member who sends one as its source. */
export const SentEvent = PapEvent.extend({
  source: SourceName.optional().describe('the monitor that noticed; a member leaves it out, and the hub sets member:<id>'),
});
export type SentEvent = z.infer<typeof SentEvent>;

const memberPrefix = 'member:';
/** The source of an event that a member sends; nobody else may name it. */
export const memberSource = (memberId: string): string => `${memberPrefix}${memberId}`;
/** Undefined: no member sent it. */
export const senderIn = (source: string): string | undefined =>
  source.startsWith(memberPrefix) ? source.slice(memberPrefix.length) : undefined;
