// What a client and a relay say to each other besides frames: JSON texts of at most 64 KiB (spec/relay.md).

import { z } from 'zod';
import { PeerAddress, PeerName, RelayName } from './peer-identities.ts';
import { bytesOf, bytesUpTo } from './bytes.ts';
import { DeviceEpoch, PacketId, PublicKey } from './frames.ts';

export const mostControlBytes = 64 * 1024;
export const relayVersions = [1];

export const Nonce = bytesOf(32);
export const Signature = bytesOf(64);
/** Correlates an answer with its request. */
export const Ref = z.string().min(1).max(64);
const KeyPackage = bytesUpTo(4096);
const Proof = { key: PublicKey, epoch: DeviceEpoch, signature: Signature };

/** A canonical JSON text that its owner signed. The text itself travels, so that nobody has to write it again to verify it. */
export const Signed = { statement: z.string().max(4096), signature: Signature };

export const ClientMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('hello'), versions: z.array(z.int()).min(1).max(16), nonce: Nonce }),
  z.object({
    type: z.literal('register'),
    name: PeerName,
    code: z.string().min(1).max(128),
    email: z.email().max(254).optional(),
    ...Proof,
  }),
  z.object({ type: z.literal('login'), address: PeerAddress, ...Proof }),
  z.object({ type: z.literal('ack'), through: z.int().min(1) }),
  z.object({ type: z.literal('publish'), ref: Ref, ...Signed, packages: z.array(KeyPackage).max(100) }),
  z.object({ type: z.literal('lookup'), ref: Ref, address: PeerAddress, package: z.boolean() }),
  z.object({ type: z.literal('block'), ref: Ref, address: PeerAddress, blocked: z.boolean() }),
  z.object({ type: z.literal('report'), ref: Ref, ...Signed }),
]);
export type ClientMessage = z.output<typeof ClientMessage>;

export const RelayMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('challenge'), version: z.int(), relay: RelayName, key: PublicKey, nonce: Nonce, signature: Signature }),
  z.object({
    type: z.literal('ready'),
    address: PeerAddress,
    /** The relay's time, in milliseconds since 1970. */
    time: z.int(),
    /** One-time key packages that are left. */
    packages: z.int().nonnegative(),
    /** The highest `sent_at` of a frame that this device epoch stored here; 0 where there is none. An older relay does not say it. */
    last_sent_at: z.int().nonnegative().optional(),
  }),
  z.object({ type: z.literal('stored'), packet_id: PacketId }),
  /** `packages`: after `publish`, the one-time key packages that are left. */
  z.object({ type: z.literal('done'), ref: Ref, packages: z.int().nonnegative().optional() }),
  z.object({
    type: z.literal('entry'),
    ref: Ref,
    ...Signed,
    package: z.string().nullable(),
    /** Whether the package is the one that others get as well. */
    last_resort: z.boolean(),
  }),
  z.object({ type: z.literal('displaced'), epoch: DeviceEpoch }),
  z.object({ type: z.literal('draining') }),
  z.object({
    type: z.literal('refused'),
    code: z.string(),
    message: z.string(),
    packet_id: z.string().optional(),
    ref: z.string().optional(),
    retry_after_ms: z.int().optional(),
    /** With `old_epoch` and `epoch_fork`: the one that the relay knows. */
    epoch: DeviceEpoch.optional(),
  }),
]);
export type RelayMessage = z.output<typeof RelayMessage>;

/** Why a relay refuses, and whether the same bytes may be accepted later. */
export const relayRefusals = {
  bad_message: { retry: false },
  bad_frame: { retry: false },
  bad_signature: { retry: false },
  wrong_sender: { retry: false },
  wrong_state: { retry: false },
  unsupported_version: { retry: false },
  invalid_code: { retry: false },
  name_taken: { retry: false },
  unknown_address: { retry: false },
  key_changed: { retry: false },
  old_epoch: { retry: false },
  epoch_fork: { retry: false },
  old_statement: { retry: false },
  too_many_blocks: { retry: false },
  packet_id_taken: { retry: false },
  too_old: { retry: false },
  from_the_future: { retry: false },
  not_federated: { retry: false },
  relay_lies: { retry: false },
  not_published: { retry: true },
  relay_unreachable: { retry: true },
  queue_full: { retry: true },
  mailbox_full: { retry: true },
  rate_limited: { retry: true },
  disk_full: { retry: true },
  draining: { retry: true },
} as const;
export type RelayRefusal = keyof typeof relayRefusals;

/** Close codes of the socket that carry a meaning of ours. */
export const relayCloses = { badInput: 4400, unauthenticated: 4401, displaced: 4409, slow: 4429, draining: 4503 } as const;

/** An owner's word about their own entry; `version` only grows (A2C-8). */
export const DirectoryStatement = z.strictObject({
  v: z.literal(1),
  address: PeerAddress,
  key: PublicKey,
  epoch: DeviceEpoch,
  version: z.int().min(1),
  /** The package that is handed out when no one-time package is left. */
  last_resort: KeyPackage,
});
/** Versions of epoch n are below (n + 1) times this: a device of the next epoch has a higher one, whatever the last one published. */
export const versionsPerEpoch = 2 ** 20;
export type DirectoryStatement = z.output<typeof DirectoryStatement>;

export const ReportStatement = z.strictObject({
  v: z.literal(1),
  from: PeerAddress,
  about: PeerAddress,
  reason: z.enum(['malformed', 'spam', 'abuse']),
  at: z.int().nonnegative(),
});
export type ReportStatement = z.output<typeof ReportStatement>;
