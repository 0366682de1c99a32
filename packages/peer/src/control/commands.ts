// What the commands of a peer do, whether they run in the process that holds the line or beside it.

import type { CanonicalValue } from '@parley/protocol/relay';
import { type BackupSecret, writeBackup } from '../packets/backups.ts';
import { blockPerson } from '../negotiate/unanswered.ts';
import type { ReportReason } from '../packets/blocks.ts';
import type { Negotiations } from '../negotiate/negotiations.ts';
import { PeerError } from '../packets/errors.ts';
import { removePeer } from '../packets/removal.ts';
import type { PeerLink } from '../packets/reconnection.ts';
import type { KeyDecision, PeerView, SafetyView } from '../packets/peer.ts';
import type { PacketState } from '../packets/records.ts';
import { type NegotiationCommands, negotiationCommands } from './negotiation-commands.ts';
import { type SpaceCommands, spaceCommands } from './space-commands.ts';

export interface SendRequest {
  to: string;
  context: Record<string, CanonicalValue>;
  startsNew: boolean;
}

export interface SentView {
  packetId: string;
  threadId: string;
  to: string;
  number: number;
}

export interface ReceivedView {
  packetId: string;
  threadId: string;
  from: string;
  type: string;
  context: Record<string, unknown> | null;
  receivedAt: string;
  state: PacketState;
}

/** A packet of ours that failed for good. */
export interface FailedView {
  packetId: string;
  threadId: string;
  to: string;
  context: Record<string, unknown> | null;
  writtenAt: string;
  problem: string;
}

export interface InboxView {
  packets: ReceivedView[];
  /** The people whose line is stopped: packets of theirs are not read. */
  stopped: PeerView[];
  failed: FailedView[];
  /** Why nothing was fetched. */
  problem: string | null;
}

/** Each takes and returns values of JSON, so that a running peer answers over its socket. */
export interface PeerCommands extends NegotiationCommands, SpaceCommands {
  card(): Promise<{ address: string; card: string; fingerprint: string; relay: string }>;
  add(word: string): Promise<PeerView>;
  list(): Promise<PeerView[]>;
  verify(request: { address: string; decision?: KeyDecision }): Promise<SafetyView>;
  /** `problem`: why the relay does not know it yet. */
  block(request: { address: string; isOn: boolean }): Promise<PeerView & { problem: string | null }>;
  /** With everything that was learned of them. */
  remove(address: string): Promise<null>;
  report(request: { address: string; reason: ReportReason }): Promise<void>;
  /** Resolves once the relay has stored the packet. */
  send(request: SendRequest): Promise<SentView>;
  inbox(): Promise<InboxView>;
  /** The text of the file. */
  backup(secret: BackupSecret): Promise<string>;
}

const problemOf = (act: Promise<unknown>): Promise<string | null> =>
  act.then(
    () => null,
    (error: Error) => error.message,
  );

/** `onLine` runs an act while the line is open. */
export function commandsOf(link: PeerLink, onLine: <T>(act: () => Promise<T>) => Promise<T>, negotiations: Negotiations): PeerCommands {
  const { peer } = link;
  const reach = () => problemOf(onLine(() => link.drained()));
  return {
    card: async () => ({ address: peer.address, card: peer.card(), fingerprint: peer.fingerprint(), relay: peer.self.relay.url }),
    add: (word) => peer.add(word),
    list: () => peer.list(),
    verify: ({ address, decision }) => peer.verify(address, decision),
    block: async ({ address, isOn }) => {
      const view = await blockPerson(negotiations, address, isOn);
      return { ...view, problem: await problemOf(onLine(() => link.refresh())) };
    },
    remove: async (address) => {
      await removePeer(peer, address);
      return null;
    },
    report: async ({ address, reason }) => {
      await peer.peer(address);
      await onLine(() => link.report(address, reason));
    },
    send: async ({ to, context, startsNew }) => {
      const { key, packet } = await peer.write(to, { type: 'context', context, startsNew });
      await onLine(() => link.deliver(key)).catch((error: Error) => {
        if (!(error instanceof PeerError) || error.code !== 'relay_away') throw error;
        throw new PeerError('relay_away', `${error.message} The packet stays in the outbox and is sent later.`, { cause: error });
      });
      return { packetId: packet.packet_id, threadId: packet.thread_id, to, number: packet.sequence!.number };
    },
    inbox: async () => {
      // Packets that are here can be read also without a line.
      const problem = await problemOf(onLine(() => link.drained()));
      const packets = (await peer.inbox()).map(({ packet, at, state }): ReceivedView => ({
        packetId: packet.packet_id,
        threadId: packet.thread_id,
        from: packet.from,
        type: packet.type,
        context: packet.context ?? null,
        receivedAt: new Date(at).toISOString(),
        state,
      }));
      const failed = (await peer.failures()).map((failure): FailedView => ({
        packetId: failure.packet.packet_id,
        threadId: failure.packet.thread_id,
        to: failure.peer,
        context: failure.packet.context ?? null,
        writtenAt: new Date(failure.at).toISOString(),
        problem: failure.problem!,
      }));
      return { packets, stopped: (await peer.list()).filter(({ alarm }) => alarm !== null), failed, problem };
    },
    backup: (secret) => writeBackup(peer, secret),
    ...negotiationCommands(negotiations, reach),
    ...spaceCommands(negotiations.spaces, reach),
  };
}
