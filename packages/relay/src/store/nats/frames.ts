// A frame as a message of the queue's stream: its bytes, and one header with everything else that the relay knows of it.

import { headers, type Msg, type MsgHdrs } from '@nats-io/transport-node';
import type { NewFrame, QueuedFrame, QueueLoad } from '../port.ts';

const header = 'Parley-Frame';

/** Neither addresses nor tags nor ids have spaces. */
export function headersOf({ from, tag, packetId, sentAt, storedAt }: NewFrame): MsgHdrs {
  const all = headers();
  all.set(header, `${from} ${tag} ${packetId} ${sentAt} ${storedAt}`);
  return all;
}

export function frameFrom(to: string, sequence: number, all: MsgHdrs | undefined, bytes: Uint8Array): QueuedFrame {
  const [from = '', tag = '', packetId = '', sentAt, storedAt] = (all?.get(header) ?? '').split(' ');
  return { sequence, to, from, tag, packetId, sentAt: Number(sentAt), storedAt: Number(storedAt), bytes };
}

/** As the server passes a message on that it has stored. */
export function storedFrame(to: string, { headers: all, data }: Msg): { frame: QueuedFrame; before: number } {
  const frame = frameFrom(to, Number(all?.get('Nats-Sequence')), all, data);
  return { frame, before: Number(all?.get('Nats-Last-Sequence')) };
}

/** Frames of one sender, recipient and tag, counted together. */
export function loadsOf(frames: Iterable<Pick<NewFrame, 'from' | 'to' | 'tag'> & { size: number }>): QueueLoad[] {
  const loads = new Map<string, QueueLoad>();
  for (const { from, to, tag, size } of frames) {
    const key = `${from} ${to} ${tag}`;
    const load = loads.get(key) ?? { from, to, tag, frames: 0, bytes: 0 };
    load.frames += 1;
    load.bytes += size;
    loads.set(key, load);
  }
  return [...loads.values()];
}

export const sized = (frame: NewFrame): NewFrame & { size: number } => ({ ...frame, size: frame.bytes.length });
