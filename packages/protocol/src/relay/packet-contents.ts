// The contents of a packet by its type (A2C-13). Peers keep fields that are not listed here.

import { z } from 'zod';
import { PeerAddress } from './peer-identities.ts';
import { bytesOf } from './bytes.ts';
import { PacketId } from './frames.ts';
import {
  FieldName,
  FreeFields,
  Intent,
  mostSpaceParticipants,
  mostSpaceUpdates,
  Needs,
  packetText,
  SpaceId,
  ThreadId,
} from './packet-fields.ts';
import { ProposalHash, Resolution } from './proposals.ts';
import { mostTransfers, type PacketType, ThreadSummary } from './packets.ts';

const Signature = bytesOf(64);

const IntentUpdate = z.looseObject({
  previous_intent: Intent.optional(),
  updated_intent: Intent,
  reason: packetText(1000).optional(),
  additional_context_needed: Needs.optional(),
  /** The open proposal that it counters; null if its sender knew none. */
  proposal_hash: ProposalHash.nullish(),
});

const ThreadFork = z.looseObject({
  parent_thread_id: ThreadId,
  new_threads: z
    .array(z.looseObject({ thread_id: ThreadId, intent: Intent }))
    .min(1)
    .max(8),
  shared_context: FreeFields.optional(),
});

const ResolutionResponse = z.looseObject({
  status: z.enum(['confirmed', 'declined']),
  /** Null for a decline before there was a proposal. */
  proposal_hash: ProposalHash.nullable(),
  /** `scheduling_conflict` invites another proposal; every other value closes the negotiation (A2C-26). */
  reason_class: FieldName.optional(),
  message_to_other_agent: packetText(1000).optional(),
  /** The real reason stays on the device, so only null is valid. */
  actual_reason: z.null().optional(),
  /** In a group: the signed confirmation, which the others can verify (A2C-30). */
  signature: Signature.optional(),
});

/** The coordinator's report of the end (A2C-28). `declined` forwards a person's decline. */
const ResolutionOutcome = z.looseObject({
  status: z.enum(['confirmed', 'expired', 'declined']),
  proposal_hash: ProposalHash.nullable(),
  /** Everybody who confirmed, and the packet. The coordinator's own person confirms without one. */
  confirmations: z.array(z.looseObject({ agent: PeerAddress, packet_id: PacketId.nullable(), signature: Signature.optional() })).max(50),
  message_to_other_agent: packetText(1000).optional(),
});

/** The result of a confirmed proposal's actions (A2C-29). */
const ExecutionReport = z.looseObject({
  proposal_hash: ProposalHash,
  /** The actions for everybody, the sender's own, or, from the coordinator at the end, all of them. */
  scope: z.enum(['shared', 'own', 'all']),
  status: z.enum(['done', 'failed', 'undone']),
  /** With `failed`: the new limit for further proposals. */
  constraint: packetText(500).optional(),
  /** Actions that were done and cannot be undone, by their place in `actions_on_confirm`. */
  irreversible: z.array(z.int().min(0).max(100)).max(20).optional(),
});

const CoordinatorTransfer = z.looseObject({
  from_coordinator: PeerAddress,
  to_coordinator: PeerAddress,
  reason: packetText(1000).optional(),
  requires_acceptance: z.boolean().optional(),
  /** Absent means offered. Only a grant moves the role. */
  status: z.enum(['offered', 'accepted', 'declined', 'granted']).optional(),
  number: z.int().min(1).max(mostTransfers).optional(),
  /** With `offered` and `granted`: the terms that the new coordinator takes over. */
  quorum: z.int().min(2).max(50).optional(),
  confirm_order: z.array(PeerAddress).max(50).optional(),
  /** With `accepted`. */
  signature: Signature.optional(),
});

/** Changes of a shared space, by the packet's sender (A2C-33). */
const SpaceUpdate = z.looseObject({
  space_id: SpaceId,
  created_by: PeerAddress,
  /** In the creator's first packet to each participant. */
  space: z
    .looseObject({
      name: packetText(100).min(1),
      participants: z
        .array(z.looseObject({ agent: PeerAddress, may: z.enum(['read-all', 'write-own-fields', 'full-write']) }))
        .min(2)
        .max(mostSpaceParticipants),
    })
    .optional(),
  updates: z
    .array(
      z.looseObject({
        field: FieldName,
        counter: z
          .int()
          .min(1)
          .max(2 ** 40),
        /** Null removes it. */
        value: z.json(),
      }),
    )
    .max(mostSpaceUpdates),
  /** The sender has left the space. */
  left: z.literal(true).optional(),
});

export const packetContents = {
  context: z.looseObject({}),
  context_request: z.looseObject({ needs: Needs.min(1) }),
  context_response: z.looseObject({}),
  intent_update: IntentUpdate,
  thread_fork: ThreadFork,
  resolution: Resolution,
  resolution_response: ResolutionResponse,
  coordinator_transfer: CoordinatorTransfer,
  processing_error: z.looseObject({ reason: packetText(1000).optional(), about: PacketId.optional() }),
  space_update: SpaceUpdate,
  resolution_outcome: ResolutionOutcome,
  execution_report: ExecutionReport,
  thread_summary: z.looseObject({ summary: ThreadSummary }),
} satisfies Record<PacketType, z.ZodType>;

export type PacketContents<T extends PacketType> = z.output<(typeof packetContents)[T]>;
