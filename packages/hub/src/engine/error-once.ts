/** Tells each error once, by its words: what is damaged is found again by every look. */
export class ErrorOnce {
  private readonly told = new Set<string>();
  private readonly onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.onError = onError;
  }

  tell(error: unknown): void {
    const text = String(error);
    if (this.told.has(text)) return;
    if (this.told.size >= 1000) this.told.clear();
    this.told.add(text);
    this.onError(error);
  }
}
