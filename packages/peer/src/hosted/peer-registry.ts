// All peers of a hub: each in a folder of its own, opened once, made on first use (ADR 0023).

import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { badInput, type PeerCall, PeerCallError, type PeerOwner } from '@parley/protocol';
import { addressParts } from '@parley/protocol/relay';
import { addressName } from '../actions/agreed-texts.ts';
import { forgetPerson } from '../memory/memories.ts';
import { outsideName } from '../outside/outside-people.ts';
import { newBackupKey, openBackup, restoreBackup, writeBackup } from '../packets/backups.ts';
import { takeTurns } from '../packets/waiting.ts';
import { holdsPeer, lockPeerFolder, openLockedFolder } from '../store/sqlite/peer-folder.ts';
import { CalendarThread } from './calendar-thread.ts';
import { type RegistrySettings, type HubCalls, noRelay } from './calls.ts';
import { asCallError, faultOf, isUnforeseen } from './errors.ts';
import { memberTiers, peerName } from './hub-members.ts';
import { NoticedZones } from './noticed-zones.ts';
import { answerInHub } from './hub-calls.ts';
import { HostedPeer, type HostedPeerOptions } from './hosted-peer.ts';
import { answerAsSample, sampleHandle, sampleId, sampleName } from './sample-friend.ts';

/** A folder is named after its member, or after the member whose sample friend it holds. */
const folderForm = /^[A-Za-z0-9_-]{1,64}(\.sample)?$/;

interface RegistryParts {
  now?: () => number;
  random?: () => number;
}

export class PeerRegistry {
  readonly settings: RegistrySettings;
  readonly hub: HubCalls;
  readonly zones = new NoticedZones();
  readonly #parts: Required<RegistryParts>;
  readonly #calendars: CalendarThread;
  readonly #hostedPeers = new Map<string, HostedPeer>();
  readonly #turns = new Map<string, ReturnType<typeof takeTurns>>();
  #isStopping = false;

  constructor(settings: RegistrySettings, hub: HubCalls, { now = Date.now, random = Math.random }: RegistryParts = {}) {
    this.settings = settings;
    this.hub = hub;
    this.#calendars = new CalendarThread({ fetch: (request) => hub.fetch(request) });
    this.#parts = { now, random };
    mkdirSync(settings.folder, { recursive: true, mode: 0o700 });
  }

  /** So that packets reach the peers of people who have not come yet today. */
  async openAll(): Promise<void> {
    for (const id of this.#folders()) {
      if (this.#isStopping) return;
      try {
        if (await this.hub.isActive(ownerOf(id))) await this.hosted(id);
      } catch (error) {
        await this.#logFault(id, error);
      }
    }
  }

  /** A message may hold words of a negotiation: the operator's log gets the kind of the fault. */
  async #logFault(id: string, error: unknown): Promise<void> {
    await this.hub.log(`The peer in ${this.#folder(id)} does not open: ${faultOf(error)}`).catch(() => {});
  }

  async call(owner: PeerOwner, command: PeerCall, argument: unknown): Promise<unknown> {
    try {
      return await answerInHub(this, owner, command, argument as never);
    } catch (error) {
      if (isUnforeseen(error)) await this.hub.log(`A call of a peer failed: ${command}, ${faultOf(error)}`).catch(() => {});
      throw asCallError(error);
    }
  }

  /** The open peer; undefined: the member has none yet. */
  hosted(id: string): Promise<HostedPeer | undefined> {
    return this.#inTurn(id, async () => {
      const known = this.#hostedPeers.get(id);
      if (known || !this.knows(id)) return known;
      const hosted = await HostedPeer.open(this.#optionsFor(id));
      return hosted && this.#keep(id, hosted);
    });
  }

  /** Makes the member's peer where there is none. */
  async make({ memberId, handle }: PeerOwner): Promise<HostedPeer> {
    const hosted = await this.#make(memberId, peerName(handle));
    await this.zones.give(memberId, hosted);
    return hosted;
  }

  /** A peer whose person is a script: for this member alone, so that it goes with them. */
  async sample({ memberId }: PeerOwner): Promise<HostedPeer> {
    return this.#make(sampleId(memberId), sampleHandle);
  }

  async #make(id: string, name: string): Promise<HostedPeer> {
    const open = await this.hosted(id);
    if (open) return open;
    return this.#inTurn(id, async () => {
      const known = this.#hostedPeers.get(id);
      return known ?? this.#keep(id, await HostedPeer.make(this.#optionsFor(id), name));
    });
  }

  async #keep(id: string, hosted: HostedPeer): Promise<HostedPeer> {
    this.#hostedPeers.set(id, hosted);
    await hosted.reportAll();
    this.reportSharing(hosted);
    if (!isSample(id)) await this.#openSample(id);
    return hosted;
  }

  /** It answers whenever its person is there. */
  async #openSample(id: string): Promise<void> {
    await this.hosted(sampleId(id)).catch((error: unknown) => this.#logFault(sampleId(id), error));
  }

  reportSharing(hosted: HostedPeer): void {
    hosted.reportSharing(async () => memberTiers(await hosted.negotiations.profile(), (address) => this.memberOf(address)));
  }

  reportSharingOf(memberId: string): void {
    const hosted = this.#hostedPeers.get(memberId);
    if (hosted) this.reportSharing(hosted);
  }

  /** Of this hub, also while their peer is closed; null for somebody elsewhere, and for a sample. */
  async memberOf(address: string): Promise<string | null> {
    const found = [...this.#hostedPeers].find(([, { peer }]) => peer.address === address)?.[0];
    if (found === undefined) return this.hub.memberAt(address);
    return isSample(found) ? null : found;
  }

  isSample(address: string): boolean {
    return [...this.#hostedPeers].some(([id, { peer }]) => isSample(id) && peer.address === address);
  }

  nameOf = (address: string): string => outsideName(address) ?? (this.isSample(address) ? sampleName : addressParts(address).name);
  /** In calendars, where no hub puts the member’s name in its place. */
  readonly #titleName = (address: string): string => (this.isSample(address) ? sampleName : addressName(address));

  knows(id: string): boolean {
    return holdsPeer(this.#folder(id));
  }

  close(id: string): Promise<void> {
    return this.#inTurn(id, async () => {
      const hosted = this.#hostedPeers.get(id);
      this.#hostedPeers.delete(id);
      await hosted?.close();
    });
  }

  /** For what needs no line: the peer of somebody who left, or of a hub without a relay, is opened for this reading alone. */
  async read<T>(id: string, read: (hosted: HostedPeer) => Promise<T>): Promise<T | undefined> {
    if (this.settings.relayUrl !== null && (await this.hub.isActive(ownerOf(id)))) {
      const hosted = await this.hosted(id);
      return hosted && read(hosted);
    }
    return this.#inTurn(id, async () => {
      const open = this.#hostedPeers.get(id);
      if (open) return read(open);
      const hosted = this.knows(id) ? await HostedPeer.open({ ...this.#commonOptions(id), relayUrl: null }) : undefined;
      try {
        return hosted && (await read(hosted));
      } finally {
        await hosted?.close();
      }
    });
  }

  /** `address`: where the folder is elsewhere or does not open. `onAway`: when it can send nothing any more. */
  async erase(id: string, given: { address?: string | undefined; onAway?: (address: string) => Promise<unknown> } = {}): Promise<void> {
    if (!isSample(id)) await this.erase(sampleId(id));
    const own = await this.read(id, async ({ peer }) => peer.address).catch(() => undefined);
    const address = own ?? (await this.#unlessTaken(given.address));
    await this.close(id);
    if (address !== undefined) {
      // The name is free after it.
      if (!isSample(id)) await this.#forgetEverywhere(id, address);
      await this.hub.forgetAddress(address);
      await given.onAway?.(address);
    }
    await this.#inTurn(id, async () => rmSync(this.#folder(id), { recursive: true, force: true }));
  }

  /** The name is free after the first attempt: at a repetition it may be somebody else's. */
  async #unlessTaken(address: string | undefined): Promise<string | undefined> {
    return address === undefined || (await this.memberOf(address)) !== null ? undefined : address;
  }

  async #forgetEverywhere(id: string, address: string): Promise<void> {
    for (const other of this.#folders()) {
      if (ownerOf(other) === id) continue;
      try {
        await this.read(other, ({ peer }) => forgetPerson(peer, address));
        const open = this.#hostedPeers.get(other);
        if (open) this.reportSharing(open);
      } catch (error) {
        // A folder that does not open must not keep a person from being erased.
        await this.#logFault(other, error);
      }
    }
  }

  /** With its key inside: the hub is the device of its people's peers, so its backup opens them (ADR 0018). */
  async backup(id: string): Promise<string | undefined> {
    const text = await this.read(id, async ({ peer }) => {
      const key = newBackupKey();
      const sample = isSample(id) ? undefined : await this.backup(sampleId(id));
      return JSON.stringify({ format: backupFormat, key, backup: await writeBackup(peer, { key }), sample });
    });
    // Nothing is no backup of a peer that another process holds.
    if (text === undefined && this.knows(id)) this.#mustBeFree(id);
    return text;
  }

  #mustBeFree(id: string): void {
    const release = lockPeerFolder(this.#folder(id));
    if (!release) throw new PeerCallError('occupied', `Another process uses the folder of ${id}.`);
    release();
  }

  restore(id: string, text: string): Promise<void> {
    return this.#inTurn(id, async () => {
      const { format, key, backup, sample } = JSON.parse(text) as { format?: string; key: string; backup: string; sample?: string };
      if (format !== backupFormat) throw badInput(`The backup of ${id} is none of a peer in a hub.`);
      const content = await openBackup(backup, { key });
      const store = await openLockedFolder(this.#folder(id));
      if (!store) throw new PeerCallError('occupied', `Another process uses the folder of ${id}.`);
      try {
        await restoreBackup(store, content);
      } finally {
        await store.close();
      }
      if (sample !== undefined) await this.restore(sampleId(id), sample);
    });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#hostedPeers.keys()].map((id) => this.close(id)));
    await this.#calendars.stop();
  }

  #optionsFor(id: string): HostedPeerOptions & { relayUrl: string } {
    const { relayUrl } = this.settings;
    if (relayUrl === null) throw new PeerCallError('unavailable', noRelay);
    const common = { ...this.#commonOptions(id), relayUrl };
    return isSample(id) ? { ...common, memberId: null, onChange: answerAsSample } : { ...common, memberId: id };
  }

  #commonOptions(id: string) {
    if (this.#isStopping) throw new PeerCallError('unavailable', 'The hub’s peers are stopping.');
    const { hub, settings } = this;
    const { relayKey, models } = settings;
    const common = { folder: this.#folder(id), relayKey, models, hub, calendars: this.#calendars, nameOf: this.#titleName };
    return { ...common, memberId: null, ...this.#parts };
  }

  #folder(id: string): string {
    if (!folderForm.test(id)) throw badInput(`${JSON.stringify(id)} is no member.`);
    return join(this.settings.folder, id);
  }

  #folders(): string[] {
    return readdirSync(this.settings.folder).filter(
      (name) => folderForm.test(name) && existsSync(join(this.settings.folder, name, 'peer.db')),
    );
  }

  #inTurn<T>(id: string, act: () => Promise<T>): Promise<T> {
    const turns = this.#turns.get(id) ?? takeTurns();
    this.#turns.set(id, turns);
    return turns(act);
  }
}

/** Stands in backups since the first one, under the name that this folder had then. */
const backupFormat = 'parley-house-peer/1';
const isSample = (id: string): boolean => id.endsWith('.sample');
const ownerOf = (id: string): string => id.replace(/\.sample$/, '');
