import type { ClientClock } from '../clock.ts';
import type { More } from './task.ts';

const draftMs = 200;

/** Sends only the latest draft, and not so often that drafts use up the hub's limit. */
export class DraftQueue {
  private readonly send: (text: string) => Promise<unknown>;
  private readonly isOver: () => boolean;
  private readonly clock: ClientClock;
  private latest: string | undefined;
  private sending = false;

  constructor(send: (text: string) => Promise<unknown>, isOver: () => boolean, clock: ClientClock) {
    this.send = send;
    this.isOver = isOver;
    this.clock = clock;
  }

  show(text: string): void {
    this.latest = text;
    if (!this.sending) void this.sendAll();
  }

  private async sendAll(): Promise<void> {
    this.sending = true;
    for (let text = this.latest; text !== undefined && !this.isOver(); text = this.latest) {
      this.latest = undefined;
      // One that does not arrive is followed by a better one, or by the words themselves.
      await this.send(text).catch(() => {});
      await new Promise<void>((resolve) => void this.clock.after(draftMs, resolve));
    }
    this.sending = false;
  }
}

/** Events of a task, in order, until the handler takes them. */
export class MoreQueue {
  private readonly queued: More[] = [];
  private takers: { fits: (event: More) => boolean; resolve: (event: More) => void }[] = [];

  push(event: More): void {
    const taker = this.takers.find(({ fits }) => fits(event));
    this.takers = this.takers.filter((one) => one !== taker);
    if (taker) taker.resolve(event);
    else this.queued.push(event);
  }

  take(fits: (event: More) => boolean): Promise<More> {
    const at = this.queued.findIndex(fits);
    if (at !== -1) return Promise.resolve(this.queued.splice(at, 1)[0]!);
    return new Promise<More>((resolve) => this.takers.push({ fits, resolve }));
  }

  remove(messageId: string): void {
    const at = this.queued.findIndex((event) => event.messageId === messageId);
    if (at !== -1) this.queued.splice(at, 1);
  }
}
