// How much may wait for one recipient (A2C-6). Counted in memory, so that no frame needs a query of its own, and rebuilt at each start.

import type { RelayRefusal } from '@parley/protocol/relay';
import type { BlockLists } from './block-lists.ts';
import type { NewFrame, QueueLoad } from './store/port.ts';

export interface QueueBounds {
  /** Frames of one negotiation, as far as a relay can tell: one recipient and tag. */
  perTag: number;
  /** Frames from one sender, so that random tags win nothing. */
  perPair: number;
  bytesPerRecipient: number;
}

export const queueBounds: QueueBounds = { perTag: 100, perPair: 400, bytesPerRecipient: 64 * 1024 * 1024 };

export class QueueLimits {
  private readonly bounds: QueueBounds;
  private readonly blocks: BlockLists;
  private readonly tags = new Map<string, number>();
  private readonly pairs = new Map<string, number>();
  private readonly pairBytes = new Map<string, number>();
  private readonly bytes = new Map<string, number>();
  frames = 0;

  constructor(bounds: QueueBounds, loads: readonly QueueLoad[], blocks: BlockLists) {
    this.bounds = bounds;
    this.blocks = blocks;
    for (const load of loads) this.change(load, load.frames, load.bytes);
  }

  /** Why the frame has no room, or undefined. */
  refusal(frame: NewFrame): RelayRefusal | undefined {
    const { perTag, perPair, bytesPerRecipient } = this.bounds;
    if ((this.tags.get(tagKey(frame)) ?? 0) >= perTag) return 'queue_full';
    if ((this.pairs.get(pairKey(frame)) ?? 0) >= perPair) return 'queue_full';
    const bytes = (this.bytes.get(frame.to) ?? 0) + frame.bytes.length;
    if (bytes <= bytesPerRecipient) return undefined;
    // Frames that will be dropped take no room from those that will not.
    const isBlocked = this.blocks.has(frame.to, frame.from);
    return isBlocked || bytes - this.blockedBytes(frame.to) > bytesPerRecipient ? 'mailbox_full' : undefined;
  }

  private blockedBytes(to: string): number {
    let bytes = 0;
    for (const from of this.blocks.of(to)) bytes += this.pairBytes.get(pairKey({ from, to })) ?? 0;
    return bytes;
  }

  add(frame: NewFrame): void {
    this.change(frame, 1, frame.bytes.length);
  }

  remove(frame: NewFrame): void {
    this.change(frame, -1, -frame.bytes.length);
  }

  removeLoad(load: QueueLoad): void {
    this.change(load, -load.frames, -load.bytes);
  }

  private change(frame: Pick<NewFrame, 'from' | 'to' | 'tag'>, frames: number, bytes: number): void {
    this.frames += frames;
    bump(this.tags, tagKey(frame), frames);
    bump(this.pairs, pairKey(frame), frames);
    bump(this.pairBytes, pairKey(frame), bytes);
    bump(this.bytes, frame.to, bytes);
  }
}

const tagKey = ({ to, tag }: Pick<NewFrame, 'to' | 'tag'>): string => `${to} ${tag}`;
const pairKey = ({ from, to }: Pick<NewFrame, 'from' | 'to'>): string => `${from} ${to}`;

function bump(counts: Map<string, number>, key: string, by: number): void {
  const next = (counts.get(key) ?? 0) + by;
  if (next > 0) counts.set(key, next);
  else counts.delete(key);
}
