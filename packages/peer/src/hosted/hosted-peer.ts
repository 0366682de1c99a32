// One open peer of the registry: its folder, its line, its negotiations, and its reports to the hub.

import { backoffDelay, type HubModels, type HubSharing, type NegotiationStatus, PeerCallError } from '@parley/protocol';
import type { NameOf } from '../actions/agreed-texts.ts';
import type { CalendarReader, OpenPeer } from '../calls/context.ts';
import { alarmPrompts, matterOf, postAction, reportDelay, type ReportedMatter, statusOf } from '../calls/statuses.ts';
import { openNodeSocket } from '../link/node-socket.ts';
import { type NegotiationParts, Negotiations } from '../negotiate/negotiations.ts';
import type { MachineRecord } from '../negotiate/negotiation-records.ts';
import { rulesBrain } from '../negotiate/rules-brain.ts';
import { keepResuming } from '../negotiate/background-work.ts';
import { LocalPeer, type PeerParts } from '../packets/local-peer.ts';
import { negotiationKey, valuesOf } from '../packets/peer-records.ts';
import { PeerLink } from '../packets/reconnection.ts';
import { registerPeer } from '../packets/registration.ts';
import { sleep } from '../packets/waiting.ts';
import { openLockedFolder } from '../store/sqlite/peer-folder.ts';
import type { PeerStore } from '../store/port.ts';
import type { HubCalls } from './calls.ts';
import type { CalendarThread } from './calendar-thread.ts';
import { CalendarViews, linkedText, storedCalendar } from './hosted-calendars.ts';
import { faultOf } from './errors.ts';
import { fetchThrough } from './hub-fetch.ts';
import { hubModelBrain } from './hub-model-brain.ts';
import { Reporter } from './reports.ts';
import { ifUnknown, SpaceReports } from './space-reports.ts';

export interface HostedPeerOptions {
  folder: string;
  /** Null: it stays off the line, and does nothing by itself. */
  relayUrl: string | null;
  /** The hub vouches for the key of its own relay; null: the peer keeps to the one it knows. */
  relayKey: string | null;
  hub: HubCalls;
  /** What it may think with; null: rules alone. */
  models: HubModels | null;
  calendars: CalendarThread;
  now: () => number;
  random: () => number;
  /** Null: a sample, about which the hub gets no report. */
  memberId: string | null;
  /** How calendars call other people. */
  nameOf: NameOf;
  /** After a change of a negotiation. */
  onChange?: (hosted: HostedPeer, threadId: string) => void;
}

/** What a member's peer can do with the hub's own means. */
const hostOf = (hub: HubCalls, memberId: string): Pick<NegotiationParts, 'callTool' | 'channels'> => ({
  callTool: (tool, argument) => hub.callTool(memberId, tool, argument),
  channels: { post: (post) => hub.post(memberId, post), takeBack: (key) => hub.takeBackPost(memberId, key) },
});

const lastActionMs = 3000;
const backoff = { firstMs: 500, maxMs: 60_000 };
const machineZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Opened and locked; `make` registers what is not registered yet. */
export class HostedPeer implements OpenPeer {
  readonly peer: LocalPeer;
  readonly link: PeerLink;
  readonly negotiations: Negotiations;
  readonly options: HostedPeerOptions;
  readonly calendars: CalendarReader;
  /** Why it is not on the line; null: it is, or connects for the first time. */
  problem: string | null = null;
  #isForgotten = false;
  readonly #views: CalendarViews;
  readonly #reports: Reporter;
  readonly #spaceReports: SpaceReports;
  /** By line, as it was when it last changed. */
  readonly #matters = new Map<string, ReportedMatter>();
  readonly #ending = new AbortController();
  readonly #running: Promise<unknown>;

  private constructor(peer: LocalPeer, options: HostedPeerOptions) {
    this.peer = peer;
    this.options = options;
    const { hub, random, memberId, models } = options;
    const thinking = hubModelBrain(models, hub, memberId);
    const { calendars, now } = options;
    // Through the hub, which decides what a member may let it call.
    const fetch = fetchThrough((request) => hub.fetch(request));
    this.calendars = {
      fetchText: (link) => linkedText(this.store, link, fetch),
      readText: (ics, span) => calendars.readText(ics, span),
      readServer: (server, span) => calendars.readServer(server, span),
      findCalendar: (server) => calendars.findCalendar(server),
    };
    this.#views = new CalendarViews(this.calendars, now);
    this.#reports = new Reporter(this.#ending.signal, random);
    this.#spaceReports = new SpaceReports(this.#reports, () => this.negotiations.spaces, memberId, hub);
    this.negotiations = new Negotiations(peer, {
      calendar: storedCalendar(peer.parts.store, fetch, calendars),
      fetch,
      nameOf: options.nameOf,
      brain: rulesBrain,
      ...(thinking ? { modelBrain: thinking } : {}),
      // The report of the end carries the outcome, and the hub posts it: nothing is to do before, or to undo.
      ...(memberId === null ? {} : hostOf(hub, memberId)),
      actions: { [postAction]: { run: async () => {}, undo: async () => {} } },
      random,
      zone: machineZone(),
      onChange: (record) => this.#changed(record),
      onSpaceChange: (record) => this.#spaceReports.changed(record),
      onFailure: (error) => this.#log(error),
    });
    this.link = new PeerLink(peer, {
      onEvent: (event) => {
        if (event.type === 'connected') this.problem = null;
        if (event.type === 'disconnected') this.problem = event.reason;
        const isUnusual = event.type === 'refused' || (event.type === 'arrival' && event.arrival.kind !== 'packet');
        if (isUnusual) this.reportAlarms();
      },
      random,
    });
    this.#running = options.relayUrl === null ? Promise.resolve() : Promise.all([this.#stayOnLine(), this.#keepClocks()]);
  }

  /** Undefined while another process has the folder, or where it holds no registered peer. */
  static open(options: HostedPeerOptions): Promise<HostedPeer | undefined> {
    return HostedPeer.#in(options, async (parts) => {
      try {
        return await LocalPeer.open(parts);
      } catch (error) {
        if (error instanceof PeerCallError && error.code === 'no_identity') return undefined;
        throw error;
      }
    });
  }

  /** Registers `name`, or the one of an attempt that was cut off, with a number behind it where somebody else has it. */
  static async make(options: HostedPeerOptions & { relayUrl: string }, name: string): Promise<HostedPeer> {
    const made = await HostedPeer.#in(options, (parts) => registerFree(parts, name, options));
    if (!made) throw new PeerCallError('occupied', 'Another process uses the folder of this peer. Stop it, and try again.');
    return made;
  }

  /** The folder's lock is the lease: one process serves a person's peer. */
  static async #in(
    options: HostedPeerOptions,
    openPeer: (parts: PeerParts) => Promise<LocalPeer | undefined>,
  ): Promise<HostedPeer | undefined> {
    const { folder, relayUrl, relayKey, now } = options;
    const store = await openLockedFolder(folder);
    if (!store) return undefined;
    let peer: LocalPeer | undefined;
    try {
      peer = await openPeer({ store, openSocket: openNodeSocket, now });
      if (!peer) return undefined;
      // The hub may listen on another port than before, and after a restore its relay has another key.
      const { self } = peer;
      const relay = { ...self.relay, url: relayUrl ?? self.relay.url, key: relayKey ?? self.relay.key };
      if (relay.url !== self.relay.url || relay.key !== self.relay.key) await peer.keepSelf({ ...self, relay });
      return new HostedPeer(peer, options);
    } catch (error) {
      peer = undefined;
      throw error;
    } finally {
      if (!peer) await store.close();
    }
  }

  get store(): PeerStore {
    return this.peer.parts.store;
  }

  // It stays on the line by itself.
  onLine = <T>(act: () => Promise<T>): Promise<T> => act();
  reach = async (): Promise<string | null> => this.problem;
  calendarViews: OpenPeer['calendarViews'] = (profile) => this.#views.of(profile);
  calendarsChanged = (): void => this.#views.forget();

  /** All there is to report, as after a restart. */
  async reportAll(): Promise<void> {
    const { hub } = this.options;
    this.#report(
      'made',
      async () => ({ address: this.peer.address }),
      (id, { address }) => hub.made(id, address),
    );
    for (const { machine } of await valuesOf(this.store, 'machine')) this.#reportNegotiation(machine.threadId);
    for (const record of await this.negotiations.spaces.list()) this.#spaceReports.restored(record);
    this.reportAlarms();
  }

  /** Resolves when the hub has stored what was due. */
  reported(): Promise<void> {
    return this.#reports.settled();
  }

  /** Nothing is reported about a sample. */
  #report<T extends object>(
    name: string,
    read: () => Promise<T | undefined>,
    send: (memberId: string, value: T) => Promise<void>,
    afterMs = 0,
  ): void {
    const { memberId } = this.options;
    if (memberId !== null) this.#reports.report({ name, read, send: (value: T) => send(memberId, value) }, afterMs);
  }

  reportAlarms(): void {
    const read = async () => (await alarmPrompts(this.store)).map(({ id }) => ({ id, kind: 'key_change' as const }));
    this.#report('alarms', read, this.options.hub.alarms);
  }

  /** `read`: the tiers, with members in place of addresses. */
  reportSharing(read: () => Promise<HubSharing>): void {
    this.#report('sharing', read, this.options.hub.sharing);
  }

  #changed(record: MachineRecord): void {
    const { threadId, peer } = record.machine;
    const line = negotiationKey(peer, threadId);
    const matter = matterOf(record);
    this.#reportNegotiation(threadId, reportDelay(this.#matters.get(line) ?? { prompts: [], isEnded: false }, matter));
    this.#matters.set(line, matter);
    this.options.onChange?.(this, threadId);
  }

  #reportNegotiation(threadId: string, afterMs = 0): void {
    const read = async (): Promise<NegotiationStatus | undefined> => {
      // Somebody who was removed meanwhile took it along.
      const record = await this.negotiations.find(threadId).catch(ifUnknown);
      return record && statusOf(this.store, record);
    };
    this.#report(threadId, read, this.options.hub.changed, afterMs);
  }

  async #stayOnLine(): Promise<void> {
    const { signal } = this.#ending;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      try {
        await (this.#isForgotten ? this.#registerAgain() : this.link.run(signal));
      } catch (error) {
        this.problem = (error as Error).message;
        const code = error instanceof PeerCallError ? error.code : undefined;
        // The hub's relay lost its accounts, as after a restore: the same name is registered again.
        if (code === 'unregistered') this.#isForgotten = true;
        // After a restore all peers come at once, and the relay takes so many in a minute.
        else if (code === 'relay_away' || code === 'unavailable') await sleep(backoffDelay(attempt, this.options.random, backoff), signal);
        else return this.#log(error);
      }
    }
  }

  async #registerAgain(): Promise<void> {
    const { name, relay } = this.peer.self;
    const { self } = await registerPeer(this.peer.parts, { name, relayUrl: relay.url, code: await this.options.hub.invite() });
    this.peer.self = self;
    this.#isForgotten = false;
  }

  async #keepClocks(): Promise<void> {
    await keepResuming(this.negotiations, this.#ending.signal).catch((error: unknown) => this.#log(error));
  }

  /** Only codes: the operator must not read a peer's words. Its person finds them in the negotiation. */
  #log(fault: unknown): void {
    void this.options.hub.log(`${this.peer.address}: ${faultOf(fault)}`).catch(() => {});
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#running;
    await this.#actionsEnd();
    this.negotiations.stop();
    await this.#reports.settled();
    await this.peer.inTurn(() => this.store.close());
  }

  /** An action that ends now needs no second look after the next start. One that hangs keeps no hub from stopping. */
  async #actionsEnd(): Promise<void> {
    const waiting = new AbortController();
    await Promise.race([this.negotiations.actions.settled(), sleep(lastActionMs, waiting.signal)]);
    waiting.abort();
  }
}

const mostNames = 50;

async function registerFree(
  parts: PeerParts,
  name: string,
  { relayUrl, hub }: HostedPeerOptions & { relayUrl: string },
): Promise<LocalPeer> {
  for (let number = 1; ; number += 1) {
    const tried = number === 1 ? name : `${name.slice(0, 28)}-${number}`;
    try {
      return await registerPeer(parts, { name: tried, relayUrl, code: await hub.invite() });
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } };
      if (cause?.code !== 'name_taken' || number === mostNames) throw error;
    }
  }
}
