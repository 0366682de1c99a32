// A refusal of the relay, with its code and text.

import type { DeviceEpoch, RelayRefusal } from '@parley/protocol/relay';

export interface RefusalDetails {
  packet_id?: string;
  ref?: string;
  retry_after_ms?: number;
  epoch?: DeviceEpoch;
}

export class Refusal extends Error {
  readonly code: RelayRefusal;
  readonly details: RefusalDetails;

  constructor(code: RelayRefusal, message: string, details: RefusalDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** Texts for the sender of a frame that was not stored. */
export const storeRefusals: Partial<Record<RelayRefusal, string>> = {
  queue_full: 'Too many packets wait for this recipient. Send one that consolidates them once it has been online.',
  mailbox_full: 'Too many bytes wait for this recipient. Try again once it has been online.',
  packet_id_taken: 'Another packet has this id.',
  disk_full: 'The relay could not store the packet. Try again later.',
};
