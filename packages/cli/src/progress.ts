// Says on stderr how far long work is: a line that is drawn again on a terminal, a line every ten seconds on a pipe, nothing
// with --json. The line is drawn here because @clack/prompts ends the process with status 0 at Ctrl-C, before a backup or a
// restore has taken back what it began.

import type { OnProgress, Progress } from '@parley/hub';
import { CliError } from './exit.ts';
import { count, size, type Output } from './output.ts';

interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Short work shows nothing. */
const shownAfterMs = 1000;
const drawnEveryMs = 100;
const pipedEveryMs = 10_000;
const clearLine = '\r\u001B[K';

export class ProgressLine {
  private readonly screen: Screen;
  private readonly now: () => number;
  private act = '';
  private began = 0;
  private next: number;
  private drawn = false;

  constructor(screen: Screen = process.stderr, now: () => number = () => performance.now()) {
    this.screen = screen;
    this.now = now;
    this.next = now() + (screen.isTTY ? shownAfterMs : pipedEveryMs);
  }

  show(progress: Progress): void {
    const now = this.now();
    if (progress.act !== this.act) [this.act, this.began] = [progress.act, now];
    if (now < this.next) return;
    const words = wordsOf(progress, now - this.began);
    if (this.screen.isTTY) this.screen.write(`${clearLine}${words.slice(0, (this.screen.columns ?? 80) - 1)}`);
    else this.screen.write(`${words}\n`);
    this.drawn = true;
    this.next = now + (this.screen.isTTY ? drawnEveryMs : pipedEveryMs);
  }

  clear(): void {
    if (this.drawn && this.screen.isTTY) this.screen.write(clearLine);
    this.drawn = false;
  }
}

/** Before this part of the work is done, an estimate of the rest would be wrong. */
const leastDone = 0.02;

function wordsOf({ act, done, total, unit }: Progress, elapsedMs: number): string {
  const whole = Math.max(done, total);
  const amount = unit === 'byte' ? `${size(done)} of ${size(whole)}` : `${done.toLocaleString('en')} of ${counted(whole, unit)}`;
  if (total === 0) return `${act}: ${unit === 'byte' ? size(done) : counted(done, unit)}`;
  const part = Math.min(1, done / total);
  const remaining = part < leastDone ? '' : `, about ${duration((elapsedMs * (1 - part)) / part)} left`;
  return `${act}: ${amount} (${Math.floor(part * 100)} %)${remaining}`;
}

const counted = (n: number, unit: string): string => count(n, unit).replace(/^\d+/, (digits) => Number(digits).toLocaleString('en'));

function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds < 60 ? `${seconds} s` : seconds < 3600 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** The message after Ctrl-C in work that only reads. */
export const nothingStored = 'Nothing was changed.';

/** Ctrl-C ends the work where it next says how far it is; `canceled` says what that leaves. A second one ends the process. */
export async function withProgress<T>(output: Output, canceled: string, work: (onProgress: OnProgress) => Promise<T>): Promise<T> {
  const { CanceledError } = await import('@parley/hub');
  const line = output.json ? undefined : new ProgressLine();
  let isStopping = false;
  const stop = (): void => {
    isStopping = true;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  try {
    return await work((progress) => {
      if (isStopping) throw new CanceledError();
      line?.show(progress);
    });
  } catch (error) {
    throw error instanceof CanceledError ? new CliError('canceled', `Canceled. ${canceled}`) : error;
  } finally {
    line?.clear();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
  }
}
