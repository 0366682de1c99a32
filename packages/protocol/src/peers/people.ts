// A person's own peer, and the people it knows.

import { z } from 'zod';
import { oneLine } from '../text/one-line.ts';
import { MemberId } from '../ids.ts';

export const MyPeer = z.object({
  /** Null until it is made, on first use. */
  address: z.string().nullable(),
  card: z.string().nullable(),
  fingerprint: z.string().nullable(),
  relay: z.string().nullable(),
  /** Why it is not on the line; null: it is, or there is none yet. */
  problem: z.string().nullable(),
  /** The five defaults were answered (A2C-39). */
  isSetUp: z.boolean(),
});
export type MyPeer = z.infer<typeof MyPeer>;

export const peerTrusts = ['unverified', 'pinned', 'introduced', 'verified'] as const;

export const PeerPerson = z.object({
  address: z.string(),
  name: z.string(),
  memberId: MemberId.nullable().describe('a member of this hub, introduced by it'),
  trust: z.enum(peerTrusts),
  alarm: z.string().nullable().describe('why the line is stopped'),
  malformed: z.number(),
  blocked: z.boolean(),
  stranger: z.boolean().describe('wrote first, and you have not dealt with them'),
  isSample: z.boolean().describe('your sample friend, whose peer answers by itself'),
  line: z.string().nullable().optional().describe('of a change: why the relay does not know it yet'),
});
export type PeerPerson = z.infer<typeof PeerPerson>;

export const PeerSafety = z.object({
  address: z.string(),
  safetyNumber: z.string(),
  accepted: z.boolean(),
  alarm: z.string().nullable().describe('why the line is stopped'),
});
export type PeerSafety = z.infer<typeof PeerSafety>;

export const AddPeer = z.strictObject({ card: oneLine(2000).min(1) });
/** `accepts`: the safety number that both people read to each other. `keeps`: the key of before stays. Neither: shows the number. */
export const VerifyPeer = z.strictObject({ accepts: oneLine(200).optional(), keeps: z.literal(true).optional() });
export const BlockPeer = z.strictObject({ isOn: z.boolean() });

/** A packet that came. */
export interface ReceivedPacket {
  packetId: string;
  threadId: string;
  from: string;
  type: string;
  context: Record<string, unknown> | null;
  receivedAt: string;
  state: 'received' | 'waiting' | 'sent' | 'failed';
}

/** A packet of ours that failed for good. */
export interface FailedPacket {
  packetId: string;
  threadId: string;
  to: string;
  context: Record<string, unknown> | null;
  writtenAt: string;
  problem: string;
}

export interface PeerInbox {
  packets: ReceivedPacket[];
  /** The people whose line is stopped: packets of theirs are not read. */
  stopped: PeerPerson[];
  failed: FailedPacket[];
  /** Why nothing was fetched. */
  line: string | null;
}
