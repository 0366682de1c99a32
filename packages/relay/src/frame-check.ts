// Checks a frame before it is stored: its sender, signature, age and recipient (A2C-2).

import { type FrameHeader, type RelayRefusal, type DeviceEpoch, readFrameHeader } from '@parley/protocol/relay';
import { Refusal, type RefusalDetails } from './refusal.ts';
import type { Relay } from './relay.ts';
import { clockToleranceMs, frameAgeMs, inDays } from './limits.ts';
import type { Rates } from './rates.ts';
import type { PublicKey } from './signatures.ts';

export interface FrameSender {
  address: string;
  key: PublicKey;
  epoch: DeviceEpoch;
}

export const refusal = ({ packet_id }: FrameHeader, code: RelayRefusal, message: string, details: RefusalDetails = {}): Refusal =>
  new Refusal(code, message, { packet_id, ...details });

/** Calls `settle` with the header of a valid frame, a `Refusal`, or a `FrameError` if the bytes are no frame. */
export function checkFrame(relay: Relay, sender: FrameSender, bytes: Uint8Array, settle: (outcome: FrameHeader | Error) => void): void {
  try {
    const header = readFrameHeader(bytes);
    mustBeTheirs(relay, sender, header);
    relay.verifier.verify(sender.key, bytes, (isValid) => {
      settle(isValid ? (routingProblem(relay, header) ?? header) : signatureRefusal(header));
    });
  } catch (error) {
    settle(error as Error);
  }
}

function mustBeTheirs(relay: Relay, sender: FrameSender, header: FrameHeader): void {
  const mustHaveRate = (rates: Rates, span: string): void => {
    const wait = rates.take(sender.address);
    if (wait > 0) throw refusal(header, 'rate_limited', `Too many frames a ${span}.`, { retry_after_ms: wait });
  };
  mustHaveRate(relay.rates.frames, 'minute');
  mustHaveRate(relay.rates.framesOfDay, 'day');
  const { counter, device } = sender.epoch;
  const isTheirs = header.from === sender.address && header.from_key === relay.keyOf(header.from);
  if (!isTheirs || header.epoch.counter !== counter || header.epoch.device !== device)
    throw refusal(header, 'wrong_sender', `This connection sends as ${sender.address} with its registered key and epoch ${counter}.`);
}

const signatureRefusal = (header: FrameHeader): Refusal =>
  refusal(header, 'bad_signature', 'The signature is not by from_key over these bytes.');

export function routingProblem(relay: Relay, header: FrameHeader): Refusal | undefined {
  const now = relay.now();
  if (header.sent_at < now - frameAgeMs)
    return refusal(header, 'too_old', `The packet was sealed more than ${inDays(frameAgeMs)} ago. Seal it again.`);
  if (header.sent_at > now + clockToleranceMs) return refusal(header, 'from_the_future', 'sent_at is more than a day ahead of the relay.');
  const recipientKey = relay.keyOf(header.to);
  if (recipientKey === undefined) return relay.problemElsewhere(header);
  if (recipientKey !== header.to_key) return refusal(header, 'key_changed', `${header.to} is registered with another key.`);
  return undefined;
}
