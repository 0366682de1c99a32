// The coordinator's role moves to a member (A2C-30). core decides; here the lines of the old role become those of the new one, in the
// commit that stores the packet which moved it.

import {
  answerOffer,
  followTransfer,
  isProvenOpening,
  offerTransfer,
  takeAnswer,
  takeOver,
  type TransferRefusal,
} from '@parley/core/group';
import type { LineGroup, Participant } from '@parley/core/negotiation';
import type { Packet, TypedPacket } from '@parley/protocol/relay';
import { badInput } from '@parley/protocol';
import { draftPacket } from '../../packets/drafts.ts';
import { getRecord, getValue, negotiationKey, newNegotiation } from '../../packets/peer-records.ts';
import { applyInput, toolsFor } from '../decisions.ts';
import { type Desk, openHash, withNote } from '../effects.ts';
import { withdrawPrompt, confirmationId, type MachineRecord, newMachine, putMachine, keyOf } from '../negotiation-records.ts';
import { leadOf, linesOf, machinesIn } from './group-lines.ts';
import type { Negotiations } from '../negotiations.ts';

type TransferPacket = Extract<TypedPacket, { as: 'coordinator_transfer' }>['packet'];

const refusals: Readonly<Record<TransferRefusal, string>> = {
  not_in_this_state: 'The role moves only before something is proposed. Wait until the negotiation goes on, or decline the proposal.',
  not_a_member: 'They take no part in this group. Name one of its members.',
  to_itself: 'You have the role already. Name another member.',
  has_declined: 'They have declined. Name another member.',
  already_offered: 'The role is offered to somebody. Wait for their answer, at most an hour.',
  too_many_transfers: 'The role has moved three times, which is the most.',
  stale: 'The offer is over.',
  unsigned: 'The answer is not signed.',
};

/** The person, or a program for them, offers the role to a member's agent. */
export async function offerRole(engine: Negotiations, id: string, to: string, reason?: string): Promise<MachineRecord> {
  const key = await engine.peer.inTurn(async () => {
    engine.peer.mustHoldLine();
    const { store } = engine;
    const lead = await leadOf(store, await engine.find(id));
    if (!lead.group) throw badInput(`${id} is no group that you coordinate.`);
    const lines = await machinesOf(lead, engine);
    const offered = offerTransfer(lead.group, lines, { to, reason }, { now: engine.now });
    if (offered.verdict !== 'accepted') throw badInput(refusals[offered.verdict]);
    const desk = await engine.desk(to);
    await draft(desk, lead.machine.threadId, offered.content);
    await desk.staging.commit([putMachine({ ...lead, group: offered.group })]);
    await engine.commit(desk);
    engine.workSoon(keyOf(lead));
    return keyOf(lead);
  });
  return engine.settled(key);
}

const machinesOf = async (lead: MachineRecord, { peer }: Negotiations) => machinesIn(await linesOf(peer.parts.store, lead));

const draft = ({ staging, self, peer, now }: Desk, threadId: string, members: Record<string, unknown>) =>
  draftPacket(staging, self, peer, { type: 'coordinator_transfer', threadId, members }, now);

/** An offer, an answer or a grant, on the line where it came. */
export async function takeTransfer(engine: Negotiations, desk: Desk, record: MachineRecord, packet: TransferPacket): Promise<void> {
  if (record.lead !== undefined) return takeReply(engine, desk, await leadOf(desk.staging, record), packet);
  if (packet.status === 'granted') return begin(engine, desk, record, packet);
  if (packet.status !== undefined && packet.status !== 'offered') return;
  const { machine, intent } = record;
  const reachable = await reachableFrom(desk, machine.group);
  const tools = await toolsFor(desk, machine.group?.participants ?? []);
  const answer = answerOffer(machine, packet, ({ agent }) => intent !== null && reachable.has(agent), tools);
  if (answer.verdict === 'accepted') await draft(desk, machine.threadId, answer.content);
}

/** Those with whom this side has a line, under the key that the group names. */
async function reachableFrom({ staging }: Desk, group: LineGroup | undefined): Promise<Set<string>> {
  const isReachable = async ({ agent, key }: Participant): Promise<boolean> => {
    const peer = await getValue(staging, 'peer', agent);
    return peer !== undefined && peer.key === key && peer.trust !== 'unverified' && !peer.alarm && peer.block?.isOn !== true;
  };
  const found = await Promise.all((group?.participants ?? []).map(async (one) => ((await isReachable(one)) ? [one.agent] : [])));
  return new Set(found.flat());
}

async function takeReply(engine: Negotiations, desk: Desk, lead: MachineRecord, packet: TransferPacket): Promise<void> {
  const group = lead.group!;
  const records = await linesOf(desk.staging, lead);
  const machines = machinesIn(records);
  const answer = takeAnswer(group, machines, packet, await toolsFor(desk, group.participants));
  if (answer.verdict !== 'accepted') return;
  const { threadId } = group;
  if (answer.line === null) {
    const noted = withNote(lead, {
      at: desk.now,
      notice: 'transfer_declined',
      details: { by: packet.from, reason: packet.reason ?? null },
    });
    await desk.staging.commit([putMachine({ ...noted, group: answer.group, isGroupDue: true })]);
    return engine.workSoon(negotiationKey(lead.machine.peer, threadId));
  }
  await draft(desk, threadId, answer.content);
  const { intent, stated, createdAt, notes } = lead;
  const own: MachineRecord = { ...newMachine(answer.line), intent, stated, notes, ...(createdAt === undefined ? {} : { createdAt }) };
  await replace(engine, desk, Object.values(records), [changed(own, desk.now)]);
  engine.workSoon(negotiationKey(packet.from, threadId));
}

const changed = (record: MachineRecord, at: number): MachineRecord => {
  const { own, peer, role } = record.machine;
  return withNote(record, { at, notice: 'coordinator_changed', details: { coordinator: role === 'initiator' ? own : peer } });
};

/** The role is here: a line with each of the others, and nothing of what they told the one before. */
async function begin(engine: Negotiations, desk: Desk, record: MachineRecord, packet: TransferPacket): Promise<void> {
  const { machine, intent } = record;
  const taken = takeOver(machine, packet, await toolsFor(desk, machine.group?.participants ?? []));
  if (taken.verdict !== 'accepted' || !intent) return;
  const { stated } = await engine.readWords(intent.summary, undefined);
  const addresses = Object.keys(taken.lines);
  const [lead] = addresses as [string];
  const lines = addresses.map((address): MachineRecord => {
    const line = { ...newMachine(taken.lines[address]!), intent, stated, lead, isEvaluationDue: true };
    return address === lead ? changed({ ...line, group: taken.group, notes: record.notes }, desk.now) : line;
  });
  for (const address of addresses) {
    const key = negotiationKey(address, machine.threadId);
    if (!(await getRecord(desk.staging, 'negotiation', key)))
      await desk.staging.commit([{ put: 'negotiation', key, value: newNegotiation(address, machine.threadId, desk.now), ifVersion: 0 }]);
  }
  await replace(engine, desk, [record], lines);
  if (taken.isClosing) await applyInput(await engine.desk(lead, desk.staging), lines[0]!, { kind: 'decline' });
  for (const address of addresses) engine.workSoon(negotiationKey(address, machine.threadId));
}

/** A packet of somebody who is not known to coordinate: the member's line with them, where both signatures prove the change. */
export async function followed(
  engine: Negotiations,
  desk: Desk,
  record: MachineRecord,
  packet: Packet,
): Promise<MachineRecord | undefined> {
  const { group } = record.machine;
  if (!group || !packet.aggregated_context?.transfers) return undefined;
  const follow = followTransfer(record.machine, packet, await toolsFor(desk, group.participants));
  if (follow.verdict === 'false_transfer') {
    const noted = withNote(record, { at: desk.now, notice: 'false_transfer', details: { by: packet.from } });
    await desk.staging.commit([putMachine(noted)]);
  }
  if (follow.verdict !== 'accepted') return undefined;
  const { intent, createdAt, notes } = record;
  const own: MachineRecord = { ...newMachine(follow.line), intent, notes, ...(createdAt === undefined ? {} : { createdAt }) };
  const next = changed(own, desk.now);
  await replace(engine, desk, [record], [next]);
  if (!follow.isClosing) return next;
  return (await applyInput(desk, next, { kind: 'decline' })).record;
}

/** A first packet that says the role came from somebody else has to prove it. */
export const isProven = async (desk: Desk, packet: Packet): Promise<boolean> =>
  isProvenOpening(packet, await toolsFor(desk, packet.aggregated_context?.participants ?? []));

async function replace(engine: Negotiations, { staging }: Desk, before: readonly MachineRecord[], after: readonly MachineRecord[]) {
  for (const record of before) {
    const hash = openHash(record);
    for (const id of [record.openPrompt, hash === null ? null : confirmationId(hash)]) if (id !== null) await withdrawPrompt(staging, id);
    await staging.commit([{ remove: 'machine', key: keyOf(record) }]);
  }
  await staging.commit(after.map(putMachine));
  await engine.index.replace(after[0]!.machine.threadId, after);
}
