import { expect, test } from 'vitest';
import { BlockLists } from './block-lists.ts';
import { queueBounds, QueueLimits } from './queue-limits.ts';
import type { NewFrame } from './store/port.ts';

const bob = 'agent:bob@relay.example';
const frameOf = (from: string, size = 1, to = bob): NewFrame => ({
  from,
  to,
  tag: from,
  packetId: 'pkt_1',
  sentAt: 0,
  storedAt: 0,
  bytes: new Uint8Array(size),
});

test('[A2C-9] [A2C-10] users that another relay makes up fill only its part of a mailbox', () => {
  const limits = new QueueLimits({ ...queueBounds, bytesPerRecipient: 4000, perRelay: 20 }, [], new BlockLists([]));
  const fill = (relay: string, frames: number, size: number): (string | undefined)[] =>
    Array.from({ length: frames }, (_, n) => {
      const frame = frameOf(`agent:user${n}@${relay}`, size);
      const refusal = limits.refusal(frame);
      if (refusal === undefined) limits.add(frame);
      return refusal;
    });
  expect(fill('evil.example', 12, 100).filter((one) => one === 'mailbox_full')).toHaveLength(2);
  expect(fill('busy.example', 30, 1).filter((one) => one === 'mailbox_full')).toHaveLength(10);
  expect(new Set(fill('relay.example', 25, 100))).toEqual(new Set([undefined]));
  const first = frameOf('agent:user0@evil.example', 100);
  limits.remove(first);
  expect(limits.refusal(first)).toBeUndefined();
});

test('[A2C-10] users of this relay are not held to that part while they write to people at another relay', () => {
  const limits = new QueueLimits({ ...queueBounds, bytesPerRecipient: 4000, perRelay: 20 }, [], new BlockLists([]));
  const refusals = Array.from({ length: 40 }, (_, n) => {
    const frame = frameOf(`agent:user${n}@relay.example`, 100, 'relay:other.example');
    const refusal = limits.refusal(frame);
    limits.add(frame);
    return refusal;
  });
  expect(new Set(refusals)).toEqual(new Set([undefined]));
});
