// The same letters over NATS JetStream, by its own client: published with an acknowledgement, consumed and acknowledged.

import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { serve } from './serve.ts';
import type { LetterInput, LetterResult } from './relay-clients.ts';

const connections: NatsConnection[] = [];
const open = async (servers: string): Promise<NatsConnection> => {
  const connection = await connect({ servers });
  connections.push(connection);
  return connection;
};

interface Pair {
  publish: (payload: Uint8Array) => Promise<unknown>;
  consume: (onMessage: () => void) => Promise<void>;
}
let pairs: Pair[] = [];

/** A connection of its own for each writer and each reader, as with a relay. */
async function prepare({ servers, count }: { servers: string; count: number }): Promise<void> {
  const manager = await jetstreamManager(await open(servers));
  const stream = `letters${count}`;
  await manager.streams.add({ name: stream, subjects: [`${stream}.*`], storage: StorageType.File });
  pairs = [];
  for (let n = 0; n < count; n += 1) {
    const [writer, reader] = [jetstream(await open(servers)), jetstream(await open(servers))];
    const subject = `${stream}.p${n}`;
    const filter = {
      durable_name: `reader${n}`,
      filter_subject: subject,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
    };
    await manager.consumers.add(stream, { ...filter, max_ack_pending: 1000 });
    const consumer = await reader.consumers.get(stream, `reader${n}`);
    pairs.push({
      publish: (payload) => writer.publish(subject, payload),
      consume: async (onMessage) => {
        await consumer.consume({
          max_messages: 256,
          callback: (message) => {
            message.ack();
            onMessage();
          },
        });
      },
    });
  }
}

let onMessage = (): void => {};

async function carry({ pairs: count, count: letters, window, frameBytes }: LetterInput): Promise<LetterResult> {
  const payload = new Uint8Array(frameBytes).fill(120);
  const { promise, resolve, reject } = Promise.withResolvers<LetterResult>();
  const began = performance.now();
  let [sent, stored, delivered] = [0, 0, 0];
  const end = (): void => {
    if (stored === letters && delivered === letters) resolve({ ms: performance.now() - began });
  };
  const publish = async (pair: Pair): Promise<void> => {
    await pair.publish(payload);
    stored += 1;
    end();
  };
  const step = (): void => {
    for (; sent < letters && sent - delivered < window; sent += 1) publish(pairs[sent % count]!).catch(reject);
    end();
  };
  onMessage = () => {
    delivered += 1;
    step();
  };
  step();
  return promise;
}

serve(
  {},
  { prepare, listen: async () => void (await Promise.all(pairs.map(({ consume }) => consume(() => onMessage())))), carry },
  async () => {
    await Promise.all(connections.map((connection) => connection.close()));
  },
);
