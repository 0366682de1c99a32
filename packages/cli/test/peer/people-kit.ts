// People with a peer each, at one relay. Their folders outlive a restart; the clock can be set.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  type ActionHandler,
  type BackupSecret,
  type LinkEvent,
  Negotiations,
  type OpenSocket,
  openBackup,
  LocalPeer,
  type PeerBrain,
  PeerLink,
  type PeerParts,
  type PeerStore,
  type PersonalCalendar,
  registerPeer,
  restoreBackup,
  rulesBrain,
} from '@parley/peer';
import { folderCalendar } from '@parley/peer/calendar';
import { readDelivery } from '@parley/protocol/relay';
import { openNodeSocket, openPeerFolder } from '@parley/peer/node';
import { modelBrainFor } from '../../src/commands/peer/peer-models.ts';
import type { TestRelay } from './relay-kit.ts';
import { ModelClock } from './model-clock.ts';

const quietMs = 50;

/** Stands between a peer and its relay. Each gets what passes and returns what goes on; undefined swallows it. */
export interface Meddler {
  fromRelay?: (data: string | Uint8Array) => string | Uint8Array | undefined;
  toRelay?: (data: string | Uint8Array) => string | Uint8Array | undefined;
}

const meddledSocket =
  (meddler: () => Meddler): OpenSocket =>
  (url, events) => {
    const pass = (data: string | Uint8Array): void => {
      const { fromRelay = (same) => same } = meddler();
      const next = fromRelay(data);
      if (typeof next === 'string') events.onText(next);
      else if (next) events.onBytes(next);
    };
    const socket = openNodeSocket(url, { ...events, onText: pass, onBytes: pass });
    return {
      close: () => socket.close(),
      send: (data) => {
        const { toRelay = (same) => same } = meddler();
        const next = toRelay(data);
        if (next !== undefined) socket.send(next);
      },
    };
  };

export class Person {
  readonly folder: string;
  readonly events: LinkEvent[] = [];
  readonly failures: string[] = [];
  brain: PeerBrain = rulesBrain;
  /** Of the process that the peer runs in. */
  readonly env: Record<string, string | undefined> = {};
  /** Waits between two questions to a model. */
  readonly modelClock: ModelClock = new ModelClock();
  /** Added to the real time. */
  ahead = 0;
  meddler: Meddler = {};
  store!: PeerStore;
  peer!: LocalPeer;
  link!: PeerLink;
  negotiations!: Negotiations;
  private stopping: AbortController | undefined;
  private running: Promise<void> | undefined;

  readonly calendar: PersonalCalendar;
  /** Actions of this person's host. */
  readonly actions: Record<string, ActionHandler> = {};

  constructor(folder: string) {
    this.folder = folder;
    this.calendar = folderCalendar(folder);
  }

  /** Opens the folder as another process would, after the first let go of it. */
  async open(): Promise<this> {
    const parts = await this.parts();
    return this.hold(await LocalPeer.open(parts));
  }

  async parts(): Promise<PeerParts> {
    this.store = await openPeerFolder(this.folder, undefined);
    return { store: this.store, openSocket: meddledSocket(() => this.meddler), now: () => Date.now() + this.ahead };
  }

  hold(peer: LocalPeer): this {
    this.peer = peer;
    this.negotiations = new Negotiations(peer, {
      calendar: this.calendar,
      actions: this.actions,
      brain: (view) => this.brain(view),
      modelBrain: modelBrainFor(this.env, this.modelClock),
      random: () => 0,
      zone: 'Europe/London',
      onFailure: (error) => this.failures.push(error.message),
    });
    this.link = new PeerLink(peer, {
      onEvent: (event) => this.events.push(event),
      random: () => 0,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          const timer = setTimeout(resolve, Math.min(ms, 20));
          signal.addEventListener('abort', () => (clearTimeout(timer), resolve()));
        }),
      quietMs,
    });
    return this;
  }

  get address(): string {
    return this.peer.address;
  }

  async send(to: Person, context: Record<string, unknown>): Promise<void> {
    const { key } = await this.peer.write(to.address, { type: 'context', context });
    await this.link.exchange(() => this.link.deliver(key));
  }

  /** While `online`. */
  async sendOnline(to: Person, context: Record<string, unknown>): Promise<void> {
    await this.link.deliver((await this.peer.write(to.address, { type: 'context', context })).key);
  }

  /** Connects, receives, leaves. */
  exchange(): Promise<void> {
    return this.link.exchange(async () => {});
  }

  /** What came, after looking for it. */
  async contexts(): Promise<unknown[]> {
    return (await this.peer.inbox()).map(({ packet }) => packet.context);
  }

  online(): void {
    this.stopping = new AbortController();
    this.running = this.link.run(this.stopping.signal);
    this.running.catch(() => {});
  }

  async offline(): Promise<void> {
    this.stopping?.abort();
    await this.running?.catch(() => {});
    this.running = undefined;
  }

  async close(): Promise<void> {
    await this.offline();
    await this.store.close();
  }

  /** The next frames that come from the relay, as they come. */
  watchFrames(): Uint8Array[] {
    const frames: Uint8Array[] = [];
    this.meddler = {
      fromRelay: (data) => {
        if (typeof data !== 'string') frames.push(readDelivery(data).frame.slice());
        return data;
      },
    };
    return frames;
  }

  /** Another device: an empty folder with this person's backup. */
  async restored(backup: string, secret: BackupSecret): Promise<Person> {
    const device = new Person(await newFolder());
    const parts = await device.parts();
    await restoreBackup(parts.store, await openBackup(backup, secret));
    onTestFinished(() => device.close());
    device.ahead = this.ahead;
    return device.hold(await LocalPeer.open(parts));
  }

  /** Another process with a copy of this person's folder. */
  async twin(folder: string): Promise<Person> {
    const twin = await new Person(folder).open();
    onTestFinished(() => twin.close());
    return twin;
  }
}

const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-person-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

export async function newPerson(
  relay: Pick<TestRelay, 'invite'> & { served: { url: string } },
  name: string,
  code?: string,
): Promise<Person> {
  const person = new Person(await newFolder());
  const parts = await person.parts();
  onTestFinished(() => person.close());
  return person.hold(await registerPeer(parts, { name, relayUrl: relay.served.url, code: code ?? (await relay.invite()) }));
}

/** Two people who have each other's cards. */
export async function newPair(relay: TestRelay): Promise<[Person, Person]> {
  const [ann, bob] = [await newPerson(relay, 'ann'), await newPerson(relay, 'bob')];
  await exchangeCards(ann, bob);
  return [ann, bob];
}

export async function exchangeCards(one: Person, other: Person): Promise<void> {
  await one.peer.add(other.peer.card());
  await other.peer.add(one.peer.card());
}
