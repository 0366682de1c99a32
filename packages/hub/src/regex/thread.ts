// The main thread's end of the thread that matches: one batch at a time, with a deadline for each question in it. Past it the
// thread is ended, because nothing else stops a match, and another one takes its place. Starting one counts as nobody's time.

import module from 'node:module';
import { Worker } from 'node:worker_threads';
import {
  type Batch,
  cpuMs,
  type MatchBatch,
  monotonicMs,
  progressBytes,
  progressIn,
  type MatchQuestion,
  type ThreadReply,
  type ThreadData,
} from './question.ts';

/** In milliseconds of processor time. */
export interface Deadlines {
  match: number;
  contains: number;
  compile: number;
  judge: number;
  /** A pattern that was accepted, compiled again because it was not kept: on a busy machine it may take longer than then. */
  recompile: number;
}

/** `stopped`: at which question the thread was ended, and after how many milliseconds; those before it are to be asked again. */
export type Ran = MatchBatch & { stopped?: { at: number; ms: number } };

/** By the clock a thread may take so many times its deadline, where others leave it no processor. */
const elapsedPerUsed = 20;

/** Ended by a fault of its own while it worked on a question, not by a deadline. */
class ThreadDied extends Error {}

interface Started {
  worker: Worker;
  progress: ReturnType<typeof progressIn>;
  ready: Promise<void>;
}

export class RegexThread {
  private readonly deadlines: Deadlines;
  private started: Started | undefined;
  private isClosed = false;
  private readonly background: boolean;

  /** `background`: it gets what processor time nobody else wants. */
  constructor(deadlines: Deadlines, background = false) {
    [this.deadlines, this.background] = [deadlines, background];
  }

  /** Answers the first of these, as far as a slice of time goes. */
  async run(questions: readonly MatchQuestion[], sliceMs: number): Promise<Ran> {
    if (this.isClosed) throw new Error('The regex thread was closed');
    const thread = (this.started ??= this.start());
    thread.worker.ref();
    try {
      await thread.ready;
      return await this.answered(thread, questions, sliceMs);
    } finally {
      thread.worker.unref();
    }
  }

  private start(): Started {
    const buffer = new SharedArrayBuffer(progressBytes);
    const cache = module.getCompileCacheDir();
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: { buffer, background: this.background } satisfies ThreadData,
      name: 'regex',
      // A thread does not take over its parent's compile cache by itself; with it, it starts in half the time.
      env: cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: cache },
      // Past it the thread ends, not the hub.
      resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 },
    });
    const ready = new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve());
      worker.once('error', reject);
      worker.once('exit', () => reject(new ThreadDied('The regex thread has ended')));
    });
    const started = { worker, progress: progressIn(buffer), ready };
    // The next question gets another.
    worker.once('exit', () => {
      if (this.started === started) this.started = undefined;
    });
    ready.catch(() => {
      if (this.started === started) this.started = undefined;
    });
    return started;
  }

  private answered(thread: Started, questions: readonly MatchQuestion[], sliceMs: number): Promise<Ran> {
    const { worker, progress } = thread;
    const { match, contains, compile, judge, recompile } = this.deadlines;
    const shortest = Math.min(match, contains, compile, judge, recompile);
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      let isOver = false;
      const end = (settle: () => void): void => {
        isOver = true;
        clearTimeout(timer);
        worker.off('message', done);
        worker.off('error', died);
        worker.off('exit', died);
        settle();
      };
      const done = ({ values, ms, sizes }: ThreadReply): void =>
        end(() => resolve({ answers: values.map((value, i) => ({ value, ms: ms[i]!, size: sizes[i] || undefined })) }));
      const stopped = (at: number, ms: number): void => {
        this.started = undefined;
        end(() => resolve({ answers: [], stopped: { at: at - 1, ms } }));
        void worker.terminate();
        // The next one is started at once, so that no question waits for that, too.
        if (!this.isClosed) (this.started = this.start()).worker.unref();
      };
      const died = (error: unknown): void => {
        const at = Atomics.load(progress.at, 0);
        this.started = undefined;
        // Out of memory, or a fault of the library: that question is not put again.
        end(() => (at === 0 ? reject(error instanceof Error ? error : new ThreadDied('The regex thread has ended')) : stopped(at, 0)));
      };
      const look = async (): Promise<number> => {
        const at = Atomics.load(progress.at, 0);
        const since = progress.since[0]!;
        const elapsed = at === 0 ? 0 : monotonicMs() - since;
        const limit = at === 0 ? shortest : this.limitOf(questions[at - 1]!, Atomics.load(progress.isCompiling, 0) === 1);
        if (elapsed < limit) return limit - elapsed;
        const used = cpuMs(await worker.cpuUsage()) - progress.sinceCpu[0]!;
        // The thread may have moved to the next question meanwhile.
        if (isOver || Atomics.load(progress.at, 0) !== at || progress.since[0] !== since) return limit;
        if (used < limit && elapsed < limit * elapsedPerUsed) return limit - used;
        stopped(at, used);
        return limit;
      };
      const watch = async (): Promise<void> => {
        // Gone in between, which is reported elsewhere.
        const after = await look().catch(() => shortest);
        // The next question may have less time, so the watch follows the shortest limit.
        if (!isOver) timer = setTimeout(() => void watch(), Math.max(1, Math.min(after, shortest)));
      };
      worker.on('message', done);
      worker.on('error', died);
      worker.on('exit', died);
      worker.postMessage(batchOf(questions, sliceMs));
      timer = setTimeout(() => void watch(), shortest);
    });
  }

  private limitOf({ kind }: MatchQuestion, isCompiling: boolean): number {
    return kind === 'match' && isCompiling ? this.deadlines.recompile : this.deadlines[kind];
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.started?.worker.terminate();
  }
}

function batchOf(questions: readonly MatchQuestion[], sliceMs: number): Batch {
  const places = new Map<string, number>();
  const placeOf = (text: string): number => {
    const place = places.get(text) ?? places.size;
    places.set(text, place);
    return place;
  };
  return {
    kinds: questions.map(({ kind }) => kind),
    abouts: questions.map((one) => (one.kind === 'judge' ? one.output : one.source)),
    places: questions.map((one) => (one.kind === 'compile' ? -1 : placeOf(one.text))),
    texts: [...places.keys()],
    sliceMs,
  };
}
