// Limits of each recipient's queue (A2C-6). The counts are in memory, so that no frame needs a query; each start rebuilds them.

import { addressParts, type RelayRefusal } from '@parley/protocol/relay';
import type { BlockLists } from './block-lists.ts';
import { isLine } from './federation/outgoing-line.ts';
import type { NewFrame, QueueLoad } from './store/port.ts';

export interface QueueBounds {
  /** Frames of one negotiation, as far as a relay can tell: one recipient and tag. */
  perTag: number;
  /** Frames from one sender, so that random tags win nothing. */
  perPair: number;
  bytesPerRecipient: number;
  /** Frames for one recipient from all users of one other relay, which can make up as many as it likes. */
  perRelay: number;
}

const relayOf = (address: string): string => addressParts(address).relay;

export const queueBounds: QueueBounds = { perTag: 100, perPair: 400, bytesPerRecipient: 64 * 1024 * 1024, perRelay: 2000 };

/** The load of one recipient's queue. */
interface Waiting {
  frames: number;
  bytes: number;
  tags: Map<string, number>;
  senders: Map<string, Load>;
  /** The loads by the sender's relay. */
  relays: Map<string, Load>;
}

interface Load {
  frames: number;
  bytes: number;
}

function count(loads: Map<string, Load>, name: string, { frames, bytes }: Load): void {
  const load = loads.get(name) ?? { frames: 0, bytes: 0 };
  const next = { frames: load.frames + frames, bytes: load.bytes + bytes };
  if (next.frames === 0) loads.delete(name);
  else loads.set(name, next);
}

export class QueueLimits {
  private readonly bounds: QueueBounds;
  private readonly blocks: BlockLists;
  private readonly recipients = new Map<string, Waiting>();
  frames = 0;

  constructor(bounds: QueueBounds, loads: readonly QueueLoad[], blocks: BlockLists) {
    this.bounds = bounds;
    this.blocks = blocks;
    this.replace(loads);
  }

  replace(loads: readonly QueueLoad[]): void {
    this.frames = 0;
    this.recipients.clear();
    for (const load of loads) this.addLoad(load);
  }

  /** The refusal of a frame without room, or undefined. */
  refusal(frame: NewFrame): RelayRefusal | undefined {
    const { perTag, perPair, bytesPerRecipient, perRelay } = this.bounds;
    const waiting = this.recipients.get(frame.to);
    if ((waiting?.tags.get(frame.tag) ?? 0) >= perTag) return 'queue_full';
    if ((waiting?.senders.get(frame.from)?.frames ?? 0) >= perPair) return 'queue_full';
    const relayLoad = waiting?.relays.get(relayOf(frame.from));
    // Frames for another relay come from this relay's own users.
    const isForeign = !isLine(frame.to) && relayOf(frame.from) !== relayOf(frame.to);
    // One relay's users get a quarter of the room, so that they shut nobody out.
    if (isForeign && relayLoad && (relayLoad.frames >= perRelay || relayLoad.bytes + frame.bytes.length > bytesPerRecipient / 4))
      return 'mailbox_full';
    const bytes = (waiting?.bytes ?? 0) + frame.bytes.length;
    if (bytes <= bytesPerRecipient) return undefined;
    // Frames of blocked senders will be dropped, so they take no room from others.
    const isBlocked = this.blocks.has(frame.to, frame.from);
    return isBlocked || bytes - this.blockedBytes(frame.to) > bytesPerRecipient ? 'mailbox_full' : undefined;
  }

  private blockedBytes(to: string): number {
    let bytes = 0;
    for (const from of this.blocks.of(to)) bytes += this.recipients.get(to)?.senders.get(from)?.bytes ?? 0;
    return bytes;
  }

  add(frame: NewFrame): void {
    this.change(frame, 1, frame.bytes.length);
  }

  remove(frame: NewFrame): void {
    this.change(frame, -1, -frame.bytes.length);
  }

  addLoad(load: QueueLoad): void {
    this.change(load, load.frames, load.bytes);
  }

  removeLoad(load: QueueLoad): void {
    this.change(load, -load.frames, -load.bytes);
  }

  has = (to: string): boolean => this.recipients.has(to);

  /** The recipients with waiting frames. */
  waiting = (): Iterable<string> => this.recipients.keys();

  private change({ from, to, tag }: Pick<NewFrame, 'from' | 'to' | 'tag'>, frames: number, bytes: number): void {
    this.frames += frames;
    let waiting = this.recipients.get(to);
    if (!waiting) this.recipients.set(to, (waiting = { frames: 0, bytes: 0, tags: new Map(), senders: new Map(), relays: new Map() }));
    waiting.frames += frames;
    waiting.bytes += bytes;
    // Over several processes an acknowledgement may be counted before its frame, so that numbers are below 0 for a moment.
    const ofTag = (waiting.tags.get(tag) ?? 0) + frames;
    if (ofTag !== 0) waiting.tags.set(tag, ofTag);
    else waiting.tags.delete(tag);
    count(waiting.senders, from, { frames, bytes });
    count(waiting.relays, relayOf(from), { frames, bytes });
    if (waiting.tags.size === 0 && waiting.senders.size === 0) this.recipients.delete(to);
  }
}
