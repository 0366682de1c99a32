// The person's own peer, the people it knows, and plain packets.

import { type PeerCalls, type PeerPerson, PeerCallError } from '@parley/protocol';
import { askedDefaults } from '@parley/core/consent';
import { blockPerson } from '../negotiate/unanswered.ts';
import { writeBackup } from '../packets/backups.ts';
import type { RemotePeerView } from '../packets/local-peer.ts';
import { removePeer } from '../packets/blocks-and-removal.ts';
import { type CallAnswers, type CallContext, mustHave, type OpenPeer } from './context.ts';

export const peopleAnswers: CallAnswers<
  'me' | 'make' | 'people' | 'add' | 'verify' | 'block' | 'remove' | 'report' | 'send' | 'inbox' | 'backup'
> = {
  me: async (context) => viewMe(context, await context.find()),
  make: async (context) => viewMe(context, await context.make()),
  people: async (context) => {
    const open = await context.find();
    return open ? peopleOf(context, open) : [];
  },
  add: async (context, { card }) => {
    const open = await context.make();
    // A card with another key than the known one stops the line.
    return personOf(context, await open.peer.add(card).finally(() => open.reportAlarms?.()));
  },
  verify: async (context, { address, accepts, keeps }) => {
    const open = await mustHave(context);
    const decision = keeps ? { keeps } : accepts === undefined ? undefined : { accepts };
    const { safetyNumber, accepted, alarm } = await open.peer.verify(address, decision);
    if (decision) open.reportAlarms?.();
    return { address, safetyNumber, accepted, alarm };
  },
  block: async (context, { address, isOn }) => {
    const open = await mustHave(context);
    const view = await blockPerson(open.negotiations, address, isOn);
    // The relay learns it with the next connection, where there is none now.
    const line = await whyNot(open.onLine(() => open.link.refresh()));
    return { ...(await personOf(context, view)), line };
  },
  remove: async (context, { address }) => {
    await removePeer((await mustHave(context)).peer, address);
    return null;
  },
  report: async (context, { address, reason }) => {
    const { peer, link, onLine } = await mustHave(context);
    await peer.peer(address);
    await onLine(() => link.report(address, reason));
    return null;
  },
  send: async (context, { to, context: fields, startsNew }) => {
    const { peer, link, onLine } = await mustHave(context);
    const { key, packet } = await peer.write(to, { type: 'context', context: fields, startsNew });
    await onLine(() => link.deliver(key)).catch((error: Error) => {
      if (!(error instanceof PeerCallError) || error.code !== 'relay_away') throw error;
      throw new PeerCallError('relay_away', `${error.message} The packet stays in the outbox and is sent later.`, { cause: error });
    });
    return { packetId: packet.packet_id, threadId: packet.thread_id, to, number: packet.sequence!.number };
  },
  inbox: async (context) => {
    const open = await mustHave(context);
    // Packets that are here can be read also without a line.
    const line = await open.reach();
    const packets = (await open.peer.inbox()).map(({ packet, at, state }) => ({
      packetId: packet.packet_id,
      threadId: packet.thread_id,
      from: packet.from,
      type: packet.type,
      context: packet.context ?? null,
      receivedAt: new Date(at).toISOString(),
      state,
    }));
    const failed = (await open.peer.failures()).map(({ packet, peer: to, at, problem }) => ({
      packetId: packet.packet_id,
      threadId: packet.thread_id,
      to,
      context: packet.context ?? null,
      writtenAt: new Date(at).toISOString(),
      problem: problem!,
    }));
    return { packets, stopped: (await peopleOf(context, open)).filter(({ alarm }) => alarm !== null), failed, line };
  },
  backup: async (context, secret) => writeBackup((await mustHave(context)).peer, secret),
};

/** Null: it worked. */
export const whyNot = (act: Promise<unknown>): Promise<string | null> =>
  act.then(
    () => null,
    (error: Error) => error.message,
  );

async function viewMe({ noPeer = null, publicRelayUrl }: CallContext, open: OpenPeer | undefined): Promise<PeerCalls['me']['out']> {
  if (!open) return { address: null, card: null, fingerprint: null, relay: null, problem: noPeer, isSetUp: false };
  const { peer, negotiations, problem = null } = open;
  // People outside may reach the relay at another address than this process does.
  const relay = publicRelayUrl ?? peer.self.relay.url;
  const { chosen = [] } = await negotiations.profile();
  return {
    address: peer.address,
    card: peer.card(relay),
    fingerprint: peer.fingerprint(),
    relay,
    problem,
    isSetUp: askedDefaults.every((field) => chosen.includes(field)),
  };
}

const peopleOf = async (context: CallContext, { peer }: OpenPeer): Promise<PeerPerson[]> =>
  Promise.all((await peer.list()).map((one) => personOf(context, one)));

export async function personOf({ nameOf, memberOf, isSample }: CallContext, view: RemotePeerView): Promise<PeerPerson> {
  const { key: _, address, ...shown } = view;
  const memberId = (await memberOf?.(address)) ?? null;
  return { address, name: nameOf(address), memberId, ...shown, isSample: isSample?.(address) ?? false };
}
