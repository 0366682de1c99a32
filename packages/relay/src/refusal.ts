// Why the relay does not do what a client asked.

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
