// When somebody types in pieces, the agent waits (C2A-4): the window opens with what asks, each piece and each sign of
// typing keeps it open, and it never stays open for longer than a person would wait for an answer.

export interface WindowLimits {
  /** After a piece: so long without another, and the turn begins. 0: no window at all. */
  quietMs: number;
  /** After a sign of typing: a client repeats it while its person types. */
  typingMs: number;
  /** From the first piece to the turn, whatever happens. */
  longestMs: number;
}

export const windowLimits: WindowLimits = { quietMs: 2500, typingMs: 5000, longestMs: 30_000 };

export interface ComposeWindow {
  since: number;
  readyAt: number;
}

export const openWindow = (now: number, limits: WindowLimits): ComposeWindow => ({
  since: now,
  readyAt: now + Math.min(limits.quietMs, limits.longestMs),
});

/** A piece begins the quiet anew, also when the typing before it had put the turn off for longer: it ended in this piece. */
export function keepOpen(before: ComposeWindow, by: 'piece' | 'typing', now: number, limits: WindowLimits): ComposeWindow {
  const wait = by === 'piece' ? limits.quietMs : Math.max(limits.typingMs, before.readyAt - now);
  return { since: before.since, readyAt: Math.min(now + wait, before.since + limits.longestMs) };
}

export const isReady = (open: ComposeWindow, now: number): boolean => now >= open.readyAt;
