// What a line has beyond one between two when it belongs to a group: who takes part, and confirmations that others can check (A2C-27, A2C-30).

import { type Blake2b256, confirmationToSign, fromBase64Url, type Packet, type PacketContents } from '@parley/protocol/relay';
import type { CountedConfirmation } from './inputs.ts';
import type { ConfirmationTerms, LineGroup, Negotiation, Participant } from './negotiation.ts';

export interface DecisionTools {
  now: number;
  blake2b256: Blake2b256;
  /** Signs as this peer, and checks the signatures of others. Only groups need them. */
  signatures?: ConfirmationSignatures;
  /** Those of a packet's or a person's new thread IDs that other negotiations of this side have. */
  takenIds?: readonly string[];
}

export interface ConfirmationSignatures {
  /** Whether this side has the agent's key from somewhere else than the coordinator. */
  knows: (agent: string) => boolean;
  sign: (bytes: Uint8Array) => string;
  /** `key` is the one that the coordinator named. Where this peer has pinned another one for the agent, that one counts. */
  verify: (participant: Participant, bytes: Uint8Array, signature: Uint8Array) => boolean;
}

/** In a coordinator's first packet on each line, and in each proposal. */
export const participantsContent = ({ participants, transfers }: LineGroup) => ({
  aggregated_context: { participants: participants.map(({ agent, key }) => ({ agent, key })), ...(transfers ? { transfers } : {}) },
});

export const mostParticipants = 50;

/** The participants that a packet names: undefined where they are no group of its sender and this side. */
function participantsIn({ aggregated_context: context, from, to }: Packet): Participant[] | undefined {
  const named = context?.participants ?? [];
  const agents = new Set(named.map(({ agent }) => agent));
  const isGroup =
    named.length >= 3 && named.length <= mostParticipants && agents.size === named.length && agents.has(from) && agents.has(to);
  return isGroup ? named.map(({ agent, key }) => ({ agent, key })) : undefined;
}

/** A line becomes one of a group before this side has shared anything: later, more people would learn what was meant for one. */
export function joinGroup(value: Negotiation, packet: Packet): void {
  const participants = participantsIn(packet);
  if (value.group || value.role !== 'responder' || !participants || value.proposal || value.answered.own.length > 0) return;
  const { transfers } = packet.aggregated_context!;
  value.group = { participants, ...(transfers ? { transfers } : {}) };
}

/** The terms of a group's proposal: undefined where they are not about this group, or can never be met. */
export function groupTermsIn(value: Negotiation, resolution: Packet & PacketContents<'resolution'>): ConfirmationTerms | undefined {
  const agents = value.group!.participants.map(({ agent }) => agent);
  const named = participantsIn(resolution)?.map(({ agent }) => agent) ?? [];
  const { requires_confirmation_from: confirmers, confirm_order: order = [] } = resolution;
  const quorum = resolution.quorum ?? confirmers.length;
  const isAmong = (some: readonly string[], all: readonly string[]): boolean =>
    new Set(some).size === some.length && some.every((one) => all.includes(one));
  const isSameGroup = isAmong(named, agents) && named.length === agents.length;
  const isComplete = isAmong(confirmers, agents) && confirmers.includes(value.own) && confirmers.includes(value.peer);
  // The coordinator alone is no agreement.
  const isQuorum = quorum >= 2 && quorum <= confirmers.length;
  return isSameGroup && isComplete && isAmong(order, confirmers) && isQuorum ? { confirmers, quorum, order } : undefined;
}

const bytesFor = ({ threadId }: { threadId: string }, hash: string, agent: string): Uint8Array =>
  confirmationToSign({ thread_id: threadId, proposal_hash: hash, agent });

export const signConfirmation = (value: { threadId: string; own: string }, hash: string, { signatures }: DecisionTools): string =>
  signatures!.sign(bytesFor(value, hash, value.own));

/** Whether a participant's own key signed this confirmation. */
export function isSigned(
  value: Pick<Negotiation, 'threadId' | 'group'>,
  hash: string,
  { agent, signature }: { agent: string; signature?: string | undefined },
  { signatures }: DecisionTools,
): boolean {
  const participant = value.group!.participants.find((one) => one.agent === agent);
  if (!participant || signature === undefined || !signatures) return false;
  return signatures.verify(participant, bytesFor(value, hash, agent), fromBase64Url(signature));
}

/** Whether these are enough: for the coordinator, which counts them, and for each member, which believes only signatures. */
export const isEnough = ({ quorum, order }: ConfirmationTerms, coordinator: string, agents: ReadonlySet<string>): boolean =>
  agents.size >= quorum && agents.has(coordinator) && order.every((agent) => agents.has(agent));

/** Those whose confirmations are proven; undefined where they are too few. */
export function agreedBy(value: Negotiation, confirmations: readonly CountedConfirmation[], tools: DecisionTools): string[] | undefined {
  const { hash, terms } = value.proposal!;
  const proven = confirmations.filter(
    (one) => terms!.confirmers.includes(one.agent) && (one.agent === value.own || isSigned(value, hash, one, tools)),
  );
  const agents = new Set(proven.map(({ agent }) => agent));
  return isEnough(terms!, value.peer, agents) ? [...agents] : undefined;
}
