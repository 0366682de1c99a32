// Where a client is in the stream, and why its socket was closed. Without schemas: the page reads it before anything shows.

export interface CursorParts {
  epoch: string;
  seq: number;
}
export const formatCursor = (cursor: CursorParts): string => `${cursor.epoch}:${cursor.seq}`;
export function parseCursor(text: string): CursorParts {
  const [epoch = '', seq = ''] = text.split(':');
  return { epoch, seq: Number(seq) };
}

/** Close codes say what to do next: 4000s that a client may recover from, and how. */
export const closeCodes = {
  /** Behind by more than the backlog allows: reconnect with the last cursor. */
  slow: 4008,
  /** The token was revoked, expired or its member deactivated: sign in again. */
  unauthenticated: 4001,
  /** Another connection of the same agent has taken over. */
  replaced: 4009,
  /** The client sent something that is not a command. */
  badCommand: 4002,
  /** The hub is going down: reconnect in a moment. */
  goingAway: 1001,
} as const;
