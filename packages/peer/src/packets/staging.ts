// Collects the changes of several acts, so that one commit stores all or none of them. Acts read through it what earlier ones changed.

import type { PeerStore, RecordChange, RecordKind, StoredRecord } from '../store/port.ts';

export class Staging implements PeerStore {
  readonly changes: RecordChange[] = [];
  readonly #store: PeerStore;

  constructor(store: PeerStore) {
    this.#store = store;
  }

  async get(kind: RecordKind, key: string): Promise<StoredRecord | undefined> {
    let found = await this.#store.get(kind, key);
    for (const change of this.changes) {
      if (change.key !== key) continue;
      if ('remove' in change) found = change.remove === kind ? undefined : found;
      else if (change.put === kind) found = { key, sequence: 0, ...found, version: (found?.version ?? 0) + 1, value: change.value };
    }
    return found;
  }

  /** Only what is stored already. */
  list(kind: RecordKind, after?: number, most?: number): Promise<StoredRecord[]> {
    return this.#store.list(kind, after, most);
  }

  async commit(changes: readonly RecordChange[]): Promise<void> {
    this.changes.push(...changes);
  }

  async close(): Promise<void> {}
}
