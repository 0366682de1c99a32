// Work that is done as long as there is some, by one at a time.

/**
 * `isDue` and the end of the work are asked in one breath: between a last look and a note that it ended, something new would be
 * seen by nobody.
 */
export class WakeLoop {
  private readonly isDue: () => boolean;
  private readonly work: () => Promise<void>;
  private running: Promise<void> | undefined;

  constructor(isDue: () => boolean, work: () => Promise<void>) {
    this.isDue = isDue;
    this.work = work;
  }

  wake(): void {
    if (this.isDue()) this.running ??= this.run();
  }

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  async settled(): Promise<void> {
    while (this.running) await this.running;
  }

  private async run(): Promise<void> {
    try {
      while (this.isDue()) await this.work();
    } finally {
      this.running = undefined;
    }
  }
}
