// One input of a negotiation, decided and staged for one commit. A line of a group is decided together with the others (A2C-30).

import { decideGroup, type GroupInput } from '@parley/core/group';
import {
  type ConfirmationSignatures,
  decide,
  type DecisionTools,
  isEnded,
  type NegotiationInput,
  type NegotiationVerdict,
  type Participant,
  compareOutcome,
} from '@parley/core/negotiation';
import { fromBase64Url, type Packet, toBase64Url, type TypedPacket } from '@parley/protocol/relay';
import { doneByOutside } from '../outside/outside-people.ts';
import { draftPacket } from '../packets/drafts.ts';
import { getValue, identityOf, negotiationKey } from '../packets/peer-records.ts';
import { hashOf, signBytes, verifies } from '../seal/sodium.ts';
import { absorbPacket, applyEffect, awaitsStrangerAnswer, type Desk, withoutPrompt, withProposal } from './effects.ts';
import { takenIdsIn, withFamily } from './forks/families.ts';
import { linesOf, machinesIn } from './groups/group-lines.ts';
import { type MachineRecord, putMachine } from './negotiation-records.ts';
import type { Negotiations } from './negotiations.ts';

export interface InputResult {
  verdict: NegotiationVerdict;
  record: MachineRecord;
}

export async function applyInput(desk: Desk, before: MachineRecord, input: NegotiationInput): Promise<InputResult> {
  if (before.lead !== undefined) return applyToGroup(desk, before, input);
  const own = await withFamily(desk.staging, before);
  const takenIds = await takenIdsIn(desk, own, input);
  // Negotiations that were stored before there were changes of intent know it only here.
  const machine = own.machine.about || !own.intent || own.packets === 0 ? own.machine : { ...own.machine, about: own.intent };
  const tools = await toolsFor(desk, participantsOf(own, input));
  const { verdict, negotiation, effects } = decide(machine, input, { ...tools, takenIds });
  if (verdict === 'unsafe_quorum' && input.kind === 'packet') await refuseQuorum(desk, input.packet.packet);
  let record: MachineRecord = { ...withPacket(own, input, verdict), machine: negotiation };
  for (const effect of effects) record = await applyEffect(desk, record, effect);
  if (isEnded(negotiation.state) || negotiation.isClosing) record = await withoutPrompt(desk, record);
  await desk.staging.commit([putMachine(record)]);
  const asked = effects.findLast((effect) => effect.kind === 'ask_confirmation');
  if (asked && record.proposals[asked.hash]?.isReceipt && !awaitsStrangerAnswer(record, desk.peer))
    ({ record } = await applyInput(desk, record, { kind: 'confirm', hash: asked.hash }));
  const { execution } = record.machine;
  if (record.outside && execution?.shared === 'done' && !execution.peerDone)
    ({ record } = await applyInput(desk, record, { kind: 'packet', packet: doneByOutside(record, desk.now) }));
  return { verdict, record };
}

/** An honest coordinator learns why this member will not confirm. */
async function refuseQuorum({ staging, self, peer, now }: Desk, { thread_id: threadId, packet_id: about }: Packet): Promise<void> {
  const reason = 'Too few confirmations are enough, and I know no other member to compare the outcome with. Ask for a majority.';
  await draftPacket(staging, self, peer, { type: 'processing_error', threadId, members: { reason, about } }, now);
}

/** A crossed proposal brings answers, and a suggestion that crosses one of this side brings a wish. Other packets that are dropped change nothing. */
const read: readonly NegotiationVerdict[] = ['accepted', 'held', 'crossed', 'not_in_this_state'];
const withPacket = (record: MachineRecord, input: NegotiationInput | GroupInput, verdict: NegotiationVerdict): MachineRecord =>
  input.kind === 'packet' && (input.packet.as === 'intent_update' ? ['accepted'] : read).includes(verdict)
    ? absorbPacket(record, input.packet.packet, input.packet.as)
    : record;

/** Of the group that the negotiation belongs to, or that a packet names. */
function participantsOf({ machine }: MachineRecord, input: NegotiationInput): readonly Participant[] {
  const named = input.kind === 'packet' ? input.packet.packet.aggregated_context?.participants : undefined;
  return machine.group?.participants ?? named ?? [];
}

/** What core needs to decide about a group of these people. */
export const toolsFor = async (desk: Desk, participants: readonly Participant[]): Promise<DecisionTools> => ({
  now: desk.now,
  blake2b256: hashOf,
  signatures: await signaturesFor(desk, participants),
});

/** A key that came here by a card, a hub or a voice counts before the one that the coordinator names. */
async function signaturesFor({ staging, self }: Desk, participants: readonly Participant[]): Promise<ConfirmationSignatures> {
  const own = identityOf(self);
  const known = new Map([[own.address, toBase64Url(own.key.public)]]);
  for (const { agent } of participants) {
    const peer = await getValue(staging, 'peer', agent);
    if (peer?.key && peer.trust !== 'unverified') known.set(agent, peer.key);
  }
  return {
    knows: (agent) => known.has(agent),
    sign: (bytes) => toBase64Url(signBytes(own.key.secret, bytes)),
    verify: ({ agent, key }, bytes, signature) => verifies(fromBase64Url(known.get(agent) ?? key), bytes, signature),
  };
}

/** Packets, and words of one line's brain, concern that line; everything else concerns the whole group. */
const groupInputOf = (peer: string, input: NegotiationInput): GroupInput => {
  if (input.kind === 'packet' || input.kind === 'send' || input.kind === 'give_up' || input.kind === 'tick')
    return { kind: 'line', peer, input };
  if (input.kind === 'expire') throw new Error('Only its own clock ends a group.');
  return input;
};

export async function applyToGroup(desk: Desk, before: MachineRecord, input: NegotiationInput | GroupInput): Promise<InputResult> {
  const records = await linesOf(desk.staging, before);
  const { peer } = before.machine;
  const lead = before.lead!;
  const machines = machinesIn(records);
  const tools = await toolsFor(desk, before.machine.group!.participants);
  const groupInput = input.kind === 'line' || input.kind === 'escalate' ? input : groupInputOf(peer, input);
  const { verdict, group, lines, effects } = decideGroup(records[lead]!.group!, machines, groupInput, tools);
  records[peer] = withPacket(records[peer]!, input, verdict);
  for (const address of Object.keys(records)) records[address] = { ...records[address]!, machine: lines[address]! };
  records[lead] = withGroup(records[lead]!, group, input.kind === 'packet');
  for (const one of effects) {
    const address = one.peer ?? lead;
    const peerRecord = address === peer ? desk.peer : await getValue(desk.staging, 'peer', address);
    // Somebody who was removed gets nothing more; the others do not wait for them.
    if (!peerRecord) continue;
    if (one.peer === null && one.effect.kind === 'evaluate') records[lead] = { ...records[lead], isGroupDue: true };
    else records[address] = await applyEffect({ ...desk, peer: peerRecord }, records[address]!, one.effect);
  }
  for (const [address, record] of Object.entries(records))
    if (isEnded(group.state) || record.machine.hasPeerDeclined) records[address] = await withoutPrompt(desk, record);
  await desk.staging.commit(Object.values(records).map(putMachine));
  return { verdict, record: records[peer] };
}

/** The words of the proposal are on the lead, also while the member there was not asked yet. An answer may be the last one that was missing. */
function withGroup(record: MachineRecord, group: NonNullable<MachineRecord['group']>, isAnswer: boolean): MachineRecord {
  const next = { ...record, group, ...(isAnswer ? { isGroupDue: true } : {}) };
  const { proposal } = group;
  return proposal && !record.proposals[proposal.hash] ? withProposal(next, { ...proposal.content }, proposal.hash) : next;
}

// What another member of the group says it got (A2C-27).

type OutcomePacket = Extract<TypedPacket, { as: 'resolution_outcome' }>['packet'];

/** `record`: the line with the coordinator. */
export async function takeOtherOutcome(engine: Negotiations, desk: Desk, record: MachineRecord, packet: OutcomePacket): Promise<void> {
  const { machine } = record;
  const compared = compareOutcome(machine, packet, await toolsFor(desk, machine.group!.participants));
  if (compared.verdict !== 'accepted') return;
  let next: MachineRecord = { ...record, machine: compared.negotiation };
  for (const effect of compared.effects) next = await applyEffect(desk, next, effect);
  await desk.staging.commit([putMachine(next)]);
  engine.workSoon(negotiationKey(machine.peer, machine.threadId));
}
