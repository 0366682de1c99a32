import { expect, test } from 'vitest';
import { QueueDelivery } from './queue-delivery.ts';
import type { QueuedFrame, RelayStore } from './store/port.ts';

const frame = (sequence: number): QueuedFrame => ({
  sequence,
  from: 'a',
  to: 'b',
  tag: 't',
  packetId: `pkt_${sequence}`,
  sentAt: 0,
  storedAt: 0,
  bytes: Uint8Array.of(sequence),
});

async function deliveryOver(stored: QueuedFrame[]): Promise<{ delivery: QueueDelivery; sent: number[] }> {
  const sent: number[] = [];
  const waiting: RelayStore['waiting'] = async (_to, after) => stored.filter(({ sequence }) => sequence > after);
  const delivery = new QueueDelivery('b', { waiting } as RelayStore, [], {
    send: ({ frame: bytes }) => sent.push(bytes[0]!),
    dropsFrom: () => false,
    drop: () => {},
    onFailure: (error) => {
      throw error;
    },
  });
  await delivery.pump();
  return { delivery, sent };
}

test('[A2C-6] a frame whose predecessor was never announced waits until that one is read', async () => {
  const stored = [frame(1)];
  const { delivery, sent } = await deliveryOver(stored);
  stored.push(frame(2), frame(3));
  delivery.offer(frame(3), 2);
  await expect.poll(() => sent).toEqual([1, 2, 3]);
  stored.push(frame(4));
  delivery.offer(frame(4), 3);
  expect(sent).toEqual([1, 2, 3, 4]);
});

test('[A2C-6] a frame that was never announced is found by the next check', async () => {
  const stored = [frame(1)];
  const { delivery, sent } = await deliveryOver(stored);
  stored.push(frame(2));
  delivery.recheck();
  await expect.poll(() => sent).toEqual([1, 2]);
});
