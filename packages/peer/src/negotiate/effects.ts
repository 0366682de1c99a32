// What follows from a decision, staged for one commit: packets, prompts, notes and work (A2C-34).

import { isReceipt, type NegotiationEffect } from '@parley/core/negotiation';
import { type FreeFields, type Packet, proposalHash, type Resolution } from '@parley/protocol/relay';
import { draftPacket } from '../packets/drafts.ts';
import { getRecord, getValue, type RemotePeer, type SelfRecord, negotiationKey, newNegotiation } from '../packets/peer-records.ts';
import type { Staging } from '../packets/staging.ts';
import { hashOf } from '../seal/sodium.ts';
import { addForks } from './forks/fork-records.ts';
import { asOffer } from './proposed-actions.ts';
import { withIntent } from './forks/intent-records.ts';
import { dropWords, offersField, isPlaceOnly } from './meetings/intent-words.ts';
import {
  withdrawPrompt,
  confirmationId,
  type ConfirmationPrompt,
  type KnownProposal,
  type MachineRecord,
  type NegotiationNote,
  newPrompt,
  putPrompt,
} from './negotiation-records.ts';

export interface Desk {
  staging: Staging;
  self: SelfRecord;
  peer: RemotePeer;
  now: number;
  /** Any negotiation of this side, by its ID. */
  find?: (threadId: string) => Promise<MachineRecord | undefined>;
}

const mostNotes = 50;
const mostOfAKind = 5;
const mostProposals = 5;

export async function applyEffect(desk: Desk, record: MachineRecord, effect: NegotiationEffect): Promise<MachineRecord> {
  const { staging, self, peer, now } = desk;
  switch (effect.kind) {
    case 'send': {
      if (record.outside) return handOver(record, effect);
      const { threadId } = record.machine;
      const { packet } = await draftPacket(staging, self, peer, { type: effect.type, threadId, members: effect.content }, now);
      // A report of an error opens nothing: the packet with the intent still comes.
      const packets = record.packets + (effect.type === 'processing_error' ? 0 : 1);
      const sent = { ...record, packets, sentAt: now };
      return packet.type === 'resolution' ? withProposal(sent, packet) : sent;
    }
    case 'evaluate':
      return { ...record, isEvaluationDue: true };
    case 'ask_confirmation':
      if (awaitsStrangerAnswer(record, peer)) return { ...record, isEvaluationDue: true };
      if (record.proposals[effect.hash]!.isReceipt) return record;
      if (await asksAboutScope(staging, record)) return { ...record, isProposalHeld: true };
      await staging.commit([putPrompt(confirmationOf(record, effect.hash, now))]);
      return record;
    case 'withdraw_confirmation':
      await withdrawPrompt(staging, confirmationId(effect.hash));
      return { ...record, isProposalHeld: false };
    case 'run':
    case 'undo':
      return { ...record, jobs: [...record.jobs, effect] };
    case 'notify':
      return noticed(record, { at: now, notice: effect.notice, details: plain(effect.details ?? {}) });
    case 'change_intent':
      return withIntent(desk, record, effect);
    case 'compare_outcome':
      await sendOutcome(desk, record, effect);
      return record;
    case 'fork':
      await addForks(desk, record, effect);
      return record;
  }
}

/** Nothing is sent to somebody without an agent: the person hands the text over. */
function handOver(record: MachineRecord, { type, content }: Extract<NegotiationEffect, { kind: 'send' }>): MachineRecord {
  const { threadId: thread_id, own: from } = record.machine;
  return type === 'resolution' ? withProposal(record, { ...content, thread_id, from, type }) : record;
}

/** A window whose actions failed is not proposed again. People read the names of actions, not their places. */
function noticed(record: MachineRecord, note: NegotiationNote): MachineRecord {
  const { irreversible } = note.details;
  const { actions = [] } = record.proposals[openHash(record) ?? ''] ?? {};
  const names = Array.isArray(irreversible) ? { actions: irreversible.map((place) => actions[Number(place)]?.action ?? null) } : {};
  const noted = withNote(record, { ...note, details: { ...note.details, ...names } });
  return note.notice === 'failed' ? withRejection(noted) : noted;
}

const plain = (details: Record<string, unknown>): FreeFields => JSON.parse(JSON.stringify(details)) as FreeFields;

/** A peer that causes one kind of note without end pushes out no alarm. */
export function withNote(record: MachineRecord, note: NegotiationNote): MachineRecord {
  const alike = record.notes.filter(({ notice }) => notice === note.notice).slice(1 - mostOfAKind);
  const kept = record.notes.filter((one) => one.notice !== note.notice || alike.includes(one));
  return { ...record, notes: [...kept, note].slice(-mostNotes) };
}

/** Remembers the words of a resolution under its hash. */
export function withProposal(
  record: MachineRecord,
  packet: Readonly<Record<string, unknown>>,
  hash = proposalHash(packet, hashOf),
): MachineRecord {
  const { proposal, actions_on_confirm: actions = [] } = packet as unknown as Resolution;
  const known: KnownProposal = {
    summary: proposal.summary,
    details: proposal.details ?? {},
    alternatives: (proposal.alternatives ?? []).map(({ summary, reason }) => ({ summary, reason })),
    reasoning: proposal.reasoning ?? '',
    actions,
    isReceipt: isReceipt(packet, [...record.machine.answered.own, ...record.machine.answered.peer]),
  };
  // The open one stays, however many others a peer sends.
  const open = openHash(record);
  const others = Object.entries(record.proposals).filter(([hash]) => hash !== open);
  const kept = Object.entries(record.proposals).filter(([hash]) => hash === open);
  const entries = [...others.slice(1 - mostProposals), ...kept, [hash, known] as const];
  return { ...record, proposals: Object.fromEntries(entries) };
}

/** Actions that the peer proposed for its own side are its offers: this side's next proposal lists them too. */
function withOffers(record: MachineRecord, { actions_on_confirm: actions = [] }: Resolution): MachineRecord {
  const { role, peer } = record.machine;
  const offers = actions.filter(({ scope, by }) => scope === 'own' && by === peer);
  if (role === 'responder' || offers.length === 0) return record;
  return { ...record, received: { ...record.received, [offersField]: offers.map(asOffer) } };
}

const asksAboutScope = async (staging: Staging, { openPrompt }: MachineRecord): Promise<boolean> =>
  openPrompt !== null && (await getValue(staging, 'prompt', openPrompt))?.kind === 'expansion';

/** Somebody unverified began it: the person is asked about them before anything that they propose. */
export const awaitsStrangerAnswer = ({ machine, mayReachStranger }: MachineRecord, { trust }: RemotePeer): boolean =>
  machine.role === 'responder' && trust === 'unverified' && mayReachStranger !== true;

export const confirmationOf = (record: MachineRecord, hash: string, at: number): ConfirmationPrompt => ({
  kind: 'confirmation',
  ...newPrompt(record, at),
  id: confirmationId(hash),
  hash,
  proposal: record.proposals[hash]!,
  answer: null,
});

/** What a negotiation asked that has ended, nobody needs to answer. */
export async function withoutPrompt({ staging }: Desk, record: MachineRecord): Promise<MachineRecord> {
  if (record.openPrompt !== null) await withdrawPrompt(staging, record.openPrompt);
  return { ...record, openPrompt: null };
}

/** What a packet tells, beside what the machine reads in it. */
export function absorbPacket(before: MachineRecord, packet: Readonly<Record<string, unknown>>, as: string): MachineRecord {
  const awaitsProposal = as === 'execution_report' && before.awaitsProposal;
  const record = { ...before, packets: before.packets + 1, sentAt: null, awaitsProposal };
  if (as === 'resolution') return withOffers(withContext(withProposal(record, packet), packet), packet as unknown as Resolution);
  if (as === 'resolution_response') {
    const { status, message_to_other_agent: wish } = packet as { status: string; message_to_other_agent?: string };
    if (status !== 'declined') return record;
    const wished = { ...record, peerWish: wish ?? null };
    return isPlaceOnly(wish ?? '') ? wished : withRejection(wished);
  }
  if (['resolution_outcome', 'execution_report', 'processing_error'].includes(as)) return record;
  // Values that belonged to the earlier words do not belong to new ones.
  return withContext(as === 'intent_update' ? { ...record, received: dropWords(record.received) } : record, packet);
}

function withContext(record: MachineRecord, packet: Readonly<Record<string, unknown>>): MachineRecord {
  const { context, context_provided: provided, context_unavailable: refused = [], intent: named } = packet as unknown as Packet;
  const received = Object.entries({ ...record.received, ...context, ...provided }).slice(-mostFields);
  // Only an intent update changes it later (A2C-19).
  const intent = record.intent ?? named ?? null;
  const unavailable = [...new Set([...record.unavailable, ...refused.map(({ field }) => field)])].slice(-mostFields);
  return { ...record, intent, received: Object.fromEntries(received), unavailable };
}

const mostFields = 100;

/** The window of the open proposal is not proposed again. */
export function withRejection(record: MachineRecord): MachineRecord {
  const time = startOf(record, openHash(record) ?? undefined);
  return time === null ? record : { ...record, rejected: [...record.rejected, time].slice(-mostFields) };
}

/** The latest proposal of the negotiation or, on its lead, of the group. */
export const openHash = ({ machine, group }: MachineRecord): string | null => (group ?? machine).proposal?.hash ?? null;

/** When the meeting of a proposal would begin. */
export function startOf({ proposals }: MachineRecord, hash: string | undefined): number | null {
  const start = proposals[hash ?? '']?.details['start'];
  const time = typeof start === 'string' ? Date.parse(start) : NaN;
  return Number.isNaN(time) ? null : time;
}

// A member of a group sends the outcome that it got to the members whom it knows (A2C-27). core decides who they are.

type Shared = Extract<NegotiationEffect, { kind: 'compare_outcome' }>;

async function sendOutcome(
  { staging, self, now }: Desk,
  { machine }: MachineRecord,
  { hash, confirmations, members }: Shared,
): Promise<void> {
  const { threadId } = machine;
  for (const address of members) {
    const peer = await getValue(staging, 'peer', address);
    if (!peer || peer.alarm || peer.block?.isOn) continue;
    const key = negotiationKey(address, threadId);
    if (!(await getRecord(staging, 'negotiation', key)))
      await staging.commit([{ put: 'negotiation', key, value: newNegotiation(address, threadId, now), ifVersion: 0 }]);
    const content = { status: 'confirmed', proposal_hash: hash, confirmations };
    await draftPacket(staging, self, peer, { type: 'resolution_outcome', threadId, members: content }, now);
  }
}
