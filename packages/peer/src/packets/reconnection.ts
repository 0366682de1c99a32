// Keeps a peer on the line: connects, comes back with growing pauses, and says what happened (A2C-7).

import { backoffDelay, PeerCallError } from '@parley/protocol';
import { LinkError, type RelayRefused } from '../link/relay-connection.ts';
import type { ReportReason } from './blocks-and-removal.ts';
import { OpenLine } from './open-line.ts';
import type { Arrival, Undelivered } from './arriving-packets.ts';
import type { LocalPeer } from './local-peer.ts';
import { getValue } from './peer-records.ts';
import { openOrExplain } from './registration.ts';
import { sleep } from './waiting.ts';

export type LinkEvent =
  | { type: 'connected' }
  /** `retryMs`: null when the link does not come back by itself. */
  | { type: 'disconnected'; reason: string; retryMs: number | null }
  | { type: 'arrival'; arrival: Exclude<Arrival, Undelivered> }
  | { type: 'refused'; error: PeerCallError }
  /** The relay has been away for so long that negotiations stall. */
  | { type: 'relay_down'; since: number };

export interface LinkOptions {
  onEvent: (event: LinkEvent) => void;
  random?: () => number;
  /** Ends early when the signal is aborted. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Without a delivery for so long, the queue counts as empty. */
  quietMs?: number;
}

const backoff = { firstMs: 500, maxMs: 60_000 };
/** A relay that does not say when it has room again is asked after this time. */
const retryMs = 60_000;
/** Whatever a relay says, a packet is tried again within these times. */
const [leastRetryMs, mostRetryMs] = [1000, 3_600_000];
const upkeepMs = 60_000;
const downMs = 48 * 3_600_000;
/** After these the person has to decide. */
const isFinal = (error: PeerCallError): boolean => error.code !== 'relay_away';

export class PeerLink {
  readonly peer: LocalPeer;
  private readonly options: Required<LinkOptions>;
  private line: OpenLine | undefined;
  /** Said once each, however often they are tried, and once more when they fail for good. */
  private readonly refusedKeys = new Set<string>();
  private retries: { signal: AbortSignal; isPlanned: boolean } | undefined;
  private readonly waiting = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();

  constructor(peer: LocalPeer, options: LinkOptions) {
    this.peer = peer;
    this.options = { random: Math.random, sleep, quietMs: 500, ...options };
    peer.onDraft = () => this.sendSoon();
  }

  /** Until the signal is aborted, or another device takes over. */
  async run(signal: AbortSignal): Promise<void> {
    const { now } = this.peer.parts;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const since = now();
      const failure = await this.connectOnce(signal).then(
        (reason) => {
          // A line that breaks at once would break at once again.
          if (now() - since >= backoff.maxMs) attempt = 0;
          return new PeerCallError('relay_away', reason);
        },
        (error: Error) => error,
      );
      if (signal.aborted) return;
      const ends = !(failure instanceof PeerCallError) || isFinal(failure);
      const pauseMs = ends ? null : backoffDelay(attempt, this.options.random, backoff);
      this.options.onEvent({ type: 'disconnected', reason: failure.message, retryMs: pauseMs });
      if (pauseMs === null) throw failure;
      await this.noteDown();
      await this.options.sleep(pauseMs, signal);
    }
  }

  /** Resolves with the reason when the line is gone again. */
  private async connectOnce(signal: AbortSignal): Promise<string> {
    const line = await this.open();
    const leave = (): void => line.close();
    signal.addEventListener('abort', leave);
    if (signal.aborted) leave();
    const ending = new AbortController();
    this.retries = { signal: ending.signal, isPlanned: false };
    try {
      await this.peer.parts.store.commit([{ remove: 'setting', key: 'relay_down' }]);
      this.options.onEvent({ type: 'connected' });
      void this.keepUp(line, ending.signal).catch(() => line.close());
      const reason = await line.closed;
      if (line.isCopied)
        throw new PeerCallError('displaced', 'A copy of this folder took the line over. Use only one of the two: delete the other.');
      return reason;
    } finally {
      signal.removeEventListener('abort', leave);
      ending.abort();
      this.retries = undefined;
      this.line = undefined;
      for (const { reject } of this.waiting.values()) reject(away('The line to the relay is gone.'));
      this.waiting.clear();
      this.peer.mustHoldLine();
    }
  }

  private async open(): Promise<OpenLine> {
    const line = await OpenLine.open(this.peer, {
      onArrival: (arrival) => {
        this.options.onEvent(
          arrival.kind === 'undelivered' ? { type: 'refused', error: lostOnTheWay(arrival) } : { type: 'arrival', arrival },
        );
        // A summary may have put something into the outbox.
        if (this.line) this.sendSoon();
      },
      onSent: (key) => {
        this.refusedKeys.delete(key);
        this.settle(key)?.resolve();
      },
      onRefused: (key, error, isLast) => this.noteRefusal(key, error, isLast),
      onHeld: (key, { code, message, cause }) =>
        this.settle(key)?.reject(new PeerCallError(code, `An earlier packet waits, and this one behind it. ${message}`, { cause })),
    });
    return (this.line = line);
  }

  private noteRefusal(key: string, error: PeerCallError, isLast: boolean): void {
    if (isLast || !this.refusedKeys.has(key)) this.options.onEvent({ type: 'refused', error });
    this.refusedKeys.add(key);
    this.settle(key)?.reject(error);
    if (error.code !== 'queue_full') return;
    const { retryAfterMs = retryMs } = error.cause as RelayRefused;
    void this.retryLater(Math.min(Math.max(retryAfterMs, leastRetryMs), mostRetryMs));
  }

  /** Only while the link stays on the line; one retry sends for every recipient. */
  private async retryLater(ms: number): Promise<void> {
    const { retries } = this;
    if (!retries || retries.isPlanned) return;
    retries.isPlanned = true;
    await this.options.sleep(ms, retries.signal);
    retries.isPlanned = false;
    if (!retries.signal.aborted) this.sendSoon();
  }

  private settle(key: string): { resolve: () => void; reject: (error: Error) => void } | undefined {
    const waiting = this.waiting.get(key);
    this.waiting.delete(key);
    return waiting;
  }

  private async catchUp(line: OpenLine, isReconnected: boolean): Promise<void> {
    await line.send();
    await line.drained(this.options.quietMs);
    await this.peer.summarise(isReconnected);
    await line.send();
  }

  /** On a line that lasts for weeks, gaps are mentioned, old keys erased and key packages renewed all the same. */
  private async keepUp(line: OpenLine, signal: AbortSignal): Promise<void> {
    const { now } = this.peer.parts;
    await this.catchUp(line, true);
    for (let last = now(); !signal.aborted;) {
      await this.options.sleep(upkeepMs, signal);
      if (signal.aborted || Math.abs(now() - last) < upkeepMs) continue;
      last = now();
      await line.refresh(false);
      // Each attempt to send may use up a key package of somebody, so there is none without a reason.
      if (await this.peer.summarise(false)) await line.send();
    }
  }

  private sendSoon(): void {
    this.line?.send().catch(() => this.line?.close());
  }

  /** Resolves once the relay has stored the packet. Throws a `PeerCallError`; the packet then stays in the outbox, unless it is final. */
  async deliver(key: string): Promise<void> {
    const line = this.mustBeUp();
    const sent = new Promise<void>((resolve, reject) => this.waiting.set(key, { resolve, reject }));
    this.settleAfter(line.send(), key);
    await sent;
  }

  private settleAfter(sending: Promise<void>, key: string): void {
    const settle = async (): Promise<void> => {
      const waits = (await this.peer.parts.store.get('outbox', key)) !== undefined;
      const waiting = this.settle(key);
      // It may have gone out before anybody waited for it, or was sealed again meanwhile.
      if (waits) waiting?.reject(away('It was not sent yet.'));
      else waiting?.resolve();
    };
    sending.then(settle).catch((error: Error) => this.settle(key)?.reject(away(error.message)));
  }

  /** Resolves when what waited at the relay is here. */
  async drained(): Promise<void> {
    await this.mustBeUp().drained(this.options.quietMs);
  }

  /** Resolves when the relay knows what changed here. */
  async refresh(): Promise<void> {
    await this.mustBeUp().refresh(false);
  }

  /** Resolves when the relay has the signed report. */
  async report(address: string, reason: ReportReason): Promise<void> {
    const line = this.mustBeUp();
    await openOrExplain(this.peer.self.relay.url, () => line.report(address, reason));
  }

  private mustBeUp(): OpenLine {
    if (!this.line) throw away('The line to the relay is down.');
    return this.line;
  }

  /** Connects, sends and receives what waits, and leaves. `act` runs on the open line. */
  async exchange<T>(act: () => Promise<T>): Promise<T> {
    const line = await this.open();
    try {
      await line.drained(this.options.quietMs);
      const result = await act();
      // Summaries can wait for the next time; what was asked for is done.
      await this.catchUp(line, false).catch((error: Error) => {
        if (!(error instanceof LinkError)) throw error;
      });
      return result;
    } catch (error) {
      throw error instanceof LinkError ? away(error.message) : error;
    } finally {
      this.line = undefined;
      line.close();
      await line.closed;
    }
  }

  /** Notes since when the relay is away, over restarts, and says so once after 48 hours. */
  private async noteDown(): Promise<void> {
    const { store, now } = this.peer.parts;
    const known = await getValue(store, 'setting', 'relay_down');
    const down = known ?? { since: now(), isSaid: false };
    const isLong = now() - down.since >= downMs;
    if (isLong && !down.isSaid) this.options.onEvent({ type: 'relay_down', since: down.since });
    await store.commit([{ put: 'setting', key: 'relay_down', value: { ...down, isSaid: down.isSaid || isLong } }]);
  }
}

const lostOnTheWay = ({ to, message, isFinal }: Undelivered): PeerCallError =>
  new PeerCallError(
    'refused',
    `The packet to ${to} was not delivered: ${message} ${isFinal ? 'It is not tried again.' : 'It is sent again when they say what is missing.'}`,
  );

const away = (message: string): PeerCallError => new PeerCallError('relay_away', message);
