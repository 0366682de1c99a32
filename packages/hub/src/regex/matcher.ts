// The order and the time of answers. The owner who has used the least time comes first, and a thread apart answers owners
// of slow regexes, so that nobody waits for another's regexes. The regexes of one owner have a time for each event and a
// share of all time; past it they are too slow, whatever they would have said.

import type { MatchAnswer, MatchQuestion } from './question.ts';
import { type Deadlines, type Ran, RegexThread } from './thread.ts';

export interface RegexLimits {
  deadlines: Deadlines;
  /** For all regexes of one owner on one event. */
  eventMs: number;
  /** The time that one owner's regexes can use at once. */
  burstMs: number;
  /** The part of all time that an owner gets back. */
  share: number;
}

export const regexLimits: RegexLimits = {
  deadlines: { match: 100, contains: 100, compile: 500, judge: 1000, recompile: 2000 },
  eventMs: 250,
  burstMs: 2000,
  share: 0.5,
};

/** The answerer is a thread, except in tests. */
export type RegexAnswerer = Pick<RegexThread, 'run' | 'close'>;

/** Shorter work than a trip to a thread is done here: letters times the size of the pattern, and time per turn of the event loop. */
const [mostSteps, mostTurnMs] = [10_000, 2];
const mostSmall = 1000;
/** From one batch: each is compiled here. */
const mostLearnt = 4;

interface Small {
  test: (text: string) => boolean;
  size: number;
}

interface Job {
  owner: string;
  questions: readonly MatchQuestion[];
  /** The questions before this index are answered. */
  from: number;
  answers: (MatchAnswer | undefined)[];
  left: number;
  spentMs: number;
  /** Some of its questions are with a thread. */
  isAsked: boolean;
  resolve: (answers: MatchAnswer[]) => void;
  reject: (error: Error) => void;
}

/** Between two looks at who comes next. */
const sliceMs = 5;
const mostTogether = 256;
/** The most letters of one batch: more would only be copied and left over. */
const mostLetters = 1_000_000;

/** An owner whose regex took so long is answered apart for a while: others do not wait for the next one. */
const longMs = 10;
const apartMs = 60_000;

interface Lane {
  answering: RegexAnswerer;
  isRunning: boolean;
}

type Batch = { job: Job; at: number }[];

export class Matcher {
  private readonly limits: RegexLimits;
  private readonly now: () => number;
  private readonly quick: Lane;
  private readonly slow: Lane;
  /** By owner, in the order in which they came. */
  private readonly waiting = new Map<string, Set<Job>>();
  /** The time that each owner has left, and when that was computed. */
  private readonly purses = new Map<string, { ms: number; at: number }>();
  /**
   * By owner, the time they have taken: of those whose purses are full, the one with the least comes first. An owner who comes
   * back counts from `least`, the least of all who wait.
   */
  private readonly taken = new Map<string, number>();
  private least = 0;
  /** Patterns that the threads have said are small. */
  private readonly small = new Map<string, Small | undefined>();
  private clearedAt = -Infinity;
  private turnMs = 0;
  /** The time until which an owner's questions are answered apart. */
  private readonly apart = new Map<string, number>();

  constructor({
    limits = regexLimits,
    answering = (background) => new RegexThread(limits.deadlines, background),
    now = () => performance.now(),
  }: { limits?: RegexLimits; answering?: (background: boolean) => RegexAnswerer; now?: () => number } = {}) {
    [this.limits, this.now] = [limits, now];
    [this.quick, this.slow] = [
      { answering: answering(false), isRunning: false },
      { answering: answering(true), isRunning: false },
    ];
  }

  /** Returns one answer for each question, in order. `owner` pays with its time. */
  ask(owner: string, questions: readonly MatchQuestion[]): Promise<MatchAnswer[]> {
    if (questions.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      const answers = questions.map(() => undefined);
      const job: Job = { owner, questions, from: 0, answers, left: questions.length, spentMs: 0, isAsked: false, resolve, reject };
      const before = this.waiting.get(owner);
      if (before) before.add(job);
      else this.waiting.set(owner, new Set([job]));
      // Questions of one moment are answered together.
      queueMicrotask(() => this.wake());
    });
  }

  /** Whether it matches, where that is known in no time; undefined: it has to be asked. */
  atOnce(source: string, text: string): boolean | undefined {
    const small = this.small.get(source);
    if (small === undefined || small.size * text.length > mostSteps || this.turnMs >= mostTurnMs) return undefined;
    if (this.turnMs === 0) setImmediate(() => (this.turnMs = 0));
    const began = this.now();
    const holds = small.test(text);
    this.turnMs += this.now() - began + 0.001;
    return holds;
  }

  private hasRoomFor(source: string): boolean {
    if (this.small.has(source)) return false;
    if (this.small.size < mostSmall) return true;
    // Those of before may be gone by now; but not every minute are there a thousand others.
    const now = this.now();
    if (now - this.clearedAt < apartMs) return false;
    this.clearedAt = now;
    this.small.clear();
    return true;
  }

  private async learn(source: string, size: number): Promise<void> {
    this.small.set(source, undefined);
    // A hub without regexes does not load it.
    const { compilePattern } = await import('@parley/core/pattern');
    const made = compilePattern(source);
    if (made.ok) this.small.set(source, { test: made.test, size });
  }

  async close(): Promise<void> {
    await Promise.all([this.quick, this.slow].map(({ answering }) => answering.close()));
  }

  private wake(): void {
    for (const lane of [this.quick, this.slow]) if (!lane.isRunning) void this.work(lane);
  }

  private async work(lane: Lane): Promise<void> {
    lane.isRunning = true;
    for (let batch = this.next(lane); batch.length > 0; batch = this.next(lane)) {
      const questions = batch.map(({ job, at }) => job.questions[at]!);
      try {
        this.take(batch, await lane.answering.run(questions, sliceMs));
      } catch (error) {
        // There is no thread to be had: nobody is left waiting for one.
        for (const { job } of batch) this.drop(job, error instanceof Error ? error : new Error(String(error)));
      }
      // The slow questions move to the other lane.
      this.wake();
    }
    lane.isRunning = false;
  }

  /** The questions that come next; what has no time left is answered on the way. */
  private next(lane: Lane): Batch {
    const batch: Batch = [];
    let letters = 0;
    const owners = [...this.waiting.keys()]
      .filter((owner) => this.laneFor(owner) === lane)
      .map((owner) => ({ owner, ms: this.leftOf(owner) }))
      .toSorted((a, b) => b.ms - a.ms || this.takenBy(a.owner) - this.takenBy(b.owner));
    if (this.waiting.size > 0) this.least = Math.max(this.least, Math.min(...[...this.waiting.keys()].map((owner) => this.takenBy(owner))));
    for (const { owner, ms } of owners) {
      for (const job of this.waiting.get(owner) ?? []) {
        if (job.isAsked) continue;
        while (job.answers[job.from] !== undefined) job.from++;
        for (let at = job.from; at < job.questions.length; at++) {
          if (batch.length >= mostTogether || letters >= mostLetters) return batch;
          if (job.answers[at] !== undefined) continue;
          const question = job.questions[at]!;
          if ((question.kind === 'match' || question.kind === 'contains') && (ms <= 0 || job.spentMs >= this.limits.eventMs))
            this.answer(job, at, { tooSlow: true });
          else {
            job.isAsked = true;
            batch.push({ job, at });
            letters += question.kind === 'compile' ? 0 : question.text.length;
          }
        }
      }
    }
    return batch;
  }

  private laneFor(owner: string): Lane {
    const until = this.apart.get(owner);
    if (until === undefined) return this.quick;
    if (until > this.now()) return this.slow;
    this.apart.delete(owner);
    return this.quick;
  }

  private take(batch: Batch, { answers, stopped }: Ran): void {
    for (const { job } of batch) job.isAsked = false;
    let learnt = 0;
    for (const [i, { value, ms, size }] of answers.entries()) {
      const { job, at } = batch[i]!;
      const question = job.questions[at]!;
      if (size !== undefined && question.kind === 'match' && learnt < mostLearnt && this.hasRoomFor(question.source)) {
        learnt++;
        void this.learn(question.source, size);
      }
      this.took({ job, at }, ms, { tooSlow: false, value });
    }
    if (stopped) this.took(batch[stopped.at]!, stopped.ms, { tooSlow: true });
  }

  private took({ job, at }: Batch[number], ms: number, answer: MatchAnswer): void {
    job.spentMs += ms;
    this.taken.set(job.owner, Math.max(this.takenBy(job.owner), this.least) + ms);
    if (ms >= longMs) this.apart.set(job.owner, this.now() + apartMs);
    this.purses.set(job.owner, { ms: this.leftOf(job.owner) - ms, at: this.now() });
    this.answer(job, at, answer);
  }

  private answer(job: Job, at: number, answer: MatchAnswer): void {
    job.answers[at] = answer;
    if (--job.left > 0) return;
    this.forget(job);
    job.resolve(job.answers as MatchAnswer[]);
  }

  private drop(job: Job, error: Error): void {
    this.forget(job);
    job.reject(error);
  }

  private forget(job: Job): void {
    const ownerJobs = this.waiting.get(job.owner);
    ownerJobs?.delete(job);
    if (ownerJobs?.size === 0) this.waiting.delete(job.owner);
  }

  private takenBy(owner: string): number {
    return this.taken.get(owner) ?? this.least;
  }

  private leftOf(owner: string): number {
    const purse = this.purses.get(owner);
    if (!purse) return this.limits.burstMs;
    const ms = purse.ms + (this.now() - purse.at) * this.limits.share;
    if (ms < this.limits.burstMs) return ms;
    // Without an entry, the owner has its whole time again.
    this.purses.delete(owner);
    return this.limits.burstMs;
  }
}
