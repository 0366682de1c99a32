// One-time key packages. The log holds their digests and decides who gets which; the bytes would fill the memory of each process.

import { type Nats, isGone } from './connection.ts';
import { mostPackages } from '../../limits.ts';
import { sha256 } from '../../signatures.ts';

export class KeyPackages {
  private readonly nats: Nats;

  constructor(nats: Nats) {
    this.nats = nats;
  }

  /** Stores as many packages as the limit allows, and returns their digests. */
  async keep(address: string, packages: readonly string[], left: number): Promise<string[]> {
    const { js, names } = this.nats;
    const stored = packages.slice(0, Math.max(0, mostPackages - left)).map((bytes) => ({ bytes, digest: sha256(bytes) }));
    await Promise.all(stored.map(({ bytes, digest }) => js.publish(names.packages.of(address, digest), bytes)));
    return stored.map(({ digest }) => digest);
  }

  /** Null if the account was removed meanwhile, and the bytes with it. */
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
