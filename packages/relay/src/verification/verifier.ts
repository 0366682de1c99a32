// Signatures of frames, verified beside the relay's thread: they are most of what a frame costs (A2C-2). A busy relay starts a thread
// with libsodium for them; until then, and where libsodium is missing, Node's own threads do it.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { frameDomain, signatureBytes, signedBytesOf } from '@parley/protocol/relay';
import { type PublicKey, verifyAside } from '../signatures.ts';
import { writeBatch } from './batch.ts';

interface Waiting {
  key: PublicKey;
  /** The frame's bytes end with its signature. */
  frame: Uint8Array;
  done: (isValid: boolean) => void;
}

interface VerifyingThread {
  worker: Worker;
  isReady: boolean;
  /** Frames that the thread has not answered yet. */
  batch: Waiting[];
}

/** With this many waiting frames, a thread is worth its memory. */
const threadFrom = 48;
/** Frames of a batch are stored together, while the next batch is verified: two smaller batches keep both threads at work. */
const batchSize = 128;
/** Each batch is one write to each socket, so frames of many senders wait for more: up to this number, or this time. */
const mostPerBatch = 256;
const batchPerSender = 4;
const companyMs = 8;
const mostThreads = 4;

export class Verifier {
  private readonly waiting: Waiting[] = [];
  private readonly threads: VerifyingThread[] = [];
  private isPlanned = false;
  private companyTimer: NodeJS.Timeout | undefined;
  /** Frames that Node's own threads verify at the moment. */
  private aside = 0;
  /** No build for this machine, or the relay is closed. */
  private isOff = false;

  /** `done` is called later, never at once. */
  verify(key: PublicKey, frame: Uint8Array, done: (isValid: boolean) => void): void {
    if (!this.threads.some(({ isReady }) => isReady)) return this.verifyAside({ key, frame, done });
    this.waiting.push({ key, frame, done });
    if (this.isPlanned) return;
    this.isPlanned = true;
    // Frames that are read from all sockets in this turn go together.
    setImmediate(() => {
      this.isPlanned = false;
      this.pass();
    });
  }

  close(): void {
    this.isOff = true;
    for (const { worker } of this.threads) void worker.terminate();
  }

  private pass(hasWaited = false): void {
    const idle = this.threads.filter(({ isReady, batch }) => isReady && batch.length === 0);
    if (idle.length === 0) return;
    const most = this.largestBatch();
    if (!hasWaited && most > batchSize && this.waiting.length < most) return this.passLater();
    const share = Math.min(most, Math.ceil(this.waiting.length / idle.length));
    for (const thread of idle) {
      thread.batch = this.waiting.splice(0, share);
      if (thread.batch.length === 0) return;
      const bytes = writeBatch(
        frameDomain,
        thread.batch.map(({ key, frame }) => ({ key: key.raw, frame })),
      );
      thread.worker.postMessage(bytes, [bytes.buffer]);
    }
  }

  private passLater(): void {
    this.companyTimer ??= setTimeout(() => {
      this.companyTimer = undefined;
      this.pass(true);
    }, companyMs);
  }

  private largestBatch(): number {
    const senders = new Set(this.waiting.slice(0, mostPerBatch).map(({ key }) => key));
    return Math.min(mostPerBatch, Math.max(batchSize, batchPerSender * senders.size));
  }

  private verifyAside({ key, frame, done }: Waiting): void {
    this.aside += 1;
    if (this.aside >= threadFrom && this.threads.length === 0 && !this.isOff)
      for (let n = Math.min(mostThreads, Math.max(1, availableParallelism() - 1)); n > 0; n -= 1) this.start();
    verifyAside(key, signedBytesOf(frame), frame.subarray(-signatureBytes), (isValid) => {
      this.aside -= 1;
      done(isValid);
    });
  }

  private start(): void {
    const worker = new Worker(new URL('./thread.ts', import.meta.url), { name: 'signatures' });
    worker.unref();
    const thread: VerifyingThread = { worker, isReady: false, batch: [] };
    this.threads.push(thread);
    worker.on('message', (verdicts: Uint8Array | 'ready') => {
      if (verdicts === 'ready') return void (thread.isReady = true);
      const { batch } = thread;
      thread.batch = [];
      this.pass();
      for (const [i, { done }] of batch.entries()) done(verdicts[i] === 1);
    });
    // The exit follows.
    worker.on('error', () => (this.isOff = true));
    worker.on('exit', () => this.replace(thread));
  }

  /** Node verifies what a thread left undone. */
  private replace(thread: VerifyingThread): void {
    this.threads.splice(this.threads.indexOf(thread), 1);
    const unverified = [...thread.batch, ...(this.threads.length === 0 ? this.waiting.splice(0) : [])];
    for (const one of unverified) this.verifyAside(one);
  }
}
