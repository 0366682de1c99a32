// People who write to each other without a break while their relay is killed and started again. Each has an outbox and an inbox that
// outlive every connection, as a peer's disk does.

import type { RelayMessage } from '@parley/protocol/relay';
import { frameFrom, type RelayClient, type RelayIdentity } from '@parley/testkit/relay';
import type { Random } from '@parley/testkit';

/** Sent and not yet acknowledged by the relay, to each recipient. */
const windowSize = 8;

interface Outgoing {
  packetId: string;
  bytes: Uint8Array;
}

export class Writer {
  readonly who: RelayIdentity;
  /** What the relay said it has stored, by recipient: the numbers in the order they were sent. */
  readonly stored = new Map<string, number>();
  private readonly recipients: readonly RelayIdentity[];
  private readonly unanswered = new Map<string, Outgoing[]>();
  private sent = new Map<string, number>();
  private isWriting = true;

  constructor(who: RelayIdentity, recipients: readonly RelayIdentity[]) {
    this.who = who;
    this.recipients = recipients;
  }

  /** No new frames; those under way are still answered. */
  finish(): void {
    this.isWriting = false;
  }

  get isDone(): boolean {
    return !this.isWriting && [...this.unanswered.values()].every((list) => list.length === 0);
  }

  /**
   * Sends what is unanswered again, byte for byte and in order, and goes on until the connection is gone, or the relay cannot store
   * anything yet.
   */
  run(client: RelayClient, onStored: () => void, onFailure: (error: Error) => void): void {
    client.socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) return;
      const message = JSON.parse(data.toString()) as RelayMessage;
      if (message.type === 'refused' && message.code === 'disk_full') return client.socket.terminate();
      if (message.type === 'refused') onFailure(new Error(`${this.who.name}: ${message.code} ${message.message}`));
      if (message.type !== 'stored') return;
      const to = this.recipients.find(({ address }) => this.unanswered.get(address)?.[0]?.packetId === message.packet_id);
      if (!to) return onFailure(new Error(`${message.packet_id} was answered twice, or before those sent earlier`));
      this.unanswered.get(to.address)!.shift();
      this.stored.set(to.address, (this.stored.get(to.address) ?? 0) + 1);
      this.fill(client, to);
      onStored();
    });
    for (const to of this.recipients) {
      for (const { bytes } of this.unanswered.get(to.address) ?? []) client.socket.send(bytes);
      this.fill(client, to);
    }
  }

  private fill(client: RelayClient, to: RelayIdentity): void {
    const list = this.unanswered.get(to.address) ?? [];
    this.unanswered.set(to.address, list);
    while (this.isWriting && list.length < windowSize) {
      const number = this.sent.get(to.address) ?? 0;
      this.sent.set(to.address, number + 1);
      const packetId = `pkt_${this.who.name}${to.name}${String(number).padStart(8, '0')}`;
      const bytes = frameFrom(this.who, to, String(number), { packet_id: packetId });
      list.push({ packetId, bytes });
      client.socket.send(bytes);
    }
  }
}

export class Reader {
  readonly who: RelayIdentity;
  /** What the application got, by sender: the first delivery of each packet id. */
  readonly got = new Map<string, number[]>();
  repeats = 0;
  private readonly ids = new Set<string>();
  private readonly random: Random;

  constructor(who: RelayIdentity, random: Random) {
    this.who = who;
    this.random = random;
  }

  run(client: RelayClient): void {
    let read = 0;
    const take = (): void => {
      for (; read < client.deliveries.length; read += 1) {
        const { header, body } = client.deliveries[read]!.parsed;
        if (this.ids.has(header.packet_id)) {
          this.repeats += 1;
          continue;
        }
        this.ids.add(header.packet_id);
        const list = this.got.get(header.from) ?? [];
        this.got.set(header.from, list);
        list.push(Number(new TextDecoder().decode(body)));
      }
      // Now and then the acknowledgement is late, and the relay dies before it.
      if (this.random.int(4) > 0) client.ack();
    };
    client.socket.on('message', (_data: Buffer, isBinary: boolean) => isBinary && take());
    // The first deliveries may have come in one piece with the login's answer, before anybody listened here.
    if (client.deliveries.length > 0) take();
  }
}
