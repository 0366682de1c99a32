// One-time key packages. The log has their digests and decides who gets which; their bytes are too many for the copy of each process.

import { mostPackages } from '../../limits.ts';
import { sha256 } from '../../signatures.ts';
import { isGone, type Nats } from './connection.ts';

export class KeyPackages {
  private readonly nats: Nats;

  constructor(nats: Nats) {
    this.nats = nats;
  }

  /** Stores as many as there is room for, and returns their digests. */
  async keep(address: string, packages: readonly string[], left: number): Promise<string[]> {
    const { js, names } = this.nats;
    const kept = packages.slice(0, Math.max(0, mostPackages - left)).map((bytes) => ({ bytes, digest: sha256(bytes) }));
    await Promise.all(kept.map(({ bytes, digest }) => js.publish(names.packages.of(address, digest), bytes)));
    return kept.map(({ digest }) => digest);
  }

  /** Null: its bytes are gone, because the account was given up meanwhile. */
  async take(address: string, digest: string): Promise<string | null> {
    const { manager, names } = this.nats;
    const message = await manager.streams.getMessage(names.packages.stream, { last_by_subj: names.packages.of(address, digest) });
    if (!message) return null;
    await manager.streams.deleteMessage(names.packages.stream, message.seq, false).catch((error: unknown) => {
      if (!isGone(error)) throw error;
    });
    return message.string();
  }

  async removeAllOf(address: string): Promise<void> {
    await this.nats.manager.streams.purge(this.nats.names.packages.stream, { filter: this.nats.names.packages.ofAddress(address) });
  }
}
