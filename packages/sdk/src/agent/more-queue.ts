import type { More } from './task.ts';

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
