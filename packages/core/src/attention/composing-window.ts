// When somebody types in pieces, the agent waits (C2A-4): the composing window opens with what asks, each piece and each
// sign of typing keeps it open, and it never stays open for longer than a person would wait for an answer.

export interface WindowLimits {
  /** After a piece that looks finished: so long without another, and the turn begins. */
  shortMs: number;
  /** After a piece that looks unfinished. 0: no window at all. */
  quietMs: number;
  /** After a sign of typing: a client repeats it while its person types. */
  typingMs: number;
  /** From the first piece to the turn, whatever happens; and so long a request can grow. */
  longestMs: number;
}

export const windowLimits: WindowLimits = { shortMs: 600, quietMs: 2500, typingMs: 5000, longestMs: 30_000 };

export interface ComposeWindow {
  since: number;
  readyAt: number;
}

/** `finished`: it looks as if nothing follows. `done`: its author says so. */
export type Fragment = 'finished' | 'unfinished' | 'done';

const waitAfter = (piece: Fragment, { shortMs, quietMs }: WindowLimits): number =>
  piece === 'done' ? 0 : piece === 'finished' ? Math.min(shortMs, quietMs) : quietMs;

export const openWindow = (now: number, limits: WindowLimits, piece: Fragment, since = now): ComposeWindow => ({
  since,
  readyAt: Math.max(now, Math.min(now + waitAfter(piece, limits), since + limits.longestMs)),
});

/** A piece starts the wait again, also when the typing before it had put the turn off for longer: it ended in this piece. */
export function keepOpen(before: ComposeWindow, by: Fragment | 'typing', now: number, limits: WindowLimits): ComposeWindow {
  const wait = by === 'typing' ? Math.max(limits.typingMs, before.readyAt - now) : waitAfter(by, limits);
  return { since: before.since, readyAt: Math.min(now + wait, before.since + limits.longestMs) };
}

export const isReady = (open: ComposeWindow, now: number): boolean => now >= open.readyAt;

/** So often a turn is restarted by what its requester adds to the request; from then on every piece waits long (C2A-28). */
export const maxRestarts = 3;

export const pieceAfter = (restarts: number, piece: Fragment): Fragment =>
  piece === 'finished' && restarts >= maxRestarts ? 'unfinished' : piece;
