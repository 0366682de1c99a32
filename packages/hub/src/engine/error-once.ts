/** Reports each error once, by its words: every look finds a damaged row again. */
export class ErrorOnce {
  private readonly reported = new Set<string>();
  private readonly onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.onError = onError;
  }

  tell(error: unknown): void {
    const text = String(error);
    if (this.reported.has(text)) return;
    if (this.reported.size >= 1000) this.reported.clear();
    this.reported.add(text);
    this.onError(error);
  }
}
