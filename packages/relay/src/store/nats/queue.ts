// The queue: a stream with one subject for each recipient. Its sequence numbers are the order of delivery. Once a frame is
// stored, the server passes it to the process that follows the recipient.

import type { MsgRequest } from '@nats-io/jetstream';
import type { Acceptance, NewFrame, QueuedFrame, QueueLoad, RelayStore } from '../port.ts';
import { fromToken, isGone, type Nats } from './connection.ts';
import type { KnownId, PacketIds } from './packet-ids.ts';
import { headers, type Msg, type MsgHdrs } from '@nats-io/transport-node';

type Judge = Parameters<RelayStore['accept']>[2];
type Decision = 'new' | Acceptance;
type Follower = (frame: QueuedFrame, before: number) => void;

export class Queue {
  private readonly nats: Nats;
  private readonly ids: PacketIds;
  private readonly notePairs: (frames: readonly NewFrame[]) => Promise<void>;

  constructor(nats: Nats, ids: PacketIds, notePairs: (frames: readonly NewFrame[]) => Promise<void>) {
    this.nats = nats;
    this.ids = ids;
    this.notePairs = notePairs;
  }

  accept = async (frames: readonly NewFrame[], acknowledged: readonly QueuedFrame[], judge: Judge): ReturnType<RelayStore['accept']> => {
    const removal = this.remove(acknowledged);
    if (frames.length === 0) {
      await removal;
      return [];
    }
    // A failed removal only repeats a delivery, so it is no reason to refuse frames.
    removal.catch(() => {});
    const known = await Promise.all(frames.map((frame) => this.ids.known(frame)));
    const decisions = frames.map((frame, index) => decide(frame, known[index]!, judge));
    const newFrames = frames.filter((_, index) => decisions[index] === 'new');
    await this.notePairs(newFrames);
    const answers = await this.store(frames, decisions);
    return this.withIds(answers);
  };

  /** Removes stored frames whose ID another process took in the meantime. */
  private async withIds(answers: readonly Acceptance[]): Promise<Acceptance[]> {
    const stored = answers.flatMap((answer) => ('stored' in answer ? [answer.stored] : []));
    const known = await this.ids.note(stored);
    const refused = new Map(stored.flatMap((frame, index) => (known[index] === 'new' ? [] : [[frame, known[index]!] as const])));
    this.announceLoads(loadsOf(stored.map(withSize)));
    await this.remove([...refused.keys()]);
    return answers.map((answer) => {
      const id = 'stored' in answer ? refused.get(answer.stored) : undefined;
      return id === undefined ? answer : answerTo(id);
    });
  }

  /** Publishes all frames at once: one connection keeps their order. If one fails, the senders send all of them again. */
  private async store(frames: readonly NewFrame[], decisions: readonly Decision[]): Promise<Acceptance[]> {
    const { js, names } = this.nats;
    const sent = frames.map(async (frame, index) => {
      const decision = decisions[index]!;
      if (decision !== 'new') return decision;
      const msgID = `${frame.from} ${frame.packetId}`;
      const { seq, duplicate } = await js.publish(names.queue.of(frame.to), frame.bytes, { msgID, headers: headersOf(frame) });
      return duplicate ? this.answerToRepeat(frame, seq) : { stored: { ...frame, sequence: seq } };
    });
    const outcomes = await Promise.allSettled(sent);
    return outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    });
  }

  /** Answers a frame whose ID this process or another stored a moment ago. */
  private async answerToRepeat(frame: NewFrame, sequence: number): Promise<Acceptance> {
    const earlier = await this.nats.manager.streams.getMessage(this.nats.names.queue.stream, { seq: sequence });
    if (!earlier) return answerTo(await this.ids.lookUp(frame));
    return answerTo(Buffer.compare(earlier.data, frame.bytes) === 0 ? 'same' : 'other');
  }

  private async remove(frames: readonly QueuedFrame[]): Promise<void> {
    const { manager, names } = this.nats;
    const removed = frames.map(({ sequence }) =>
      manager.streams.deleteMessage(names.queue.stream, sequence, false).catch((error: unknown) => {
        if (!isGone(error)) throw error;
      }),
    );
    await Promise.all(removed);
    this.announceLoads(loadsOf(frames.map(withSize)).map(negativeLoad));
  }

  waiting: RelayStore['waiting'] = async (to, after, { only, among }, most) => {
    const { names } = this.nats;
    const page: QueuedFrame[] = [];
    let position = after;
    while (page.length < most) {
      const message = await this.next(position, names.queue.of(to));
      if (!message) break;
      position = message.seq;
      const frame = frameFrom(to, position, message.header, message.data);
      if (among.includes(frame.from) === only) page.push(frame);
    }
    return page;
  };

  /** Asks the leader of the stream, because its followers may lag behind what was announced. */
  private next(position: number, subject: string) {
    // The server takes both fields together, but the library's type allows only one.
    const query: MsgRequest = Object.assign({ seq: position + 1 }, { next_by_subj: subject });
    return this.nats.manager.streams.getMessage(this.nats.names.queue.stream, query);
  }

  loads = (): Promise<QueueLoad[]> => this.loadsIn(this.nats.names.queue.all);

  /** Reads headers only. */
  private async loadsIn(filter: string): Promise<QueueLoad[]> {
    const { js, names } = this.nats;
    const consumer = await js.consumers.get(names.queue.stream, { headers_only: true, filter_subjects: filter });
    const found: { from: string; to: string; tag: string; size: number }[] = [];
    const { num_pending: count } = await consumer.info();
    while (found.length < count) {
      const before = found.length;
      for await (const message of await consumer.fetch({ max_messages: Math.min(5000, count - found.length), expires: 5000 })) {
        const to = fromToken(message.subject.slice(message.subject.lastIndexOf('.') + 1));
        found.push({ ...frameFrom(to, message.seq, message.headers, message.data), size: Number(message.headers?.get('Nats-Msg-Size')) });
      }
      // The missing frames were acknowledged meanwhile.
      if (found.length === before) break;
    }
    await consumer.delete();
    return loadsOf(found);
  }

  /** The server removes old frames by its own clock; this removes them by the relay's. */
  async forget(storedBefore: number): Promise<QueueLoad[]> {
    const { names } = this.nats;
    const oldFrames: QueuedFrame[] = [];
    for (let position = 0; ;) {
      const message = await this.next(position, names.queue.all);
      if (!message) break;
      const to = fromToken(message.subject.slice(message.subject.lastIndexOf('.') + 1));
      const frame = frameFrom(to, message.seq, message.header, message.data);
      if (frame.storedAt >= storedBefore) break;
      position = message.seq;
      oldFrames.push(frame);
    }
    await this.remove(oldFrames);
    return loadsOf(oldFrames.map(withSize));
  }

  async removeAllOf(to: string): Promise<QueueLoad[]> {
    const { manager, names } = this.nats;
    const loads = await this.loadsIn(names.queue.of(to));
    await manager.streams.purge(names.queue.stream, { filter: names.queue.of(to) });
    this.announceLoads(loads.map(negativeLoad));
    return loads;
  }

  /** Follows new frames, and answers the question of other processes whether somebody follows. */
  follow(to: string, onFrame: Follower): () => void {
    const subscription = this.nats.connection.subscribe(this.nats.names.queue.stored(to), {
      callback: (error, message) => {
        if (error) return;
        if (message.reply) return void message.respond();
        const { frame, before } = storedFrame(to, message);
        onFrame(frame, before);
      },
    });
    return () => subscription.unsubscribe();
  }

  async isFollowed(to: string): Promise<boolean> {
    const { connection, names } = this.nats;
    return connection.request(names.queue.stored(to), undefined, { timeout: 2000 }).then(
      () => true,
      () => false,
    );
  }

  /** Other processes add these to their own counts. */
  private announceLoads(loads: readonly QueueLoad[]): void {
    if (loads.length > 0) this.nats.connection.publish(this.nats.names.loads, JSON.stringify(loads));
  }
}

/** A frame that was stored a moment ago and has no id yet is the same one. */
const answerTo = (known: KnownId): Acceptance => (known === 'other' ? { refused: 'packet_id_taken' } : { repeated: true });

function decide(frame: NewFrame, known: KnownId, judge: Judge): Decision {
  if (known !== 'new') return answerTo(known);
  const refused = judge(frame);
  return refused ? { refused } : 'new';
}

const negativeLoad = (load: QueueLoad): QueueLoad => ({ ...load, frames: -load.frames, bytes: -load.bytes });

/** One header of the message holds everything but the frame's bytes. */
const header = 'Parley-Frame';

/** Neither addresses nor tags nor ids have spaces. */
function headersOf({ from, tag, packetId, sentAt, storedAt }: NewFrame): MsgHdrs {
  const all = headers();
  all.set(header, `${from} ${tag} ${packetId} ${sentAt} ${storedAt}`);
  return all;
}

function frameFrom(to: string, sequence: number, all: MsgHdrs | undefined, bytes: Uint8Array): QueuedFrame {
  const [from = '', tag = '', packetId = '', sentAt, storedAt] = (all?.get(header) ?? '').split(' ');
  return { sequence, to, from, tag, packetId, sentAt: Number(sentAt), storedAt: Number(storedAt), bytes };
}

/** Reads a frame from the server's announcement of a stored message. */
function storedFrame(to: string, { headers: all, data }: Msg): { frame: QueuedFrame; before: number } {
  const frame = frameFrom(to, Number(all?.get('Nats-Sequence')), all, data);
  return { frame, before: Number(all?.get('Nats-Last-Sequence')) };
}

/** Frames of one sender, recipient and tag, counted together. */
function loadsOf(frames: Iterable<Pick<NewFrame, 'from' | 'to' | 'tag'> & { size: number }>): QueueLoad[] {
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

const withSize = (frame: NewFrame): NewFrame & { size: number } => ({ ...frame, size: frame.bytes.length });
