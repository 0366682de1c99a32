// Records of forks: they know what their parent knew of this peer, and go their own way from there (A2C-20).

import { forkNegotiation, forkRefusal, isEnded, isExpansion, type NegotiationEffect, type NewFork } from '@parley/core/negotiation';
import type { FreeFields, Packet } from '@parley/protocol/relay';
import { getValue, negotiationKey, newNegotiation } from '../../packets/peer-records.ts';
import { hashOf } from '../../seal/sodium.ts';
import type { Desk } from '../effects.ts';
import { takenIdsIn } from './families.ts';
import { askAboutScope } from './intent-records.ts';
import { dropWords, keepAudience } from '../meetings/intent-words.ts';
import { type MachineRecord, newMachine, putMachine } from '../negotiation-records.ts';

type ForkEffect = Extract<NegotiationEffect, { kind: 'fork' }>;

export async function addForks(desk: Desk, parent: MachineRecord, { by, threads, shared }: ForkEffect): Promise<void> {
  for (const thread of threads) {
    const child = childOf(parent, { thread, shared, by }, desk.now);
    const record = by === 'peer' ? await scoped(desk, parent, child) : child;
    const { peer, threadId } = record.machine;
    await desk.staging.commit([
      { put: 'negotiation', key: negotiationKey(peer, threadId), value: newNegotiation(peer, threadId, desk.now), ifVersion: 0 },
      putMachine(record),
    ]);
  }
}

/** With the question about a scope that is wider than the parent's. Words of the parent that its person has not answered yet do not count. */
async function scoped(desk: Desk, parent: MachineRecord, child: MachineRecord): Promise<MachineRecord> {
  const open = parent.openPrompt === null ? undefined : await getValue(desk.staging, 'prompt', parent.openPrompt);
  const before = open?.kind === 'expansion' ? open.before : parent.intent;
  return isExpansion(before, child.intent!) ? askAboutScope(desk, child, { before, isFork: true, reason: null }) : child;
}

interface NewChild {
  thread: NewFork;
  shared: FreeFields;
  by: 'own' | 'peer';
}

/** Consents, answers and declines of the parent hold, and so does what the peer gave. The initiator begins. */
function childOf(parent: MachineRecord, { thread, shared, by }: NewChild, now: number): MachineRecord {
  const machine = forkNegotiation(parent.machine, thread, now);
  const { mayReachStranger, decisions, given, unavailable, notes } = parent;
  const escalated = machine.isEscalated ? notes.findLast(({ notice }) => notice === 'escalated') : undefined;
  return {
    ...newMachine(machine),
    intent: thread.intent,
    intentBy: by,
    stated: keepAudience(parent.stated),
    decisions,
    ...(by === 'peer' ? { inheritedDecisions: Object.keys(decisions).length } : {}),
    given,
    unavailable,
    received: { ...shared, ...dropWords(parent.received) },
    ...(mayReachStranger === undefined ? {} : { mayReachStranger }),
    notes: escalated ? [{ ...escalated, at: now }] : [],
    isEvaluationDue: machine.role === 'initiator',
  };
}

/** The packet that split it off has not come yet. Undefined where the parent takes no such fork. */
export async function adoptFork(desk: Desk, parent: MachineRecord, packet: Packet): Promise<MachineRecord | undefined> {
  const { thread_id: threadId, intent } = packet;
  // Consents of what has ended give nothing more.
  if (!intent || parent.machine.group || isEnded(parent.machine.state)) return undefined;
  const threads = [{ thread_id: threadId, intent }];
  const takenIds = await takenIdsIn({ ...desk, staging: desk.staging }, parent, { kind: 'fork', threads });
  // The negotiation's own numbers may be there already: the packet has just been counted.
  const isFree = (await desk.find?.(threadId)) === undefined;
  const tools = { now: desk.now, blake2b256: hashOf, takenIds: isFree ? takenIds.filter((id) => id !== threadId) : takenIds };
  if (forkRefusal(parent.machine, threads, tools)) return undefined;
  const child = childOf(parent, { thread: threads[0]!, shared: {}, by: 'peer' }, desk.now);
  const record = await scoped(desk, parent, child);
  const forks = [...(parent.machine.forks ?? []), threadId];
  await desk.staging.commit([putMachine({ ...parent, machine: { ...parent.machine, forks } }), putMachine(record)]);
  return record;
}
