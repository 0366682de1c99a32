// Challenges that a browser has not answered yet. Each counts once, whether it succeeds or not; a restart forgets them all.

const answerMs = 5 * 60_000;
const mostOpen = 10_000;

export class OpenChallenges<T> {
  private readonly now: () => number;
  private readonly open = new Map<string, { purpose: T; expiresAt: number }>();

  constructor(now: () => number) {
    this.now = now;
  }

  add(challenge: string, purpose: T): void {
    this.open.set(challenge, { purpose, expiresAt: this.now() + answerMs });
    // The oldest one is dropped, because its page can ask again.
    if (this.open.size > mostOpen) this.open.delete(this.open.keys().next().value!);
  }

  /** Undefined for an unknown, answered or expired challenge. */
  take(challenge: string): T | undefined {
    const found = this.open.get(challenge);
    this.open.delete(challenge);
    return found && found.expiresAt > this.now() ? found.purpose : undefined;
  }
}
