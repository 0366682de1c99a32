// One person's peer: an identity, the people it knows, and the packets it sent and received. Commands and the link share it.

import { badInput, PeerCallError } from '@parley/protocol';
import { readCard, writeCard, fingerprint, safetyNumber } from '../identity/cards-and-safety-numbers.ts';
import type { OpenSocket } from '../link/relay-connection.ts';
import { newSigningKey } from '../seal/sodium.ts';
import type { PeerStore, RecordChange } from '../store/port.ts';
import { fromBase64Url, type KeyHolder, PeerAddress, readNotice, toBase64Url } from '@parley/protocol/relay';
import { draftPacket, type PacketDraft, type PacketContent } from './drafts.ts';
import { mayReplacePackages } from './directory.ts';
import { type Arrival, forgetDevice, openFrame, type PacketArrival, acquainted, noteUndelivered } from './arriving-packets.ts';
import { stoppedLine } from './peer-outbox.ts';
import {
  getValue,
  newRemotePeer,
  type PacketRecord,
  type RemotePeer,
  putPeer,
  putSelf,
  type SelfRecord,
  valuesOf,
} from './peer-records.ts';
import { Staging } from './staging.ts';
import { draftSummary, peersToSummarise } from './summaries.ts';
import { takeTurns } from './waiting.ts';

export interface PeerParts {
  store: PeerStore;
  openSocket: OpenSocket;
  now: () => number;
}

export interface RemotePeerView {
  address: string;
  trust: RemotePeer['trust'];
  key: string | null;
  /** Why the line is stopped. */
  alarm: string | null;
  malformed: number;
  blocked: boolean;
  /** They wrote first, and the person has not dealt with them yet. */
  stranger: boolean;
}

export interface SafetyView extends RemotePeerView {
  /** For the key that the line would use: a changed one, where there is one. */
  safetyNumber: string;
  accepted: boolean;
}

/** What a person decides about a key: that its safety number is right, or to go on with the one before. */
export type KeyDecision = { accepts: string } | { keeps: true };

/** So that nobody makes this peer publish without end. */
const republishAfterMs = 3_600_000;
/** A disk that is full for a moment costs a try. */
const mostTries = 3;

const digits = (number: string): string => number.replaceAll(/\s/g, '');

export class LocalPeer {
  readonly parts: PeerParts;
  self: SelfRecord;
  /** The packet that failed last. */
  private failing = { key: '', tries: 0 };
  /** Adds to what is stored together with a new packet. */
  onPacket: ((staging: Staging, arrival: PacketArrival) => Promise<void>) | undefined;
  /** Something new is in the outbox, and nobody waits for it. */
  onDraft: (() => void) | undefined;
  /** One change of the store after the other, so that no two use a session at once. */
  readonly inTurn = takeTurns();

  constructor(parts: PeerParts, self: SelfRecord) {
    this.parts = parts;
    this.self = self;
  }

  static async open(parts: PeerParts): Promise<LocalPeer> {
    const self = await getValue(parts.store, 'identity', 'self');
    if (!self || self.address === null) throw new PeerCallError('no_identity', 'This folder holds no peer yet.');
    return new LocalPeer(parts, self);
  }

  get address(): string {
    return this.self.address!;
  }

  private get own(): KeyHolder {
    return { address: this.address, key: newSigningKey(fromBase64Url(this.self.seed)).public };
  }

  /** The contact card as one word. */
  card(relay = this.self.relay.url): string {
    const { address, key } = this.own;
    return writeCard({ address, key: toBase64Url(key), relay });
  }

  fingerprint(): string {
    return fingerprint(this.own);
  }

  async keepSelf(self: SelfRecord, changes: readonly RecordChange[] = []): Promise<void> {
    await this.parts.store.commit([putSelf(self), ...changes]);
    this.self = self;
  }

  /** A card pins its key; an address alone stays unverified. `introduced`: a hub that runs both peers vouches for the card. */
  add(word: string, by: 'pinned' | 'introduced' = 'pinned'): Promise<RemotePeerView> {
    return this.inTurn(async () => this.keepPeer(await this.acquaintance(word, by)));
  }

  /** What `add` stores; for a caller who is in the peer's turn and stores it with more. */
  async acquaintance(word: string, by: 'pinned' | 'introduced'): Promise<RemotePeer> {
    const isAddress = PeerAddress.safeParse(word.trim()).success;
    const { address, key } = isAddress ? { address: word.trim(), key: null } : readCard(word);
    if (address === this.address) throw badInput(`${address} is this peer itself.`);
    const known = await getValue(this.parts.store, 'peer', address);
    if (!known) return newRemotePeer(address, { key, epoch: null, trust: key === null ? 'unverified' : by });
    if (key === null) return acquainted(known);
    if (known.key !== null && known.key !== key) {
      const alarm = known.alarm ?? { kind: 'key_changed' as const, key, epoch: null, at: this.parts.now() };
      await this.keepPeer({ ...known, alarm });
      throw stoppedLine(address, 'key_changed');
    }
    const isKept = known.trust === 'verified' || known.trust === 'introduced';
    return { ...acquainted(known), key, trust: isKept ? known.trust : by };
  }

  private async keepPeer(peer: RemotePeer, changes: readonly RecordChange[] = []): Promise<RemotePeerView> {
    await this.parts.store.commit([putPeer(peer), ...changes]);
    return viewOf(peer);
  }

  async list(): Promise<RemotePeerView[]> {
    return (await valuesOf(this.parts.store, 'peer')).map(viewOf);
  }

  async peer(address: string): Promise<RemotePeer> {
    const peer = await getValue(this.parts.store, 'peer', address);
    if (!peer) throw new PeerCallError('unknown_peer', `${address} is not one of your peers. Add their contact card first.`);
    return peer;
  }

  /** Shows the number that both people compare. Accepting it pins the key and starts a stopped line again (A2C-4). */
  verify(address: string, decision?: KeyDecision): Promise<SafetyView> {
    return this.inTurn(async () => {
      const peer = await this.peer(address);
      const keeps = decision !== undefined && 'keeps' in decision;
      if (keeps && !peer.alarm) throw badInput(`The line to ${address} is not stopped: there is no other key to refuse.`);
      const key = keeps ? peer.key : (peer.alarm?.key ?? peer.key);
      if (key === null) throw badInput(`The key of ${address} is not known yet. Send something first, or add their contact card.`);
      const number = safetyNumber(this.own, { address, key: fromBase64Url(key) });
      if (!decision) return { ...viewOf(peer), safetyNumber: number, accepted: false };
      // A summary brings what came while the line was stopped.
      if (keeps) return { ...(await this.keepPeer({ ...peer, alarm: null, owesSummary: true })), safetyNumber: number, accepted: false };
      // The key may have changed since the person saw its number.
      if (digits(decision.accepts) !== digits(number))
        throw badInput(`That is not the safety number with ${address}. Nothing was accepted: show it again and compare.`);
      const { alarm } = peer;
      // An old epoch with a new key would refuse everything: what was seen with the key counts.
      const accepted: RemotePeer = {
        ...acquainted(peer),
        key,
        trust: 'verified',
        alarm: null,
        ...(alarm ? { epoch: alarm.epoch, directory: null, owesSummary: true, formerKeys: formerKeysOf(peer, key) } : {}),
      };
      const changes = alarm ? await forgetDevice(this.parts.store, accepted) : [];
      return { ...(await this.keepPeer(accepted, changes)), safetyNumber: number, accepted: true };
    });
  }

  /** Writes a packet into history and outbox. The link sends it. */
  write(address: string, content: PacketContent): Promise<PacketDraft> {
    return this.inTurn(async () => {
      this.mustHoldLine();
      const peer = await this.peer(address);
      if (peer.block?.isOn) throw new PeerCallError('blocked', `You blocked ${address}. Unblock them to write.`);
      if (peer.alarm) throw stoppedLine(address, peer.alarm.kind);
      if (peer.stranger) await this.keepPeer(acquainted(peer));
      return draftPacket(this.parts.store, this.self, peer, content, this.parts.now());
    });
  }

  mustHoldLine(): void {
    const { displacedBy } = this.self;
    if (displacedBy)
      throw new PeerCallError(
        'displaced',
        `Another device took ${this.address} over (epoch ${displacedBy.counter}). This one can only read until it takes over again.`,
      );
  }

  /** Received packets in the order they came. */
  inbox(): Promise<PacketRecord[]> {
    return valuesOf(this.parts.store, 'packet', ({ direction }) => direction === 'in');
  }

  /** Packets of this peer that failed for good, unless the person gave them up. */
  failures(): Promise<PacketRecord[]> {
    return valuesOf(this.parts.store, 'packet', ({ problem }) => problem !== undefined);
  }

  /** Stores what a delivery brought, and what answers it. */
  receive(frame: Uint8Array): Promise<Arrival> {
    return this.inTurn(async () => {
      const { store, now } = this.parts;
      const notice = readNotice(frame);
      if (notice) return noteUndelivered(store, notice);
      const staging = new Staging(store);
      const opened = await openFrame(staging, this.self, frame, now());
      const arrival = opened.kind === 'packet' ? await this.takePacket(staging, opened) : opened;
      if (staging.changes.length > 0) await store.commit(staging.changes);
      if (arrival.kind === 'dropped' && arrival.reason === 'unknown_package') await this.publishAnew();
      return arrival;
    });
  }

  /**
   * A packet that cannot be handled, whatever the reason, would close the line each time, and everything behind it would wait. After
   * some tries it stays in the history and changes nothing.
   */
  private async takePacket(staging: Staging, arrival: PacketArrival): Promise<Arrival> {
    const before = staging.changes.length;
    const { from, packet_id: id } = arrival.packet;
    try {
      await this.onPacket?.(staging, arrival);
      return arrival;
    } catch (error) {
      const key = `${from} ${id}`;
      this.failing = { key, tries: this.failing.key === key ? this.failing.tries + 1 : 1 };
      if (this.failing.tries < mostTries) throw error;
      staging.changes.splice(before);
      return { kind: 'dropped', reason: 'unhandled', peer: arrival.peer };
    }
  }

  /** The relay hands out packages that were used, as one does that was restored: a new entry replaces them all. */
  private async publishAnew(): Promise<void> {
    const { directory } = this.self;
    const { store, now } = this.parts;
    if (directory && now() - directory.publishedAt >= republishAfterMs && (await mayReplacePackages(store, now())))
      await this.keepSelf({ ...this.self, directory: { ...directory, publishedAt: 0 } });
  }

  /** Drafts a summary for each peer that should get one, and says whether there was any. */
  summarise(isReconnected: boolean): Promise<boolean> {
    return this.inTurn(async () => {
      const { store, now } = this.parts;
      const peers = await peersToSummarise(store, isReconnected, now());
      for (const peer of peers) await store.commit(await draftSummary(store, this.self, peer, now()));
      return peers.length > 0;
    });
  }
}

/** Once the person accepts `key`. */
const formerKeysOf = ({ key: before, formerKeys = [] }: RemotePeer, key: string): string[] =>
  [...formerKeys, ...(before === null ? [] : [before])].filter((one) => one !== key);

export const viewOf = (peer: RemotePeer): RemotePeerView => ({
  address: peer.address,
  trust: peer.trust,
  key: peer.key,
  alarm: peer.alarm?.kind ?? null,
  malformed: peer.malformed,
  blocked: peer.block?.isOn ?? false,
  stranger: Boolean(peer.stranger),
});
