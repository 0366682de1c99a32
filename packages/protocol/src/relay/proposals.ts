// A resolution, and the hash that confirmations bind to (A2C-28). Both sides compute it from the packet, and it covers every member
// that people confirm, also those that a reader does not know.

import { z } from 'zod';
import { PeerAddress } from './peer-identities.ts';
import { bytesOf, toBase64Url, utf8 } from './bytes.ts';
import { canonicalJson, type CanonicalValue } from './signed-texts.ts';
import { FieldName, FreeFields, packetText } from './packet-fields.ts';

const durationForm = /^P(?=\d|T\d)(?:(\d{1,3})D)?(?:T(?=\d)(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:(\d{1,6})S)?)?$/;

/** ISO 8601 in days, hours, minutes and seconds: months and years have no fixed length. */
export const PacketDuration = z.string().regex(durationForm, 'must be a duration such as PT24H or P2DT30M');

/** Of a duration that `PacketDuration` accepts. */
export function durationMs(duration: string): number {
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = durationForm.exec(duration) ?? [];
  return (((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}

export const ProposedAction = z.looseObject({
  action: FieldName,
  service: packetText(128).optional(),
  /** `shared` runs once, at the coordinator; `own` runs at each side after that. `shared` when absent: nobody books twice. */
  scope: z.enum(['shared', 'own']).optional(),
  /** The only side that runs an `own` action; each side runs one without it. */
  by: PeerAddress.optional(),
  requires_user_approval: z.boolean().optional(),
  reversible: z.boolean().optional(),
});
export type ProposedAction = z.output<typeof ProposedAction>;

export const ProposalHash = bytesOf(32);

export const Resolution = z
  .looseObject({
    proposal: z.looseObject({
      summary: packetText(500),
      details: FreeFields.optional(),
      alternatives: z
        .array(z.looseObject({ summary: packetText(500), reason: packetText(1000).optional() }))
        .max(10)
        .optional(),
      reasoning: packetText(2000).optional(),
    }),
    /** The sender's proposals in this negotiation, counted from 1: an earlier one that comes late is not taken for a new one. */
    proposal_number: z.int().min(1).max(10_000),
    /** The hash of the latest proposal that the sender had seen, so that crossing proposals are recognised. */
    after: ProposalHash.nullable(),
    requires_confirmation_from: z.array(PeerAddress).min(1).max(50),
    actions_on_confirm: z.array(ProposedAction).max(20).optional(),
    confirmation_timeout: PacketDuration,
    /** In groups, by the coordinator's clock: some are asked later than others. */
    expires_at: z.iso.datetime({ offset: true }).optional(),
    on_timeout: z.enum(['remind_then_expire', 'expire']).optional(),
    quorum: z.int().min(1).max(50).optional(),
    confirm_order: z.array(PeerAddress).max(50).optional(),
  })
  .superRefine((resolution, context) => {
    const path = withoutCanonicalForm(resolution);
    if (path) context.addIssue({ code: 'custom', path, message: 'must be a whole number below 2^53 or a text without half characters' });
  });
export type Resolution = z.output<typeof Resolution>;

/** The first value that has no canonical form; a proposal writes a fraction as a text. */
function withoutCanonicalForm(value: unknown): string[] | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : [];
  if (typeof value === 'number') return Number.isSafeInteger(value) ? undefined : [];
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const below = key.isWellFormed() ? withoutCanonicalForm(member) : [];
    if (below) return [key, ...below];
  }
  return undefined;
}

/** Members of one copy of the packet: a group's coordinator writes a copy to each participant. */
const copyMembers = ['protocol', 'packet_id', 'to', 'timestamp', 'sequence', 'last_seen', 'capabilities', '_format_hints'];

/** The canonical form of a `resolution` packet's proposal. */
export function proposalText(packet: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(packet).filter(([name, value]) => !copyMembers.includes(name) && value !== undefined);
  return canonicalJson(Object.fromEntries(members) as CanonicalValue);
}

/** BLAKE2b with 32 bytes of output, which the caller's cryptography computes. */
export type Blake2b256 = (bytes: Uint8Array) => Uint8Array;

export const proposalHash = (packet: Readonly<Record<string, unknown>>, blake2b256: Blake2b256): string =>
  toBase64Url(blake2b256(utf8(`a2acp-proposal/1\0${proposalText(packet)}`)));
