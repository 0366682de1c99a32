// The queues of a task's run: drafts that go out, and events that wait for the handler.

import { type ClientClock, sleep } from '../clock.ts';
import type { More } from './task.ts';

const draftMs = 200;

/** Sends only the latest draft, and not so often that drafts use up the hub's limit. */
export function draftQueue(send: (text: string) => Promise<unknown>, isOver: () => boolean, clock: ClientClock): (text: string) => void {
  let latest: string | undefined;
  let isSending = false;
  const sendAll = async (): Promise<void> => {
    isSending = true;
    for (let text = latest; text !== undefined && !isOver(); text = latest) {
      latest = undefined;
      // A lost draft does no harm: a later draft or the final words replace it.
      await send(text).catch(() => {});
      await sleep(clock, draftMs);
    }
    isSending = false;
  };
  return (text) => {
    latest = text;
    if (!isSending) void sendAll();
  };
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
    const index = this.queued.findIndex(fits);
    if (index !== -1) return Promise.resolve(this.queued.splice(index, 1)[0]!);
    return new Promise<More>((resolve) => this.takers.push({ fits, resolve }));
  }

  remove(messageId: string): void {
    const index = this.queued.findIndex((event) => event.messageId === messageId);
    if (index !== -1) this.queued.splice(index, 1);
  }
}
