// Folders that are looked at when something in them changes, and every few seconds in case nobody said so. One look at a time.

import { type FSWatcher, watch } from 'node:fs';
import type { Clock } from '../clock.ts';

const lookEveryMs = 5000;
/** A short wait joins several files that are saved one after the other. */
const quietMs = 300;

export interface WatchParts {
  clock: Clock;
  onError: (error: unknown) => void;
  look: () => Promise<void>;
}

export class FolderWatch {
  private readonly parts: WatchParts;
  private readonly watchers = new Map<string, FSWatcher>();
  private cancel: (() => void) | undefined;
  private scanning: Promise<void> | undefined;
  stopped = false;

  constructor(parts: WatchParts) {
    this.parts = parts;
  }

  /** Looks now. */
  scan(): Promise<void> {
    this.cancel?.();
    this.scanning ??= this.parts
      .look()
      .catch((error: unknown) => this.parts.onError(error))
      .finally(() => {
        this.scanning = undefined;
        this.later(lookEveryMs);
      });
    return this.scanning;
  }

  private later(ms: number): void {
    this.cancel?.();
    if (!this.stopped) this.cancel = this.parts.clock.after(ms, () => void this.scan());
  }

  /** Told of changes where the system can; the clock finds what it cannot. */
  follow(root: string): void {
    if (this.watchers.has(root)) return;
    try {
      const watcher = watch(root, { recursive: true, persistent: false }, () => this.later(quietMs));
      this.watchers.set(root, watcher);
      watcher.on('error', () => this.unfollow(root));
    } catch {
      this.unfollow(root);
    }
  }

  private unfollow(root: string): void {
    this.watchers.get(root)?.close();
    this.watchers.delete(root);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.cancel?.();
    for (const root of this.watchers.keys()) this.unfollow(root);
    await this.scanning;
  }
}
