// Where each negotiation is stored, by its ID, and which of them are over: so that a look, a packet and a tick do not open all that ever were.

import { isEnded, nextTick } from '@parley/core/negotiation';
import { allRecords, getValue, negotiationKey } from '../packets/peer-records.ts';
import type { PeerStore } from '../store/port.ts';
import { isShown } from './groups/group-lines.ts';
import { keyOf, type MachineRecord } from './negotiation-records.ts';

interface Entry {
  key: string;
  isOwn: boolean;
  /** To people: a group is, once. */
  isShown: boolean;
  createdAt: number;
}

export class NegotiationIndex {
  readonly #store: PeerStore;
  /** By thread ID, the oldest first. Of a group the lead has that name, and its other lines have their own keys. */
  #entries: Promise<Map<string, Entry>> | undefined;
  /** Nothing is left to do for these: an end is final. */
  readonly #over = new Set<string>();

  constructor(store: PeerStore) {
    this.#store = store;
  }

  async add(record: MachineRecord): Promise<void> {
    (await this.#all()).set(nameOf(record), entryOf(record));
  }

  /** The lines of a negotiation became others, as when its coordinator changes. */
  async replace(threadId: string, records: readonly MachineRecord[]): Promise<void> {
    const entries = await this.#all();
    for (const [name, { key }] of entries) if (key.endsWith(`/${threadId}`)) entries.delete(name);
    for (const record of records) entries.set(nameOf(record), entryOf(record));
  }

  /** What this side opened: how many are not over, and how many were opened since then. */
  async openings(since: number): Promise<{ unfinished: number; opened: number }> {
    const own = [...(await this.#all()).values()].filter((one) => one.isOwn);
    return {
      unfinished: own.filter((one) => one.isShown && !this.#over.has(one.key)).length,
      // Each line of a group asks somebody for their attention.
      opened: own.filter(({ createdAt }) => createdAt > since).length,
    };
  }

  async find(threadId: string): Promise<MachineRecord | undefined> {
    const key = (await this.#all()).get(threadId)?.key;
    return key === undefined ? undefined : await getValue(this.#store, 'machine', key);
  }

  /** Looks at all of them once more: another process may have put it there. */
  async findAnew(threadId: string): Promise<MachineRecord | undefined> {
    this.#entries = undefined;
    return this.find(threadId);
  }

  /** All that are not over, and the latest. */
  async recent(most: number): Promise<MachineRecord[]> {
    const keys = [...(await this.#all()).values()].filter((one) => one.isShown).map(({ key }) => key);
    return this.#records(keys.filter((key, place) => place >= keys.length - most || !this.#over.has(key)));
  }

  /** Those with somebody that are not over, the oldest first. */
  async openWith(address: string): Promise<MachineRecord[]> {
    const keys = (await this.unfinished()).filter((key) => key.startsWith(negotiationKey(address, '')));
    return (await this.#records(keys)).filter(({ machine }) => !isEnded(machine.state));
  }

  async #records(keys: readonly string[]): Promise<MachineRecord[]> {
    const found = await Promise.all(keys.map((key) => getValue(this.#store, 'machine', key)));
    return found.filter((record) => record !== undefined);
  }

  async unfinished(): Promise<string[]> {
    return [...(await this.#all()).values()].map(({ key }) => key).filter((key) => !this.#over.has(key));
  }

  note(key: string, { machine, jobs, isEvaluationDue }: MachineRecord): void {
    if (isEnded(machine.state) && jobs.length === 0 && !isEvaluationDue && nextTick(machine) === null) this.#over.add(key);
    else this.#over.delete(key);
  }

  #all(): Promise<Map<string, Entry>> {
    return (this.#entries ??= this.#scan().catch((error: unknown) => {
      this.#entries = undefined;
      throw error;
    }));
  }

  async #scan(): Promise<Map<string, Entry>> {
    const entries = new Map<string, Entry>();
    for await (const { key, value } of allRecords(this.#store, 'machine')) {
      entries.set(nameOf(value), entryOf(value));
      this.note(key, value);
    }
    return entries;
  }
}

const nameOf = (record: MachineRecord): string => (isShown(record) ? record.machine.threadId : keyOf(record));

const entryOf = (record: MachineRecord): Entry => ({
  key: keyOf(record),
  isOwn: record.machine.role === 'initiator',
  isShown: isShown(record),
  createdAt: record.createdAt ?? record.machine.quietSince,
});
