// Opens negotiations in the person's own words: with one other person, or as the coordinator of a group.

import { groupProblem, openGroup } from '@parley/core/group';
import { openNegotiation, type Participant } from '@parley/core/negotiation';
import { type Need, toBase64Url } from '@parley/protocol/relay';
import { badInput, PeerCallError } from '@parley/protocol';
import { stoppedLine } from '../packets/peer-outbox.ts';
import { getRecord, identityOf, negotiationKey, newId, newNegotiation, type RemotePeer, putPeer } from '../packets/peer-records.ts';
import type { Negotiations } from './negotiations.ts';
import { type MachineRecord, newMachine, putMachine } from './negotiation-records.ts';

export interface OpeningOptions {
  /** Chosen by a caller who may repeat the call. */
  threadId?: string | undefined;
  /** Where the outcome is posted once both people have confirmed that: in words for both. */
  audience?: string | undefined;
  /** The other's contact card, where a hub that runs both peers vouches for it. */
  introduction?: string | undefined;
}

export interface GroupOptions extends Omit<OpeningOptions, 'introduction'> {
  /** So many confirmations are enough, this person's too; all of them where it is absent. */
  quorum?: number | undefined;
  /** Who confirms in which order. */
  order?: readonly string[] | undefined;
  /** How long members have for an answer before a quorum goes on without them. */
  patienceMs?: number | undefined;
  /** Contact cards of members for whom a hub vouches. */
  introductions?: readonly string[] | undefined;
}

/** A line with each member, under one ID. A thread ID that is known opens nothing: it was opened before. */
export async function openGroupWith(
  engine: Negotiations,
  addresses: readonly string[],
  words: string,
  { threadId = newId('thr'), audience, introductions = [], ...terms }: GroupOptions,
): Promise<MachineRecord> {
  const { peer } = engine;
  const key = await peer.inTurn(async () => {
    peer.mustHoldLine();
    const known = await engine.index.find(threadId);
    if (known) return negotiationKey(known.machine.peer, threadId);
    const { event, stated, intent } = await engine.readRequest(words, audience);
    if (event === undefined)
      throw badInput(`A group arranges a meeting, and "${words}" names none. Write for example "Game night on Friday".`);
    const introduced = await Promise.all(introductions.map((card) => peer.acquaintance(card, 'introduced')));
    const peers = await Promise.all(
      addresses.map(async (address) => introduced.find((one) => one.address === address) ?? peer.peer(address)),
    );
    for (const { address, alarm } of peers) if (alarm) throw stoppedLine(address, alarm.kind);
    const participants = [{ agent: peer.address, key: toBase64Url(identityOf(peer.self).key.public) }, ...peers.map(keyedParticipant)];
    const opening = { threadId, own: peer.address, participants, ...terms };
    const problem = groupProblem(opening);
    if (problem !== undefined) throw badInput(problem);
    const { group, lines } = openGroup(opening, engine.now);
    const lead = Object.keys(lines)[0]!;
    const records = Object.entries(lines).map(([address, machine]): MachineRecord => ({
      ...newMachine(machine),
      intent,
      stated,
      lead,
      ...(address === lead ? { group } : {}),
      isEvaluationDue: true,
    }));
    await peer.parts.store.commit([
      ...introduced.map(putPeer),
      ...Object.keys(lines).map((address) => ({
        put: 'negotiation' as const,
        key: negotiationKey(address, threadId),
        value: newNegotiation(address, threadId, engine.now),
        ifVersion: 0,
      })),
      ...records.map(putMachine),
    ]);
    for (const one of records) await engine.begin(one);
    return negotiationKey(lead, threadId);
  });
  return engine.settled(key);
}

/** A thread ID that is known opens nothing: it was opened before. */
export async function openWith(
  engine: Negotiations,
  address: string,
  words: string,
  wanted: readonly Need[],
  { threadId = newId('thr'), audience, introduction }: OpeningOptions,
): Promise<MachineRecord> {
  const { peer } = engine;
  const key = negotiationKey(address, threadId);
  await peer.inTurn(async () => {
    peer.mustHoldLine();
    if (await getRecord(peer.parts.store, 'machine', key)) return;
    const introduced = introduction === undefined ? undefined : await peer.acquaintance(introduction, 'introduced');
    const { alarm } = introduced ?? (await peer.peer(address));
    if (alarm) throw stoppedLine(address, alarm.kind);
    const { stated, intent } = await engine.readRequest(words, audience, wanted);
    const opening = { threadId, own: peer.address, peer: address, role: 'initiator' } as const;
    const record = { ...newMachine(openNegotiation(opening, engine.now)), intent, stated, wanted: [...wanted], isEvaluationDue: true };
    await peer.parts.store.commit([
      ...(introduced ? [putPeer(introduced)] : []),
      { put: 'negotiation', key, value: newNegotiation(address, threadId, engine.now), ifVersion: 0 },
      putMachine(record),
    ]);
    await engine.begin(record);
  });
  return engine.settled(key);
}

/** The others check confirmations with this key. */
function keyedParticipant({ address, key }: RemotePeer): Participant {
  if (key === null) throw new PeerCallError('unknown_peer', `The key of ${address} is not known yet. Add their contact card first.`);
  return { agent: address, key };
}
