// What is checked of a frame before it is stored: who sends it, its signature, its age and its recipient (A2C-2).

import type { KeyObject } from 'node:crypto';
import { type DeviceEpoch, type Frame, readFrame, type RelayRefusal } from '@parley/protocol/relay';
import { clockToleranceMs, frameAgeMs, inDays } from './limits.ts';
import type { Rates } from './rates.ts';
import { Refusal, type RefusalDetails } from './refusal.ts';
import type { Relay } from './relay.ts';
import { verifiesAside } from './signatures.ts';

export interface FrameSender {
  address: string;
  key: KeyObject;
  epoch: DeviceEpoch;
}

/** Throws a `Refusal`, or a `FrameError` where the bytes are no frame. */
export async function checkFrame(relay: Relay, sender: FrameSender, bytes: Uint8Array): Promise<Frame> {
  const frame = readFrame(bytes);
  const { header, signature, signedBytes } = frame;
  const now = relay.now();
  const refusal = (code: RelayRefusal, message: string, more: RefusalDetails = {}): Refusal =>
    new Refusal(code, message, { packet_id: header.packet_id, ...more });
  const mustHaveRate = (rates: Rates, span: string): void => {
    const wait = rates.take(sender.address);
    if (wait > 0) throw refusal('rate_limited', `Too many frames a ${span}.`, { retry_after_ms: wait });
  };
  mustHaveRate(relay.rates.frames, 'minute');
  mustHaveRate(relay.rates.framesOfDay, 'day');
  const { counter, device } = sender.epoch;
  const isTheirs = header.from === sender.address && header.from_key === relay.keyOf(header.from);
  if (!isTheirs || header.epoch.counter !== counter || header.epoch.device !== device)
    throw refusal('wrong_sender', `This connection sends as ${sender.address} with its registered key and epoch ${counter}.`);
  if (!(await verifiesAside(sender.key, signedBytes, signature)))
    throw refusal('bad_signature', 'The signature is not by from_key over these bytes.');
  if (header.sent_at < now - frameAgeMs)
    throw refusal('too_old', `The packet was sealed more than ${inDays(frameAgeMs)} ago. Seal it again.`);
  if (header.sent_at > now + clockToleranceMs) throw refusal('from_the_future', 'sent_at is more than a day ahead of the relay.');
  const recipientKey = relay.keyOf(header.to);
  if (recipientKey === undefined) throw refusal('unknown_address', `${header.to} is not registered here.`);
  if (recipientKey !== header.to_key) throw refusal('key_changed', `${header.to} is registered with another key.`);
  return frame;
}
