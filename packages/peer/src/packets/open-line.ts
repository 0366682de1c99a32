// A peer's connection while it lasts: takes deliveries, publishes the directory entry, sends the outbox.

import type { DeviceEpoch } from '@parley/protocol/relay';
import { PeerCallError, type PeerCallErrorCode } from '@parley/protocol';
import { lineGone, RelayConnection, RelayRefused } from '../link/relay-connection.ts';
import { publishBlocks, reportPeer, type ReportReason } from './blocks-and-removal.ts';
import { noteDisplacement, raiseEpoch } from './devices.ts';
import { isEntryFresh, publishEntry } from './directory.ts';
import { eraseOldKeys } from './sessions.ts';
import type { Arrival } from './arriving-packets.ts';
import { type OutboxEvents, sendOutbox } from './peer-outbox.ts';
import type { LocalPeer } from './local-peer.ts';
import { identityOf, type SelfRecord } from './peer-records.ts';
import { explained, openOrExplain } from './registration.ts';

export interface OpenLineEvents extends OutboxEvents {
  onArrival?: (arrival: Arrival) => void;
}

const mostRounds = 20;
const republishAfterMs = 3_600_000;

/** Filled from the first message on, before there is a line. */
interface OpenLineStatus {
  arrivals: number;
  isCopied: boolean;
}

export class OpenLine {
  readonly closed: Promise<string>;
  readonly peer: LocalPeer;
  readonly events: OpenLineEvents;
  readonly connection: RelayConnection;
  private sending: Promise<void> | undefined;
  private hasMore = false;
  private publishedAt = 0;
  private readonly status: OpenLineStatus;

  /** Throws a `PeerCallError`: the relay is away, refuses, or another device took over. */
  static async open(peer: LocalPeer, events: OpenLineEvents = {}): Promise<OpenLine> {
    peer.mustHoldLine();
    const status: OpenLineStatus = { arrivals: 0, isCopied: false };
    const take = async (frame: Uint8Array): Promise<void> => {
      const arrival = await peer.receive(frame);
      events.onArrival?.(arrival);
      status.arrivals += 1;
    };
    const connection = await logIn(peer, take, (epoch) => {
      status.isCopied = epoch.device === peer.self.epoch.device;
      void noteDisplacement(peer, epoch);
    });
    const line = new OpenLine(peer, connection, events, status);
    try {
      await peer.inTurn(async () => {
        if (peer.self.takeover) await peer.keepSelf({ ...peer.self, takeover: null });
      });
      await line.refresh(true);
    } catch (error) {
      connection.close();
      throw explained(peer.self.relay.url, error);
    }
    return line;
  }

  report(address: string, reason: ReportReason): Promise<void> {
    return reportPeer(this.peer, this.connection, address, reason);
  }

  /** Erases old keys, and publishes blocks and the directory entry where it is due. `isFirst`: also to learn what the relay has sent. */
  async refresh(isFirst: boolean): Promise<void> {
    const { peer, connection } = this;
    const { store, now } = peer.parts;
    await peer.inTurn(async () => {
      await eraseOldKeys(store, now());
      // Others may have taken packages since, which only an answer of the relay shows.
      const isLongAgo = Math.abs(now() - this.publishedAt) >= republishAfterMs;
      if (!isFirst && !isLongAgo && isEntryFresh(peer.self, now())) return;
      peer.self = await publishEntry(store, connection, peer.self, now());
      this.publishedAt = now();
    });
    await publishBlocks(peer, connection);
  }

  private constructor(peer: LocalPeer, connection: RelayConnection, events: OpenLineEvents, status: OpenLineStatus) {
    this.status = status;
    this.peer = peer;
    this.connection = connection;
    this.events = events;
    this.closed = connection.closed;
  }

  /** Another process connected as this very device, so the folder was copied. */
  get isCopied(): boolean {
    return this.status.isCopied;
  }

  close(): void {
    this.connection.close();
  }

  /**
   * Resolves when everything that waited at the relay is on disk: a moment passes without another delivery. Somebody who sends
   * without a pause makes nobody wait for ever. Throws a `LinkError`.
   */
  async drained(quietMs: number): Promise<void> {
    for (let [before, rounds] = [-1, 0]; before !== this.status.arrivals && rounds < mostRounds; rounds += 1) {
      before = this.status.arrivals;
      await this.connection.settled();
      const reason = await Promise.race([new Promise<void>((resolve) => setTimeout(resolve, quietMs)), this.closed]);
      if (reason !== undefined) throw lineGone(reason);
    }
  }

  /** Sends what waits; one run at a time, and once more for what came meanwhile. Throws a `LinkError`. */
  send(): Promise<void> {
    this.hasMore = true;
    return (this.sending ??= this.sendAll());
  }

  private async sendAll(): Promise<void> {
    try {
      while (this.hasMore) {
        this.hasMore = false;
        await sendOutbox(this);
      }
    } finally {
      this.sending = undefined;
    }
  }
}

/** Why the relay no longer knows the account by this key. */
const accountLosses: { readonly [C in RelayRefused['code']]?: { code: PeerCallErrorCode; words: string } } = {
  key_changed: {
    code: 'key_replaced',
    words:
      'is registered with another key now, so this device can only read. Go on with the device that has that key. If it is not yours, make a ticket on the page of the relay and register a new key.',
  },
  unknown_address: {
    code: 'unregistered',
    words: 'is not registered at the relay any more. Register it again with an invitation; key, peers and history stay.',
  },
};

/** Frames went out that this folder knows nothing of: it was put back from a copy, or somebody uses another copy. */
const isOldCopy = ({ sealedAt = 0 }: SelfRecord, { ready }: RelayConnection): boolean => (ready.last_sent_at ?? 0) > sealedAt;

async function logIn(
  peer: LocalPeer,
  onFrame: (frame: Uint8Array) => Promise<void>,
  onDisplaced: (epoch: DeviceEpoch) => void,
): Promise<RelayConnection> {
  const { self, parts } = peer;
  const attempt = (): Promise<RelayConnection> =>
    RelayConnection.open({
      url: self.relay.url,
      openSocket: parts.openSocket,
      own: identityOf(peer.self),
      relay: { name: self.relay.name, key: self.relay.key },
      onDelivery: ({ frame }) => onFrame(frame),
      onDisplaced,
    });
  try {
    const connection = await attempt();
    if (!isOldCopy(peer.self, connection)) return connection;
    // A copy has sessions whose keys were used since. As a device of its own it begins without any.
    connection.close();
    await connection.closed;
    await raiseEpoch(peer, 0, 'restored');
    return await attempt();
  } catch (error) {
    const known = error instanceof RelayRefused ? error.epoch : undefined;
    const loss = error instanceof RelayRefused ? accountLosses[error.code] : undefined;
    if (loss) throw new PeerCallError(loss.code, `${peer.address} ${loss.words}`, { cause: error });
    if (!known || !(error instanceof RelayRefused)) throw explained(self.relay.url, error);
    // Both take over on purpose. The backup, or what this device knows, is older than the last device.
    if (self.takeover === 'decided' || (self.takeover === 'restored' && error.code === 'old_epoch')) {
      await raiseEpoch(peer, known.counter);
      return openOrExplain(self.relay.url, attempt);
    }
    await noteDisplacement(peer, known);
    if (error.code === 'epoch_fork')
      throw new PeerCallError(
        'epoch_fork',
        `Another device uses ${peer.address} with the same epoch (${known.counter}), so one backup was restored twice. Decide which one goes on, and take over there.`,
      );
    peer.mustHoldLine();
    throw error;
  }
}
