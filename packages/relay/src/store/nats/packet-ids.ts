// The IDs of stored packets, until no replay could be accepted. Each entry also has the latest `sentAt` of its sender, so
// that a newer frame needs no lookup.

import type { DeviceEpoch } from '@parley/protocol/relay';
import type { NewFrame } from '../port.ts';
import { digestOf } from '../sqlite/packet-ids.ts';
import { isTaken, type Nats } from './connection.ts';

/** Nothing, the same bytes or other bytes are stored under an ID. */
export type KnownId = 'new' | 'same' | 'other';

interface Latest {
  /** A dash if the sender has no account. */
  epoch: string;
  sentAt: number;
}

const mostSenders = 100_000;
const textOf = (epoch: DeviceEpoch | undefined): string => (epoch ? `${epoch.counter}.${epoch.device}` : '-');

export class PacketIds {
  private readonly nats: Nats;
  private readonly epochOf: (address: string) => Promise<DeviceEpoch | undefined>;
  private readonly latest = new Map<string, Latest>();

  constructor(nats: Nats, epochOf: (address: string) => Promise<DeviceEpoch | undefined>) {
    this.nats = nats;
    this.epochOf = epochOf;
  }

  /** Reads the latest state from the server: the sender may come from another process. */
  async refresh(from: string): Promise<number> {
    const { manager, names } = this.nats;
    const epoch = textOf(await this.epochOf(from));
    const message = await manager.streams.getMessage(names.ids.stream, { last_by_subj: names.ids.ofSender(from) });
    const [, of, sentAt] = message?.string().split(' ') ?? [];
    const latest = { epoch, sentAt: of === epoch ? Number(sentAt) : 0 };
    if (this.latest.size >= mostSenders) this.latest.clear();
    this.latest.set(from, latest);
    return latest.sentAt;
  }

  async known(frame: NewFrame): Promise<KnownId> {
    const { from, sentAt } = frame;
    const latest = this.latest.get(from);
    if (!latest || latest.epoch !== textOf(await this.epochOf(from))) await this.refresh(from);
    if (sentAt > this.latest.get(from)!.sentAt) return 'new';
    return this.lookUp(frame);
  }

  async lookUp({ from, packetId, bytes }: NewFrame): Promise<KnownId> {
    const { manager, names } = this.nats;
    const message = await manager.streams.getMessage(names.ids.stream, { last_by_subj: names.ids.of(from, packetId) });
    if (!message) return 'new';
    return message.string().split(' ', 1)[0] === digestOf(bytes) ? 'same' : 'other';
  }

  /** Notes the IDs of stored frames, before their senders get an answer. Returns which IDs were taken already. */
  note(frames: readonly NewFrame[]): Promise<KnownId[]> {
    for (const { from, sentAt } of frames) {
      const latest = this.latest.get(from);
      if (latest) latest.sentAt = Math.max(latest.sentAt, sentAt);
    }
    const { js, names } = this.nats;
    const notes = frames.map(async (frame): Promise<KnownId> => {
      const { from, packetId, bytes } = frame;
      const { epoch, sentAt } = this.latest.get(from) ?? { epoch: '-', sentAt: 0 };
      try {
        await js.publish(names.ids.of(from, packetId), `${digestOf(bytes)} ${epoch} ${sentAt}`, { expect: { lastSubjectSequence: 0 } });
        return 'new';
      } catch (error) {
        if (!isTaken(error)) throw error;
        return this.lookUp(frame);
      }
    });
    return Promise.all(notes);
  }
}
