// Two people with keys, and the header of a frame between them.

import { newSigningKey, type OwnIdentity } from '@parley/peer';
import { type FrameHeader, toBase64Url } from '@parley/protocol/relay';

const device = toBase64Url(new Uint8Array(16).fill(7));

export const person = (name: string): OwnIdentity => ({
  address: `agent:${name}@localhost`,
  key: newSigningKey(),
  epoch: { counter: 1, device },
});

export const headerOf = (from: OwnIdentity, to: OwnIdentity, n: number, tag = device): FrameHeader => ({
  v: 1,
  packet_id: `pkt_${String(n).padStart(10, '0')}`,
  from: from.address,
  to: to.address,
  from_key: toBase64Url(from.key.public),
  to_key: toBase64Url(to.key.public),
  epoch: from.epoch,
  tag,
  sent_at: Date.now(),
});
