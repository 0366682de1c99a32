// The packet inside a sealed body: JSON that only the two peers read (spec/packets.md). Fields that a reader does not know are kept.

import { z } from 'zod';
import { PeerAddress } from './peer-identities.ts';
import { bytesOf } from './bytes.ts';
import { PacketId, PublicKey } from './frames.ts';
import { Escalation, FieldName, FormatHints, FreeFields, Intent, Needs, Permissions, ThreadId, UnavailableField } from './packet-fields.ts';

/** A2C-13. The last three are ours. */
export const packetTypes = [
  'context',
  'context_request',
  'context_response',
  'intent_update',
  'thread_fork',
  'resolution',
  'resolution_response',
  'coordinator_transfer',
  'processing_error',
  'space_update',
  'resolution_outcome',
  'execution_report',
  'thread_summary',
] as const;
export type PacketType = (typeof packetTypes)[number];

/** The type to act by: one that nobody here knows is handled as context. */
export const packetTypeOf = ({ type }: { type: string }): PacketType => packetTypes.find((known) => known === type) ?? 'context';

const counter = z
  .int()
  .min(1)
  .max(2 ** 31);

/** The sender's number for this packet. Each device epoch counts from 1, so that a restored device repeats no number. */
export const PacketNumber = z.looseObject({ epoch: counter, number: counter });
export type PacketNumber = z.output<typeof PacketNumber>;

/** Ranges of numbers, and device epochs, that are named for one negotiation. */
export const mostNumberRanges = 100;
export const mostNumberedEpochs = 100;

/** Which of a sender's packets have arrived, or were withdrawn: ranges from a first to a last number, in order, with a gap before each but the first. */
export const NumberRanges = z.looseObject({
  epoch: counter,
  ranges: z.array(z.tuple([counter, counter])).max(mostNumberRanges),
});
export type NumberRanges = z.output<typeof NumberRanges>;

export const ThreadState = z.looseObject({
  thread_id: ThreadId,
  /** The highest number of each of the sender's device epochs. */
  sent: z.array(PacketNumber).max(mostNumberedEpochs).default([]),
  received: z.array(NumberRanges).max(mostNumberedEpochs).default([]),
  /** Packets of the sender that will never come, because it gave them up. */
  withdrawn: z.array(NumberRanges).max(mostNumberedEpochs).default([]),
});
export type ThreadState = z.output<typeof ThreadState>;

export const mostSummaryThreads = 200;

export const ThreadSummary = z.looseObject({
  threads: z.array(ThreadState).max(mostSummaryThreads),
  /** True where negotiations were left out: one that is not listed is not lost then. */
  partial: z.boolean().default(false),
  /** True in an answer to a summary; nobody answers an answer. */
  answer: z.boolean().default(false),
});

export const Capabilities = z.looseObject({
  supported_versions: z.array(z.string().max(16)).max(32).default([]),
  features: z.array(z.string().max(64)).max(64).default([]),
  max_context_size_bytes: z.int().min(1).default(65_536),
  supported_encryption: z.array(z.string().max(64)).max(16).default([]),
});
export type Capabilities = z.output<typeof Capabilities>;

/** Who takes part in a group, and under which key each confirms (A2C-30). */
export const GroupParticipant = z.looseObject({ agent: PeerAddress, key: PublicKey, status: FieldName.optional() });

export const mostTransfers = 3;

/** The coordinator's role went from one participant to another: both signed it (A2C-30). */
export const CoordinatorChange = z.looseObject({
  number: z.int().min(1).max(mostTransfers),
  from: PeerAddress,
  to: PeerAddress,
  /** Of the new coordinator. */
  acceptance: bytesOf(64),
  /** Of the old one, which ends its role. */
  grant: bytesOf(64),
});
export type CoordinatorChange = z.output<typeof CoordinatorChange>;

const AggregatedContext = z.looseObject({
  participants: z.array(GroupParticipant).max(50).optional(),
  /** All changes so far, in every packet of a coordinator that did not open the group. */
  transfers: z.array(CoordinatorChange).max(mostTransfers).optional(),
});

export const Packet = z.looseObject({
  protocol: z.string().regex(/^a2acp\/\d{1,4}\.\d{1,4}$/, 'must be a2acp/<version>'),
  /** The inner id: it stays when the packet is sealed again. */
  packet_id: PacketId,
  thread_id: ThreadId,
  from: PeerAddress,
  to: PeerAddress,
  timestamp: z.iso.datetime({ offset: true }),
  /** A plain word, because people see it. */
  type: z.string().regex(/^[0-9A-Za-z][0-9A-Za-z_.-]{0,63}$/, 'must be a word of at most 64 letters'),
  /** Absent in a `thread_summary`, which counts nothing. */
  sequence: PacketNumber.optional(),
  /** BLAKE2b-256 of the JSON text of the last packet that the sender saw in this negotiation. */
  last_seen: bytesOf(32).nullish(),
  /** In each side's first packet of a negotiation. */
  capabilities: Capabilities.optional(),
  /** In each side's first packet of a negotiation, for values with a fixed form. */
  _format_hints: FormatHints.optional(),
  intent: Intent.optional(),
  /** In each side's first packet of a fork: where it was split off (A2C-20). */
  parent_thread_id: ThreadId.optional(),
  /** May hold `flexibility`: how far the sender's values can move. */
  context: FreeFields.optional(),
  permissions: Permissions.optional(),
  needs: Needs.optional(),
  context_provided: FreeFields.optional(),
  context_unavailable: z.array(UnavailableField).max(50).optional(),
  escalation: Escalation.optional(),
  summary: ThreadSummary.optional(),
  aggregated_context: AggregatedContext.optional(),
});
export type Packet = z.output<typeof Packet>;

/** Deeper JSON would exhaust the stack of some readers. */
export const mostPacketLevels = 64;

export const packetVersions = ['0.1', '0.2'];

/** The seed's name, and the exact one of what is done. */
export const sealSuites = ['x25519-xchacha20-poly1305', 'mls10-x25519-xchacha20-poly1305'];

export const ownCapabilities: Capabilities = {
  supported_versions: packetVersions,
  features: ['context_negotiation', 'resolution_with_alternatives', 'thread_forking', 'shared_context_spaces', 'multi_party'],
  max_context_size_bytes: 65_536,
  supported_encryption: sealSuites,
};

/** The highest version that both know (A2C-14). Peers without a common one use the lowest of ours, and ignore what they do not know. */
export function commonVersion(theirs: readonly string[], ours: readonly string[] = packetVersions): string {
  const common = ours.filter((version) => theirs.includes(version)).toSorted(byVersion);
  return common.at(-1) ?? ours.toSorted(byVersion)[0]!;
}

function byVersion(a: string, b: string): number {
  const [[major = 0, minor = 0], [otherMajor = 0, otherMinor = 0]] = [a, b].map((text) => text.split('.').map(Number)) as [
    number[],
    number[],
  ];
  return major - otherMajor || minor - otherMinor;
}
