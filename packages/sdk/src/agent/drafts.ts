import type { ClientClock } from '../clock.ts';

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
