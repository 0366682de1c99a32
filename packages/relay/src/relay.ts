// A relay routes sealed frames between addresses. It knows who is connected, what waits, and nothing of what a frame holds.

import { randomBytes } from 'node:crypto';
import { addressParts, type DeviceEpoch, type FrameHeader, relayCloses, toBase64Url } from '@parley/protocol/relay';
import type { Logger } from 'pino';
import { BlockLists } from './block-lists.ts';
import { Federation, type FederationSettings } from './federation/federation.ts';
import { isLine, lineTo } from './federation/outgoing-line.ts';
import { Intake } from './intake.ts';
import { frameRetentionMs, heartbeatMs, mostBlocks, type RelayLimits, relayLimits, reportersThatCount, reportsKeptMs } from './limits.ts';
import { Rates } from './rates.ts';
import { type QueueBounds, queueBounds, QueueLimits } from './queue-limits.ts';
import { Refusal, type RefusalDetails } from './refusal.ts';
import type { RelayKey } from './signatures.ts';
import type { Account, NewFrame, QueuedFrame, RelayStore, SharedChange } from './store/port.ts';
import { Verifier } from './verification/verifier.ts';

export interface RelayOptions {
  name: string;
  key: RelayKey;
  store: RelayStore;
  /** Closes the store; the last thing a relay does. */
  release: () => Promise<void>;
  now?: () => number;
  log: Logger;
  bounds?: QueueBounds;
  limits?: RelayLimits;
  /** Undefined if the relay speaks with no other relay. */
  federation?: FederationSettings | undefined;
  isKept?: NameKeeper | undefined;
}

const ratesOf = (limits: RelayLimits, now: () => number) => ({
  frames: new Rates(limits.framesPerMinute, now),
  framesOfDay: new Rates(limits.framesPerDay, now, 24 * 3_600_000),
  // Another relay can invent senders: they take no room from this one's.
  foreignFrames: new Rates(limits.framesPerMinute, now),
  foreignFramesOfDay: new Rates(limits.framesPerDay, now, 24 * 3_600_000),
  lookups: new Rates(limits.lookupsPerMinute, now),
  requests: new Rates(limits.requestsPerMinute, now),
  connections: new Rates(limits.connectionsPerMinute, now),
  page: new Rates(limits.connectionsPerMinute, now),
});

/** The part of a connection that other connections use. */
export interface ConnectedClient {
  readonly address: string | undefined;
  readonly epoch: DeviceEpoch | undefined;
  offer(frame: QueuedFrame, before?: number): void;
  /** Looks for frames that it has had no word of. */
  recheck(): void;
  displace(epoch: DeviceEpoch): void;
  /** Closes it, because its account or key is gone. */
  dismiss(reason: string): void;
  beat(): void;
  end(): void;
  verified(): Promise<void>;
  close(code: number, reason: string): Promise<void>;
}

/** True if the name is kept for somebody who has another code. */
export type NameKeeper = (name: string, codeHash: string) => Promise<boolean>;

export class Relay {
  readonly name: string;
  readonly key: RelayKey;
  readonly store: RelayStore;
  readonly log: Logger;
  readonly now: () => number;
  private readonly isKept: NameKeeper | undefined;
  readonly rates: ReturnType<typeof ratesOf>;
  readonly counts = {
    connections: 0,
    stored: 0,
    delivered: 0,
    acknowledged: 0,
    refused: 0,
    blocked: 0,
    reports: 0,
    rejectedLogins: 0,
    forwarded: 0,
    undelivered: 0,
    lies: 0,
  };
  readonly intake: Intake;
  federation: Federation | undefined;
  readonly verifier = new Verifier();
  private readonly suffix: string;
  private readonly limits: QueueLimits;
  private readonly release: () => Promise<void>;
  private readonly online = new Map<string, ConnectedClient>();
  private readonly clients = new Set<ConnectedClient>();
  private readonly blocks: BlockLists;
  /** The registered key of every address, so that a frame needs no query before it is stored. */
  private readonly keys = new Map<string, string>();
  private offenders: string[] = [];
  /** Ends each subscription to frames that other processes store. */
  private readonly following = new Map<ConnectedClient, () => void>();
  /** Connections of an address that other processes have not heard of yet: no earlier one of theirs displaces them. */
  private readonly unannounced = new Map<string, number>();
  private readonly timers: NodeJS.Timeout[];
  draining = false;

  static async open(options: RelayOptions): Promise<Relay> {
    const { store, bounds = queueBounds } = options;
    const blocks = new BlockLists(await store.blocks());
    const relay = new Relay(options, blocks, new QueueLimits(bounds, await store.loads(), blocks));
    store.others?.watch((change) => relay.follow(change));
    await relay.readKeys();
    await relay.weighReports();
    if (options.federation) {
      relay.federation = await Federation.open(relay, options.federation);
      relay.federation.sweep();
    }
    return relay;
  }

  private constructor(options: RelayOptions, blocks: BlockLists, limits: QueueLimits) {
    const { name, key, store, log, now = Date.now } = options;
    this.name = name;
    this.suffix = `@${name}`;
    this.key = key;
    this.store = store;
    this.release = options.release;
    this.isKept = options.isKept;
    this.log = log;
    this.now = now;
    this.blocks = blocks;
    this.limits = limits;
    this.rates = ratesOf(options.limits ?? relayLimits, now);
    this.intake = new Intake({
      store,
      limits,
      onStored: (frame) => this.route(frame),
      onFailure: (error) => log.error({ err: error }, 'Frames could not be stored'),
    });
    this.timers = [setInterval(() => this.sweep(), heartbeatMs), setInterval(() => void this.forget(), 3_600_000)];
    for (const timer of this.timers) timer.unref();
  }

  /** True if the address has this relay's domain. */
  serves = (address: string): boolean => address.endsWith(this.suffix);

  /** The queue of a frame: its recipient's, or that of the line to their relay. */
  queueOf = (to: string): string => (this.serves(to) ? to : lineTo(addressParts(to).relay));

  /** The refusal of a frame to an address without an account here. */
  problemElsewhere(header: FrameHeader): Refusal | undefined {
    const { to, packet_id } = header;
    if (this.serves(to)) return new Refusal('unknown_address', `${to} is not registered here.`, { packet_id });
    return this.federation ? this.federation.problemOf(header) : this.isAlone(to, { packet_id });
  }

  isAlone = (address: string, details: RefusalDetails = {}): Refusal =>
    new Refusal(
      'not_federated',
      `${address} is at another relay, and ${this.name} exchanges packets with none. Ask its operator.`,
      details,
    );

  keyOf = (address: string): string | undefined => this.keys.get(address);

  /** The hub that carries this relay keeps the name for its own; one that is in use here already stays its holder's. */
  async keeps(address: string, codeHash: string): Promise<boolean> {
    const { name } = addressParts(address);
    if (!this.isKept || !(await this.isKept(name, codeHash))) return false;
    return !(await this.store.account(address)) && !(await this.store.holder(address));
  }

  async register(account: Account, codeHash: string): Promise<'registered' | 'taken' | 'invalid_code'> {
    if (await this.keeps(account.address, codeHash)) return 'taken';
    const result = await this.store.register(account, codeHash);
    if (result !== 'registered') return result;
    this.setKey(account.address, account.key);
    return result;
  }

  /** Another device took over. It says again whom it blocks, because it may never have heard of what the last one blocked. */
  async setEpoch(address: string, epoch: DeviceEpoch): Promise<void> {
    await this.store.setEpoch(address, epoch);
    this.blocks.clear(address);
  }

  isOnline = async (address: string): Promise<boolean> =>
    this.online.has(address) || ((await this.store.others?.isFollowed(address)) ?? false);

  /** Removes an account with everything that waits for it. Frames under way are settled first, so that the limits stay right. */
  async remove(address: string): Promise<void> {
    this.online.get(address)?.dismiss('The account was removed');
    await this.intake.drain();
    for (const load of await this.store.removeHolder(address)) this.limits.removeLoad(load);
    this.forgetAddress(address);
  }

  newNonce = (): string => toBase64Url(randomBytes(32));

  get connected(): number {
    return this.clients.size;
  }

  connect(client: ConnectedClient): void {
    this.clients.add(client);
    this.counts.connections += 1;
  }

  disconnect(client: ConnectedClient): void {
    this.clients.delete(client);
    if (client.address !== undefined && this.online.get(client.address) === client) this.online.delete(client.address);
    this.following.get(client)?.();
    this.following.delete(client);
    client.end();
  }

  /** The latest connection of an address is the one that counts (A2C-8). */
  admit(address: string, connection: ConnectedClient): void {
    const earlier = this.online.get(address);
    this.online.set(address, connection);
    if (earlier) earlier.displace(connection.epoch!);
    const { others } = this.store;
    if (others) {
      this.following.set(
        connection,
        others.follow(address, (frame, before) => connection.offer(frame, before)),
      );
      this.unannounced.set(address, (this.unannounced.get(address) ?? 0) + 1);
    }
    // A full disk is no reason to keep somebody out.
    this.store.noteConnect(address, this.now(), connection.epoch!).catch((error: unknown) => {
      this.announced(address);
      this.log.error({ err: error }, 'A login could not be noted');
    });
  }

  private announced(address: string): void {
    const left = (this.unannounced.get(address) ?? 1) - 1;
    if (left > 0) this.unannounced.set(address, left);
    else this.unannounced.delete(address);
  }

  /** Applies the changes of other processes over the same store. */
  private follow(change: SharedChange): void {
    if (change.kind === 'connected') return this.followConnect(change);
    if (change.kind === 'loads') return change.loads.forEach((load) => this.limits.addLoad(load));
    if (change.kind === 'registered') return this.setKey(change.address, change.key);
    if (change.kind === 'removed') return this.forgetAddress(change.address);
    if (change.kind === 'epoch') return this.blocks.clear(change.address);
    if (change.kind === 'blocked') return this.blocks.set(change.owner, change.address, change.blocked);
    const read = change.kind === 'reported' ? this.weighReports() : this.readAll();
    read.catch((error: unknown) => this.log.error({ err: error }, 'What other processes changed could not be read'));
  }

  /** The order of the store decides which of two connections is the later one. */
  private followConnect({ address, epoch, isOwn }: Extract<SharedChange, { kind: 'connected' }>): void {
    if (isOwn) return this.announced(address);
    const earlier = this.online.get(address);
    if (!earlier || this.unannounced.has(address)) return;
    this.online.delete(address);
    earlier.displace(epoch);
  }

  private setKey(address: string, key: string): void {
    // A device with the key before cannot take over again, so it gets no word of another device.
    this.online.get(address)?.dismiss('The key was replaced');
    this.online.delete(address);
    this.keys.set(address, key);
    this.blocks.clear(address);
  }

  private forgetAddress(address: string): void {
    this.online.get(address)?.dismiss('The account was removed');
    this.keys.delete(address);
    this.blocks.clear(address);
  }

  private async readKeys(): Promise<void> {
    const accounts = await this.store.accounts();
    this.keys.clear();
    for (const { address, key } of accounts) this.keys.set(address, key);
  }

  private async readAll(): Promise<void> {
    await this.readKeys();
    this.blocks.replace(await this.store.blocks());
    this.limits.replace(await this.store.loads());
    await this.weighReports();
    for (const client of this.clients) client.recheck();
  }

  offendersNow = (): readonly string[] => this.offenders;

  async setBlock(owner: string, address: string, blocked: boolean): Promise<void> {
    const known = this.blocks.of(owner);
    if (blocked && !known.has(address) && known.size >= mostBlocks)
      throw new Refusal('too_many_blocks', `You block ${mostBlocks} addresses already. Unblock one first.`);
    await this.store.setBlock(owner, address, blocked);
    this.blocks.set(owner, address, blocked);
  }

  async weighReports(): Promise<void> {
    this.offenders = await this.store.offenders(reportersThatCount, this.now() - reportsKeptMs);
  }

  /** Frames that wait, for all recipients. */
  get waitingFrames(): number {
    return this.limits.frames;
  }

  isBlocked = (owner: string, address: string): boolean => this.blocks.has(owner, address);

  dropBlocked(frame: QueuedFrame): void {
    this.counts.blocked += 1;
    this.intake.acknowledge([frame]);
  }

  private route(frame: QueuedFrame): void {
    this.counts.stored += 1;
    // Over several processes, the store brings each frame to the one that holds its recipient.
    if (!this.store.others) this.online.get(frame.to)?.offer(frame);
    if (this.federation && isLine(frame.to)) this.federation.offer(frame);
  }

  hasWaiting = (to: string): boolean => this.limits.has(to);

  waitingRecipients = (): Iterable<string> => this.limits.waiting();

  /** Sends a notice to one of this relay's users. It counts to no queue limit, because the frame before it had room. */
  async storeNotice(notice: NewFrame): Promise<void> {
    const [answer] = await this.store.accept([notice], [], () => undefined);
    if (!answer || !('stored' in answer)) return;
    this.limits.add(notice);
    this.route(answer.stored);
  }

  sweep(): void {
    for (const connection of this.clients) {
      connection.beat();
      // A server of NATS that failed may have passed on less than it stored.
      if (this.store.others) connection.recheck();
    }
    this.federation?.sweep();
  }

  /** Frames nobody fetched in 32 days, and ids that no replay could use any more. */
  async forget(): Promise<void> {
    try {
      const before = this.now() - frameRetentionMs;
      for (const load of await this.store.forget({ sentAt: before, storedAt: before })) this.limits.removeLoad(load);
      // Counts of several processes drift apart when one of them dies between a change and its notice.
      if (this.store.others) this.limits.replace(await this.store.loads());
      await this.weighReports();
    } catch (error) {
      this.log.error({ err: error }, 'Old frames could not be removed');
    }
  }

  /** Answers what has come, tells the clients, and closes. */
  async close(): Promise<void> {
    this.draining = true;
    for (const timer of this.timers) clearInterval(timer);
    this.federation?.close();
    const clients = [...this.clients];
    await this.settle(clients);
    const ended = clients.map((connection) => connection.close(relayCloses.draining, 'The relay is shutting down'));
    await Promise.all(ended);
    await this.settle(clients);
    this.verifier.close();
    await this.release();
  }

  /** Everything that has come is stored and answered. */
  private async settle(clients: readonly ConnectedClient[]): Promise<void> {
    await Promise.all(clients.map((connection) => connection.verified()));
    await this.intake.drain();
  }
}
