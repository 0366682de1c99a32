// What a relay does with others (A2C-10): whom it speaks with, which key each is trusted with, and what its own users get to know.

import { createHash } from 'node:crypto';
import {
  addressParts,
  type FrameHeader,
  readFrameHeader,
  relayCloses,
  type RelayRefusal,
  relayRefusals,
  writeNotice,
} from '@parley/protocol/relay';
import type { Backoff } from '@parley/protocol';
import type { RelayConfig } from '../config.ts';
import { federationLimits } from '../limits.ts';
import { Rates } from '../rates.ts';
import { Refusal } from '../refusal.ts';
import type { Relay } from '../relay.ts';
import type { QueuedFrame, SignedEntry } from '../store/port.ts';
import { falsehoodIn, plainWords, RelayKeyChanged, RelayLies, RelayUnreachable } from './problems.ts';
import type { IncomingLine } from './incoming-line.ts';
import { type NetworkOptions, type NetworkReach, RelayNetwork } from './network.ts';
import { isLine, lineTo, OutgoingLine, relayOfLine } from './outgoing-line.ts';

export type FederationSettings = NonNullable<RelayConfig['federation']> & NetworkReach & NetworkOptions & { backoff?: Backoff };

const backoff: Backoff = { firstMs: 1000, maxMs: 60_000 };
const mostLines = 5000;
/** A document is read so often a minute for one name that others claim. */
const documentsPerMinute = 4;
const mostDocumentsAtOnce = 20;
const mostNamedKeys = 1000;
const mostNamedLiars = 1000;

export class Federation {
  readonly settings: FederationSettings;
  readonly network: RelayNetwork;
  readonly rates: { frames: Rates; framesOfDay: Rates; lookups: Rates };
  /** False frames and entries that were refused, by relay. */
  readonly lies = new Map<string, number>();
  /** Open lines of other relays. */
  readonly callers = new Map<string, Set<IncomingLine>>();
  private readonly relay: Relay;
  private readonly lines = new Map<string, OutgoingLine>();
  /** Relays that were met: frames for them may wait. */
  private readonly met: Set<string>;
  /** Keys that the log has named. */
  private readonly reported = new Set<string>();
  private readonly documents: Rates;
  private readonly namedKeys = new Map<string, string>();
  private documentsUnderWay = 0;

  static async open(relay: Relay, settings: FederationSettings): Promise<Federation> {
    return new Federation(
      relay,
      settings,
      (await relay.store.knownRelays()).map(({ name }) => name),
    );
  }

  private constructor(relay: Relay, settings: FederationSettings, met: readonly string[]) {
    this.relay = relay;
    this.settings = settings;
    this.network = new RelayNetwork(settings, settings);
    this.rates = {
      frames: new Rates(settings.framesPerMinute, relay.now),
      framesOfDay: new Rates(settings.framesPerDay, relay.now, 24 * 3_600_000),
      lookups: new Rates(federationLimits.lookupsPerMinute, relay.now),
    };
    this.documents = new Rates(documentsPerMinute, relay.now);
    this.met = new Set(met);
  }

  /** Throws a `Refusal` where the operator does not want this relay. */
  mustAllow(name: string): void {
    const { allowed, denied } = this.settings;
    if (denied.includes(name) || allowed?.includes(name) === false)
      throw new Refusal('not_federated', `The relay ${this.relay.name} does not exchange packets with ${name}. Ask its operator.`);
  }

  /** The refusal of a frame that cannot wait for its recipient's relay. */
  problemOf({ from, to, packet_id }: FrameHeader): Refusal | undefined {
    const { relay: name } = addressParts(to);
    try {
      this.mustAllow(name);
    } catch (error) {
      return new Refusal('not_federated', (error as Refusal).message, { packet_id });
    }
    if (this.met.has(name)) return undefined;
    // A frame to a new name costs as much as a lookup of it.
    if (this.relay.rates.lookups.take(from) === 0)
      this.lineOf(name)
        ?.open()
        .catch(() => {});
    return new Refusal('relay_unreachable', `The relay ${this.relay.name} has not reached ${name} yet. Try again in a minute.`, {
      packet_id,
    });
  }

  offer(frame: QueuedFrame): void {
    this.lineOf(relayOfLine(frame.to))?.offer(frame);
  }

  /** Called every 30 s, and at the start. */
  sweep(): void {
    for (const line of this.relay.waitingRecipients()) if (isLine(line)) this.lineOf(relayOfLine(line))?.wake();
    for (const [name, line] of this.lines) {
      if (line.isUnused) this.lines.delete(name);
      else line.sweep().catch((error: unknown) => this.relay.log.error({ err: error, relay: name }, 'A line to another relay failed'));
    }
  }

  close(): void {
    for (const line of this.lines.values()) line.close();
  }

  get openLines(): number {
    return [...this.lines.values()].filter(({ isOpen }) => isOpen).length;
  }

  private lineOf(name: string): OutgoingLine | undefined {
    let line = this.lines.get(name);
    if (!line && this.lines.size < mostLines)
      this.lines.set(name, (line = new OutgoingLine(this, this.relay, name, this.settings.backoff ?? backoff)));
    return line;
  }

  /** Asks the relay of somebody for their directory entry. Throws a `Refusal`. */
  async lookup(address: string, take: boolean): Promise<SignedEntry & { package: string | null; last_resort: boolean }> {
    const { relay: name } = addressParts(address);
    this.mustAllow(name);
    try {
      const line = this.lineOf(name);
      if (!line) throw new RelayUnreachable(name, 'too many lines are open');
      const answer = await (await line.open()).lookup(address, take);
      if (answer.type === 'refused') throw passedOn(name, answer);
      const { statement, signature, package: one, last_resort } = answer;
      const falsehood = falsehoodIn({ statement, signature }, address);
      if (falsehood !== undefined) throw new RelayLies(name, falsehood);
      return { statement, signature, package: one, last_resort };
    } catch (error) {
      if (error instanceof RelayLies) {
        this.noteLie(name, error.message);
        throw new Refusal('relay_lies', error.message);
      }
      if (error instanceof RelayUnreachable || error instanceof RelayKeyChanged) throw new Refusal('relay_unreachable', error.message);
      throw error;
    }
  }

  /** The key that a relay has proved to hold, and the one that its domain names. Throws where it is not the trusted one. */
  async trust(name: string, shown: string, named: string): Promise<void> {
    if (shown !== named) throw new RelayLies(name, 'its line has another key than its document');
    const { store, now } = this.relay;
    const known = await store.knownRelay(name);
    const current = known?.key === shown && known.changedKey === null ? known : await store.meetRelay(name, shown, now());
    this.met.add(name);
    if (current.key === shown) return;
    this.report(name, current.key, shown);
    this.endLines(name, new RelayKeyChanged(name).message);
    throw new RelayKeyChanged(name);
  }

  /** For a relay that opened a line to this one and proved this key: its domain is asked only where the key is not known, or has changed. */
  async trustCaller(name: string, shown: string): Promise<void> {
    const known = await this.relay.store.knownRelay(name);
    if (known?.key === shown && known.changedKey === null) return;
    await this.trust(name, shown, await this.namedKey(name));
  }

  /** The key in a domain's document. Beyond its rate, the one read last counts: others who claim the name keep nobody out. */
  private async namedKey(name: string): Promise<string> {
    const wait = this.documents.take(name);
    const last = this.namedKeys.get(name);
    if (wait > 0 && last !== undefined) return last;
    if (wait > 0 || this.documentsUnderWay >= mostDocumentsAtOnce)
      throw new Refusal('rate_limited', `The document of ${name} was read too often.`, { retry_after_ms: wait });
    this.documentsUnderWay += 1;
    try {
      const { key } = await this.network.documentOf(name);
      if (this.namedKeys.size >= mostNamedKeys) this.namedKeys.clear();
      this.namedKeys.set(name, key);
      return key;
    } finally {
      this.documentsUnderWay -= 1;
    }
  }

  /** Closes lines that were opened with the earlier key: somebody else may hold it. */
  private endLines(name: string, why: string): void {
    for (const line of this.callers.get(name) ?? []) line.cutOff(relayCloses.unauthenticated, why);
    this.lines.get(name)?.hangUp(why);
  }

  private report(name: string, trusted: string, shown: string): void {
    if (this.reported.has(`${name} ${shown}`)) return;
    this.reported.add(`${name} ${shown}`);
    this.relay.log.error(
      { relay: name, trusted, shown },
      `The relay ${name} shows another key than before, so its line is stopped. Compare the key with its operator, then: npx parley relay accept ${name} ${shown}`,
    );
  }

  /** Refused, and named. */
  noteLie(name: string, what: string): void {
    this.relay.counts.lies += 1;
    if (this.lies.has(name) || this.lies.size < mostNamedLiars) this.lies.set(name, (this.lies.get(name) ?? 0) + 1);
    this.relay.log.warn({ relay: name, what }, 'Another relay said something false, which was refused');
  }

  /** Somebody who did not prove to be this relay: it is not named for their words. */
  noteClaim(name: string, what: string): void {
    this.relay.log.warn({ claimed: name, what }, 'A login under the name of another relay was refused as false');
  }

  noteFailure(name: string, error: Error): void {
    if (error instanceof RelayLies) this.noteLie(name, error.message);
    else if (!(error instanceof RelayKeyChanged))
      this.relay.log.info({ relay: name, reason: error.message }, 'A line to another relay failed');
  }

  /** Takes a frame out of its line and notifies its sender. The notice is stored first; a repeat has the same id. */
  async giveUp(frame: QueuedFrame, code: string, message: string): Promise<void> {
    const { relay } = this;
    try {
      if (relay.keyOf(frame.from) !== undefined) {
        const { to, packet_id } = readFrameHeader(frame.bytes);
        const id = createHash('sha256').update(`${frame.from} ${packet_id}`).digest('hex').slice(0, 40);
        const now = relay.now();
        const bytes = writeNotice({ v: 1, packet_id, to, code, message });
        const notice = {
          from: lineTo(relay.name),
          to: frame.from,
          tag: frame.tag,
          packetId: `pkt_${id}`,
          sentAt: now,
          storedAt: now,
          bytes,
        };
        await relay.storeNotice(notice);
      }
      relay.counts.undelivered += 1;
      relay.intake.acknowledge([frame]);
    } catch (error) {
      // The frame stays in the line, and the other relay refuses it again.
      relay.log.error({ err: error }, 'A notice could not be stored');
    }
  }
}

const passedOnCodes: readonly RelayRefusal[] = ['unknown_address', 'not_published', 'rate_limited'];

/** Another relay's refusal of a lookup, as this one's own. */
function passedOn(name: string, { code, message, retry_after_ms }: { code: string; message: string; retry_after_ms?: number | undefined }) {
  const known = passedOnCodes.find((one) => one === code && one in relayRefusals) ?? 'relay_unreachable';
  return new Refusal(known, `The relay ${name} refused: ${plainWords(message)}`, retry_after_ms === undefined ? {} : { retry_after_ms });
}
