// How much somebody may ask for before the person has answered any of it. A block ends all of it (A2C-9).

import { isEnded } from '@parley/core/negotiation';
import type { Packet, TypedPacket } from '@parley/protocol/relay';
import { setBlock } from '../packets/blocks-and-removal.ts';
import { draftPacket } from '../packets/drafts.ts';
import type { RemotePeerView } from '../packets/local-peer.ts';
import { negotiationKey } from '../packets/peer-records.ts';
import { applyInput } from './decisions.ts';
import type { Desk } from './effects.ts';
import type { Negotiations } from './negotiations.ts';
import { type MachineRecord, putMachine } from './negotiation-records.ts';
import { theirEnd } from '../outside/outside-people.ts';

/** Open negotiations that one address began. */
const mostUnanswered = 3;
/** With those that were split off from them: one is split into eight at most. */
const mostWithForks = 8;

/** The person has said nothing in it: an agent that answers by itself, or confirms a receipt, is no answer of theirs. */
const isUnanswered = ({ machine, proposals, decisions, inheritedDecisions = 0, ...record }: MachineRecord): boolean => {
  const { fork, proposal, role } = machine;
  const hasConfirmed = proposal?.ownConfirmed === true && proposals[proposal.hash]?.isReceipt !== true;
  const isTheirFork = fork !== undefined && record.intentBy === 'peer';
  return (
    !isEnded(machine.state) &&
    !machine.isClosing &&
    !hasConfirmed &&
    record.ownWish === undefined &&
    record.goesOn !== true &&
    Object.keys(decisions).length === inheritedDecisions &&
    (isTheirFork || (role === 'responder' && fork === undefined && record.mayReachStranger !== true))
  );
};

const unansweredOf = async (engine: Negotiations, address: string): Promise<MachineRecord[]> =>
  (await engine.index.openWith(address)).filter(isUnanswered);

/** Whether the packet may open a negotiation, or split `known`. */
export async function hasRoom(engine: Negotiations, { as, packet }: TypedPacket, known: MachineRecord | undefined): Promise<boolean> {
  const isFork = as === 'thread_fork' || packet.parent_thread_id !== undefined;
  if (known && as !== 'thread_fork') return true;
  // A fork whose own packet came first is there already.
  const isNew = ({ thread_id: id }: { thread_id: string }): boolean => known?.machine.forks?.includes(id) !== true;
  const added = as === 'thread_fork' ? packet.new_threads.filter(isNew).length : 1;
  return (await unansweredOf(engine, packet.from)).length + added <= (isFork ? mostWithForks : mostUnanswered);
}

/** Says so to somebody whose key is known; a stranger gets nothing. */
export async function refuseForRoom({ staging, self, peer, now }: Desk, packet: Packet): Promise<void> {
  const { thread_id: threadId, packet_id: about, type, intent } = packet;
  if (peer.trust === 'unverified' || type === 'processing_error' || !intent) return;
  const reason = `This person has ${mostUnanswered} open requests of yours. Ask again when they have answered one.`;
  await draftPacket(staging, self, peer, { type: 'processing_error', threadId, members: { reason, about } }, now);
}

/** A block also ends what is open with them here; nothing of that goes out to them. */
export async function blockPerson(engine: Negotiations, address: string, isOn: boolean): Promise<RemotePeerView> {
  const ended: MachineRecord[] = [];
  const view = await setBlock(engine.peer, address, isOn, async () => {
    for (const record of await engine.index.openWith(address)) {
      const desk = await engine.desk(address);
      const { record: next } = await applyInput(desk, record, { kind: 'packet', packet: theirEnd(record, engine.now) });
      await desk.staging.commit([putMachine({ ...next, isEvaluationDue: false })]);
      await engine.commit(desk);
      ended.push(next);
    }
  });
  if (isOn) await engine.spaces.leaveUnused(address);
  for (const { machine, lead = machine.peer } of ended) engine.workSoon(negotiationKey(lead, machine.threadId));
  return view;
}
