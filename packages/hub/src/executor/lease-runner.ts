// Runs work under leases, for turns and invocations alike. The rows are the truth: one hub begins what is queued, under a lease
// that each beginning raises, and whatever is said under an older one is refused. This loop can die at any moment; the next one
// looks at the rows.

import type { Clock } from '../clock.ts';
import { RetryTimer } from '../engine/background-failures.ts';
import type { Tail } from '../engine/tail.ts';
import { WakeLoop } from '../engine/wake-loop.ts';
import { factData } from '../store/fact-data.ts';
import type { PlacedFact, Store } from '../store/port.ts';

export interface LeaseRunnerOptions {
  store: Store;
  tail: Tail;
  clock: Clock;
  onError: (error: unknown) => void;
}

interface Run {
  lease: number;
  abort: AbortController;
  ended: Promise<void>;
}

const leadRetryMs = 5000;

export abstract class LeaseRunner<Options extends LeaseRunnerOptions> {
  protected readonly options: Options;
  protected readonly runs = new Map<string, Run>();
  protected stopping = false;
  private readonly retries: RetryTimer;
  private readonly looks: WakeLoop;
  private isDue = false;
  private cancelLeadRetry: (() => void) | undefined;

  constructor(options: Options) {
    this.options = options;
    this.retries = new RetryTimer(options.clock);
    this.looks = new WakeLoop(
      () => this.isDue && !this.stopping,
      () => this.lookNow(),
    );
  }

  /** Begins what can be begun now. */
  protected abstract beginDue(): Promise<void>;
  /** A fact says that something is to be begun, or is not any more. */
  protected abstract hear(fact: PlacedFact): void;
  /** Runs at the start, after a halt, and when this hub may have become the leader. */
  protected lookAtAll(): void {
    this.look();
  }

  /** Resolves when what a hub before this one left is taken up again. */
  async start(): Promise<void> {
    this.options.tail.listen((facts) => {
      for (const fact of facts) {
        const halt = factData(fact, 'workspace.halted');
        if (halt) this.halt(halt);
        this.hear(fact);
      }
    });
    this.lookAtAll();
    await this.looks.settled();
  }

  private halt({ halted }: { halted: boolean }): void {
    if (halted) for (const { abort } of this.runs.values()) abort.abort(new Error('halted'));
    else this.lookAtAll();
  }

  protected look(): void {
    this.isDue = true;
    this.looks.wake();
  }

  protected lookLater(): void {
    if (!this.stopping) this.retries.retry(() => this.look());
  }

  private async lookNow(): Promise<void> {
    try {
      this.isDue = false;
      await this.beginDue();
      this.retries.succeed();
    } catch (error) {
      if (this.stopping) return;
      this.options.onError(error);
      this.lookLater();
    }
  }

  /** Only one hub runs them; the others check from time to time whether they have become that hub. */
  protected async leads(): Promise<boolean> {
    if (await this.options.store.lead()) return true;
    this.cancelLeadRetry?.();
    if (!this.stopping) this.cancelLeadRetry = this.options.clock.after(leadRetryMs, () => this.lookAtAll());
    return false;
  }

  protected run<T>(id: string, lease: number, work: (signal: AbortSignal) => Promise<T>, after: (result: T) => void): void {
    this.overtake(id, lease);
    const run: Run = { lease, abort: new AbortController(), ended: Promise.resolve() };
    this.runs.set(id, run);
    // Begun while the hub was stopping: it would be waited for and never interrupted.
    if (this.stopping) run.abort.abort(new Error('stopping'));
    run.ended = work(run.abort.signal)
      .finally(() => {
        if (this.runs.get(id) === run) this.runs.delete(id);
      })
      .then(after);
  }

  /** Another lease has started the work again, so this hub's results are discarded. */
  protected overtake(id: string, lease: number): void {
    const run = this.runs.get(id);
    if (run && run.lease < lease) run.abort.abort(new Error('overtaken'));
  }

  /** Resolves when nothing that could be begun is waiting and nothing runs. */
  async settled(): Promise<void> {
    for (;;) {
      await this.options.tail.settled();
      if (!this.looks.isRunning && this.runs.size === 0) return;
      await this.idle();
    }
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.cancelLeadRetry?.();
    this.retries.stop();
    for (const { abort } of this.runs.values()) abort.abort(new Error('stopping'));
    await this.idle();
  }

  private async idle(): Promise<void> {
    await this.looks.settled();
    await Promise.all([...this.runs.values()].map(({ ended }) => ended));
  }
}
