// Why a peer does not do what it was asked. The message says what happened and what to do.

export type PeerErrorCode =
  | 'no_identity'
  | 'occupied'
  | 'unknown_peer'
  | 'bad_input'
  | 'line_stopped'
  | 'blocked'
  | 'displaced'
  | 'epoch_fork'
  | 'key_replaced'
  | 'unregistered'
  | 'relay_away'
  | 'queue_full'
  | 'refused'
  | 'not_a_backup'
  | 'wrong_passphrase'
  | 'unknown_id'
  | 'answered'
  | 'calendar_conflict';

export class PeerError extends Error {
  readonly code: PeerErrorCode;

  constructor(code: PeerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PeerError';
    this.code = code;
  }
}
